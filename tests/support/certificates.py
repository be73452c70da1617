"""Certificates for tests: made on the spot, good for a day."""

import datetime as dt
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from sudare.twoparty.protocol.connection import Credentials


def certificate(folder: Path, name: str, by: tuple[Path, Path] | None = None) -> tuple[Path, Path]:
    """A certificate of a host of this name and its key, signed by itself or by another."""
    key = signer = ec.generate_private_key(ec.SECP256R1())
    subject = issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    if by is not None:
        issuer = x509.load_pem_x509_certificate(by[0].read_bytes()).subject
        loaded = serialization.load_pem_private_key(by[1].read_bytes(), None)
        assert isinstance(loaded, ec.EllipticCurvePrivateKey)
        signer = loaded
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(signer, hashes.SHA256())
    )
    pem, private = folder / f"{name}.pem", folder / f"{name}.key"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem, private


def both(folder: Path) -> tuple[Credentials, Credentials]:
    """What P1 and P2 need to know each other."""
    (one, one_key), (two, two_key) = certificate(folder, "one"), certificate(folder, "two")
    return Credentials(one, one_key, two), Credentials(two, two_key, one)

"""A connection between two parties: TLS with both certificates, frames, time-outs; P2's end."""

import socket
import ssl
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sudare.errors import InvalidMessage, ParameterError, PartyLost, SudareError
from sudare.formats.files import regular
from sudare.formats.hosts import is_loopback
from sudare.twoparty.protocol.messages import LARGEST, Step, refusal, refuse_refusal

TIMEOUT = 60.0
FRAME = struct.Struct(">I")  # before each message, its length
_AGAIN = 0.05  # seconds until a party that is not there yet is tried again
_NAME = 80  # letters of a host's name that a sentence repeats


@dataclass(frozen=True)
class Credentials:
    """A party's certificate and private key, and the one certificate that it accepts."""

    certificate: Path
    private_key: Path
    peer: Path

    def context(self, *, server: bool) -> ssl.SSLContext:
        """The settings of TLS 1.3 in which both sides show a certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate itself is compared, not a name in it
        context.verify_mode = ssl.CERT_REQUIRED
        for path in (self.certificate, self.private_key, self.peer):
            regular(path).open("rb").close()  # one that is not there is named; OpenSSL wouldn't
        try:
            context.load_cert_chain(self.certificate, self.private_key, self._passphrase)
            context.load_verify_locations(cadata=self._expected)
        except ParameterError:
            raise
        except (ssl.SSLError, ValueError):
            raise ParameterError(
                f"{self.certificate}, {self.private_key} and {self.peer} must be PEM files: "
                f"a certificate, its private key, and the other party's certificate"
            ) from None
        return context

    def _passphrase(self) -> str:
        """Asked for by OpenSSL, which would else ask at the terminal."""
        raise ParameterError(f"{self.private_key} is encrypted: give a key without a passphrase")

    @cached_property
    def _expected(self) -> bytes:
        """Read once: whatever becomes of the file, this one is trusted."""
        return ssl.PEM_cert_to_DER_cert(self.peer.read_text("ascii"))

    def check(self, connection: ssl.SSLSocket) -> None:
        """Raise unless the other side is exactly the one expected, not only signed by it."""
        if connection.getpeercert(binary_form=True) != self._expected:
            raise InvalidMessage(f"the other party's certificate is not {self.peer}")


@dataclass
class Wire:
    """Frames over a connection: four bytes of length, then a message. It counts bytes.

    ``ahead`` was read before, and is received first.
    """

    connection: socket.socket
    timeout: float
    sent: int = 0
    received: int = 0
    ahead: bytes = field(default=b"", repr=False)

    def send(self, message: bytes) -> None:
        """Send a message as one frame."""
        frame = FRAME.pack(len(message)) + message
        self.connection.settimeout(self.timeout)
        with _losses("a message was on its way"):
            self.connection.sendall(frame)
        self.sent += len(frame)

    def receive(self, step: Step) -> bytes:
        """The next message: a frame, whole within the time-out, no longer than its step allows."""
        deadline = time.monotonic() + self.timeout
        with _losses(f"message {int(step)} was expected"):
            (length,) = FRAME.unpack(self._exactly(FRAME.size, deadline))
            if length > LARGEST[step]:
                raise InvalidMessage(
                    f"message {int(step)} has at most {LARGEST[step]} bytes, {length} are announced"
                )
            message = self._exactly(length, deadline)
        refuse_refusal(message)
        return message

    def refuse(self, error: SudareError) -> None:
        """Tell the other side why this one stops, if it is still there to be told."""
        with suppress(PartyLost):
            self.send(refusal(str(error)))

    def close(self) -> None:
        """Close the connection: nothing more is sent or received."""
        self.connection.close()

    def _exactly(self, size: int, deadline: float) -> bytes:
        pieces, self.ahead = bytearray(self.ahead[:size]), self.ahead[size:]
        self.received += len(pieces)
        while len(pieces) < size:
            self.connection.settimeout(max(1e-3, deadline - time.monotonic()))
            piece = self.connection.recv(min(size - len(pieces), 1 << 16))
            if not piece:
                raise ConnectionResetError
            pieces += piece
            self.received += len(piece)
        return bytes(pieces)


@contextmanager
def _losses(when: str) -> Iterator[None]:
    """The ways in which a connection ends, in one sentence."""
    try:
        yield
    except TimeoutError:
        raise PartyLost(f"the other party kept silent for too long when {when}") from None
    except ssl.SSLCertVerificationError:
        raise InvalidMessage("the other party's certificate is not the one expected") from None
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
        raise PartyLost(f"the other party went away when {when}") from None
    except ssl.SSLError:
        raise PartyLost(
            f"TLS broke off when {when}: bytes were changed on their way, or a certificate was "
            f"refused"
        ) from None
    except OSError:
        raise PartyLost(f"the other party went away when {when}") from None


@contextmanager
def connected(
    host: str, port: int, credentials: Credentials | None, timeout: float = TIMEOUT
) -> Iterator[Wire]:
    """P2's end of the parties' connection; it tries until P1 is there or the time is over."""
    context = tls_context(host, credentials, server=False)
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection = socket.create_connection((host, port), timeout)
            break
        except (socket.gaierror, ValueError):  # not found, or nothing that could be
            raise no_host(host) from None
        except OSError:
            if time.monotonic() > deadline:
                raise PartyLost(
                    f"nobody answered at {host}:{port} within {timeout:g} seconds"
                ) from None
            time.sleep(_AGAIN)
    with _secured(connection, context, credentials, timeout) as wire:
        yield wire


def tls_context(
    host: str, credentials: Credentials | None, *, server: bool
) -> ssl.SSLContext | None:
    """The settings of TLS by credentials; None without them, allowed on this machine only."""
    if credentials is not None:
        return credentials.context(server=server)
    if not is_loopback(host):
        raise ParameterError(
            f"without certificates the parties talk on this machine only (127.0.0.1), got "
            f"{host[:_NAME]}"
        )
    return None


def no_host(host: str) -> ParameterError:
    """The error of a host that isn't there."""
    return ParameterError(f"there is no host {host[:_NAME]!r}")


@contextmanager
def _secured(
    plain: socket.socket,
    context: ssl.SSLContext | None,
    credentials: Credentials | None,
    timeout: float,
) -> Iterator[Wire]:
    """P2's end of a connection, once it is sure whom it talks to."""
    plain.settimeout(timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if context is None or credentials is None:
        with plain:
            yield Wire(plain, timeout)
        return
    with plain, _losses("TLS was being set up"):
        secured = context.wrap_socket(plain)
    with secured:
        credentials.check(secured)
        yield Wire(secured, timeout)

"""A count that devices encrypt to P1 and send to P2: only its noisy total is ever opened.

P2 adds up ciphertexts that it can't read, and P1 opens a sum in which it can't tell the people.
A device's record is its ciphertext, and where proofs are asked for, a proof that it holds 0 or 1.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

import msgspec

from sudare.errors import InvalidAnswer, InvalidCiphertext, InvalidDocument, ParameterError
from sudare.formats.documents import canonical, decode
from sudare.formats.numbers import counted
from sudare.twoparty.ciphers.interface import Cipher, Keys, cipher_named
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.parties import TotalOfP2

_OFTEN = 256  # records between two reports of progress
_Hex = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2})+$", max_length=1 << 24)]


class _CountForm(msgspec.Struct, forbid_unknown_fields=True):
    sudare: Literal["count"]
    # 1 did not say whether anybody may be in both totals; 3 has candidates, more than one of them.
    format: Literal[2, 3]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    cipher: Annotated[str, msgspec.Meta(max_length=32)]
    people: int
    most: int
    p2_blind: bool
    disjoint: bool
    proofs: bool
    public: _Hex
    table: msgspec.Raw
    candidates: int | msgspec.UnsetType = msgspec.UNSET


class _SecretForm(msgspec.Struct, forbid_unknown_fields=True):
    sudare: Literal["count-secret"]
    format: Literal[1]
    count: str
    secret: _Hex


@dataclass(frozen=True)
class JointCount:
    """A count that devices take part in: what was agreed, and P1's public key.

    Attributes:
        name: what is counted.
        agreement: tables, guarantee, cipher, people and their range.
        public: P1's public key, made for this count and used for one opening.
        proofs: whether each record proves that it holds 0 or 1.
    """

    name: str
    agreement: Agreement
    public: bytes
    proofs: bool = False

    def __post_init__(self) -> None:
        if self.proofs and (self.agreement.most, self.agreement.cipher) != (1, "elgamal"):
            raise ParameterError(
                f"proofs are of bits under elgamal, got a range up to {self.agreement.most} "
                f"under {self.agreement.cipher!r}"
            )
        cipher_named(self.agreement.cipher).encrypt(self.public, 0)  # raises if it is no key

    @property
    def key(self) -> str:
        """SHA-256 of the canonical document: the key that a ledger charges."""
        return hashlib.sha256(canonical(self._document)).hexdigest()

    @property
    def bound_agreement(self) -> Agreement:
        """The agreement, bound to this count: parties of another, or of none, are refused."""
        return replace(self.agreement, count=self.key)

    @property
    def _document(self) -> dict[str, Any]:
        agreement = self.agreement
        several = agreement.candidates > 1
        return {
            "sudare": "count",
            "format": 3 if several else 2,
            "name": self.name,
            "cipher": agreement.cipher,
            "people": agreement.people,
            "most": agreement.most,
            "p2_blind": agreement.p2_blind,
            "disjoint": agreement.disjoint,
            "proofs": self.proofs,
            "public": self.public.hex(),
            "table": msgspec.json.decode(agreement.document.to_json()),
        } | ({"candidates": agreement.candidates} if several else {})

    def to_json(self) -> bytes:
        """The document for devices and P2; there is no secret in it."""
        return msgspec.json.format(canonical(self._document), indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The count of a document; one that says anything else is refused."""
        read = decode(data, _CountForm, "a count")
        candidates = None if isinstance(read.candidates, msgspec.UnsetType) else read.candidates
        if (candidates is None) != (read.format == 2) or candidates == 1:  # each has one form
            raise InvalidDocument(
                "a count of format 3 has candidates, at least 2, and one of format 2 has none"
            )
        table = TableDocument.from_json(bytes(read.table))
        agreement = Agreement(
            table,
            read.cipher,
            read.people,
            read.most,
            read.p2_blind,
            read.disjoint,
            candidates=candidates or 1,
        )
        return cls(read.name, agreement, bytes.fromhex(read.public), read.proofs)

    def secret_json(self, keys: Keys) -> bytes:
        """The document that P1 keeps to itself."""
        form = _SecretForm("count-secret", 1, self.key, keys.secret.hex())
        return msgspec.json.format(canonical(form), indent=1) + b"\n"

    def keys(self, secret: bytes) -> Keys:
        """P1's keys, from the document that it kept; that of another count is refused."""
        read = decode(secret, _SecretForm, "the secret of a count")
        if read.count != self.key:
            raise InvalidDocument(
                f"the secret is of the count {read.count[:12]!r}, this one is {self.key[:12]!r}"
            )
        return Keys(self.public, bytes.fromhex(read.secret))


def encrypted(
    count: JointCount, cipher: Cipher, values: Iterable[int], start: int = 0
) -> Iterator[bytes]:
    """A record for each person's value: the step of the devices.

    A value outside the range raises, with its position and without itself.
    """
    seal = _proving(count) if count.proofs else cipher.encrypt
    for position, value in enumerate(values, start):
        if not 0 <= value <= count.agreement.most:
            raise InvalidAnswer(
                f"the value at position {position} is not from 0 to {count.agreement.most} "
                f"(nothing was written)"
            )
        yield seal(count.public, value)


def summed(
    count: JointCount,
    cipher: Cipher,
    records: bytes,
    progress: Callable[[int], object] = lambda _: None,
) -> tuple[TotalOfP2, int]:
    """The sum of all records under encryption, and of how many: the step of P2.

    What can be checked is checked: whole records, no more than the people agreed on, none twice,
    each a ciphertext, and each proof where there are proofs.
    """
    public, people = count.public, count.agreement.people
    size = record_size(count, cipher)
    number, rest = divmod(len(records), size)
    if rest or not number:
        raise InvalidDocument(
            f"a file of records of {counted(size, 'byte')} can't have "
            f"{counted(len(records), 'byte')} in all"
        )
    if number > people:
        raise InvalidDocument(
            f"the count is for up to {counted(people, 'person', 'people')}, the file has "
            f"{counted(number, 'record')}"
        )
    check = _checking(count) if count.proofs else _as_it_is
    seen: set[bytes] = set()
    total = cipher.encrypt(public, 0)
    for position in range(number):
        ciphertext = check(records[position * size : (position + 1) * size], position)
        if ciphertext in seen:
            raise InvalidDocument(f"the ciphertext at position {position} stands there twice")
        seen.add(ciphertext)
        try:
            total = cipher.add(total, ciphertext)
        except InvalidCiphertext as error:
            raise InvalidDocument(
                f"the record at position {position} can't be added: {error}"
            ) from None
        if not position % _OFTEN:
            progress(position)
    return TotalOfP2(ciphertext=total, public=public), number


def record_size(count: JointCount, cipher: Cipher) -> int:
    """How many bytes the record of one person has."""
    ciphertext = len(cipher.encrypt(count.public, 0))
    if not count.proofs:
        return ciphertext
    from sudare.twoparty.ciphers.bit_proof import PROOF

    return ciphertext + PROOF


def _proving(count: JointCount) -> Callable[[bytes, int], bytes]:
    from sudare.twoparty.ciphers.bit_proof import encrypt_bit

    context = bytes.fromhex(count.key)
    return lambda public, value: encrypt_bit(public, value, context)


def _checking(count: JointCount) -> Callable[[bytes, int], bytes]:
    from sudare.twoparty.ciphers.bit_proof import PROOF, is_bit

    context = bytes.fromhex(count.key)

    def check(record: bytes, position: int) -> bytes:
        if not is_bit(count.public, record, context):
            raise InvalidDocument(f"the proof at position {position} does not hold")
        return record[:-PROOF]

    return check


def _as_it_is(record: bytes, position: int) -> bytes:
    del position
    return record

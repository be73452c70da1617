"""Messages of two parties: one layout, chained, so that each fits in exactly one place.

    8 bytes   "sudare2p"
    1         version
    1         step: 0 hello, 1 commitments, 2 choice, 3 tables, 4 sum, 5 result; 255 a refusal
    32        SHA-256 of the agreement
    32        the session: 16 random bytes of P2, then 16 of P1 (zero in step 0)
    4         how many parts follow, then each part: 4 bytes of length, and its bytes
    32        SHA-256 of the digest before it and of everything above

Numbers are big-endian. The digest finds accidents and mixed-up messages; against somebody who
changes messages on purpose, the connection has to be authenticated (TLS).
"""

import hashlib
import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

from sudare.errors import InvalidMessage
from sudare.formats.strangers import visible

VERSION = 2  # 1 had no candidates: P1 sent its tables at once
HALF = 16  # bytes of a session's name that each party draws
_MAGIC = b"sudare2p"
_HEAD = struct.Struct(">8sBB32s32sI")
_LENGTH = struct.Struct(">I")
_DIGEST = 32
_REFUSAL = 255
_LONGEST_REFUSAL = 400  # letters

Parts = tuple[bytes, ...]


class Step(IntEnum):
    """The six messages of the parties, in their order: P2 sends the first, and every other one."""

    HELLO = 0
    COMMITMENTS = 1
    CHOICE = 2
    TABLES = 3
    SUM = 4
    RESULT = 5


LARGEST = {  # bytes of a message: what is longer is refused before it is read
    Step.HELLO: 1 << 12,
    Step.COMMITMENTS: 1 << 20,
    Step.CHOICE: 1 << 12,
    Step.TABLES: 1 << 26,
    Step.SUM: 1 << 20,
    Step.RESULT: 1 << 12,
}


@dataclass(frozen=True)
class Transcript:
    """A session so far: its agreement, its name, and the digest of all messages."""

    agreement: bytes
    session: bytes = b""
    digest: bytes = b""

    def named(self, half: bytes) -> Self:
        """The transcript with one more half of its session's name."""
        return replace(self, session=self.session + half)

    def send(self, step: Step, *parts: bytes) -> tuple[Self, bytes]:
        """The transcript after a message of one's own, and the message."""
        name = self.session.ljust(2 * HALF, b"\0")
        text = _HEAD.pack(_MAGIC, VERSION, step, self.agreement, name, len(parts))
        text += b"".join(_LENGTH.pack(len(part)) + part for part in parts)
        digest = hashlib.sha256(self.digest + text).digest()
        return replace(self, digest=digest), text + digest

    def receive(self, step: Step, data: bytes, parts: int) -> tuple[Self, Parts]:
        """The transcript after a message of the other party, and what it holds.

        Anything but the one message that can stand here raises ``InvalidMessage``.
        """
        what = f"message {int(step)}"
        refuse_refusal(data)
        if len(data) < _HEAD.size + _DIGEST:
            raise InvalidMessage(f"{what} is cut short: it has {len(data)} bytes")
        magic, version, number, agreement, name, count = _HEAD.unpack_from(data)
        if magic != _MAGIC:
            raise InvalidMessage(f"{what} is not of this protocol")
        if version != VERSION:
            raise InvalidMessage(
                f"the other party speaks version {version}, this one version {VERSION}"
            )
        if number != step:
            raise InvalidMessage(f"{what} is expected now, not message {number}")
        known = HALF if step is Step.HELLO else 2 * HALF  # bytes of the name by then
        session = name[:known]
        if not session.startswith(self.session) or any(name[known:]):
            raise InvalidMessage(f"{what} belongs to another session")
        text, digest = data[:-_DIGEST], data[-_DIGEST:]
        if hashlib.sha256(self.digest + text).digest() != digest:
            raise InvalidMessage(f"{what} was changed on its way, or what came before it was")
        found = _parts(text[_HEAD.size :], parts, what)
        if not count == parts == len(found):
            raise InvalidMessage(f"{what} has {parts} parts, this one another number")
        # The greeting states its terms in words: what differs is named there, not here.
        if step is not Step.HELLO and agreement != self.agreement:
            raise InvalidMessage(f"{what} is about another agreement")
        return replace(self, session=session, digest=digest), found


def _parts(body: bytes, most: int, what: str) -> Parts:
    """The parts of a body, one more than expected if there are more."""
    found: list[bytes] = []
    at = 0
    while at < len(body) and len(found) <= most:
        start = at + _LENGTH.size
        length = _LENGTH.unpack_from(body, at)[0] if start <= len(body) else len(body)
        at = start + length
        if at > len(body):
            raise InvalidMessage(f"{what} is cut short: a part ends beyond it")
        found.append(body[start:at])
    return tuple(found)


def is_ours(data: bytes) -> bool:
    """Whether a message is of this protocol, in whatever version."""
    return data.startswith(_MAGIC)


def refusal(sentence: str) -> bytes:
    """The message of a party that stops, with a sentence that says why."""
    text = sentence[:_LONGEST_REFUSAL].encode()
    return _MAGIC + bytes([VERSION, _REFUSAL]) + text


def refuse_refusal(data: bytes) -> None:
    """Raise where a message is the other party's refusal, with its sentence."""
    if not is_ours(data) or data[len(_MAGIC) + 1 : len(_MAGIC) + 2] != b"\xff":
        return
    text = data[len(_MAGIC) + 2 :].decode(errors="replace")[:_LONGEST_REFUSAL]
    raise InvalidMessage(f"the other party refused: {visible(text)}")

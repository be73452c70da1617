"""Encrypted files: whole again by their passphrase, and nothing when anything is changed."""

import io

import pytest

from sudare.errors import InvalidDocument
from sudare.formats.encryption import Decrypted, Encrypted

PIECE = 1 << 16
SEALED = PIECE + 16
FIRST = len(b"sudare encrypted 1\n") + 16  # where the pieces begin
WORDS = b"a passphrase"


def encrypted(data: bytes, step: int = 1000) -> bytes:
    target = io.BytesIO()
    sink = Encrypted(target, WORDS)
    for start in range(0, len(data), step):
        sink.write(data[start : start + step])
    sink.finish()
    return target.getvalue()


def decrypted(data: bytes, step: int = 777) -> bytes:
    source = Decrypted(io.BytesIO(data), WORDS, "it")
    return b"".join(iter(lambda: source.read(step), b""))


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
def test_what_was_written_is_read(size: int) -> None:
    data = bytes(range(251)) * (size // 251 + 1)
    sealed = encrypted(data[:size])
    assert decrypted(sealed) == data[:size]
    pieces = max(1, -(-size // PIECE))
    assert len(sealed) == FIRST + size + 16 * pieces
    assert encrypted(data[:size]) != sealed  # another key each time


def test_no_piece_can_be_left_out_repeated_or_moved() -> None:
    sealed = encrypted(b"x" * (3 * PIECE))
    head, pieces = sealed[:FIRST], [sealed[FIRST:][i * SEALED : (i + 1) * SEALED] for i in range(3)]
    one, two, three = pieces
    assert decrypted(head + one + two + three) == b"x" * (3 * PIECE)
    for wrong in (
        *((one, two), (one, three), (two, three), (one, one, three), (two, one, three)),
        *((one, two, three, three), (one, two, three[:-1]), (one, two, three + b"y")),
    ):
        with pytest.raises(InvalidDocument, match="it doesn't open"):
            decrypted(head + b"".join(wrong))
    for cut in (head, head[:-1]):
        with pytest.raises(InvalidDocument, match="it is cut"):
            decrypted(cut)

"""Messages between the parties: what can stand in a place, and that a refusal commands nothing."""

import hashlib
from dataclasses import replace

import pytest

from sudare.errors import InvalidMessage
from sudare.formats.strangers import visible
from sudare.twoparty.protocol.messages import (
    HALF,
    LARGEST,
    Step,
    Transcript,
    is_ours,
    refusal,
    refuse_refusal,
)
from support.strangers import TEXTS, assert_harmless

BEFORE = Transcript(bytes(range(32)), b"s" * 2 * HALF, bytes(32))
PARTS = (b"tables", b"", b"\0" * 70)
_, MESSAGE = BEFORE.send(Step.TABLES, *PARTS)
HEAD = 78  # bytes: magic, version, number, agreement, name, count of parts


def signed(text: bytes) -> bytes:
    """A message that its own digest fits: of somebody who means it, not of an accident."""
    return text + hashlib.sha256(BEFORE.digest + text).digest()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_refusal_is_seen_and_commands_nothing(text: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        refuse_refusal(refusal(text))
    said = str(refused.value)
    assert said == f"the other party refused: {visible(text)}"
    assert_harmless(said)


def test_a_message_arrives_as_it_was_sent_and_both_have_the_same_transcript() -> None:
    after, message = BEFORE.send(Step.TABLES, *PARTS)
    assert BEFORE.receive(Step.TABLES, message, len(PARTS)) == (after, PARTS)
    assert message == MESSAGE == signed(message[:-32])
    assert is_ours(message)


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        (0, "is not of this protocol"),
        (7, "is not of this protocol"),
        (8, "speaks version 3, this one version 2"),
        (9, "message 3 is expected now, not message 2"),
        (10, "is about another agreement"),
        (41, "is about another agreement"),
        (42, "belongs to another session"),
        (73, "belongs to another session"),
        (77, "has 3 parts, this one another number"),
        (81, "is cut short: a part ends beyond it"),
    ],
)
def test_each_field_of_a_head_counts_even_where_the_digest_fits(at: int, sentence: str) -> None:
    changed = bytearray(MESSAGE[:-32])
    changed[at] ^= 1
    with pytest.raises(InvalidMessage, match=sentence):
        BEFORE.receive(Step.TABLES, signed(bytes(changed)), len(PARTS))


def test_what_is_shorter_than_a_head_and_a_digest_is_cut_short() -> None:
    text = MESSAGE[: HEAD - 4] + bytes(4)  # no parts
    empty = signed(text)
    assert BEFORE.receive(Step.TABLES, empty, 0)[1] == ()
    for short in (empty[:-1], signed(text[:-1]), empty[:HEAD], b"", b"sudare2p"):
        with pytest.raises(InvalidMessage, match=rf"cut short: it has {len(short)} bytes"):
            BEFORE.receive(Step.TABLES, short, 0)


@pytest.mark.parametrize("body", [b"\0", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\3ab"])
def test_a_part_that_ends_beyond_its_message_is_cut_short(body: bytes) -> None:
    text = MESSAGE[: HEAD - 1] + b"\1" + body
    with pytest.raises(InvalidMessage, match="a part ends beyond it"):
        BEFORE.receive(Step.TABLES, signed(text), 1)


@pytest.mark.parametrize("parts", [len(PARTS) - 1, len(PARTS) + 1])
def test_a_message_has_as_many_parts_as_are_expected(parts: int) -> None:
    with pytest.raises(InvalidMessage, match=f"has {parts} parts, this one another number"):
        BEFORE.receive(Step.TABLES, MESSAGE, parts)


def test_a_greeting_names_half_a_session_and_any_agreement() -> None:
    """What differs is named by its terms; the other half of the name isn't drawn yet."""
    start = Transcript(bytes(32))
    _, hello = replace(start, agreement=bytes(31) + b"\1").named(b"h" * HALF).send(Step.HELLO)
    heard, parts = start.receive(Step.HELLO, hello, 0)
    assert (heard.session, parts) == (b"h" * HALF, ())
    _, early = start.named(b"h" * HALF).named(bytes(HALF - 1) + b"\1").send(Step.HELLO)
    with pytest.raises(InvalidMessage, match="another session"):
        start.receive(Step.HELLO, early, 0)


def test_how_large_a_message_may_be_is_part_of_the_protocol() -> None:
    assert [LARGEST[step] for step in Step] == [4096, 2**20, 4096, 2**26, 2**20, 4096]
    assert [int(step) for step in Step] == list(range(6))

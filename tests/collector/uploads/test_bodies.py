"""Bodies are read to their last byte, and no further."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sudare.collector.uploads.bodies import BodyTooLong, SenderGone, read_body

MOST = 10


def messages(*parts: bytes) -> list[dict[str, Any]]:
    last = len(parts) - 1
    return [
        {"type": "http.request", "body": part, "more_body": place < last}
        for place, part in enumerate(parts)
    ]


def read(sent: Sequence[dict[str, Any]], *, late: bool) -> bytes:
    """The body of these messages, which are there already or come a moment later."""
    left = list(sent)

    async def receive() -> dict[str, Any]:
        if late:
            await asyncio.sleep(0)
        return left.pop(0)

    return asyncio.run(read_body(receive, MOST, 60))


LONGEST = b"0123456789"


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "parts", [(LONGEST,), (LONGEST, b""), (b"012", b"3456789"), (b"", LONGEST)]
)
def test_a_body_may_be_as_long_as_its_cap_and_no_longer(
    parts: tuple[bytes, ...], late: bool
) -> None:
    assert read(messages(*parts), late=late) == LONGEST
    for longer in ((*parts[:-1], parts[-1] + b"!"), (*parts, b"!")):
        with pytest.raises(BodyTooLong):
            read(messages(*longer), late=late)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("sent", [0, 1])
def test_a_sender_that_leaves_has_sent_no_body(sent: int, late: bool) -> None:
    began = messages(b"0", b"1")[:sent]
    with pytest.raises(SenderGone):
        read([*began, {"type": "http.disconnect"}], late=late)

"""What is written in one turn of the event loop leaves in one piece."""

import asyncio

import pytest

from sudare.collector.serving import connection
from sudare.collector.serving.connection import Gathered


class Line(asyncio.Transport):
    """Remembers what was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.sent.append(b"closed")

    def abort(self) -> None:
        self.sent.append(b"aborted")

    def is_closing(self) -> bool:
        return not {b"closed", b"aborted"}.isdisjoint(self.sent)

    def pause_reading(self) -> None:
        self.sent.append(b"paused")

    def resume_reading(self) -> None:
        self.sent.append(b"resumed")


async def opened() -> tuple[Line, Gathered]:
    line = Line()
    return line, Gathered(line, asyncio.get_running_loop())


def test_a_head_and_its_body_are_one_piece_and_the_next_answer_another() -> None:
    async def scenario() -> None:
        line, gathered = await opened()
        gathered.write(b"head ")
        gathered.write(b"body")
        assert line.sent == []
        await asyncio.sleep(0)
        gathered.write(b"next")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert line.sent == [b"head body", b"next"]

    asyncio.run(scenario())


def test_much_is_sent_at_once_so_that_a_slow_reader_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "_GATHERED_BYTES", 8)

    async def scenario() -> None:
        line, gathered = await opened()
        for _ in range(4):
            gathered.write(b"12345")
        assert line.sent == [b"1234512345"] * 2
        gathered.write(b"6")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert line.sent == [b"1234512345", b"1234512345", b"6"]

    asyncio.run(scenario())


def test_closing_sends_what_was_written_and_aborting_does_not() -> None:
    async def scenario() -> None:
        line, gathered = await opened()
        gathered.write(b"last words")
        assert not gathered.is_closing()
        gathered.close()
        assert line.sent == [b"last words", b"closed"]
        assert gathered.is_closing()
        line, gathered = await opened()
        gathered.write(b"never")
        gathered.pause_reading()
        gathered.resume_reading()
        gathered.abort()
        await asyncio.sleep(0)
        assert line.sent == [b"paused", b"resumed", b"aborted"]

    asyncio.run(scenario())

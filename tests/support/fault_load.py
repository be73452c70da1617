"""Senders on the network: each report is sent until it is answered, some again after that."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from sudare.collection.document import Collection
from support.fault_reports import Report, report

PACKED = "application/octet-stream"


class Connection:
    """One keep-alive connection, with one request in flight.

    Attributes:
        port: where it leads, when it is opened next.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, target: str, body: bytes, kind: str = PACKED) -> tuple[int, bytes]:
        """The status and the body of an answer; ``OSError`` or ``EOFError`` if there is none."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._streams
        head = (
            f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + body)
            told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(told.partition("content-length: ")[2].split("\r\n")[0])
            answer = await reader.readexactly(length)
        except BaseException:
            self.close()
            raise
        if "connection: close" in told:
            self.close()
        return int(told.split()[1]), answer

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def exchanged(port: int, data: bytes) -> bytes:
    """All that is answered to some bytes, until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@dataclass
class Senders:
    """People who answer, and relays that send for many.

    Attributes:
        ports: of the collectors, any of which will do.
        collections: what is asked; a cell of each is taken once, in each window.
        rng: what they do.
        reports: all that were ever begun.
        seen: how often each status came; 0 where an answer was lost, -1 where nobody listened.
    """

    ports: Sequence[int]
    collections: Sequence[Collection]
    rng: random.Random
    pause: float = 0.0
    """Seconds between an answer and what is sent next."""
    reports: list[Report] = field(default_factory=list)
    seen: Counter[int] = field(default_factory=Counter)
    _next: Counter[tuple[str, int]] = field(default_factory=Counter)
    _ending: bool = False

    async def send(self, singles: int, batches: int) -> None:
        """Send over so many connections until ``finish`` is called and all is answered."""
        sizes = [1] * singles + [40] * batches
        await asyncio.gather(*(self._one(size, at) for at, size in enumerate(sizes)))

    def finish(self) -> None:
        """Begin nothing new."""
        self._ending = True

    async def _one(self, size: int, at: int) -> None:
        connection = Connection(self.ports[at % len(self.ports)])
        mine: list[Report] = []
        while not self._ending:
            sent = self._draw(mine, size)
            await self._until_answered(connection, sent)
            await asyncio.sleep(self.pause)
        connection.close()

    def _draw(self, mine: list[Report], size: int) -> list[Report]:
        collection = self.rng.choice(self.collections)
        windows = collection.windows
        window = 0 if windows is None else windows.at(time.time())
        place = (collection.key, window)
        chosen: list[Report] = []
        same = [one for one in mine[-200:] if (one.collection.key, one.window) == place]
        while len(chosen) < size:
            fresh = self._next[place] < len(collection.answers)
            if same and (self.rng.random() < 0.2 or not fresh):
                chosen.append(self.rng.choice(same))  # counted before, perhaps: sent again
            elif fresh:
                one = report(collection, window, self._next[place], self.rng)
                self._next[place] += 1
                chosen.append(one)
                mine.append(one)
                self.reports.append(one)
            else:
                break
        return chosen

    async def _post(self, connection: Connection, target: str, body: bytes) -> tuple[int, bytes]:
        """Send a body once."""
        return await connection.post(target, body)

    async def _until_answered(self, connection: Connection, sent: list[Report]) -> None:
        if not sent:
            await asyncio.sleep(0.01)
            return
        first = sent[0]
        query = "" if first.collection.windows is None else f"?window={first.window}"
        target = f"/collections/{first.collection.key}/reports{query}"
        body = b"".join(one.record for one in sent)
        while True:
            status, answer = 0, b""
            try:
                status, answer = await self._post(connection, target, body)
            except ConnectionRefusedError:
                status = -1
            except (OSError, EOFError):
                pass
            self.seen[status] += 1
            for one in sent:
                one.possible |= status in (0, 202, 503)
                one.acknowledged |= status == 202
                one.refused |= status == 409 and not one.acknowledged
            if status == 202:
                told = msgspec.json.decode(answer)
                if told["new"] + told["repeated"] != len(sent):
                    raise AssertionError(f"{len(sent)} were sent: {told}")
            if status in (202, 409):
                return
            if status not in (-1, 0, 429, 503):
                raise AssertionError(f"status {status}: {answer!r}")
            await asyncio.sleep(0.1 if status < 0 else 0.02)

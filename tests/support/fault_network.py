"""A network between two programs that can swallow what they say, as a broken one does."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_PIECE = 1 << 16


@dataclass(eq=False)
class _Line:
    """One connection through the network; a lost one carries nothing any more, not even its end."""

    lost: bool = False


class Network:
    """A port whose connections lead to another: all that is said passes here, or doesn't.

    It runs in a thread of its own, so that nobody who waits for it can stop it.

    Attributes:
        port: where to connect to, instead of the target.
    """

    def __init__(self, target: Path | int) -> None:
        """A network to a socket in the file system, or to a port of this machine."""
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._lines: set[_Line] = set()
        self._carries = asyncio.Event()
        self._carries.set()
        self._never = asyncio.Event()
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self._do(self._listen)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._do(self._end)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def lead_to(self, target: Path | int) -> None:
        """Lead new connections to another target."""
        self._target = target

    def swallow(self) -> None:
        """Carry nothing, and say nothing of it: what is said waits until ``heal``."""
        self._loop.call_soon_threadsafe(self._carries.clear)

    def heal(self) -> None:
        """Carry again, what waited first."""
        self._loop.call_soon_threadsafe(self._carries.set)

    def lose(self) -> None:
        """Forget every connection that there is, without telling its ends; new ones work."""

        async def forget() -> None:
            for line in self._lines:
                line.lost = True

        self._do(forget)

    def _do(self, work: Callable[[], Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(60)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def _end(self) -> None:
        self._server.close()
        own = asyncio.current_task()
        while others := [task for task in asyncio.all_tasks() if task is not own]:
            for task in others:
                task.cancel()
            await asyncio.wait(others)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line()
        self._lines.add(line)
        there: asyncio.StreamWriter | None = None
        try:
            await self._carries.wait()
            if isinstance(self._target, Path):
                other, there = await asyncio.open_unix_connection(str(self._target))
            else:
                other, there = await asyncio.open_connection("127.0.0.1", self._target)
            await asyncio.gather(self._carry(reader, there, line), self._carry(other, writer, line))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._lines.discard(line)
            for end in (writer, there):
                if end is not None:
                    end.transport.abort()

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: _Line
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(_PIECE):
                await self._carries.wait()
                if not line.lost:
                    writer.write(data)
                    await writer.drain()
        await self._carries.wait()
        if line.lost:
            await self._never.wait()  # its other end is not told
        writer.close()

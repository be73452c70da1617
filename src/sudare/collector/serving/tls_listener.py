"""A socket that takes TLS connections: they count from the first moment, not after a handshake."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable

from sudare.collector.http.limits import Limits
from sudare.collector.serving.connection import Protocol

_BACKLOG = 2048  # connections that the kernel holds until they are taken
_AT_ONCE = 16  # connections that are taken in one turn of the event loop
_PAUSE = 1.0  # seconds without taking any, where no descriptor is left


class TlsListener:
    """Takes the connections of a socket, as many as there may be, and ends those without TLS.

    It has the methods by which uvicorn closes a server.
    """

    def __init__(
        self,
        bound: socket.socket,
        context: ssl.SSLContext,
        limits: Limits,
        new_protocol: Callable[[], Protocol],
    ) -> None:
        """Begin to listen.

        Args:
            bound: to an address.
            context: the settings of TLS.
            limits: how long a handshake may take.
            new_protocol: of a connection, which knows the crowd that it is one of.
        """
        self._socket, self._context, self._limits = bound, context, limits
        self._new_protocol = new_protocol
        self._handshakes: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._paused: asyncio.TimerHandle | None = None
        bound.setblocking(False)
        bound.listen(_BACKLOG)
        self._resume()

    def close(self) -> None:
        """Take no more connections, and end the handshakes."""
        if self._paused is None:
            self._loop.remove_reader(self._socket)
        else:
            self._paused.cancel()
        self._socket.close()
        for handshake in self._handshakes:
            handshake.cancel()

    async def wait_closed(self) -> None:
        """Return when no handshake is left."""
        await asyncio.gather(*self._handshakes, return_exceptions=True)

    def _resume(self) -> None:
        self._paused = None
        self._loop.add_reader(self._socket, self._take)

    def _take(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                connection, peer = self._socket.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:  # it would be asked for again at once, and fail again
                self._loop.remove_reader(self._socket)
                self._paused = self._loop.call_later(_PAUSE, self._resume)
                return
            connection.setblocking(False)
            handshake = self._loop.create_task(self._shake_hands(connection, peer[0]))
            self._handshakes.add(handshake)
            handshake.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, connection: socket.socket, host: str) -> None:
        protocol = self._new_protocol()
        if not protocol.join(host, asyncio.current_task()):
            protocol.part()
            connection.close()  # whoever has no TLS yet can't be told
            return
        try:
            with contextlib.suppress(OSError):  # it took too long, or wasn't TLS
                await self._loop.connect_accepted_socket(
                    lambda: protocol,
                    connection,
                    ssl=self._context,
                    ssl_handshake_timeout=self._limits.handshake_seconds,
                )
        finally:
            if not protocol.connected:
                protocol.part()

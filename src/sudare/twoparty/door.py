"""P1's door: many may knock at once, and the first that is let in is the one.

Whoever stays silent keeps nobody else waiting: each connection goes as far as its bytes take it.
"""

import selectors
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

MOST_WAITING = 64  # connections at the door; one more sends the oldest of them away
SILENT = "silent"

Guest = TypeVar("Guest")
Steps = Generator[int, None, Guest]  # the events that a connection waits for, then what it became


class Strangers(Counter[str]):
    """How many were turned away, by what they lacked. Nothing that they sent is kept."""

    def __str__(self) -> str:
        number = self.total()
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.items()))
        return f"{number} stranger{' was' if number == 1 else 's were'} refused ({kinds})"


class Stranger(Exception):  # noqa: N818 - somebody who is turned away, not a fault of ours
    """A connection that isn't let in, and what it lacks."""


class Door(Generic[Guest]):
    """A listening socket, and those that have connected and are not in yet.

    Args:
        server: where they connect.
        enter: what a connection has to do to be let in. It closes what it doesn't let in.
    """

    def __init__(
        self, server: socket.socket, enter: Callable[[socket.socket], Steps[Guest]]
    ) -> None:
        self.strangers = Strangers()
        self._server, self._enter = server, enter
        self._waiting: dict[int, Steps[Guest]] = {}  # by descriptor, the oldest first

    def first(self, timeout: float) -> Guest | None:
        """The first that is let in, and None if nobody was in time; all others are sent away."""
        deadline = time.monotonic() + timeout
        self._server.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            try:
                while (left := deadline - time.monotonic()) > 0:
                    for key, _ in selector.select(left):
                        fresh = key.fd == self._server.fileno()
                        guest = self._advance(self._accept(selector) if fresh else key.fd, selector)
                        if guest is not None:
                            return guest
            finally:
                for descriptor in list(self._waiting):
                    self._send_away(descriptor, selector)
        return None

    def _accept(self, selector: selectors.BaseSelector) -> int | None:
        try:
            connection, _ = self._server.accept()
        except (BlockingIOError, ConnectionError):  # gone before it was looked at
            return None
        if len(self._waiting) == MOST_WAITING:
            self._send_away(next(iter(self._waiting)), selector)
        connection.setblocking(False)
        descriptor = connection.fileno()
        selector.register(descriptor, selectors.EVENT_READ)
        self._waiting[descriptor] = self._enter(connection)
        return descriptor

    def _advance(self, descriptor: int | None, selector: selectors.BaseSelector) -> Guest | None:
        """One connection, as far as its bytes take it; what it became if it is in."""
        if descriptor is None or descriptor not in self._waiting:  # sent away a moment ago
            return None
        try:
            selector.modify(descriptor, next(self._waiting[descriptor]))
        except StopIteration as let_in:
            guest: Guest = let_in.value
            self._forget(descriptor, selector)
            return guest
        except Stranger as lacking:
            self._forget(descriptor, selector)
            self.strangers[str(lacking)] += 1
        return None

    def _send_away(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        self._forget(descriptor, selector).close()
        self.strangers[SILENT] += 1

    def _forget(self, descriptor: int, selector: selectors.BaseSelector) -> Steps[Guest]:
        with suppress(KeyError):
            selector.unregister(descriptor)
        return self._waiting.pop(descriptor)


def arrived(connection: socket.socket, size: int) -> Steps[bytes]:
    """So many bytes, as they come."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = yield from once_ready(partial(connection.recv, size - len(pieces)))
        if not piece:
            raise ConnectionResetError
        pieces += piece
    return bytes(pieces)


def once_ready(operation: Callable[[], Guest]) -> Steps[Guest]:
    """What a socket that doesn't block does as soon as it can; until then, what it waits for."""
    while True:
        try:
            return operation()
        except (BlockingIOError, ssl.SSLWantReadError):
            yield selectors.EVENT_READ
        except ssl.SSLWantWriteError:
            yield selectors.EVENT_WRITE

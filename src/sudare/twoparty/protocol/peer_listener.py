"""P1's end: many may connect at once, and the first that is known and greets is the other party.

Whoever stays silent keeps nobody else waiting: each connection goes as far as its bytes take it.
"""

import errno
import logging
import selectors
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar

from sudare.errors import InvalidMessage, ParameterError, PartyLost
from sudare.twoparty.protocol.connection import (
    FRAME,
    TIMEOUT,
    Credentials,
    Wire,
    no_host,
    tls_context,
)
from sudare.twoparty.protocol.messages import LARGEST, Step, is_ours

MOST_WAITING = 64  # connections not known yet; one more sends the oldest of them away
_LOG = logging.getLogger(__name__)
# What strangers lack, as they are counted.
_UNKNOWN, _SPEECHLESS, _SILENT = "without the certificate", "without a greeting", "silent"
_USED_UP = (errno.EMFILE, errno.ENFILE)  # all descriptors are taken
_AGAIN = 0.05  # seconds until one that could not be let in is looked at again

Result = TypeVar("Result")
Steps = Generator[int, None, Result]  # the events that a connection waits for, then its result


@contextmanager
def listening(
    host: str,
    port: int,
    credentials: Credentials | None,
    timeout: float = TIMEOUT,
    ready: Callable[[int], object] = lambda _: None,
) -> Iterator[Wire]:
    """P1's end of the parties' connection: to the first that shows its certificate and greets.

    All others are strangers: they are sent away, keep nobody waiting and end nothing. How many
    they were is logged.

    Args:
        host: the address to listen on.
        port: its port; 0 for any that is free.
        credentials: None for a trial on one machine, where whoever greets is the other party.
        timeout: seconds until the greeting must have come, and for each message after it.
        ready: hears the port.
    """
    context = tls_context(host, credentials, server=True)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)  # which tells a name from a place that is taken
        server = socket.create_server((host, port), family=family)
    except (socket.gaierror, ValueError):
        raise no_host(host) from None
    except OSError as error:
        raise ParameterError(f"can't listen on {host}:{port}: {error.strerror}") from None
    with server:
        ready(server.getsockname()[1])
        listener = PeerListener(server, context, credentials, timeout)
        wire = listener.first()
    if wire is None:
        strangers = f"; {listener.strangers}" if listener.strangers else ""
        raise PartyLost(f"nobody connected within {timeout:g} seconds{strangers}")
    with wire.connection:
        if listener.strangers:
            _LOG.warning("%s", listener.strangers)
        yield wire


class Strangers(Counter[str]):
    """How many strangers were turned away, by what they lacked; nothing that they sent."""

    def __str__(self) -> str:
        number = self.total()
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.items()))
        return f"{number} stranger{' was' if number == 1 else 's were'} refused ({kinds})"


class Stranger(Exception):  # noqa: N818 - somebody who is turned away, not a fault of ours
    """A connection that isn't the other party's, and what it lacks."""


class PeerListener:
    """A listening socket, and those that have connected and are not known yet.

    Args:
        server: where they connect.
        context: how a connection is secured, None if it is not.
        credentials: which certificate the other party shows, None if it shows none.
        timeout: seconds until the other party must have greeted, and for each message after it.
    """

    def __init__(
        self,
        server: socket.socket,
        context: ssl.SSLContext | None,
        credentials: Credentials | None,
        timeout: float,
    ) -> None:
        self.strangers = Strangers()
        self._server, self._context = server, context
        self._credentials, self._timeout = credentials, timeout
        self._waiting: dict[int, Steps[Wire]] = {}  # by descriptor, the oldest first

    def first(self) -> Wire | None:
        """The connection of the first that is known and greets; None if nobody does."""
        deadline = time.monotonic() + self._timeout
        self._server.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            try:
                while (left := deadline - time.monotonic()) > 0:
                    for key, _ in selector.select(left):
                        fresh = key.fd == self._server.fileno()
                        wire = self._advance(self._accept(selector) if fresh else key.fd, selector)
                        if wire is not None:
                            return wire
            finally:
                for descriptor in list(self._waiting):
                    self._send_away(descriptor, selector)
        return None

    def _accept(self, selector: selectors.BaseSelector) -> int | None:
        try:
            connection, _ = self._server.accept()
        except (BlockingIOError, ConnectionError):  # gone before it was looked at
            return None
        except OSError as error:  # of this machine, for a moment: it stays in the queue meanwhile
            if error.errno in _USED_UP and self._waiting:
                self._send_away(next(iter(self._waiting)), selector)
            else:
                time.sleep(_AGAIN)
            return None
        if len(self._waiting) == MOST_WAITING:
            self._send_away(next(iter(self._waiting)), selector)
        connection.setblocking(False)
        descriptor = connection.fileno()
        selector.register(descriptor, selectors.EVENT_READ)
        self._waiting[descriptor] = self._enter(connection)
        return descriptor

    def _advance(self, descriptor: int | None, selector: selectors.BaseSelector) -> Wire | None:
        """One connection, as far as its bytes take it; its wire once it has greeted."""
        if descriptor is None or descriptor not in self._waiting:  # sent away a moment ago
            return None
        try:
            selector.modify(descriptor, next(self._waiting[descriptor]))
        except StopIteration as greeted:
            wire: Wire = greeted.value
            self._forget(descriptor, selector)
            return wire
        except Stranger as lacking:
            self._forget(descriptor, selector)
            self.strangers[str(lacking)] += 1
        return None

    def _send_away(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        self._forget(descriptor, selector).close()
        self.strangers[_SILENT] += 1

    def _forget(self, descriptor: int, selector: selectors.BaseSelector) -> Steps[Wire]:
        with suppress(KeyError):
            selector.unregister(descriptor)
        return self._waiting.pop(descriptor)

    def _enter(self, plain: socket.socket) -> Steps[Wire]:
        """From a connection to one that is known and has greeted; it is closed if it never does."""
        connection = plain
        try:
            with _lacking(_UNKNOWN):
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._context is not None and self._credentials is not None:
                    plain.getpeername()  # of one that is gone, wrap_socket loses the descriptor
                    connection = secured = self._context.wrap_socket(
                        plain, server_side=True, do_handshake_on_connect=False
                    )
                    yield from _once_ready(secured.do_handshake)
                    self._credentials.check(secured)
            with _lacking(_SPEECHLESS):
                greeting = yield from _greeting(connection)
        except BaseException:  # also where it is sent away
            connection.close()
            raise
        return Wire(connection, self._timeout, ahead=greeting)


def _greeting(connection: socket.socket) -> Steps[bytes]:
    """The first frame, if it can be a greeting: what it says is judged later."""
    head = yield from _arrived(connection, FRAME.size)
    (length,) = FRAME.unpack(head)
    if length > LARGEST[Step.HELLO]:
        raise Stranger(_SPEECHLESS)
    message = yield from _arrived(connection, length)
    if not is_ours(message):
        raise Stranger(_SPEECHLESS)
    return head + message


@contextmanager
def _lacking(what: str) -> Iterator[None]:
    """Who fails in here is a stranger, whatever went wrong."""
    try:
        yield
    except (OSError, InvalidMessage):
        raise Stranger(what) from None


def _arrived(connection: socket.socket, size: int) -> Steps[bytes]:
    """The next ``size`` bytes of a connection, as they come."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = yield from _once_ready(partial(connection.recv, size - len(pieces)))
        if not piece:
            raise ConnectionResetError
        pieces += piece
    return bytes(pieces)


def _once_ready(operation: Callable[[], Result]) -> Steps[Result]:
    """The result of a socket's operation as soon as it can be had without blocking."""
    while True:
        try:
            return operation()
        except (BlockingIOError, ssl.SSLWantReadError):
            yield selectors.EVENT_READ
        except ssl.SSLWantWriteError:
            yield selectors.EVENT_WRITE

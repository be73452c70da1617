"""One connection of a sender: uvicorn's, with the limits that a public address needs."""

import asyncio
import fcntl
import struct
import termios
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from sudare.collector.http.limits import Crowd, Limits
from sudare.collector.http.problems import Problem, busy

_HEAD_BYTES = 1 << 16
_GATHERED_BYTES = 1 << 14
_PIECE = 1 << 10  # bytes that are parsed at once: all requests in them are held
_NOTHING = memoryview(b"")
_GOODBYE_SECONDS = 3  # that a client has at the end to close its side of TLS


class Gathered:
    """A transport that sends at once what one turn of the event loop writes: a head and its body.

    Sent apart, the two would cost the server a tenth of its time.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self.is_closing = transport.is_closing  # asked several times for each request
        self._parts: list[bytes] = []
        self._size = 0
        self._written = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the transport's own
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send soon; much at once, so that a slow reader is noticed."""
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)
        self._size += len(data)
        if self._size > _GATHERED_BYTES:
            self._flush()

    def close(self) -> None:
        """Send what was written, and no more."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        parts, self._parts, self._size = self._parts, [], 0
        if parts and not self.is_closing():  # whoever asked may be gone
            whole = b"".join(parts)
            self._written += len(whole)
            self._transport.write(whole)

    def read(self) -> int | None:
        """The bytes that the other side has taken; None if nothing waits for it.

        Those in the kernel's buffer don't count: it takes megabytes, and lets go of many at once.
        """
        waiting = self._transport.get_write_buffer_size()
        if not waiting:
            return None
        return self._written - waiting - _unacknowledged(self._transport)


def _unacknowledged(transport: asyncio.Transport) -> int:
    """The bytes in the kernel that the other side hasn't acknowledged; 0 where it can't say."""
    try:
        answer = fcntl.ioctl(transport.get_extra_info("socket"), termios.TIOCOUTQ, bytes(4))
    except (OSError, TypeError, ValueError):  # of a socket that is closed, or of no socket
        return 0
    return int(struct.unpack("i", answer)[0])


class Flow(FlowControl):
    """The flow of a connection, which reads on only when nothing waits that was read before."""

    def __init__(self, transport: asyncio.Transport, waits: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._waits = waits

    def resume_reading(self) -> None:
        """Read on, unless there is something to answer first, or nobody to read from."""
        if self.read_paused and not self._waits() and not self._transport.is_closing():
            super().resume_reading()


class Protocol(HttpToolsProtocol):
    """A connection that must bring a whole head in time, and little beside heads and bodies.

    Requests may be sent ahead of the answers to those before them: all but a few aren't read.
    """

    limits = Limits()
    crowd = Crowd(limits.connections)
    connected = False
    _host: str | None = None
    _handshake: "asyncio.Task[None] | None" = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head, if there is room for one more connection."""
        self._gathered = Gathered(transport, self.loop)
        super().connection_made(cast("asyncio.Transport", self._gathered))
        self._reader_seen: tuple[float, int] | None = None
        self.flow = Flow(self.transport, self._waits)
        self._unread = _NOTHING
        self._unanswered: deque[RequestResponseCycle] = deque()
        self._body_left = 0  # bytes of the body that is being read, if its head says how many
        self._reading_head = False
        self._idle_bytes = 0  # since a head or a part of a body was whole
        self._refusal = Problem(400, "invalid_request", "invalid HTTP request received")
        self._await_head()
        self.connected = True
        if self._host is None and not self.join(self.client[0] if self.client else ""):
            self._end(busy(5, f"there are {self.limits.connections:,} connections already"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting, and answering."""
        self.part()
        self._head_timer.cancel()
        self._unread = _NOTHING
        self.pipeline.clear()
        for cycle in self._unanswered:  # uvicorn tells the last one alone
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, but of requests that must wait for an answer only a few."""
        if len(data) <= _PIECE and not self._waits():
            self._parse(data)
        else:
            self._unread = memoryview(bytes(self._unread) + data if self._unread else data)
            self._parse_on()
        self._mind_head()

    def _waits(self) -> bool:
        """Whether something was read that must wait for an answer."""
        return bool(self.pipeline) or bool(self._unread)

    def _parse_on(self) -> None:
        """Parse until a request must wait for the answer to another one."""
        while self._unread and not (self.pipeline or self.transport.is_closing()):
            size = max(_PIECE, self._body_left)
            piece, self._unread = self._unread[:size], self._unread[size:]
            self._parse(piece)
        if self._unread:
            self.flow.pause_reading()
        else:
            self._unread = _NOTHING  # an empty part would keep all that was read

    def _parse(self, data: bytes | memoryview) -> None:
        """Parse bytes, unless the last request of this connection was read."""
        if self._is_over():
            return
        self._idle_bytes += len(data)
        super().data_received(data)  # type: ignore[arg-type]
        if self._idle_bytes > _HEAD_BYTES:
            self._end(Problem(431, "head_too_long", f"a head has at most {_HEAD_BYTES} bytes"))

    def on_message_begin(self) -> None:
        """Begin to read a request's head, if one more may come."""
        if self._is_over():
            raise self._refusal  # the parser stops
        self._reading_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; what follows a body in chunks is thrown away, as nobody reads it."""
        if self._reading_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Take a request whose head is whole, unless it asks for what we can't do."""
        method, upgrade = self.parser.get_method(), self.parser.should_upgrade()
        if refusal := _refusal(method, self.headers, upgrade=upgrade):
            self._refusal = refusal
            raise refusal  # the parser stops, and ``send_400_response`` says why
        super().on_headers_complete()  # which stops the parser, too, at an address that is none
        self._unanswered.append(self.cycle)
        self._head_timer.cancel()  # the head that follows has its own time
        self._reading_head, self._idle_bytes = False, 0
        lengths = (value for name, value in self.headers if name == b"content-length")
        self._body_left = int(next(lengths, 0))
        if upgrade:  # the parser reads no more
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Hand on a part of a request's body."""
        self._idle_bytes = 0
        self._body_left -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request, and what followed its body in chunks."""
        self._idle_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request on this connection, or with what wasn't read for its sake."""
        waited = self._waits()
        self._unanswered.popleft()
        super().on_response_complete()
        if waited:
            self._parse_on()
            self.flow.resume_reading()
        if self._reading_head:
            self._mind_head()

    def send_400_response(self, msg: str) -> None:
        """Refuse what isn't HTTP, or what we can't do, by a ``Problem`` as its answer."""
        del msg
        if not self._is_over():  # else the parser was stopped
            self._end(self._refusal)

    def shutdown(self) -> None:
        """Close the connection after its answers; nobody who has them all is waited for."""
        super().shutdown()
        if self.transport.is_closing():
            self.loop.call_later(_GOODBYE_SECONDS, self._leave)

    def _leave(self) -> None:
        if not self.flow.write_paused:  # a slow reader reads on
            self.transport.abort()

    @property
    def idle(self) -> bool:
        """Whether nobody waits for an answer here."""
        return not (self.connected and self._unanswered)

    def join(self, host: str, handshake: "asyncio.Task[None] | None" = None) -> bool:
        """Be counted, from the first moment; whether there is room for one more of this host."""
        self._host, self._handshake = host, handshake
        return self.crowd.add(host, self)

    def part(self) -> None:
        """Be counted no longer."""
        self.crowd.discard(self._host or "", self)

    def leave(self) -> None:
        """End the connection at once, as somebody else needs its place."""
        self.part()
        if self.connected:
            self.transport.abort()
        elif self._handshake is not None:
            self._handshake.cancel()

    def mind_reader(self, now: float) -> None:
        """End the connection of somebody who reads too little of what waits; asked each second.

        Who doesn't read would stay for ever, and one connection after the other be lost.
        """
        taken = self._gathered.read()
        if taken is None:
            self._reader_seen = None
        elif self._reader_seen is None:
            self._reader_seen = now, taken
        elif now - self._reader_seen[0] >= self.limits.write_seconds:
            if taken - self._reader_seen[1] < self.limits.write_seconds * self.limits.write_rate:
                self.transport.abort()
            self._reader_seen = now, taken

    def _is_over(self) -> bool:
        """Whether the last request that is answered here was read."""
        return self.cycle is not None and not (self.cycle.keep_alive or self.cycle.more_body)

    def _await_head(self) -> None:
        late = Problem(408, "head_too_slow", "the request's head took too long")
        self._head_timer = self.loop.call_later(self.limits.head_seconds, self._end, late)

    def _mind_head(self) -> None:
        """Wait for the rest of a head, not for ever; but not while others must be answered."""
        # What follows an answer isn't part of a request: the rest of a body, or empty lines.
        expected = len(self._unanswered) < 2 if self._reading_head else not self._unanswered
        if expected and self._head_timer.cancelled():
            self._await_head()

    def _end(self, problem: Problem) -> None:
        """The last words on this connection, unless they would be taken for another answer's."""
        others = len(self._unanswered) - (not self._reading_head)
        begun = any(cycle.response_started for cycle in self._unanswered)
        if others <= 0 and not begun and not self.transport.is_closing():
            head = b"".join(b"%b: %b\r\n" % pair for pair in problem.head(close=True))
            self.transport.write(STATUS_LINE[problem.status] + head + b"\r\n" + problem.body)
        self.transport.close()


def _refusal(method: bytes, headers: list[tuple[bytes, bytes]], *, upgrade: bool) -> Problem | None:
    """Why a request with such a head can't be answered, if so."""
    if method == b"CONNECT":
        return Problem(400, "invalid_request", "this is no proxy")
    encodings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if encodings not in ([], [b"chunked"]):
        return Problem(501, "unknown_encoding", "a body is sent as it is, or chunked")
    lengths = [value.strip() for name, value in headers if name == b"content-length"]
    if not encodings and lengths in ([], [b"0"]):
        return None
    if method in {b"GET", b"HEAD"}:
        return Problem(400, "unwanted_body", f"a {method.decode()} has no body")
    if upgrade:
        return Problem(400, "no_upgrade", "a request with a body can't ask for another protocol")
    return None

"""One connection of a sender: uvicorn's, with the limits that a public address needs."""

import asyncio
from collections.abc import Callable

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from sudare.collector.limits import Limits
from sudare.collector.problems import Problem, busy

_HEAD_BYTES = 1 << 16
_GATHERED_BYTES = 1 << 14
_PIECE = 1 << 10
"""Bytes that are parsed at once: all requests in them are held until they are answered in turn."""
_NOTHING = memoryview(b"")
_GOODBYE_SECONDS = 3
"""That a client has to close its side of TLS when the collector ends, and it was answered."""


class Gathered(asyncio.Transport):
    """A transport that sends at once what one turn of the event loop writes: a head and its body.

    Two packets would cost the server, and whoever reads them, nearly twice as much.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._call_soon = loop.call_soon
        self._parts: list[bytes] = []
        self._size = 0
        # Those that are called for every request go there directly.
        self.is_closing = transport.is_closing  # type: ignore[method-assign]
        self.get_extra_info = transport.get_extra_info  # type: ignore[method-assign]
        self.pause_reading = transport.pause_reading  # type: ignore[method-assign]
        self.resume_reading = transport.resume_reading  # type: ignore[method-assign]

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send soon; much at once, so that a slow reader is noticed."""
        if not self._parts:
            self._call_soon(self._flush)
        self._parts.append(bytes(data))
        self._size += len(data)
        if self._size > _GATHERED_BYTES:
            self._flush()

    def close(self) -> None:
        """Send what was written, and no more."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Send nothing more."""
        self._parts = []
        self._transport.abort()

    def _flush(self) -> None:
        parts, self._parts, self._size = self._parts, [], 0
        if parts and not self.is_closing():  # whoever asked may be gone
            self._transport.write(b"".join(parts))


class Flow(FlowControl):
    """Reads on only when nothing waits that was read before."""

    def __init__(self, transport: asyncio.Transport, waits: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._waits = waits

    def resume_reading(self) -> None:
        """Read on, if there is somebody to read from, and no need to answer first."""
        if self.read_paused and not self._waits() and not self._transport.is_closing():
            super().resume_reading()


class Protocol(HttpToolsProtocol):
    """A connection that must bring a whole head in time, and little beside heads and bodies."""

    limits = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head, if there is room for one more connection."""
        super().connection_made(Gathered(transport, self.loop))
        self.flow = Flow(self.transport, self._waits)
        self._running: RequestResponseCycle | None = None
        self._unread = _NOTHING
        self._body_left = 0  # bytes of the body that is being read, if its head says how many
        self._is_last = False  # the request that is being read
        self._reading_head = True
        self._moved_on = False
        self._idle_bytes = 0  # since a message or a part of a body was whole
        self._refusal: Problem | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        if len(self.connections) > self.limits.connections:
            self._end(busy(5, f"there are {self.limits.connections:,} connections already"))
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting, and answering."""
        self._stop_timer()
        self._unread = _NOTHING
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; requests beyond a few stay unread until those before them are answered."""
        if self._is_last:
            return
        if len(data) <= _PIECE and not self._waits():
            self._parse(data)
        else:
            self._unread = memoryview(bytes(self._unread) + data if self._unread else data)
            self._parse_on()
        self._mind_head()

    def on_response_complete(self) -> None:
        """Go on with the next request, or with what wasn't read for its sake."""
        waited = self._waits()
        if self.pipeline:
            self._running = self.pipeline[-1][0]
        super().on_response_complete()
        if waited and not self.transport.is_closing():
            self._parse_on()
            self.flow.resume_reading()
            self._mind_head()

    def shutdown(self) -> None:
        """Close, after the answers; whoever has them all and stays isn't waited for."""
        super().shutdown()
        if self.transport.is_closing():
            self.loop.call_later(_GOODBYE_SECONDS, self._leave)

    def _leave(self) -> None:
        if not self.flow.write_paused:  # a slow reader reads on
            self.transport.abort()

    def _waits(self) -> bool:
        """Whether something was read that must wait for an answer."""
        return bool(self.pipeline) or bool(self._unread)

    def _parse_on(self) -> None:
        """Parse until a request must wait for the answer to another one."""
        while self._unread and not self.pipeline and not self.transport.is_closing():
            size = max(_PIECE, self._body_left)
            piece, self._unread = self._unread[:size], self._unread[size:]
            self._parse(piece)
            if self._is_last:
                self._unread = _NOTHING
        if self._unread:
            self.flow.pause_reading()
        else:
            self._unread = _NOTHING  # an empty part would keep all that was read

    def _parse(self, data: bytes | memoryview) -> None:
        self._moved_on = False
        super().data_received(data)  # type: ignore[arg-type]
        # Heads and trailers are all that is kept before somebody has asked for it.
        self._idle_bytes = 0 if self._moved_on else self._idle_bytes + len(data)
        if self._idle_bytes > _HEAD_BYTES:
            self._end(Problem(431, "head_too_long", f"a head has at most {_HEAD_BYTES} bytes"))

    def _mind_head(self) -> None:
        """What isn't a whole head is waited for, not for ever; but not while nobody reads it."""
        if self.transport.is_closing():
            return
        # What follows an answer isn't part of a request: the rest of a body, or empty lines.
        answered = self.cycle is None or self.cycle.response_complete
        if self._waits() or not (self._reading_head or answered):
            self._stop_timer()
        elif self._head_timer is None:
            self._await_head()

    def on_message_begin(self) -> None:
        """A head begins."""
        self._reading_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; what follows a body in chunks is thrown away, as nobody reads it."""
        if self._reading_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole, and asks for nothing that we can't do."""
        method, upgrade = self.parser.get_method(), self.parser.should_upgrade()
        self._refusal = _refusal(method, self.headers, upgrade=upgrade)
        if self._refusal is not None:
            raise self._refusal  # the parser stops, and ``send_400_response`` says why
        self._stop_timer()  # the head that follows has its own time
        is_next = self.cycle is None or self.cycle.response_complete
        super().on_headers_complete()
        if is_next:
            self._running = self.cycle
        self._reading_head = False
        self._body_left = _length(self.headers)
        if upgrade:  # its parser reads nothing more, so there is no next
            self.cycle.keep_alive, self._is_last = False, True

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._moved_on = True
        self._body_left -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._moved_on = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what isn't HTTP, or what we can't do, in our shape."""
        sentence = msg.rstrip(".").lower().replace("http", "HTTP")
        self._end(self._refusal or Problem(400, "invalid_request", sentence))

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.limits.head_seconds, self._late)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _late(self) -> None:
        self._end(Problem(408, "head_too_slow", "the request's head took too long"))

    def _end(self, problem: Problem) -> None:
        """The last words on this connection."""
        if self.transport.is_closing():
            return
        if self._is_answering():  # these words would be taken for the other answer's
            self.transport.close()
            return
        body = problem.body
        head = {
            **problem.headers,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Sudare-Api": "1",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.transport.write(b"".join((STATUS_LINE[problem.status], lines.encode(), b"\r\n", body)))
        self.transport.close()

    def _is_answering(self) -> bool:
        """Whether an answer has begun, or one to an earlier request is still to come."""
        if self.cycle is None or self.cycle.response_complete:
            return False
        return self._reading_head or self.cycle.response_started or bool(self.pipeline)


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


def _length(headers: list[tuple[bytes, bytes]]) -> int:
    """How many bytes of a body are announced; 0 for one in chunks."""
    return next((int(value) for name, value in headers if name == b"content-length"), 0)

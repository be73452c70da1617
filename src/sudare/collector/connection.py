"""One connection of a sender: uvicorn's, with the limits that a public address needs."""

import asyncio

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sudare.collector.limits import Limits
from sudare.collector.problems import Problem

_HEAD_BYTES = 1 << 16
_GATHERED_BYTES = 1 << 14


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
        if self._parts:
            parts, self._parts, self._size = self._parts, [], 0
            self._transport.write(b"".join(parts))


class Protocol(HttpToolsProtocol):
    """A connection that must bring a whole head in time, and little beside heads and bodies."""

    limits = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head, if there is room for one more connection."""
        super().connection_made(Gathered(transport, self.loop))
        self._reading_head = True
        self._moved_on = False
        self._idle_bytes = 0  # since a message or a part of a body was whole
        self._refusal: Problem | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        if len(self.connections) > self.limits.connections:
            busy = "there are too many connections"
            self._end(Problem(503, "busy", busy, {"Retry-After": "5"}))
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what isn't a whole head afterwards is waited for, not for ever."""
        self._moved_on = False
        super().data_received(data)
        # Heads and trailers are all that is kept before somebody has asked for it.
        self._idle_bytes = 0 if self._moved_on else self._idle_bytes + len(data)
        if self._idle_bytes > _HEAD_BYTES:
            self._end(Problem(431, "head_too_long", f"a head has at most {_HEAD_BYTES} bytes"))
        if self.transport.is_closing():
            return
        # What follows an answer isn't part of a request: the rest of a body, or empty lines.
        answered = self.cycle is None or self.cycle.response_complete
        if not self._reading_head and not answered:
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
        super().on_headers_complete()
        self._reading_head = False
        if upgrade:  # its parser reads nothing more, so there is no next
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._moved_on = True
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

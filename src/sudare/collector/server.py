"""The collector on the network: uvicorn, with the limits that a public address needs."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sudare.collector.limits import Limits
from sudare.collector.problems import Problem, unforeseen
from sudare.collector.service import Service
from sudare.collector.warming import warm
from sudare.errors import ParameterError

_log = logging.getLogger(__name__)
_HEAD_BYTES = 1 << 16
_GRACEFUL_SECONDS = 30


@dataclass(frozen=True)
class Listening:
    """An address that is ours: its socket, its certificate, and how it is written."""

    socket: socket.socket
    context: ssl.SSLContext | None
    url: str

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def listen(
    host: str, port: int, certificate: Path | None = None, private_key: Path | None = None
) -> Listening:
    """Take an address; port 0 stands for any that is free. TLS if there is a certificate."""
    context = _tls(certificate, private_key)
    try:
        family, kind, protocol, _, at = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(at)
        except OSError:
            bound.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "that is no address"
        raise ParameterError(f"can't listen at {host} port {port}: {reason}") from None
    written = f"[{host}]" if ":" in host else host
    scheme = "http" if context is None else "https"
    return Listening(bound, context, f"{scheme}://{written}:{bound.getsockname()[1]}")


def _tls(certificate: Path | None, private_key: Path | None) -> ssl.SSLContext | None:
    if certificate is None and private_key is None:
        return None
    if certificate is None or private_key is None:
        raise ParameterError("a certificate and its private key belong together")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    for path in (certificate, private_key):
        path.open("rb").close()  # so that the one that can't be read is named
    try:
        # A password would be asked for on the terminal, and nobody may be there.
        context.load_cert_chain(certificate, private_key, password=lambda: b"")
    except ssl.SSLError:
        raise ParameterError(
            f"{certificate} and {private_key} are no certificate and its private key in PEM, "
            f"without a password"
        ) from None
    return context


class Protocol(HttpToolsProtocol):
    """A connection that must bring a whole head in time, and little beside heads and bodies."""

    limits = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head, if there is room for one more connection."""
        super().connection_made(transport)
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


def _noted(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what nobody waits for: its kind and place, never what it says."""
    del loop
    error = context.get("exception")
    if isinstance(error, BaseException):
        unforeseen(error, _log)
    else:
        _log.error("the event loop met something unforeseen")


class Server(uvicorn.Server):
    """Says when it listens; stops gently at a signal, and then ends as if it had been asked to."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        asyncio.get_running_loop().set_exception_handler(_noted)
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gently; at once, if it was asked before."""
        del sig, frame
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is in flight."""
        self._service.ending = True
        await super().shutdown(sockets)


def serve(
    app: ASGIApp,
    service: Service,
    listening: Listening,
    limits: Limits,
    ready: Callable[[str], None],
) -> None:
    """Answer requests until a signal asks to stop; then answer what is in flight, and end."""
    warm(standing.collection for standing in service.standings)
    server = Server(configured(app, listening, limits), service, lambda: ready(listening.url))
    server.run(sockets=[listening.socket])


def configured(app: ASGIApp, listening: Listening, limits: Limits) -> uvicorn.Config:
    """Uvicorn, without what a collector must not do: log addresses, believe headers, wait."""
    context = listening.context
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=type("Limited", (Protocol,), {"limits": limits}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.CRITICAL,  # its own lines may name addresses
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, round(limits.head_seconds)),
        timeout_graceful_shutdown=_GRACEFUL_SECONDS,
        ssl_context_factory=None if context is None else lambda *_: context,
    )

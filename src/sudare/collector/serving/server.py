"""The collector on the network: an address, and uvicorn as its server."""

import asyncio
import errno
import gc
import logging
import resource
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, Self, cast

import uvicorn
from starlette.types import ASGIApp

from sudare.collector.http.limits import Crowd, Limits
from sudare.collector.http.problems import unforeseen
from sudare.collector.service import Service
from sudare.collector.serving.connection import Protocol
from sudare.collector.serving.tls_listener import TlsListener
from sudare.collector.uploads.warming import warm
from sudare.errors import ParameterError
from sudare.formats.files import regular

_log = logging.getLogger(__name__)
_GRACEFUL_SECONDS = 30
_SOCKETS = 16
"""Connections that are taken in one turn of the event loop, which takes one from each socket."""
_DESCRIPTORS = 128  # that are left to the store, its threads, and the sockets that listen
_TAKEN = {
    errno.EADDRINUSE: "another program has that port; choose another with --port",
    errno.EACCES: "a port below 1024 needs permission; choose another with --port",
    errno.EADDRNOTAVAIL: "that is no address of this machine; choose another with --host",
}
_TICKS = 10  # of uvicorn, in a second


@dataclass(frozen=True)
class Listening:
    """An address taken to listen at: its socket, its TLS settings, its URL."""

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
    """Take an address to listen at; port 0 is any that is free. TLS if there is a certificate."""
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
        code, known = getattr(error, "errno", None), getattr(error, "strerror", None)
        reason = _TAKEN.get(code or 0) or known or "that is no address"
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
        regular(path).open("rb").close()  # so that the one that can't be read is named
    try:
        # A password would be asked for on the terminal, and nobody may be there.
        context.load_cert_chain(certificate, private_key, password=lambda: b"")
    except ssl.SSLError:
        raise ParameterError(
            f"{certificate} and {private_key} are no certificate and its private key in PEM, "
            f"without a password"
        ) from None
    return context


def _noted(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what nobody waits for: its kind and place, never what it says."""
    del loop
    error = context.get("exception")
    if isinstance(error, BaseException):
        unforeseen(error, _log)
    else:
        _log.error("the event loop met something unforeseen")


class Server(uvicorn.Server):
    """A uvicorn server that says when it listens, and at a signal stops gently and just returns."""

    def __init__(
        self,
        app: ASGIApp,
        listening: Listening,
        limits: Limits,
        ready: Callable[[], None],
        ending: Callable[[], None],
    ) -> None:
        super().__init__(configured(app, limits))
        self._listening = listening
        self._limits = limits
        self._ready = ready
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        del sockets
        asyncio.get_running_loop().set_exception_handler(_noted)
        bound, context = self._listening.socket, self._listening.context
        # In a flood a turn is long, and whoever is new would wait for as many as came before.
        plain = [] if context else [bound, *(bound.dup() for _ in range(_SOCKETS - 1))]
        await super().startup(plain)
        if context is not None:
            listener = TlsListener(bound, context, self._limits, self._new_connection)
            self.servers.append(listener)  # type: ignore[arg-type] # it is closed as one
        self._ready()

    def _new_connection(self) -> Protocol:
        made = self.config.http_protocol_class(  # type: ignore[call-arg] # as uvicorn makes one
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return cast("Protocol", made)

    async def on_tick(self, counter: int) -> bool:
        """Look each second for those who don't read their answers."""
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                cast("Protocol", connection).mind_reader(now)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gently at a signal; at once at a second one."""
        del sig, frame
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests in flight, then drop whoever doesn't read."""
        del sockets
        self._ending()
        await super().shutdown([self._listening.socket])
        # Whoever doesn't read would be waited for: uvicorn tells them that they are cancelled.
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def serve(
    app: ASGIApp,
    service: Service,
    listening: Listening,
    limits: Limits,
    ready: Callable[[str], None],
) -> None:
    """Run a collector until a signal asks to stop; then answer what is in flight, and end."""
    warm(held.collection for held in service.held_collections)
    gc.collect()
    gc.freeze()  # what is there by now stays: there is no need to look through it again
    limits = within_descriptors(limits)
    Server(app, listening, limits, lambda: ready(listening.url), service.end).run()


def within_descriptors(limits: Limits) -> Limits:
    """Limits for which this process may open enough files; it is allowed more if it can be."""
    wanted = limits.connections + _DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return limits
    if hard == resource.RLIM_INFINITY or hard >= wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return limits
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    connections = max(1, hard - _DESCRIPTORS)
    _log.warning(
        "%s connections need %s open files, and this process may have %s (ulimit -n): "
        "it takes %s connections at once",
        *(f"{number:,}" for number in (limits.connections, wanted, hard, connections)),
    )
    return replace(limits, connections=connections)


def configured(app: ASGIApp, limits: Limits) -> uvicorn.Config:
    """Uvicorn's settings, without what a collector must not do: log addresses, believe headers."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=type("Limited", (Protocol,), {"limits": limits, "crowd": Crowd(limits.connections)}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.CRITICAL,  # its own lines may name addresses
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, round(limits.head_seconds)),
        timeout_graceful_shutdown=_GRACEFUL_SECONDS,
    )

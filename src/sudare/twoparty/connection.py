"""A connection between two parties: TLS with both certificates, frames, time-outs."""

import logging
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path

from sudare.errors import InvalidMessage, ParameterError, PartyLost, SudareError
from sudare.files import regular
from sudare.twoparty.door import Door, Steps, Stranger, arrived, once_ready
from sudare.twoparty.messages import LARGEST, Step, is_ours, refusal, refuse_refusal

TIMEOUT = 60.0
_LOG = logging.getLogger(__name__)
_FRAME = struct.Struct(">I")
_AGAIN = 0.05  # seconds until a party that is not there yet is tried again
_NAME = 80  # letters of a host's name that a sentence repeats
_UNKNOWN, _SPEECHLESS = "without the certificate", "without a greeting"


@dataclass(frozen=True)
class Credentials:
    """A party's certificate and private key, and the one certificate that it accepts."""

    certificate: Path
    private_key: Path
    peer: Path

    def context(self, *, server: bool) -> ssl.SSLContext:
        """TLS 1.3 in which both sides show a certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate itself is compared, not a name in it
        context.verify_mode = ssl.CERT_REQUIRED
        for path in (self.certificate, self.private_key, self.peer):
            regular(path).open("rb").close()  # one that is not there is named; OpenSSL wouldn't
        try:
            context.load_cert_chain(self.certificate, self.private_key, self._passphrase)
            context.load_verify_locations(cadata=self._expected)
        except ParameterError:
            raise
        except (ssl.SSLError, ValueError):
            raise ParameterError(
                f"{self.certificate}, {self.private_key} and {self.peer} must be PEM files: "
                f"a certificate, its private key, and the other party's certificate"
            ) from None
        return context

    def _passphrase(self) -> str:
        """Asked for by OpenSSL, which would else ask at the terminal."""
        raise ParameterError(f"{self.private_key} is encrypted: give a key without a passphrase")

    @cached_property
    def _expected(self) -> bytes:
        """Read once: whatever becomes of the file, this one is trusted."""
        return ssl.PEM_cert_to_DER_cert(self.peer.read_text("ascii"))

    def check(self, connection: ssl.SSLSocket) -> None:
        """Raise unless the other side is exactly the one expected, not only signed by it."""
        if connection.getpeercert(binary_form=True) != self._expected:
            raise InvalidMessage(f"the other party's certificate is not {self.peer}")


@dataclass
class Wire:
    """Frames over a connection: four bytes of length, then a message. It counts bytes.

    ``ahead`` was read before, and is received first.
    """

    connection: socket.socket
    timeout: float
    sent: int = 0
    received: int = 0
    ahead: bytes = field(default=b"", repr=False)

    def send(self, message: bytes) -> None:
        """One frame out."""
        frame = _FRAME.pack(len(message)) + message
        self.connection.settimeout(self.timeout)
        with _losses("a message was on its way"):
            self.connection.sendall(frame)
        self.sent += len(frame)

    def receive(self, step: Step) -> bytes:
        """One frame in, whole within the time-out and no longer than such a message can be."""
        deadline = time.monotonic() + self.timeout
        with _losses(f"message {int(step)} was expected"):
            (length,) = _FRAME.unpack(self._exactly(_FRAME.size, deadline))
            if length > LARGEST[step]:
                raise InvalidMessage(
                    f"message {int(step)} has at most {LARGEST[step]} bytes, {length} are announced"
                )
            message = self._exactly(length, deadline)
        refuse_refusal(message)
        return message

    def refuse(self, error: SudareError) -> None:
        """Tell the other side why, if it is still there to be told."""
        with suppress(PartyLost):
            self.send(refusal(str(error)))

    def close(self) -> None:
        """Say and hear nothing more."""
        self.connection.close()

    def _exactly(self, size: int, deadline: float) -> bytes:
        pieces, self.ahead = bytearray(self.ahead[:size]), self.ahead[size:]
        self.received += len(pieces)
        while len(pieces) < size:
            self.connection.settimeout(max(1e-3, deadline - time.monotonic()))
            piece = self.connection.recv(min(size - len(pieces), 1 << 16))
            if not piece:
                raise ConnectionResetError
            pieces += piece
            self.received += len(piece)
        return bytes(pieces)


@contextmanager
def _losses(when: str) -> Iterator[None]:
    """The ways in which a connection ends, in one sentence."""
    try:
        yield
    except TimeoutError:
        raise PartyLost(f"the other party kept silent for too long when {when}") from None
    except ssl.SSLCertVerificationError:
        raise InvalidMessage("the other party's certificate is not the one expected") from None
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
        raise PartyLost(f"the other party went away when {when}") from None
    except ssl.SSLError:
        raise PartyLost(
            f"TLS broke off when {when}: bytes were changed on their way, or a certificate was "
            f"refused"
        ) from None
    except OSError:
        raise PartyLost(f"the other party went away when {when}") from None


@contextmanager
def listening(
    host: str,
    port: int,
    credentials: Credentials | None,
    timeout: float = TIMEOUT,
    ready: Callable[[int], object] = lambda _: None,
) -> Iterator[Wire]:
    """P1's end: the first that shows the certificate and greets, and nobody after it.

    All others are strangers: they are sent away, keep nobody waiting and end nothing. How many
    they were is logged.

    Args:
        host: the address to listen on.
        port: its port; 0 for any that is free.
        credentials: None for a trial on one machine, where whoever greets is the other party.
        timeout: seconds until the greeting must have come, and for each message after it.
        ready: hears the port.
    """
    context = _context(host, credentials, server=True)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)  # which tells a name from a place that is taken
        server = socket.create_server((host, port), family=family)
    except (socket.gaierror, ValueError):
        raise _no_host(host) from None
    except OSError as error:
        raise ParameterError(f"can't listen on {host}:{port}: {error.strerror}") from None
    with server:
        ready(server.getsockname()[1])
        door = Door(server, lambda plain: _entering(plain, context, credentials, timeout))
        wire = door.first(timeout)
    if wire is None:
        strangers = f"; {door.strangers}" if door.strangers else ""
        raise PartyLost(f"nobody connected within {timeout:g} seconds{strangers}")
    with wire.connection:
        if door.strangers:
            _LOG.warning("%s", door.strangers)
        yield wire


@contextmanager
def connected(
    host: str, port: int, credentials: Credentials | None, timeout: float = TIMEOUT
) -> Iterator[Wire]:
    """P2's end; it tries until the other is there or the time is over."""
    context = _context(host, credentials, server=False)
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection = socket.create_connection((host, port), timeout)
            break
        except (socket.gaierror, ValueError):  # not found, or nothing that could be
            raise _no_host(host) from None
        except OSError:
            if time.monotonic() > deadline:
                raise PartyLost(
                    f"nobody answered at {host}:{port} within {timeout:g} seconds"
                ) from None
            time.sleep(_AGAIN)
    with _secured(connection, context, credentials, timeout) as wire:
        yield wire


def _entering(
    plain: socket.socket,
    context: ssl.SSLContext | None,
    credentials: Credentials | None,
    timeout: float,
) -> Steps[Wire]:
    """From a connection to one that is known and has greeted; it is closed if it never does."""
    connection = plain
    try:
        with _lacking(_UNKNOWN):
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None and credentials is not None:
                plain.getpeername()  # of one that is gone, wrap_socket would lose the descriptor
                connection = secured = context.wrap_socket(
                    plain, server_side=True, do_handshake_on_connect=False
                )
                yield from once_ready(secured.do_handshake)
                credentials.check(secured)
        with _lacking(_SPEECHLESS):
            greeting = yield from _greeting(connection)
    except BaseException:  # also where the door is closed to it
        connection.close()
        raise
    return Wire(connection, timeout, ahead=greeting)


def _greeting(connection: socket.socket) -> Steps[bytes]:
    """The first frame, if it can be a greeting: what it says is judged later."""
    head = yield from arrived(connection, _FRAME.size)
    (length,) = _FRAME.unpack(head)
    if length > LARGEST[Step.HELLO]:
        raise Stranger(_SPEECHLESS)
    message = yield from arrived(connection, length)
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


def _context(host: str, credentials: Credentials | None, *, server: bool) -> ssl.SSLContext | None:
    """How to secure a connection; without certificates, only one that stays on this machine."""
    if credentials is not None:
        return credentials.context(server=server)
    if not _is_loopback(host):
        raise ParameterError(
            f"without certificates the parties talk on this machine only (127.0.0.1), got "
            f"{host[:_NAME]}"
        )
    return None


def _no_host(host: str) -> ParameterError:
    return ParameterError(f"there is no host {host[:_NAME]!r}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _secured(
    plain: socket.socket,
    context: ssl.SSLContext | None,
    credentials: Credentials | None,
    timeout: float,
) -> Iterator[Wire]:
    """P2's end, once it is sure whom it talks to."""
    plain.settimeout(timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if context is None or credentials is None:
        with plain:
            yield Wire(plain, timeout)
        return
    with plain, _losses("TLS was being set up"):
        secured = context.wrap_socket(plain)
    with secured:
        credentials.check(secured)
        yield Wire(secured, timeout)

"""A collector at an address, as a device sees it: it hands out collections and takes reports.

Whoever administers one asks in the same way, with a token (``remote.client``). Nothing that a
collector says is believed: a document must have the key that the device pinned, and every answer is
read by the table of ``device.delivery``.
"""

import re
import socket
import ssl
import time
from typing import Self

import httpx

from sudare.collection.document import Collection
from sudare.device.delivery import Answer
from sudare.errors import CollectorRefused, CollectorUnavailable, InvalidDocument, ParameterError
from sudare.formats.collector_api import VERSION, Receipt
from sudare.formats.hosts import is_loopback
from sudare.formats.tokens import TOKEN
from sudare.privacy.ledger import MOST_WINDOW, Ledger

_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_INVITATION = re.compile(r"[0-9a-f]{32}", re.ASCII)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*\.?", re.ASCII)
_LONGEST_HOST = 253  # letters, in the name system
_MOST_BYTES = 1 << 24  # of a response: a collection of a million answers
_CONNECT_SECONDS = 10.0  # however long an answer may take
# Nothing was sent: the connection wasn't even there. After all others it may have been taken.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_TROUBLES: dict[type[BaseException], str] = {
    socket.gaierror: "{address} can't be reached: there is no host {host}, or its name can't be "
    "looked up now",
    ConnectionRefusedError: "{address} can't be reached now: nothing listens there, so see whether "
    "the collector runs, and at which port",
    ssl.SSLCertVerificationError: "{address} has a certificate that isn't trusted here ({why}): "
    "check the address, or name who signed it by SSL_CERT_FILE",
    ssl.SSLError: "{address} doesn't speak TLS as it should: see whether it is http:// or another "
    "port",
    httpx.TimeoutException: "{address} can't be reached now: it doesn't answer in time",
    httpx.RemoteProtocolError: "{address} doesn't speak HTTP as it should: see whether it is "
    "https:// or another port",
}
"""What may be wrong with the way to a collector, the surest first, and what to do."""


class CollectorClient:
    """A device's way to a collector: its address, and a connection to it.

    Plain HTTP is allowed to this machine only: elsewhere, anybody on the way could see who reports
    what, and change it. ``insecure`` allows it, for a network that is private by itself.
    """

    def __init__(
        self,
        address: str,
        *,
        insecure: bool = False,
        timeout: float = 10.0,
        token: str | None = None,
        most_bytes: int | None = None,
    ) -> None:
        """The client of the collector at an address; nothing is connected yet.

        Args:
            address: such as ``https://stats.example.org``.
            insecure: whether plain HTTP may leave this machine.
            timeout: seconds without a sign of life, after which a request is given up.
            token: that every request bears; a device has none.
            most_bytes: of a response; 16 MiB unless given.
        """
        url = checked_address(address, insecure=insecure)
        self.address = str(url).rstrip("/")
        self._timeout, self._most_bytes = timeout, most_bytes
        bearing = {} if token is None else {"Authorization": f"Bearer {check_token(token)}"}
        # Around a proxy that the environment names, a plain request would leave the machine.
        self._http = httpx.Client(
            headers={
                "Sudare-Api": VERSION,
                "User-Agent": "sudare",
                "Accept-Encoding": "identity",
                **bearing,
            },
            timeout=httpx.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
            trust_env=url.scheme == "https",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the collector."""
        self._http.close()

    def fetch(self, key: str, ledger: Ledger | None = None) -> Collection:
        """The collection of a key from the collector, if a person may answer it at all.

        Args:
            key: the one that the device pinned. A document of another is ``CollectorRefused``.
            ledger: the person's. ``BudgetExceeded`` if one report costs more than a cap of theirs.
        """
        check_key(key)
        answer = self.request("GET", f"/collections/{key}")
        answer.check()
        if answer.status != 200:
            raise CollectorRefused(f"the collector answered {answer.status}, not a collection")
        try:
            collection = Collection.from_json(answer.body)
        except InvalidDocument as error:
            raise CollectorRefused(f"the collector sent no collection: {error}") from None
        if collection.key != key:
            raise CollectorRefused(
                f"the collector sent the collection {collection.key[:12]}…, not the {key[:12]}… "
                f"that was agreed to"
            )
        if ledger is not None:
            ledger.admit(collection.epsilon)
        return collection

    def post(
        self, key: str, window: int, reports: bytes, *, invitation: str | None = None
    ) -> Receipt:
        """Send reports of one window, each after its id; the receipt comes when they are durable.

        Raises what ``Answer.check`` of ``device.delivery`` does.
        """
        headers = {"Content-Type": "application/octet-stream"}
        if invitation is not None:
            headers["Sudare-Invitation"] = check_invitation(invitation)
        if not 0 <= window <= MOST_WINDOW:
            raise ParameterError(f"windows are numbered 0 to 2^53 - 1, got {window}")
        path = f"/collections/{check_key(key)}/reports?window={window}"
        return self.request("POST", path, headers, reports).receipt

    def request(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> Answer:
        """The answer to a request, whatever it says; that there was none is an error."""
        try:
            with self._http.stream(
                method, self.address + path, headers=headers, content=body or None
            ) as response:
                data = self._read(response)
        except (httpx.InvalidURL, UnicodeError):  # before anything was sent, and so every time
            raise CollectorRefused("what is to be sent can't be put into HTTP") from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise CollectorUnavailable(
                unreached(self.address, error),
                doubtful=not isinstance(error, _UNSENT),
            ) from None
        return Answer(self.address, response.status_code, response.headers, data)

    def _read(self, response: httpx.Response) -> bytes:
        """A body of a bearable size that comes in a bearable time."""
        data, given_up = bytearray(), time.monotonic() + 6 * self._timeout
        for part in response.iter_bytes():
            data += part
            if len(data) > (self._most_bytes or _MOST_BYTES) or time.monotonic() > given_up:
                raise CollectorUnavailable(
                    f"what {self.address} sends is too long, or takes too long", doubtful=True
                )
        return bytes(data)


def unreached(address: str, error: httpx.HTTPError | httpx.StreamError) -> str:
    """Why nothing came of a request to an address, in a sentence that says what to look at."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    for kind, sentence in _TROUBLES.items():
        for cause in causes:
            if isinstance(cause, kind):
                why = getattr(cause, "verify_message", "")
                return sentence.format(address=address, host=httpx.URL(address).host, why=why)
    return f"{address} can't be reached now ({type(error).__name__}): try again later"


def check_key(key: str) -> str:
    """A collection's key as it is, if it looks like one."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ParameterError("a collection's key is 64 hexadecimal digits, in small letters")
    return key


def check_invitation(invitation: str) -> str:
    """An invitation as it is, if it looks like one; an error doesn't repeat it."""
    if not isinstance(invitation, str) or not _INVITATION.fullmatch(invitation):
        raise ParameterError(
            "an invitation is 32 hexadecimal digits, in small letters, got something else "
            "(nothing was sent)"
        )
    return invitation


def check_token(token: str) -> str:
    """A token as it is, if it looks like one; an error doesn't repeat it."""
    if not TOKEN.fullmatch(token):
        raise ParameterError("a token looks like sdr_<name>_<secret>, got something else")
    return token


def checked_address(address: str, *, insecure: bool) -> httpx.URL:
    """An address as a URL without its fragment, if it may be one; plain HTTP to this machine only.

    Args:
        address: such as ``https://stats.example.org``.
        insecure: whether plain HTTP may leave this machine.
    """
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query:
        raise ParameterError("a collector's address looks like https://stats.example.org")
    if not _is_host(url.raw_host.decode("ascii")):
        raise ParameterError("a collector's address names a host such as stats.example.org")
    if url.port is not None and not 1 <= url.port <= 65_535:
        raise ParameterError(f"a port is between 1 and 65535, got {url.port}")
    if url.scheme == "http" and not insecure and not is_loopback(url.host):
        raise ParameterError(
            f"plain HTTP to {url.host} would show what is sent on the way: use https:// "
            f"(--insecure, or insecure=True, allows it)"
        )
    return url.copy_with(fragment=None)


def _is_host(host: str) -> bool:
    """Whether a name, or number, can be looked up at all."""
    if ":" in host:  # an address of IPv6, or there would be no URL
        return True
    return len(host) <= _LONGEST_HOST and _HOST.fullmatch(host) is not None

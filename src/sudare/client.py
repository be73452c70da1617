"""A collector, as a device sees it: an address that hands out collections and takes reports.

Nothing that a collector says is believed: a document must have the key that the device pinned, and
only what bears the interface's mark (``Sudare-Api``) counts as a collector's word. A hotel's login
page, or a proxy before a service that is down, can neither take a report nor refuse one.
"""

import ipaddress
import math
import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import httpx
import msgspec

from sudare.collection import Collection
from sudare.errors import (
    CollectionUnavailable,
    CollectorRefused,
    CollectorUnavailable,
    InvalidDocument,
    ParameterError,
)
from sudare.privacy.charges import MOST_WINDOW
from sudare.privacy.ledger import Ledger

API = "1"
_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_INVITATION = re.compile(r"[0-9a-f]{32}", re.ASCII)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*\.?", re.ASCII)
_LONGEST_HOST = 253  # letters, in the name system
_MOST_BYTES = 1 << 24  # of a response: a collection of a million answers
_LONGEST_WAIT = 86_400.0  # seconds, whatever Retry-After says
_ALL_WAIT = {408, 429, 503}  # of the whole collector, or of the way to it, and not for good
# Nothing was sent: the connection wasn't even there. After all others it may have been taken.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_CODES_OF_NOW = {"paused", "not_open", "window_not_open"}  # refusals of the moment, not for good


class Receipt(msgspec.Struct, frozen=True):
    """What became of the reports of one body, all of them durably."""

    new: int
    repeated: int
    refused: int


class _Error(msgspec.Struct):
    code: str
    message: str


class _Problem(msgspec.Struct):
    error: _Error


class Collector:
    """A collector at an address.

    Plain HTTP is allowed to this machine only: elsewhere, anybody on the way could see who reports
    what, and change it. ``insecure`` allows it, for a network that is private by itself.
    """

    def __init__(self, address: str, *, insecure: bool = False, timeout: float = 10.0) -> None:
        """A collector; nothing is connected yet.

        Args:
            address: such as ``https://stats.example.org``.
            insecure: whether plain HTTP may leave this machine.
            timeout: seconds without a sign of life, after which a request is given up.
        """
        url = _checked(address, insecure=insecure)
        self.address = str(url).rstrip("/")
        self._timeout = timeout
        # Around a proxy that the environment names, a plain request would leave the machine.
        self._http = httpx.Client(
            headers={"Sudare-Api": API, "User-Agent": "sudare", "Accept-Encoding": "identity"},
            timeout=timeout,
            trust_env=url.scheme == "https",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the connection."""
        self._http.close()

    def fetch(self, key: str, ledger: Ledger | None = None) -> Collection:
        """The collection of a key, if it is that and a person may answer it at all.

        Args:
            key: the one that the device pinned. A document of another is ``CollectorRefused``.
            ledger: the person's. ``BudgetExceeded`` if one report costs more than a cap of theirs.
        """
        check_key(key)
        status, data = self._request("GET", f"/collections/{key}")
        if status != 200:
            raise CollectorRefused(f"the collector answered {status}, not a collection")
        try:
            collection = Collection.from_json(data)
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
        """Hand over reports of one window, each after its name; returns when they are durable.

        ``CollectorUnavailable`` means that the same bytes may be sent again later
        (``CollectionUnavailable``: others at once), and ``CollectorRefused`` that this wouldn't
        help.
        """
        headers = {"Content-Type": "application/octet-stream"}
        if invitation is not None:
            headers["Sudare-Invitation"] = check_invitation(invitation)
        if not 0 <= window <= MOST_WINDOW:
            raise ParameterError(f"windows are numbered 0 to 2^53 - 1, got {window}")
        path = f"/collections/{check_key(key)}/reports?window={window}"
        status, data = self._request("POST", path, headers, reports)
        try:
            receipt = msgspec.json.decode(data, type=Receipt) if status == 202 else None
        except msgspec.MsgspecError:
            receipt = None
        if receipt is None:
            sentence = f"the collector answered {status} without a receipt"
            raise CollectionUnavailable(sentence, doubtful=True)
        return receipt

    def _request(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> tuple[int, bytes]:
        """A status below 400 and what was said; every other one as an error."""
        try:
            with self._http.stream(
                method, self.address + path, headers=headers, content=body or None
            ) as response:
                data = self._read(response)
        except (httpx.InvalidURL, UnicodeError):  # before anything was sent, and so every time
            raise CollectorRefused("what is to be sent can't be put into HTTP") from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise CollectorUnavailable(
                f"{self.address} can't be reached now ({type(error).__name__})",
                doubtful=not isinstance(error, _UNSENT),
            ) from None
        if response.headers.get("Sudare-Api") != API:
            raise CollectorUnavailable(
                f"what answers at {self.address} is no collector with version {API} of the "
                f"interface (status {response.status_code})",
                retry_after(response.headers.get("Retry-After")),
                doubtful=True,
            )
        status = response.status_code
        if status < 400:
            return status, data
        code, sentence = _told(status, data)
        later, doubtful = retry_after(response.headers.get("Retry-After")), status >= 500
        if status in _ALL_WAIT:
            raise CollectorUnavailable(sentence, later, doubtful=doubtful)
        if status >= 500 or code in _CODES_OF_NOW:
            raise CollectionUnavailable(sentence, later, doubtful=doubtful)
        raise CollectorRefused(sentence, status)

    def _read(self, response: httpx.Response) -> bytes:
        """A body of a bearable size that comes in a bearable time."""
        data, given_up = bytearray(), time.monotonic() + 6 * self._timeout
        for part in response.iter_bytes():
            data += part
            if len(data) > _MOST_BYTES or time.monotonic() > given_up:
                raise CollectorUnavailable(
                    f"what {self.address} sends is too long, or takes too long", doubtful=True
                )
        return bytes(data)


def check_key(key: str) -> str:
    """A collection's key, if it looks like one."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ParameterError("a collection's key is 64 hexadecimal digits, in small letters")
    return key


def check_invitation(invitation: str) -> str:
    """An invitation, if it looks like one; an error doesn't repeat it."""
    if not isinstance(invitation, str) or not _INVITATION.fullmatch(invitation):
        raise ParameterError(
            "an invitation is 32 hexadecimal digits, in small letters, got something else "
            "(nothing was sent)"
        )
    return invitation


def _checked(address: str, *, insecure: bool) -> httpx.URL:
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
    if url.scheme == "http" and not insecure and not _is_loopback(url.host):
        raise ParameterError(
            f"plain HTTP to {url.host} would show reports on the way: use https:// (insecure "
            f"allows it)"
        )
    return url.copy_with(fragment=None)


def _is_host(host: str) -> bool:
    """Whether a name, or number, can be looked up at all."""
    if ":" not in host:
        return len(host) <= _LONGEST_HOST and _HOST.fullmatch(host) is not None
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def retry_after(said: str | None) -> float:
    """The seconds of a Retry-After header: a number, or a date; 0 if it says neither."""
    if said is None:
        return 0.0
    try:
        seconds = float(said)
    except ValueError:
        try:
            moment = parsedate_to_datetime(said)
        except ValueError:
            return 0.0
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (zoned - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else 0.0


def _told(status: int, data: bytes) -> tuple[str, str]:
    """The code of a collector's problem, and what it says, fit for a terminal."""
    try:
        problem = msgspec.json.decode(data, type=_Problem).error
    except msgspec.MsgspecError:
        return "", f"the collector answered {status}"
    shown = "".join(letter if letter.isprintable() else "�" for letter in problem.message[:300])
    return problem.code, f"the collector answered {status}: {shown}"

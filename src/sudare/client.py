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
from sudare.errors import CollectorRefused, CollectorUnavailable, InvalidDocument, ParameterError
from sudare.privacy.ledger import Ledger

API = "1"
_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MOST_BYTES = 1 << 24  # of a response: a collection of a million answers
_LONGEST_WAIT = 86_400.0  # seconds, whatever Retry-After says
_MOMENTARY = {408, 429}  # as every 5xx: the same request may succeed later
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

        ``CollectorUnavailable`` means that the same bytes may be sent again later, and
        ``CollectorRefused`` that this wouldn't help.
        """
        headers = {"Content-Type": "application/octet-stream"}
        if invitation is not None:
            headers["Sudare-Invitation"] = invitation
        path = f"/collections/{check_key(key)}/reports?window={window}"
        status, data = self._request("POST", path, headers, reports)
        try:
            receipt = msgspec.json.decode(data, type=Receipt) if status == 202 else None
        except msgspec.MsgspecError:
            receipt = None
        if receipt is None:
            raise CollectorUnavailable(f"the collector answered {status} without a receipt")
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
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise CollectorUnavailable(
                f"{self.address} can't be reached now ({type(error).__name__})"
            ) from None
        if response.headers.get("Sudare-Api") != API:
            raise CollectorUnavailable(
                f"what answers at {self.address} is no collector with version {API} of the "
                f"interface (status {response.status_code})",
                retry_after(response.headers.get("Retry-After")),
            )
        status = response.status_code
        if status < 400:
            return status, data
        code, sentence = _told(status, data)
        if status >= 500 or status in _MOMENTARY or code in _CODES_OF_NOW:
            raise CollectorUnavailable(sentence, retry_after(response.headers.get("Retry-After")))
        raise CollectorRefused(sentence, status)

    def _read(self, response: httpx.Response) -> bytes:
        """A body of a bearable size that comes in a bearable time."""
        data, given_up = bytearray(), time.monotonic() + 6 * self._timeout
        for part in response.iter_bytes():
            data += part
            if len(data) > _MOST_BYTES or time.monotonic() > given_up:
                raise CollectorUnavailable(
                    f"what {self.address} sends is too long, or takes too long"
                )
        return bytes(data)


def check_key(key: str) -> str:
    """A collection's key, if it looks like one."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ParameterError("a collection's key is 64 hexadecimal digits, in small letters")
    return key


def _checked(address: str, *, insecure: bool) -> httpx.URL:
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query:
        raise ParameterError("a collector's address looks like https://stats.example.org")
    if url.scheme == "http" and not insecure and not _is_loopback(url.host):
        raise ParameterError(
            f"plain HTTP to {url.host} would show reports on the way: use https:// (insecure "
            f"allows it)"
        )
    return url.copy_with(fragment=None)


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

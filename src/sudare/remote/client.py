"""All that may be asked of a collector by whoever administers it or reads its results."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from sudare.collection.document import Collection
from sudare.device.collector_client import CollectorClient
from sudare.device.delivery import Answer
from sudare.errors import CollectorRefused, CollectorUnavailable, ParameterError
from sudare.formats.collector_api import Receipt, TokenFacts
from sudare.mechanisms.aggregate import Aggregate
from sudare.remote.profiles import Access

_SECONDS = 600.0  # that the collector may think: free text is decoded in minutes
_MOST_BYTES = 1 << 28  # of an answer: sums and candidates may be long
_LEAST_START = 4  # digits of a key that may stand for it
_HEXADECIMAL = frozenset("0123456789abcdef")
Body = TypeVar("Body")


class WindowFacts(msgspec.Struct):
    """A window: how many reports have counted, and of how many results are shown."""

    window: int
    reports: int
    released: int
    closed: bool


class Standing(msgspec.Struct):
    """A collection as its collector says that it stands; counts are null if they aren't told."""

    key: str
    name: str
    question: str
    mechanism: str
    epsilon: float
    state: str
    public: bool
    grace: int
    window: int
    rounds: int | None
    round: int | None
    reports: int | None
    windows: list[WindowFacts] | None
    document: dict[str, Any] = msgspec.field(default_factory=dict)
    """All that was said, as it was said."""


class MadeToken(TokenFacts):
    """A token that was made now, with its secret."""

    token: str


class _Standings(msgspec.Struct):
    collections: list[dict[str, Any]]


class _Invitations(msgspec.Struct):
    invitations: list[str]


class _Candidates(msgspec.Struct):
    candidates: int


@dataclass(frozen=True)
class Asked:
    """Of which window a result is asked for, and computed how."""

    window: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def query(self, **more: str) -> dict[str, str]:
        """The parameters of the request."""
        window = {} if self.window is None else {"window": self.window}
        return {**window, **self.options, **more}


class RemoteCollector:
    """A collector elsewhere, and a connection to it. What it refuses is an error with its words."""

    def __init__(self, known: Access) -> None:
        self.access = known
        self._http = CollectorClient(
            known.address,
            insecure=known.insecure,
            timeout=_SECONDS,
            token=known.token,
            most_bytes=_MOST_BYTES,
        )
        self.address = self._http.address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._http.close()

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes = b"",
        kind: str = "application/json",
    ) -> Answer:
        asked = f"{path}?{urlencode(query)}" if query else path
        headers = {"Content-Type": kind} if body else None
        with self._advice():
            answer = self._http.request(method, asked, headers, body)
            answer.check()
        return answer

    @contextmanager
    def _advice(self) -> Iterator[None]:
        """Say beside a refusal what may be done about it."""
        try:
            yield
        except CollectorRefused as error:
            if error.status == 401:
                do = "log in" if self.access.token is None else "log in again"
                advice = f" ({do}: `sudare remote login {self.address}`)"
                raise CollectorRefused(f"{error}{advice}", 401) from None
            raise
        except CollectorUnavailable as error:
            if not error.retry_after:
                raise
            when = f"; it may be asked again in {error.retry_after:.0f} seconds"
            raise type(error)(
                f"{error}{when}", error.retry_after, doubtful=error.doubtful
            ) from None

    def _read(self, answer: Answer, form: type[Body]) -> Body:
        try:
            return msgspec.json.decode(answer.body, type=form)
        except msgspec.MsgspecError:
            raise CollectorRefused(
                f"{self.address} says what no collector says (status {answer.status})"
            ) from None

    # Who asks, and how the service is.

    def session(self) -> TokenFacts:
        """Whose token it is that requests bear."""
        return self._read(self._ask("GET", "/session"), TokenFacts)

    def check_health(self) -> None:
        """Raise unless the collector takes reports now."""
        self._ask("GET", "/healthz")

    # Collections.

    def collections(self) -> list[Standing]:
        """Every collection that one may see, as it stands."""
        listed = self._read(self._ask("GET", "/collections"), _Standings)
        return [self._standing(one) for one in listed.collections]

    def _standing(self, said: dict[str, Any]) -> Standing:
        try:
            return msgspec.structs.replace(msgspec.convert(said, Standing), document=said)
        except msgspec.ValidationError:
            raise CollectorRefused(f"{self.address} says what no collector says") from None

    def find(self, name: str) -> Standing:
        """The collection of a name, of a key, or of the beginning of a key.

        What could be several is refused, and so is what is none.
        """
        if len(name) == 64 and _HEXADECIMAL.issuperset(name):
            return self._one("GET", f"/collections/{name}/standing")
        listed = self.collections()
        found = [one for one in listed if one.name == name]
        if not found and len(name) >= _LEAST_START and _HEXADECIMAL.issuperset(name):
            found = [one for one in listed if one.key.startswith(name)]
        if len(found) == 1:
            return found[0]
        if found:
            keys = ", ".join(one.key[:12] for one in found)
            raise ParameterError(
                f"{len(found)} collections are “{name}”: name one by how its key begins ({keys})"
            )
        there = ", ".join(f"“{one.name}”" for one in listed[:8]) or "none that may be seen"
        more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
        raise ParameterError(f"no collection “{name}” is at {self.address}; there: {there}{more}")

    def _one(self, method: str, path: str) -> Standing:
        return self._standing(self._read(self._ask(method, path), dict[str, Any]))

    def add(self, collection: Collection, grace: int | None = None) -> tuple[Standing, bool]:
        """Have a collection held; how it stands, and whether it is new there."""
        query = {} if grace is None else {"grace": str(grace)}
        answer = self._ask("POST", "/collections", query, collection.to_json())
        return self._standing(self._read(answer, dict[str, Any])), answer.status == 201

    def document(self, key: str) -> Collection:
        """A collection's public document, of this key and no other."""
        with self._advice():
            return self._http.fetch(key)

    def turn(self, key: str, verb: str) -> Standing:
        """``pause``, ``open`` or ``close`` a collection."""
        return self._one("POST", f"/collections/{key}/{verb}")

    def delete(self, key: str) -> None:
        """Have a collection, its reports and its sums forgotten."""
        self._ask("DELETE", f"/collections/{key}")

    def show(self, key: str, *, public: bool) -> Standing:
        """Let everybody read a collection's results, or analysts alone."""
        return self._one("PUT" if public else "DELETE", f"/collections/{key}/release")

    def keep_candidates(self, key: str, texts: bytes) -> int:
        """Keep the texts, one per line, that free text is decoded against; how many they are."""
        path = f"/collections/{key}/candidates"
        answer = self._ask("PUT", path, body=texts, kind="text/plain")
        return self._read(answer, _Candidates).candidates

    def candidates(self, key: str) -> Sequence[str]:
        """The texts that free text is decoded against."""
        said = self._ask("GET", f"/collections/{key}/candidates").body
        return said.decode().removesuffix("\n").split("\n") if said else []

    def invite(self, key: str, count: int) -> list[str]:
        """New invitations to a collection."""
        answer = self._ask("POST", f"/collections/{key}/invitations", {"count": str(count)})
        return self._read(answer, _Invitations).invitations

    # Reports and results.

    def send(self, key: str, window: int, reports: bytes) -> Receipt:
        """Send reports of a window, each after its id."""
        with self._advice():
            return self._http.post(key, window, reports)

    def estimate(self, key: str, asked: Asked, form: str) -> bytes:
        """The estimate of a collection, as ``json``, ``csv`` or ``parquet``."""
        return self._ask("GET", f"/collections/{key}/estimate", asked.query(format=form)).body

    def aggregate(self, key: str, window: str | None = None) -> Aggregate:
        """The sum of reports that may be shown of a window."""
        query = {} if window is None else {"window": window}
        return Aggregate.from_json(self._ask("GET", f"/collections/{key}/aggregate", query).body)

    # Tokens.

    def tokens(self) -> list[TokenFacts]:
        """Every token, without its secret."""
        return self._read(self._ask("GET", "/tokens"), list[TokenFacts])

    def new_token(self, role: str, label: str, expires: int) -> MadeToken:
        """A new token, whose secret is told this once."""
        wish = msgspec.json.encode({"role": role, "label": label, "expires": expires})
        return self._read(self._ask("POST", "/tokens", body=wish), MadeToken)

    def revoke(self, name: str) -> None:
        """Have a token forgotten."""
        self._ask("DELETE", f"/tokens/{quote(name, safe='')}")

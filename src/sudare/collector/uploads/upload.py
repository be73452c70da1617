"""``POST /collections/{key}/reports``: the one hot route, without a framework around it."""

import asyncio
import hashlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import msgspec
from starlette.types import Message, Receive, Scope, Send

from sudare.collection.document import Collection
from sudare.collector.clock.closings import Closings
from sudare.collector.http.limits import (
    Bucket,
    Hold,
    Limits,
    Room,
)
from sudare.collector.http.problems import API, JSON, MARKS, Problem, as_problem, unavailable
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Role, State
from sudare.collector.uploads.bodies import (
    BodyTooLong,
    SenderGone,
    packed_arrow,
    packed_json,
    read_body,
)
from sudare.collector.uploads.receipts import ReceiptBody, UploadAnswer, full, uninvited
from sudare.collector.uploads.writer import Writer
from sudare.formats.collector_api import BODY_BYTES, BODY_REPORTS, SMALL_REPORTS
from sudare.formats.report_ids import ID_BYTES

Said = TypeVar("Said")
RoleOf = Callable[[Scope], Role | None]
"""The role of a request's bearer; a ``Problem`` for a token that is none."""

PACKED, ARROW, SINGLE = (
    b"application/octet-stream",
    b"application/vnd.apache.arrow.stream",
    b"application/json",
)
_CONTENT_TYPES = (PACKED, ARROW, SINGLE)
_THROWN_AWAY = 1 << 16  # bytes of a refused body that are worth reading to keep the connection
_SLACK = 1 << 16  # bytes of an Arrow stream beside its columns


class Intake:
    """One collection as the route of reports knows it."""

    __slots__ = ("bucket", "collection", "held", "invited", "shut", "width", "windows")

    def __init__(self, held: HeldCollection, rate: float | None) -> None:
        self.collection = held.collection
        self.width = ID_BYTES + self.collection.report_dtype.itemsize
        self.windows, self.invited = self.collection.windows, self.collection.invited
        self.bucket = Bucket(rate)
        self.update(held)

    def update(self, held: HeldCollection) -> None:
        """Follow the collection's state: it may have been paused, or opened again."""
        self.held = held
        self.shut = held.state is not State.OPEN

    def most_bytes(self, kind: bytes, reports: int) -> int:
        """How many bytes a body with so many reports may have."""
        if kind == PACKED:
            return min(reports * self.width, BODY_BYTES)
        if kind == ARROW:  # each buffer is padded, and described
            return min(2 * reports * self.width + _SLACK, BODY_BYTES)
        return 2 * self.width + 1024


class Uploads:
    """The route of reports: checks a request's head, reads its body, awaits the writer."""

    def __init__(
        self, service: Service, limits: Limits, role_of: RoleOf, closings: Closings
    ) -> None:
        self._room = Room(limits)
        self.writer = Writer(service.store, service.metrics, self._room, limits.answer_seconds)
        self._service = service
        self._limits = limits
        self._role_of = role_of
        self._closings = closings
        self._held: object = None
        self._intakes: dict[str, Intake] = {}

    def intake(self, path: str) -> Intake | None:
        """The intake of the collection whose reports are sent to a path; None if it is none's."""
        if self._held is not self._service.held:
            self._rebuild()
        return self._intakes.get(path)

    def _rebuild(self) -> None:
        held, before, self._intakes = self._service.held, self._intakes, {}
        for key, one in held.items():
            path = f"/collections/{key}/reports"
            intake = before.get(path) or Intake(one, self._limits.rate)
            intake.update(one)
            self._intakes[path] = intake
        self._held = held

    async def take(self, intake: Intake, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request that sends reports to a collection."""
        headers = dict(scope["headers"])
        length = headers.get(b"content-length")
        size = BODY_BYTES + 1 if length is None else int(length)
        try:
            answer = await self._answer(intake, scope, receive, headers, size)
        except SenderGone:
            return
        if isinstance(answer, Problem):
            self._service.metrics.refused(answer.code)
            await send_problem(send, answer, close=size > _THROWN_AWAY)
            return
        start, body = _ONE_NEW if answer == _NEW else accepted(answer)
        await send(start)
        await send(body)

    async def _answer(
        self, intake: Intake, scope: Scope, receive: Receive, headers: dict[bytes, bytes], size: int
    ) -> UploadAnswer:
        # In one coroutine: each one more costs a single report as much as its own bytes do.
        hold = Hold(self._room, self._service.addresses.of(scope))
        try:
            kind = _kind(headers)
            if intake.shut:
                raise _shut(intake.held)
            self.writer.check()  # before anything is read, or asked of a store that hangs
            window = self._window(intake, scope["query_string"])
            invitation = _invitation(headers) if intake.invited else None
            role = None
            if b"authorization" in headers:
                role = await self._role(scope)
            most = _most_reports(intake, kind, role)
            most_bytes = intake.most_bytes(kind, most)
            if size > most_bytes and b"content-length" in headers:
                raise _too_many(intake, kind, headers, most)
            data = await read_body(receive, most_bytes, self._limits.body_seconds, hold)
            if kind != PACKED:
                data = await _packed(intake.collection, kind, data)
            count, rest = divmod(len(data), intake.width)
            if rest or not 0 < count <= most:
                wrong = rest or not count
                raise (
                    _wrong_size(intake, len(data))
                    if wrong
                    else _too_many(intake, kind, headers, most)
                )
            bucket = intake.bucket
            bucket.check()
            answer = await self.writer.add(
                intake.collection, window, data, count, invitation, bucket
            )
        except BodyTooLong:
            return _too_many(intake, kind, headers, most)
        except Problem as problem:
            return problem
        else:
            return answer
        finally:
            hold.free()

    async def admit(self, intake: Intake, scope: Scope) -> None:
        """Refuse whom no report could be taken from now, as ``take`` would, before one is drawn.

        A report that was sent is paid for, whatever becomes of it. So a device asks first.
        """
        headers = dict(scope["headers"])
        if intake.shut:
            raise _shut(intake.held)
        self.writer.check()
        window = self._window(intake, scope["query_string"])
        invitation = _invitation(headers) if intake.invited else None
        intake.bucket.check()
        await self._in_time(partial(self._check_room, intake.collection, window, invitation))

    def _check_room(self, collection: Collection, window: int, invitation: bytes | None) -> None:
        """Refuse one more report in a window; asks the store, so not on the event loop."""
        store, most = self._service.store, self._limits.window_reports
        with as_problem():
            if invitation is not None:  # then there are no more than invitations
                if not store.is_invited(collection.key, window, invitation):
                    raise uninvited()
            elif any(
                one.window == window and one.n >= most
                for one in store.windows(collection.key, after=window - 1)
            ):
                raise full(collection.name)

    async def _role(self, scope: Scope) -> Role | None:
        """The role of a request's bearer; a ``Problem`` (503) if the store doesn't say in time."""
        return await self._in_time(partial(self._role_of, scope))

    async def _in_time(self, work: Callable[[], Said]) -> Said:
        """Do what asks the store; a ``Problem`` (503) if it doesn't say in time."""
        try:
            async with asyncio.timeout(self._limits.answer_seconds):
                return await asyncio.to_thread(work)
        except TimeoutError:
            raise unavailable() from None

    def _window(self, intake: Intake, query: bytes) -> int:
        """The window that a request names, if it is open now."""
        number = query[7:] if query else b"0"
        if query and (query[:7] != b"window=" or not number.isdigit() or len(number) > 15):
            raise Problem(400, "invalid_window", "the query must be window= and a whole number")
        if intake.windows is None:
            if int(number):
                raise Problem(400, "invalid_window", "this collection has one window, number 0")
            return 0
        if not query:
            raise Problem(400, "invalid_window", "this collection has windows: say ?window=")
        window = int(number)
        self._closings.check(intake.held, window, self._service.clock())
        return window


def _most_reports(intake: Intake, kind: bytes, role: Role | None) -> int:
    """How many a sender may put into one body."""
    if intake.invited or kind == SINGLE:
        return 1
    return BODY_REPORTS if role in (Role.RELAY, Role.ADMIN) else SMALL_REPORTS


def _kind(headers: dict[bytes, bytes]) -> bytes:
    """The content type, and that the interface's version is ours."""
    kind = headers.get(b"content-type", b"")
    if b"sudare-api" in headers:
        check_version(headers[b"sudare-api"])
    if kind not in _CONTENT_TYPES:
        kind = kind.partition(b";")[0].strip().lower()
        if kind not in _CONTENT_TYPES:
            kinds = ", ".join(known.decode() for known in _CONTENT_TYPES)
            raise Problem(415, "unknown_content_type", f"reports are sent as one of {kinds}")
    return kind


def check_version(version: bytes) -> None:
    """Refuse a request that asks for another version of the interface."""
    if version.strip() != API[1]:
        raise Problem(400, "unknown_version", f"this is version {API[1].decode()} of the interface")


def _invitation(headers: dict[bytes, bytes]) -> bytes:
    token = headers.get(b"sudare-invitation")
    if not token:
        raise Problem(409, "uninvited", "a report needs the header Sudare-Invitation here")
    return hashlib.sha256(token).digest()


async def _packed(collection: Collection, kind: bytes, data: bytes) -> bytes:
    if kind == SINGLE:
        return packed_json(collection, data)
    return await asyncio.to_thread(packed_arrow, collection, data)


def _shut(held: HeldCollection) -> Problem:
    name = held.collection.name
    if held.state is State.PAUSED:
        return Problem(409, "paused", f"“{name}” is paused")
    return Problem(409, "closed", f"“{name}” is closed")


def _too_many(intake: Intake, kind: bytes, headers: dict[bytes, bytes], most: int) -> Problem:
    """Say why a body may not hold so much."""
    if most == BODY_REPORTS:
        return Problem(
            413,
            "too_many_reports",
            f"a body holds at most {BODY_REPORTS:,} reports and {BODY_BYTES >> 20} MiB",
        )
    if kind == SINGLE or intake.invited:
        return Problem(400, "single_only", "a body like this holds one report")
    message = f"more than {SMALL_REPORTS} reports in a body need a token of the role relay"
    if b"authorization" in headers:
        return Problem(403, "forbidden", message)
    return Problem(401, "unauthorized", message, {"WWW-Authenticate": "Bearer"})


def _wrong_size(intake: Intake, size: int) -> Problem:
    return Problem(
        400,
        "invalid_body",
        f"a body holds one or more records of {intake.width} bytes; it has {size} bytes",
    )


def accepted(receipt: ReceiptBody) -> tuple[Message, Message]:
    """The response (202) to a body whose reports are durable."""
    body = msgspec.json.encode(receipt)
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": 202, "headers": [JSON, length, *MARKS]}
    return start, {"type": "http.response.body", "body": body}


_NEW = ReceiptBody(1, 0, 0)
_ONE_NEW = accepted(_NEW)


async def send_problem(send: Send, problem: Problem, *, close: bool = False) -> None:
    """Send a refusal; ``close`` if the request's body isn't worth reading."""
    headers = problem.head(close=close)
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": problem.body})

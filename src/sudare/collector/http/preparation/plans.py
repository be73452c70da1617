"""``/plans``: which ε, how many people, which mechanism; and the draft of what is recommended."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from anyio import CapacityLimiter, to_thread
from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collection.drafts import Words
from sudare.collection.planned import draft_of
from sudare.collector.http.auth import Bearers
from sudare.collector.http.preparation.drafts import DRAFT_BYTES, DraftBody, drafted, naming_wishes
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.http.queries import MOST_WHOLE, Query, body_of
from sudare.collector.http.standing import json_response
from sudare.collector.http.turns import Turns
from sudare.collector.service import Service
from sudare.collector.stores.contract import Role
from sudare.errors import NoSuchPlan
from sudare.formats.documents import decode
from sudare.planning.kinds import KINDS
from sudare.planning.kinds.interface import Kind
from sudare.planning.models import Model
from sudare.planning.plans import Plan, check_names, plan
from sudare.planning.wish import Found, Goal, Wish

_WAITING = 32  # plans that are made or wait: one is made at a time
_EACH = 4  # of them for one who asks
_CACHED = 1024


def _field(item: "Field[Any]", hint: object) -> tuple[Any, ...]:
    """A wish of a plan as a field of JSON, with its default if it has one."""
    missing = item.default is MISSING
    return (item.name, hint) if missing else (item.name, hint, item.default)


def _wishes_of(kind: type[Kind]) -> type[msgspec.Struct]:
    """The wishes that a plan of a kind can have."""
    own, common = get_type_hints(kind), get_type_hints(Wish)
    return msgspec.defstruct(
        f"{kind.__name__}Wishes",
        [
            *(_field(item, own[item.name]) for item in fields(kind)),
            *(_field(item, common[item.name]) for item in fields(Wish)),
        ],
        namespace={"__doc__": f"What a plan of the kind {kind.name} is for."},
        tag_field="kind",
        tag=kind.name,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )


WISHES = {name: _wishes_of(kind) for name, kind in KINDS.items()}
"""The wishes of each kind."""
_Wishes: Any = Union[tuple(WISHES.values())]  # noqa: UP007 - of types that are made
_own = (name for wishes in WISHES.values() for name in wishes.__struct_fields__)
PARAMETERS = tuple(dict.fromkeys(("kind", *_own)))
"""Every parameter that the request for a plan of some kind may have."""


class RowBody(msgspec.Struct):
    """One mechanism that grants a wish; those of some kinds say more.

    Attributes:
        mechanism: its name, or that of the design.
        people: how many are asked.
        reports: how many answer.
        epsilon: the budget.
        spends: what all of a person's reports cost; at most the budget.
        error: half the width of an interval; over time, the expected error of the worst round.
        smallest_share: the smallest share that will be seen, if any.
        difference: of two groups, likewise.
        bytes: of a report.
        forger_gain: of a share of the reports that is forged, how many times as far it raises a
            share that nobody has; of a mean, how far it moves that in parts of the range.
        forger_moves: how far 1 % of them moves it.
        year_epsilon: what weekly answers cost in a year.
        device_ns: nanoseconds to make a report, where it was measured.
        server_ns: and to check and count it.
        rough: whether counts are too coarse for intervals to keep their level.
    """

    mechanism: str
    people: int
    reports: int
    epsilon: float
    spends: float
    error: float | None
    smallest_share: float | None
    difference: float | None
    bytes: int
    forger_gain: float | None
    forger_moves: float | None
    year_epsilon: float | None
    device_ns: float | None
    server_ns: float | None
    rough: bool


class LeftOutBody(msgspec.Struct):
    """A mechanism whose reports are longer than was wished."""

    mechanism: str
    bytes: int


class PointBody(msgspec.Struct):
    """What the recommended mechanism takes at some ε; the error is that of the goal."""

    epsilon: float
    people: int
    error: float | None


class ModelBody(msgspec.Struct):
    """The same wish where somebody is trusted; ``exact`` if the noise is one that ships."""

    model: Model
    epsilon: float
    delta: float
    people: int
    error: float
    exact: bool


class MeaningBody(msgspec.Struct):
    """What ε means: how many times as likely a report gets, how often a bet on it is right."""

    epsilon: float
    ratio: float
    right: float


class FitsBody(msgspec.Struct):
    """The chances that a report fits the answer that its sender gives, and one that they don't."""

    fits_own: float
    fits_other: float


class PlanBody(msgspec.Struct):
    """A plan: what was found of people, ε and the goal, for every mechanism, the best first."""

    kind: str
    wishes: dict[str, Any]
    found: Found
    goal: Goal
    unit: Literal["share", "number", "people"]
    recommended: RowBody
    mechanisms: list[RowBody]
    left_out: list[LeftOutBody]
    curve: list[PointBody]
    models: list[ModelBody]
    meaning: MeaningBody
    truth: FitsBody | None
    average_share: float | None
    collection: dict[str, Any] | None
    command: str


class PlannedBody(Words, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A plan's wishes, and the words and rules of the collection that it recommends."""

    plan: _Wishes


class Answer(NamedTuple):
    """A plan as it is sent, or why there is none."""

    status: int
    body: bytes


class Plans:
    """Plans, made beside the event loop, one after the other, and remembered."""

    def __init__(self) -> None:
        self._turns: Turns[Answer] = Turns(1, _WAITING, _EACH)
        self._limiter = CapacityLimiter(1)
        self._running: dict[msgspec.Struct, asyncio.Task[Answer]] = {}
        self._made: OrderedDict[msgspec.Struct, Answer] = OrderedDict()

    async def answer(self, wishes: msgspec.Struct, share: Hashable) -> Answer:
        """The answer to some wishes; made once for all who ask for the same.

        Args:
            wishes: one of ``WISHES``.
            share: whose share of the work it is.
        """
        if wishes in self._made:
            self._made.move_to_end(wishes)
            return self._made[wishes]
        task = self._running.get(wishes)
        if task is None:
            work = partial(to_thread.run_sync, _answer, wishes, limiter=self._limiter)
            task = self._running[wishes] = self._turns.task(share, work)
            task.add_done_callback(partial(self._keep, wishes))
        return await asyncio.shield(task)  # others may wait for it when this client goes

    def _keep(self, wishes: msgspec.Struct, task: "asyncio.Task[Answer]") -> None:
        del self._running[wishes]
        if task.cancelled() or task.exception() is not None:
            return  # whoever waits is told
        self._made[wishes] = task.result()
        while len(self._made) > _CACHED:
            self._made.popitem(last=False)


def _answer(wishes: msgspec.Struct) -> Answer:
    try:
        return Answer(200, msgspec.json.encode(_planned(wishes).document()))
    except Problem as problem:
        return Answer(problem.status, problem.body)


def _planned(wishes: msgspec.Struct) -> Plan:
    """The plan of some wishes, or a ``Problem`` that has the ways out."""
    with as_problem():
        try:
            return plan(str(wishes.__struct_config__.tag), **structs.asdict(wishes))
        except NoSuchPlan as refused:
            raise Problem(400, refused.reason, str(refused), ways_out=refused.ways_out) from refused


def read_wishes(request: Request) -> msgspec.Struct:
    """The wishes of a request's query, such as ``kind=choice&answers=43&epsilon=1&error=.01``."""
    query = Query(request, PARAMETERS)
    kind = query.choice("kind", KINDS)
    if kind is None:
        raise Problem(400, "invalid_parameter", f"kind must be one of {', '.join(KINDS)}")
    given = [name for name in PARAMETERS if query.text(name) is not None and name != "kind"]
    wishes, hints = WISHES[kind], get_type_hints(WISHES[kind])
    read = {name: _value(query, name, hints[name]) for name in given if name in hints}
    with as_problem():
        check_names(kind, dict.fromkeys(given) | read)
    return wishes(**read)


def _value(query: Query, name: str, hint: object) -> object:
    """The value of a wish of some type."""
    types = {hint, *get_args(hint)}
    if bool in types:
        return query.flag(name)
    if get_origin(hint) is Literal:
        return query.choice(name, get_args(hint))
    if get_origin(hint) is tuple:
        return query.wholes(name)
    if float in types:
        return query.number(name)
    return query.whole(name, 0, 0, MOST_WHOLE) if int in types else query.text(name)


def _draft(data: bytes, now: float) -> DraftBody:
    """The draft of the collection that a plan recommends."""
    with as_problem():
        body: Any = decode(data, PlannedBody, "a plan with the words of a collection")
        made = _planned(body.plan)
        with naming_wishes():
            collection = draft_of(made, body, now)
        return drafted(collection, made.people)


def routes(service: Service, bearers: Bearers) -> list[BaseRoute]:
    """The routes by which anybody plans, and administrators see what a collection would be."""

    async def draft(request: Request) -> Response:
        await to_thread.run_sync(bearers.require, request.scope, Role.ADMIN)
        Query(request)
        data = await body_of(request, DRAFT_BYTES)
        return json_response(await to_thread.run_sync(_draft, data, service.clock()))

    planning = planning_route(lambda request: service.addresses.of(request.scope))
    return [planning, Route("/plans", draft, methods=["POST"])]


def planning_route(share_of: Callable[[Request], Hashable]) -> BaseRoute:
    """The route by which anybody plans; those of one share wait for each other."""
    plans = Plans()

    async def planned(request: Request) -> Response:
        status, body = await plans.answer(read_wishes(request), share_of(request))
        return Response(body, status, {"Cache-Control": "no-store"}, "application/json")

    return Route("/plans", planned, methods=["GET"])

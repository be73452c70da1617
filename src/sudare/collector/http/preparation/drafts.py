"""``POST /drafts``: the document of a new collection and what it means; nothing of it is held."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collection.document import Collection
from sudare.collection.drafts import Wishes, draft
from sudare.collector.clock.closings import check_rounds_end
from sudare.collector.http.auth import Bearers
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.http.queries import Query, body_of
from sudare.collector.http.standing import json_response
from sudare.collector.service import Service
from sudare.collector.stores.contract import Role
from sudare.errors import ParameterError, RefusedWish
from sudare.formats.documents import Key, decode
from sudare.mechanisms.domain import MOST_PEOPLE
from sudare.results.html.heading import likelihood_sentence

DRAFT_BYTES = 4 << 20
_FEW_PEOPLE = 1000  # unless somebody says how many will answer


class DraftWishes(Wishes, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What a new collection should be, and how many people will answer."""

    people: Annotated[int, msgspec.Meta(ge=1, le=MOST_PEOPLE)] = _FEW_PEOPLE


class LabelBody(msgspec.Struct):
    """What a new collection means: for a person who answers, and for whoever reads the result.

    Attributes:
        mechanism: its name.
        epsilon: what a report costs; over time, all of a person's.
        lifetime_epsilon: of all reports of one answer together, if that is bounded.
        promise: what ε means, in a sentence.
        odds: how often a report tells the truth, in a sentence.
        report_bytes: how long a report is.
        parts: how many sums are counted and released apart: cohorts, rounds; mostly one.
        people: how many answer.
        error: how far a result of so many will be off, half the width of a 95 % interval; of texts
            the share that one needs to be found; of states that of one round.
    """

    mechanism: str
    epsilon: float
    lifetime_epsilon: float | None
    promise: str
    odds: str
    report_bytes: int
    parts: int
    people: int
    error: float | None


class DraftBody(msgspec.Struct):
    """The document of a new collection as text, to be posted as it stands, and what it means."""

    document: str
    key: Key
    label: LabelBody


def _label(collection: Collection, people: int) -> LabelBody:
    lifetime = collection.lifetime_epsilon
    return LabelBody(
        mechanism=collection.mechanism.name,
        epsilon=collection.epsilon,
        lifetime_epsilon=lifetime if math.isfinite(lifetime) else None,
        promise=likelihood_sentence(collection.kind),
        odds=collection.mechanism.odds,
        report_bytes=collection.report_dtype.itemsize,
        parts=len(collection.kind.cells(collection.zero)),
        people=people,
        error=collection.kind.foreseen_error(people),
    )


def _draft(data: bytes, now: float) -> DraftBody:
    """The draft of a body; a ``Problem`` whose code names the wish that can't be had."""
    with as_problem():
        wishes = decode(data, DraftWishes, "a wish for a collection")
        with naming_wishes():
            made = draft(wishes, now)
    return drafted(made, wishes.people)


@contextmanager
def naming_wishes() -> Iterator[None]:
    """Turn a wish that can't be had, in the block, into a ``Problem`` whose code names it."""
    try:
        yield
    except RefusedWish as refused:
        raise Problem(400, f"draft_{refused.wish}", str(refused)) from refused


def drafted(made: Collection, people: int) -> DraftBody:
    """A collection as text, and what it means; a ``Problem`` if its rounds can't end in time."""
    try:
        check_rounds_end(made)
    except ParameterError as error:
        raise Problem(400, "draft_window", str(error)) from error
    return DraftBody(made.to_json().decode(), made.key, _label(made, people))


def routes(service: Service, bearers: Bearers) -> list[BaseRoute]:
    """The route by which administrators see what a collection would be."""

    async def answer(request: Request) -> Response:
        await to_thread.run_sync(bearers.require, request.scope, Role.ADMIN)
        Query(request)
        data = await body_of(request, DRAFT_BYTES)
        return json_response(await to_thread.run_sync(_draft, data, service.clock()))

    return [Route("/drafts", answer, methods=["POST"])]

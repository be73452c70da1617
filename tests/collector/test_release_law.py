"""Nothing released rests on fewer reports than the minimum, and no difference of two releases."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sudare import Aggregate, Collection, Rappor
from sudare.collector.http.releases import Release
from sudare.collector.stores.contract import Role
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.mechanisms import REGISTRY
from sudare.questions.choice import Choice
from sudare.questions.interface import Question
from sudare.questions.text import FreeText
from support.analysts import Collector, code
from support.in_memory import memory_folder
from support.release_histories import History, LawBrokenError, Seen, collections, lived

HISTORIES = 12  # of each mechanism; `python tests/release_campaign.py` lives thousands
POOLS = collections()
TEXTS = Collection("texts", "Which word?", (), Rappor.calibrate(2.0), 100)


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    with memory_folder() as folder:
        made = SqliteStore(folder / "store.db")
        yield made
        made.shut()


def live(store: SqliteStore, name: str, histories: int) -> Seen:
    """The first histories of a mechanism: always the same ones."""
    return sum((lived(store, name, POOLS[name], seed) for seed in range(histories)), start=Seen())


def test_the_histories_are_of_every_mechanism() -> None:
    assert {type(collection.mechanism) for collection, _ in POOLS.values()} == set(
        REGISTRY.values()
    )


@pytest.mark.parametrize("name", POOLS)
def test_the_law_of_releases(store: SqliteStore, name: str) -> None:
    seen = live(store, name, HISTORIES)
    assert seen.reports > 10 * HISTORIES
    assert seen.moves > HISTORIES  # there was something to compare


def as_one_cell(question: Question, aggregate: Aggregate) -> np.ndarray:
    del question
    return np.array([aggregate.n])


def whenever_asked(question: Question, held: Aggregate, released: Aggregate) -> Aggregate | None:
    return held if held.n > released.n and question.are_enough(held.n) else None


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("rappor, 64 cohorts", (FreeText, "cells", as_one_cell)),
        ("rappor, 3 cohorts", (FreeText, "cells", as_one_cell)),
        ("oue", (Choice, "moved_on", whenever_asked)),
    ],
)
def test_a_rule_that_breaks_the_law_is_caught(
    store: SqliteStore,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    wrong: tuple[type[Question], str, object],
) -> None:
    monkeypatch.setattr(*wrong)
    with pytest.raises(LawBrokenError, match="differ by"):
        live(store, name, 4 * HISTORIES)


def test_a_release_that_lies_about_its_reports_is_caught() -> None:
    collection, reports = POOLS["grr"]
    history = History(replace(collection, minimum_reports=2))
    history.count(0, reports[:9])
    true = collection.aggregate(reports[:5])
    history.note(Release(0, true))
    with pytest.raises(LawBrokenError, match="not the sum"):
        history.note(Release(0, replace(true, counts=true.counts[::-1])))
    with pytest.raises(LawBrokenError, match="more reports than"):
        history.note(Release(0, replace(true, n=10)))


@pytest.mark.parametrize("cohorts", [64, 1024])
@pytest.mark.parametrize("what", ["aggregate", "estimate"])
def test_nobody_sees_a_cohort_of_few(cohorts: int, what: str) -> None:
    """The hundredth report of free text released rows that were one person's report."""
    asked = replace(TEXTS, mechanism=Rappor.calibrate(2.0, cohorts=cohorts))
    with Collector() as collector:
        path = f"/collections/{collector.hold(asked, public=True)}"
        collector.ask("PUT", f"{path}/candidates", Role.ANALYST, content=b"tea\nmilk\n")
        for seed in range(3):
            collector.answer(asked, {"tea": 100}, seed=seed)
            refused = collector.get(f"{path}/{what}")
            assert code(refused, 409) == "too_few_reports"
            said = refused.json()["error"]["message"]
            assert (
                f"for {cohorts:,} cohorts; “texts” releases nothing of a cohort below 100" in said
            )
        assert collector.get(f"{path}/standing").json()["windows"][0]["released"] == 0


def test_rows_of_cohorts_move_one_by_one_and_are_decoded() -> None:
    asked = replace(TEXTS, mechanism=Rappor.calibrate(6.0, form="instant", cohorts=16))
    shown = []
    with Collector() as collector:
        path = f"/collections/{collector.hold(asked, public=True)}"
        collector.ask("PUT", f"{path}/candidates", Role.ANALYST, content=b"tea\nmilk\nale\n")
        for seed in range(30):
            collector.answer(asked, {"tea": 60, "milk": 40}, seed=seed)
            response = collector.get(f"{path}/aggregate")
            if response.status_code == 200:
                shown.append(Aggregate.from_json(response.content).counts)
        found = collector.get(f"{path}/estimate").json()
    sizes = np.array([counts[:, 0] for counts in shown])
    assert (sizes[0] == 0).any()  # some cohorts were shown before others
    assert (sizes[0] >= 100).any()
    steps = np.diff(np.vstack([np.zeros_like(sizes[:1]), sizes]), axis=0)
    assert ((steps == 0) | (steps >= 100)).all()
    assert (steps[1:] > 0).any()
    assert found["n"] == sizes[-1].sum()
    assert {row["candidate"] for row in found["found"]} == {"tea", "milk"}


def test_rows_of_few_that_were_released_before_are_shown_no_more() -> None:
    """A store of before this rule holds such rows; they count as released, but aren't shown."""
    collection, reports = POOLS["rappor, 3 cohorts"]
    asked = replace(collection, minimum_reports=50)
    total = asked.aggregate(reports[:60])
    assert (asked.kind.cells(total) < 50).all()
    assert asked.kind.shown(total.counts, 0, total) is None
    later = total + asked.aggregate(reports[60:200])
    moved = asked.kind.moved_on(later, total)
    grown = asked.kind.cells(later) - asked.kind.cells(total)
    if moved is None:
        assert (grown < 50).all()
    else:
        assert ((asked.kind.cells(moved) == asked.kind.cells(later)) == (grown >= 50)).all()

"""The limits of a ledger and a diary: what lies on one is taken, what lies beyond it is not."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sudare.errors import BudgetExceeded, InvalidDocument, ParameterError, RoundPassed
from sudare.formats.seals import seal
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Charge, Kept, Ledger

MOST = 2**53
BELOW_1 = math.nextafter(1, 0)


def read(last: int) -> Diary:
    body = {"ledger": {"cap": None, "delta_cap": None, "charges": []}, "last": {"a": last}}
    return Diary.from_json(seal("diary", body))


LIMITS: list[tuple[str, Callable[[Any], object], Sequence[Any], Sequence[Any]]] = [
    ("times", lambda n: Charge("a", 1.0, 0.0, None, n), [1, MOST], [0, MOST + 1]),
    ("a window", lambda n: Charge("a", 1.0, 0.0, n, 1), [0, MOST - 1], [-1, MOST]),
    ("windows", lambda n: Charge("a", 1.0, 0.0, 5, n), [1, MOST - 5], [0, MOST - 4]),
    ("epsilon", lambda e: Charge("a", e, 0.0, None, 1), [5e-324, 1e308], [0.0, math.inf]),
    ("delta", lambda d: Charge("a", 1.0, d, None, 1), [0.0, BELOW_1], [-5e-324, 1.0]),
    ("kept reports", lambda n: Kept("a", "b", n, 1.0), [1, MOST], [0, MOST + 1]),
    ("what is kept costs", lambda e: Kept("a", "b", 1, e), [5e-324], [0.0, math.inf]),
    ("a key", lambda key: Charge(key, 1.0, 0.0, None, 1), ["a"], ["", b"a", None]),
    ("a kept key", lambda key: Kept(key, "b", 1, 1.0), ["a"], ["", b"a", None]),
    ("a kept answer", lambda answer: Kept("a", answer, 1, 1.0), ["b"], [""]),
    ("a cap", Ledger, [0.0, 1e308], [-5e-324, math.inf, math.nan]),
    ("a cap of collections", lambda c: Ledger(collection_cap=c), [0.0], [-5e-324, math.inf]),
    ("a cap of delta", lambda d: Ledger(delta_cap=d), [0.0, BELOW_1], [-5e-324, 1.0]),
    ("a last round", read, [1, MOST], [0, MOST + 1]),
]


@pytest.mark.parametrize(
    ("make", "taken", "refused"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
def test_a_limit_is_the_last_that_is_taken(
    make: Callable[[Any], object], taken: Sequence[Any], refused: Sequence[Any]
) -> None:
    for value in taken:
        make(value)
    for value in refused:
        with pytest.raises((ParameterError, InvalidDocument)):
            make(value)


def test_a_round_follows_the_last_one_and_a_window_the_last_one() -> None:
    diary = Diary(last={"rounds": 7, "windows": 7})  # of windows, counted from 1: window 6
    for number in (6, 7):
        with pytest.raises(RoundPassed, match="round 7 was the last one"):
            diary.note("rounds", number, 1.0, 0)
        with pytest.raises(RoundPassed, match="window 6 was the last one"):
            diary.note_answer("windows", number - 1, lambda ledger: ledger)
    diary.note("rounds", 8, 1.0, 0)
    diary.note_answer("windows", 7, lambda ledger: ledger)
    assert (diary.last("rounds"), diary.last("windows"), diary.last("other")) == (8, 8, 0)


@pytest.mark.parametrize(
    ("ledger", "sentence"),
    [
        (Ledger(cap=1.0), r"ε = 0\.5 is asked for; 1 of 1\.0 is spent, 0 is left"),
        (Ledger(collection_cap=1.0), r"ε = 0\.5 .* spent on this collection, 0 is left"),
        (Ledger(delta_cap=0.5), r"δ = 0\.25 is asked for; 0\.5 of 0\.5 is spent, 0 is left"),
    ],
)
def test_each_cap_is_reached_and_not_passed(ledger: Ledger, sentence: str) -> None:
    for _ in range(2):
        ledger = ledger.charge("a", 0.5, delta=0.25)
    with pytest.raises(BudgetExceeded, match=sentence):
        ledger.charge("a", 0.5, delta=0.25)
    if ledger.collection_cap is not None:
        assert ledger.charge("b", 1.0).spent("b").epsilon == 1

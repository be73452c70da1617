"""The limits of mechanisms and domains: what lies on one is taken, what lies beyond it is not."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from sudare import GRR, OUE, SUE, Borappor, Categories, Glance, Harmony, KShot, Rappor
from sudare.chance.exact import log_up
from sudare.chance.randomness import Seeded
from sudare.errors import InvalidReport, ParameterError, SudareError
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.domain import Groups, Streams
from sudare.mechanisms.interface import Mechanism
from sudare.mechanisms.over_time.kshot import best_shots
from sudare.mechanisms.strings import Strings
from support.compiled import NEVER, compiled_from

UNIT = 2.0**-53
MOST = 10**12  # people


def rappor(**changes: Any) -> Rappor:
    return Rappor(
        **{"bits": 8, "hashes": 1, "cohorts": 2, "f": 0.5, "p": 0.25, "q": 0.75} | changes
    )


def basic(**changes: Any) -> Rappor:
    return rappor(**{"hashes": 0, "cohorts": 1} | changes)


LIMITS: list[tuple[str, Callable[[Any], object], Sequence[Any], Sequence[Any]]] = [
    ("answers", Categories, [2, 2**32], [1, 2**32 + 1]),
    ("rounds", Streams, [1, 2**20], [0, 2**20 + 1]),
    ("a round", Streams(5).check_round, [1, 5], [0, 6]),
    ("people per round", lambda n: Streams(1).population([[n, 0]]), [0, MOST], [-1, MOST + 1]),
    ("people of both states", lambda n: Streams(1).population([[n, 1]]), [MOST - 1], [MOST]),
    ("people of groups", lambda n: Streams(1).groups([[0], [1]], [n, 1]), [0, MOST - 1], [MOST]),
    ("nobody", lambda n: Categories(2).population([n, 0]), [0], [-1]),
    ("keep of 2 answers", lambda p: GRR(2, p), [0.5 + UNIT, 1 - UNIT], [0.5, 1.0]),
    ("keep of 4 answers", lambda p: GRR(4, p), [0.25 + UNIT, 1 - UNIT], [0.25, 1.0]),
    ("keep of a state", lambda p: Glance(2, p), [0.5 + UNIT, 1 - UNIT], [0.5, 1.0]),
    ("a rare yes", lambda q: OUE(2, 0.5, q), [UNIT, 0.5 - UNIT], [0.0, 0.5]),
    ("rounds of BORAPPOR", lambda n: Borappor(n, 0.75), [1, 10_000], [0, 10_001]),
    ("shots", lambda n: KShot(20, n, 0, 0.75), [1, 16], [0, 17]),
    ("shots in few rounds", lambda n: KShot(3, n, 0, 0.75), [1, 3], [0, 4]),
    ("flips", lambda n: KShot(5, 3, n, 1 - UNIT), [0, 1], [-1, 3]),
    ("repetitions", lambda n: Glance(1, 0.75).simulate_many([[1, 1]], n, Seeded(1)), [1], [0]),
    ("bits", lambda n: rappor(bits=n), [2, 1 << 16], [1, 3, 1 << 17]),
    ("bits without hashes", lambda n: basic(bits=n), [2, 3, 1 << 16], [1, (1 << 16) + 1]),
    ("hashes", lambda n: rappor(hashes=n, cohorts=1), [0, 7], [-1, 8]),
    ("cohorts", lambda n: rappor(cohorts=n), [1, 1 << 16], [0, (1 << 16) + 1]),
    ("cohorts without hashes", lambda n: basic(cohorts=n), [1], [2]),
    ("counts", lambda n: rappor(bits=64, cohorts=n), [1 << 16], []),
    ("counts", lambda n: rappor(bits=128, cohorts=n), [1 << 15], [(1 << 15) + 1]),
    ("lasting noise", lambda f: rappor(f=f), [0.0, 2 * UNIT, 1 - 2 * UNIT], [-UNIT, UNIT, 1.0]),
    ("p", lambda p: rappor(p=p), [0.0, 0.75 - UNIT], [-0.25, 0.75]),
    ("q", lambda q: rappor(q=q), [0.25 + UNIT, 1.0], [0.25, 1.25]),
    ("p alone", lambda p: rappor(f=0.0, p=p), [UNIT], [0.0]),
    ("q alone", lambda q: rappor(f=0.0, q=q), [1 - UNIT], [1.0]),
    ("hashes of a form", lambda n: Rappor.calibrate(1.0, hashes=n), [1], [0]),
    ("a lifetime", lambda e: Rappor.calibrate(1.0, lifetime=e), [math.nextafter(1, 2)], [1.0]),
    ("reports", GRR(2, 0.75).epsilon_of, [1], [0]),
    ("kept reports", rappor().epsilon_of, [1], [0]),
    ("shares from", lambda low: KShot.calibrate(3, 1.0, low=low, high=0.5), [0, 0.5], [-UNIT, 0.6]),
    ("shares to", lambda high: KShot.calibrate(3, 1.0, low=0.5, high=high), [0.5, 1], [0.4, 1.01]),
    ("epsilon", lambda e: GRR.calibrate(2, e), [1e-15, 700.0], [0.0, -1.0, math.inf, math.nan]),
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
        with pytest.raises(ParameterError):
            make(value)


@pytest.mark.parametrize(
    ("last", "first"),
    [
        (GRR(8, 0.5), GRR(9, 0.5)),
        (OUE(8, 0.5, 0.25), OUE(9, 0.5, 0.25)),
        (Glance(4, 0.75), Glance(5, 0.75)),
        (KShot(4, 3, 0, 0.75), KShot(4, 4, 0, 0.75)),
        (KShot(4, 3, 0, 0.75), KShot(5, 3, 0, 0.75)),
        (basic(bits=5, f=0.0, p=0.25, q=0.5), basic(bits=6, f=0.0, p=0.25, q=0.5)),
        (basic(bits=10, f=0.5, p=0.0, q=1.0), basic(bits=11, f=0.5, p=0.0, q=1.0)),
        (basic(bits=3), basic(bits=4)),
    ],
    ids=repr,
)
def test_what_is_small_enough_is_enumerated(last: Mechanism, first: Mechanism) -> None:
    assert last.not_enumerable is None
    assert str(first.not_enumerable).startswith("not at ")


def test_reports_of_one_answer_are_added_up_exactly_up_to_a_thousand() -> None:
    mechanism = rappor(f=2.0**-30, p=0.5 - 2.0**-8, q=0.5 + 2.0**-8)
    assert mechanism.epsilon_of(1000) == log_up(mechanism.ratio_of(1000))
    more = min(math.nextafter(1001 * mechanism.epsilon, math.inf), mechanism.lifetime_epsilon)
    assert mechanism.epsilon_of(1001) == more > log_up(mechanism.ratio_of(1001))
    assert mechanism.epsilon_of(10**9) == mechanism.lifetime_epsilon
    fresh = GRR(2, 0.75)
    assert fresh.epsilon_of(1) == fresh.epsilon
    assert fresh.epsilon_of(2) == math.nextafter(2 * fresh.epsilon, math.inf)


def test_every_numbered_answer_has_its_bit() -> None:
    mechanism = basic(bits=200, f=0.0)
    values = np.array([0, 1, 63, 64, 65, 127, 128, 191, 192, 199])
    kept = mechanism.permanent(values, np.zeros(len(values), np.int64), Seeded(1))
    assert kept.shape == (len(values), 4)
    for words, value in zip(kept.tolist(), values.tolist(), strict=True):
        assert sum(word << 64 * place for place, word in enumerate(words)) == 1 << value


@pytest.mark.parametrize(("cohorts", "width"), [(512, 2), (513, 4)])
def test_rows_of_filters_are_as_narrow_as_they_may_be(cohorts: int, width: int) -> None:
    """65,536 of them are numbered up to 65,535."""
    digests = Strings("00" * 32).check([f"word {number}" for number in range(3)])
    rows = design_rows(digests, cohorts, 1, 128)
    assert rows.dtype.itemsize == width
    assert ((rows // 128) == np.arange(cohorts)).all()


@pytest.mark.parametrize(
    ("n", "counts"), [(3, [[1, 0], [0, 2]]), (0, [[0, 0], [0, 0]]), (2**62, [[2**62, 0], [0, 0]])]
)
def test_counts_that_add_up_are_those_of_their_reports(n: int, counts: list[list[int]]) -> None:
    whole = Aggregate("k", n, np.array(counts))
    assert whole.summed() is whole
    moved = whole.counts + np.array([1, -1])
    for wrong in (Aggregate("k", n + 1, whole.counts), Aggregate("k", n, moved)):
        with pytest.raises(SudareError, match="counts aren't those of"):
            wrong.summed()


def test_a_document_counts_up_to_63_bits() -> None:
    whole = Aggregate("k", 2**63 - 1, np.array([2**63 - 1, 0]))
    assert Aggregate.from_json(whole.to_json()) == whole


def test_groups_are_whole_and_fit_each_other() -> None:
    Groups(np.zeros((1, 2), np.uint8), np.array([0]))
    for streams, people in (
        (np.zeros((1, 2), np.uint8), np.array([-1])),
        (np.zeros((1, 2), np.uint8), np.array([1.0])),
        (np.zeros((1, 2), np.uint8), np.array([[1]])),
        (np.zeros(2, np.uint8), np.array([1])),
        (np.zeros((2, 2), np.uint8), np.array([1])),
    ):
        with pytest.raises(ParameterError):
            Groups(streams, people)


ODDS: list[tuple[Mechanism, str]] = [
    (GRR(2, 0.75), "tells the true answer 75 % of the time, and otherwise the other one."),
    (GRR(3, 0.75), "75 % of the time, and otherwise one of the other 2, any alike."),
    (
        OUE(3, 0.5, 0.25),
        "yes 50 % of the time to the true one, and 25 % of the time to each of the",
    ),
    (Glance(5, 0.75), "reports in one of 5 rounds, any alike, and says the true state there 75 %"),
    (Harmony(1000, 0.75), "says 0 in all but one of 1,000 rounds, any alike, and the true state "),
    (Borappor(5, 0.75), "says the true state 75 % of the time, in each of 5 rounds."),
    (KShot(5, 2, 0, 0.75), "in 2 of 5 rounds, any alike, and says the true state there 83 % of "),
]


@pytest.mark.parametrize(("mechanism", "said"), ODDS, ids=[repr(row[0]) for row in ODDS])
def test_odds_are_told_in_plain_words(mechanism: Mechanism, said: str) -> None:
    assert said in mechanism.odds.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("calibrate", "named"),
    [
        (lambda e: GRR.calibrate(3, e), "= 1e-16 "),
        (lambda e: OUE.calibrate(3, e), "= 1e-16 "),
        (lambda e: SUE.calibrate(3, e), "= 1e-16 "),
        (lambda e: Glance.calibrate(3, e), "= 1e-16 "),
        (lambda e: Borappor.calibrate(3, e), "= 1e-16 "),
        (lambda e: KShot.calibrate(3, e, shots=2), "= 1e-16 "),
        (lambda e: Rappor.calibrate(e, form="one-time"), "= 1e-16 "),
        (lambda e: Rappor.calibrate(e, form="instant"), ""),
    ],
)
def test_a_budget_too_small_for_any_coin_is_named(
    calibrate: Callable[[float], Mechanism], named: str
) -> None:
    with pytest.raises(ParameterError, match=f"^epsilon {named}is too small: no multiple"):
        calibrate(1e-16)
    assert 0 < calibrate(1e-14).epsilon <= 1e-14


def test_what_is_not_said_is_usual() -> None:
    usual = Rappor.calibrate(1.0)
    assert (usual.bits, usual.hashes, usual.cohorts) == (128, 1, 64)
    assert usual == Rappor.calibrate(1.0, lifetime=2.0)
    assert KShot.calibrate(50, 4.0) == KShot.calibrate(50, 4.0, low=0.0, high=1.0)
    assert KShot.calibrate(50, 4.0, shots=3) == KShot.calibrate(50, 4.0, shots=3, flips=0)
    assert best_shots(50, 4.0) == best_shots(50, 4.0, 0.0, 1.0)


@pytest.mark.parametrize("k", [2, 3])
def test_compiled_answers_take_as_many_words_as_plain_ones(k: int) -> None:
    found = []
    for size in (0, NEVER):
        rng = Seeded(3)
        with compiled_from(size):
            reports = GRR(k, 0.75).randomize(np.arange(1000) % k, rng)
        found.append((reports.tolist(), rng.words(2).tolist()))
    assert found[0] == found[1]


def test_one_report_each_may_be_invited() -> None:
    for alone in (Glance(5, 0.75), Borappor(1, 0.75), KShot(5, 1, 0, 0.75)):
        alone.check_invited()
    for several in (Borappor(2, 0.75), KShot(5, 2, 0, 0.75)):
        with pytest.raises(ParameterError, match="here a person sends 2"):
            several.check_invited()


def test_people_beyond_64_bits_do_not_come_round_to_few() -> None:
    """The sums of both rounds are 0 in 64 bits."""
    with pytest.raises(ParameterError, match=r"at most 10\^12 people"):
        Streams(2).population(np.array([[0, 0], [2**63, 2**63]], np.uint64))


@pytest.mark.parametrize(
    ("mechanism", "field", "first"),
    [
        (GRR(3, 0.75), "answer", 3),
        (rappor(cohorts=2), "cohort", 2),
        (Glance(3, 0.75), "round", 4),
        (Glance(3, 0.75), "bit", 2),
    ],
    ids=["answer", "cohort", "round", "bit"],
)
def test_the_first_report_beyond_a_limit_is_named_by_its_position(
    mechanism: Mechanism, field: str, first: int
) -> None:
    reports = np.zeros(4, mechanism.report_dtype)
    if field in {"round", "bit"}:
        reports["round"] = 1
    reports[field][:2] = first - 1
    mechanism.check(reports)
    reports[field][2:] = first
    with pytest.raises(InvalidReport, match=rf"position 2 .* {first}\b"):
        mechanism.check(reports)

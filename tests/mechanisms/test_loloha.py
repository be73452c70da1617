"""LOLOHA: one report, many reports of one answer, and answers that change."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import (
    Collection,
    Device,
    LocalHashing,
    Loloha,
    Mechanism,
    Randomness,
    Rappor,
    Scripted,
    Seeded,
    exact_law,
)
from sudare.chance.channel import Law
from sudare.errors import BudgetExceeded, ParameterError
from sudare.mechanisms.interface import MemoisedMechanism
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger
from support.enumeration import channel
from support.laws import MechanismLaws

HERE = bytes(range(32))
LABELS = tuple(f"model {number}" for number in range(43))
CHANGING = Collection("models", "Which model?", LABELS, Loloha.calibrate(43, 1.0))
TWO, THREE = Loloha(3, 2, 2, 0.875, 0.75), Loloha(3, 3, 1, 0.75, 0.625)


class TestLoloha(MechanismLaws):
    instances: ClassVar = [TWO, THREE, Loloha.calibrate(2, 1.0), Loloha.calibrate(3, 0.5)]
    large: ClassVar = [
        Loloha.calibrate(k, epsilon)
        for k, epsilon in ((2, 1.0), (43, 0.1), (43, 2.0), (300, 3.0), (1024, 1.0), (70_000, 2.0))
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Loloha)
        return replace(mechanism, lasting=(mechanism.lasting + 31) / 32, fresh=15 / 16)


class Replayed:
    """Chance that is the same each time: what was drawn before is given again."""

    def __init__(self, behind: Randomness, drawn: list[Any]) -> None:
        self._behind, self._drawn, self._next = behind, drawn, 0

    def bernoulli(self, p: float, shape: Any) -> Any:
        return self._again(lambda: self._behind.bernoulli(p, shape))

    def below(self, bound: int, shape: Any) -> Any:
        return self._again(lambda: self._behind.below(bound, shape))

    def packed(self, p: float, rows: int, bits: int) -> Any:
        return self._again(lambda: self._behind.packed(p, rows, bits))

    def subsets(self, items: int, chosen: Any) -> Any:
        return self._again(lambda: self._behind.subsets(items, chosen))

    def _again(self, draw: Any) -> Any:
        if self._next == len(self._drawn):
            self._drawn.append(draw())
        self._next += 1
        return self._drawn[self._next - 1]


@cache
def law_of(mechanism: MemoisedMechanism, history: tuple[int, ...]) -> Law:
    """The exact law of all that a device sends whose answers change, by the code that it runs."""

    def life(rng: Randomness) -> Hashable:
        memory: dict[tuple[bytes, bytes], list[Any]] = {}

        def kept(purpose: bytes, about: bytes) -> Randomness:
            return Replayed(rng, memory.setdefault((purpose, about), []))

        checked = [mechanism.domain.check([answer]) for answer in history]
        return tuple(int(mechanism.report_again(each, kept, rng)["point"][0]) for each in checked)

    return exact_law(life)


def by_seed(mechanism: Loloha, history: tuple[int, ...]) -> dict[int, Law]:
    """The law of a history, apart for each seed, which its reports show."""
    found: dict[int, dict[Hashable, Fraction]] = {}
    for sent, chance in law_of(mechanism, history).items():
        assert isinstance(sent, tuple)
        seeds = {point // mechanism.prime for point in sent}
        assert len(seeds) == 1  # for life
        found.setdefault(seeds.pop(), {})[sent] = chance
    return dict(found)


def visits(mechanism: Loloha, history: tuple[int, ...], seed: int) -> list[int]:
    """The cells that a history comes to."""
    cells = mechanism.cells(np.array(history), np.full(len(history), seed))
    return [int(cell) for cell in cells]


def pattern(cells: Sequence[int]) -> list[int]:
    """At which place each cell was first come to: equal for the same pattern of changes."""
    return [cells.index(cell) for cell in cells]


def worst(one: Law, other: Law) -> Fraction:
    """The largest ratio of what one history sends and another."""
    assert one.keys() == other.keys()
    return max(chance / other[sent] for sent, chance in one.items())


@pytest.mark.parametrize(("mechanism", "reports"), [(TWO, 3), (THREE, 2)], ids=repr)
def test_histories_of_one_pattern_cost_what_the_cells_do_that_they_visit(
    mechanism: Loloha, reports: int
) -> None:
    """Every pair of histories under every seed: the promise is kept, and all of it is spent."""
    laws: dict[tuple[int, tuple[int, ...]], Law] = {}  # by the seed and the cells
    for history in product(range(mechanism.k), repeat=reports):
        mine = by_seed(mechanism, history)
        assert sum(sum(law.values()) for law in mine.values()) == 1
        for seed, law in mine.items():
            cells = tuple(visits(mechanism, history, seed))
            assert laws.setdefault((seed, cells), law) == law  # nothing else of a history shows
    found: dict[tuple[int, ...], Fraction] = {}
    for ((seed, cells), law), ((other, theirs), law_of_theirs) in product(laws.items(), repeat=2):
        if seed != other or pattern(cells) != pattern(theirs):
            continue
        counts = tuple(sorted(cells.count(cell) for cell in set(cells)))
        found[counts] = max(worst(law, law_of_theirs), found.get(counts, Fraction(0)))
    assert len(found) > 1
    for counts, ratio in found.items():
        each = [mechanism.ratio_of(count) for count in counts]
        assert ratio == math.prod(each)
        assert ratio < mechanism.lifetime_ratio ** len(counts)
    assert max(map(len, found)) == min(reports, mechanism.prime)


def test_one_answer_costs_what_its_reports_do() -> None:
    """However many: also between answers, over all seeds."""
    for reports in (1, 2, 3):
        laws = [law_of(TWO, (answer,) * reports) for answer in range(3)]
        ratios = {worst(one, other) for one in laws for other in laws if one is not other}
        assert max(ratios) == TWO.ratio_of(reports)
    assert [THREE.ratio_of(1), TWO.ratio_of(1)] == [
        channel(THREE).worst_ratio,
        channel(TWO).worst_ratio,
    ]


def test_noise_kept_for_each_answer_would_cost_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeping it by the cell is for: two answers in one cell are one."""

    def same_cells(mechanism: Loloha) -> Law:
        law_of.cache_clear()
        return by_seed(mechanism, (1, 2, 1))[3]  # under the seed 3 = (1, 1), both are in cell 1

    assert visits(TWO, (1, 2), 3) == [1, 1]
    rightly = same_cells(TWO)
    monkeypatch.setattr(Loloha, "remembered", MemoisedMechanism.remembered)
    assert same_cells(TWO) != rightly
    law_of.cache_clear()


def test_a_change_between_answers_of_one_cell_never_shows() -> None:
    assert by_seed(TWO, (1, 2, 1))[3] == by_seed(TWO, (1, 1, 1))[3] == by_seed(TWO, (2, 2, 2))[3]


@pytest.mark.parametrize(("mechanism", "reports"), [(TWO, 1), (TWO, 2), (THREE, 1)], ids=repr)
def test_how_well_a_change_shows_is_the_law_s(mechanism: Loloha, reports: int) -> None:
    one, other = (
        law_of(mechanism, (1,) * 2 * reports),
        law_of(mechanism, (1,) * reports + (2,) * reports),
    )
    variation = sum(abs(chance - other.get(sent, 0)) for sent, chance in one.items()) / 2
    shown = mechanism.change_shows(reports)
    assert shown == pytest.approx(float(variation), rel=1e-12)


def test_a_change_shows_better_with_more_reports_and_not_better_than_its_limit() -> None:
    mechanism = Loloha.calibrate(43, 1.0)
    shown = [mechanism.change_shows(reports) or 0.0 for reports in (0, 1, 5, 20, 50)]
    limit = mechanism.change_shows()
    assert limit is not None
    assert shown == sorted(shown)
    assert [shown[0], shown[-1]] == pytest.approx([0, limit], abs=1e-4)
    assert mechanism.change_shows(100) is None
    kept = Fraction(mechanism.lasting), (1 - Fraction(mechanism.lasting)) / 2
    apart = sum(
        kept[before > 0] * kept[(after - 1) % 3 > 0]
        for before, after in product(range(3), repeat=2)
        if before != after
    )
    assert limit == float(Fraction(2, 3) * apart)


@pytest.mark.parametrize("reports", [170, 171, 1000, 1998])
def test_a_change_shows_as_well_as_its_limit_by_many_reports(reports: int) -> None:
    mechanism = Loloha.calibrate(4, 0.2)
    assert mechanism.prime == 2
    assert mechanism.change_shows(reports) == pytest.approx(mechanism.change_shows(), abs=1e-7)
    with pytest.raises(ParameterError, match="at least 0, got -1"):
        mechanism.change_shows(-1)


def test_how_a_change_shows_is_known_for_many_cells() -> None:
    """One report before and one after; more fall into cells in too many ways, and none show it."""
    mechanism = Loloha.calibrate(1000, 7.0)
    assert mechanism.prime == 1009
    one, limit = mechanism.change_shows(1), mechanism.change_shows()
    assert one is not None
    assert limit is not None
    assert 0.5 < one < limit < 1
    assert mechanism.change_shows(2) is None
    for epsilon in (1.0, 7.0, 15.0):
        assert Loloha.calibrate(43, epsilon).change_shows(0) == 0


@given(k=st.integers(2, 10**6), epsilon=st.floats(0.01, 5), more=st.floats(1.01, 4))
def test_calibrate_spends_the_budgets_and_no_more(k: int, epsilon: float, more: float) -> None:
    lifetime = more * epsilon
    mechanism = Loloha.calibrate(k, epsilon, lifetime=lifetime)
    assert epsilon * (1 - 1e-9) < mechanism.epsilon <= epsilon
    assert lifetime * (1 - 1e-9) < mechanism.lifetime_epsilon <= lifetime
    alike = LocalHashing.calibrate(k, epsilon)
    assert (mechanism.prime, mechanism.dimension) == (alike.prime, alike.dimension)
    assert mechanism.holder == pytest.approx(alike.holder, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((5, 4, 2, 0.75, 0.75), "prime must be a prime below 2^26, got 4"),
        ((5, 2, 2, 0.75, 0.75), "5 answers have 3 digits to the base 2, got the dimension 2"),
        ((5, 3, 2, 0.25, 0.75), "lasting must be a multiple of 2^-53 above 1/3 and below 1, got"),
        ((5, 3, 2, 0.75, 1.0), "fresh must be a multiple of 2^-53 above 1/3 and below 1, got 1.0"),
        ((10**8, 2, 27, 0.75, 0.75), "there are at most 2^26 points, whose counts fill 512 MiB"),
    ],
)
def test_what_is_none_is_refused_in_a_sentence(arguments: Any, sentence: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Loloha(*arguments)
    assert sentence in str(refused.value)


def test_a_budget_for_life_exceeds_that_of_a_report() -> None:
    for lifetime in (1.0, 0.5):
        with pytest.raises(ParameterError, match=r"must exceed that of a report, 1\.0, got"):
            Loloha.calibrate(43, 1.0, lifetime=lifetime)
    with pytest.raises(ParameterError, match=r"between 2 and 2\^32"):
        Loloha.calibrate(10**10, 1.0)
    with pytest.raises(ParameterError, match="too small"):
        Loloha.calibrate(43, 1e-17)


def test_what_is_too_much_is_not_enumerated() -> None:
    assert TWO.not_enumerable is None
    assert Loloha(5, 11, 1, 0.75, 0.75).not_enumerable == (
        "not at 4,400 paths of a report (up to 4,000)"
    )
    assert str(Loloha(9, 2, 4, 0.75, 0.75).not_enumerable).startswith("not at 9 answers")


# A device


def told(device: Device, answers: Sequence[int]) -> Fraction:
    """What a device has spent after reports of these answers."""
    rng = Seeded(1)
    for answer in answers:
        device.report(CHANGING, LABELS[answer], rng)
    return device.diary.ledger.spent().epsilon


def test_a_thousand_changes_come_to_an_end_of_their_cost() -> None:
    """The noise of all cells; for RAPPOR it would be that of all answers."""
    device, mechanism = Device(HERE), CHANGING.mechanism
    first, then, last = (
        told(device, [number % 43 for number in range(reports)]) for reports in (10, 490, 500)
    )
    assert mechanism.most_kept == 3
    assert first < then == last == 3 * Fraction(mechanism.lifetime_epsilon)
    assert len(device.diary.ledger.kept) == 3
    assert sum(kept.reports for kept in device.diary.ledger.kept) == 1000
    alike = Rappor.calibrate(1.0, form="basic", lifetime=2.0, bits=43)
    assert alike.most_kept == 43
    assert round(3 * mechanism.lifetime_epsilon) == 6
    assert round(43 * alike.lifetime_epsilon) == 86


def test_answers_that_share_a_cell_are_paid_for_as_one() -> None:
    device, mechanism = Device(HERE), CHANGING.mechanism
    assert isinstance(mechanism, Loloha)
    report = device.report(CHANGING, LABELS[0])
    seed = int(report["point"][0]) // 3
    cells = visits(mechanism, tuple(range(43)), seed)
    alike = [answer for answer in range(43) if cells[answer] == cells[0]]
    assert told(device, alike[:4]) == Fraction(mechanism.epsilon_of(5))
    other = cells.index(next(cell for cell in cells if cell != cells[0]))
    assert told(device, [other]) == sum(
        Fraction(mechanism.epsilon_of(reports)) for reports in (5, 1)
    )
    again = {int(device.report(CHANGING, LABELS[answer])["point"][0]) // 3 for answer in range(43)}
    assert again == {seed}


def test_a_cap_refuses_a_new_cell_before_anything_is_drawn() -> None:
    mechanism = CHANGING.mechanism
    device = Device(HERE, Diary(Ledger(cap=mechanism.lifetime_epsilon + 0.5)))
    assert isinstance(mechanism, Loloha)
    cells = visits(
        mechanism, tuple(range(43)), int(device.report(CHANGING, LABELS[0])["point"][0]) // 3
    )
    told(device, [0] * 150)
    before, rng = device.diary.ledger, Scripted([])
    other = LABELS[cells.index(next(cell for cell in cells if cell != cells[0]))]
    with pytest.raises(BudgetExceeded, match=r"is left \(nothing was sent\)$") as refused:
        device.report(CHANGING, other, rng)
    assert other not in str(refused.value)
    assert (rng.used, device.diary.ledger) == (0, before)
    told(device, [0])


def test_a_device_keeps_a_cell_for_good() -> None:
    """With hardly any fresh noise, reports of an answer are the same, in any order of visits."""
    quiet = replace(CHANGING, mechanism=Loloha(43, 3, 4, 0.75, 1 - 2.0**-53))

    def life(answers: Sequence[int]) -> dict[int, int]:
        device = Device(HERE)
        return {one: int(device.report(quiet, LABELS[one])["point"][0]) for one in answers}

    forwards = life(range(43))
    assert life(range(42, -1, -1)) == forwards
    assert len(set(forwards.values())) <= 3

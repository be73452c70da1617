"""Several questions at once: every law for each design, budgets, errors, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare import (
    GRR,
    OUE,
    SUE,
    LocalHashing,
    Loloha,
    ProjectiveGeometry,
    Seeded,
    SetResponse,
)
from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MechanismUnavailable,
    ParameterError,
)
from sudare.laws.enumeration import (
    aggregate_law,
    channel,
    population,
    random_values,
    records,
    support,
    values,
)
from sudare.mechanisms import CATEGORICAL, from_document
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Questions
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism, Records
from sudare.mechanisms.points import PointMechanism
from sudare.mechanisms.several import (
    MOST_COMBINATIONS,
    JointQuestions,
    SampledQuestions,
    SeveralQuestions,
    SplitQuestions,
)
from sudare.planning.mechanism_choice import MechanismOptions, choose
from sudare.planning.several_questions import DESIGNS, design_of
from support.laws import EXACT, MechanismLaws, spends_at_most, sums_to

KEEPS = GRR(2, 0.75), GRR(3, 0.5)
PARTS: list[tuple[CategoricalMechanism, ...]] = [
    KEEPS,
    (GRR(2, 0.75), OUE(2, 0.5, 0.25)),
    (GRR(2, 0.625), GRR(2, 0.875), GRR(2, 0.75)),
]
LARGE: tuple[CategoricalMechanism, ...] = (
    OUE.calibrate(100, 1.0),
    GRR.calibrate(5, 0.5),
    ProjectiveGeometry.calibrate(300, 2.0),
)


def best(k: int, epsilon: float) -> CategoricalMechanism:
    made = choose(MechanismOptions(epsilon), k)
    assert isinstance(made, CategoricalMechanism)
    return made


def coarser(part: CategoricalMechanism) -> CategoricalMechanism:
    """The same mechanism with its parameter slightly off."""
    if isinstance(part, GRR):
        return replace(part, keep=part.keep + 3 / 32)
    assert isinstance(part, OUE)
    return replace(part, q=part.q - 3 / 32)


class TestSample(MechanismLaws):
    instances: ClassVar = [SampledQuestions(parts) for parts in PARTS[:2]]
    large: ClassVar = [SampledQuestions(LARGE)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SampledQuestions)
        return SampledQuestions(tuple(map(coarser, mechanism.parts)))


class TestSplit(MechanismLaws):
    instances: ClassVar = [SplitQuestions(parts) for parts in PARTS[::2]]
    large: ClassVar = [SplitQuestions(LARGE)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SplitQuestions)
        return SplitQuestions(tuple(map(coarser, mechanism.parts)))


class TestJoint(MechanismLaws):
    instances: ClassVar = [
        JointQuestions((2, 3), GRR(6, 0.5)),
        JointQuestions((2, 2), OUE(4, 0.5, 0.25)),
    ]
    large: ClassVar = [JointQuestions((20, 30), OUE.calibrate(600, 1.0))]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, JointQuestions)
        return replace(mechanism, table=coarser(mechanism.table))

    def test_weights_add_up_to_the_estimate(self, mechanism: Mechanism, seed: int) -> None:
        """The variance of weights is that of the estimate in the mean; of one bit a report, always.

        A sum over bits of a report doesn't say how many of them came together.
        """
        if isinstance(mechanism, JointQuestions) and mechanism.table.name == "grr":
            super().test_weights_add_up_to_the_estimate(mechanism, seed)
            return
        self.test_weights_of_many_answers_add_up(mechanism, seed)
        for value in values(mechanism)[:2]:
            people = np.array([value])
            squares, variances = np.zeros(4), np.zeros(4)
            for report, chance in channel(mechanism).laws[value].items():
                assert isinstance(report, bytes)
                told = records(mechanism, [report])
                weights = np.array([mechanism.weights(told, at)[0] for at in range(4)])
                squares += float(chance) * weights * (weights - 1)
                found = mechanism.estimate(mechanism.aggregate(told))
                variances += float(chance) * found.stderr**2
            assert len(people) == 1
            assert squares == pytest.approx(variances, rel=1e-12)

    def test_weights_of_many_answers_add_up(self, large: Mechanism, seed: int) -> None:
        reports = large.randomize(random_values(large, 500, Seeded(seed)), Seeded(seed + 1))
        estimate = large.estimate(large.aggregate(reports))
        for answer in range(0, len(estimate.values), 7):
            sums_to(large.weights(reports, answer), 500 * estimate.values[answer])


def test_epsilons_of_parts_add_up_and_a_drawn_question_costs_the_worst() -> None:
    """The coins of Warner's: each a ratio of 3 and 2."""
    parts = GRR(2, 0.75), GRR(3, 0.5)
    assert [part.worst_ratio for part in parts] == [3, 2]
    assert SplitQuestions(parts).worst_ratio == 6
    assert SampledQuestions(parts).worst_ratio == 3
    assert JointQuestions((2, 2), GRR(4, 0.5)).worst_ratio == GRR(4, 0.5).worst_ratio == 3


@settings(max_examples=15)
@given(
    sizes=st.lists(st.integers(2, 40), min_size=2, max_size=5),
    epsilon=st.floats(0.05, 8),
    design=st.sampled_from(DESIGNS),
)
def test_no_design_overspends(sizes: list[int], epsilon: float, design: str) -> None:
    if design == "joint" and np.prod(sizes) > MOST_COMBINATIONS:
        sizes = [*sizes[:1], 2]
    made = design_of(sizes, epsilon, best, design)
    assert epsilon * (1 - 1e-9) < made.epsilon <= epsilon
    assert made.sizes == tuple(sizes)


@pytest.mark.parametrize("design", DESIGNS)
def test_no_design_overspends_by_enumeration(design: str) -> None:
    for epsilon in (0.1, 1.0, 2.0):
        spends_at_most(design_of((2, 3), epsilon, best, design), epsilon)


def test_equal_questions_get_equal_parts_and_uneven_ones_what_is_best() -> None:
    even = design_of((4, 4, 4), 1.5, best, "split")
    assert isinstance(even, SplitQuestions)
    assert [part.epsilon for part in even.parts] == pytest.approx([0.5] * 3, rel=1e-9)
    uneven = design_of((2, 40), 1.0, best, "split")
    assert isinstance(uneven, SplitQuestions)
    assert uneven.parts[0].epsilon < uneven.parts[1].epsilon
    others = [
        SplitQuestions((best(2, part), best(40, 1 - part))).error
        for part in np.linspace(0.02, 0.98, 49)
    ]
    assert uneven.error <= min(others) * 1.005


def test_a_mechanism_that_is_named_is_that_of_the_table() -> None:
    made = design_of((2, 2), 4.0, OUE.calibrate, "joint", table=OUE.calibrate)
    assert made == JointQuestions((2, 2), OUE.calibrate(4, 4.0))
    with pytest.raises(ParameterError, match="olh doesn't"):
        design_of((2, 2), 4.0, LocalHashing.calibrate, "joint", table=LocalHashing.calibrate)
    found = design_of((2, 2), 4.0, LocalHashing.calibrate, table=LocalHashing.calibrate)
    assert found.name != "joint"


def test_the_design_with_the_least_error_is_taken() -> None:
    for sizes, epsilon in product(((2, 2), (3, 3), (2, 5, 4)), (0.5, 2.0, 4.0)):
        made = {design: design_of(sizes, epsilon, best, design) for design in DESIGNS}
        assert design_of(sizes, epsilon, best) == min(made.values(), key=lambda one: one.error)
        found = design_of(sizes, epsilon, best, associate=True)
        assert found.tells_pairs
        assert found.pair_error == min(made["split"].pair_error, made["joint"].pair_error)
    # Where the shares of single answers would rather have split, pairs are ten times better off.
    sizes = (3, 4, 2)
    split, joint = (design_of(sizes, 0.5, best, design) for design in ("split", "joint"))
    assert split.error < joint.error
    assert split.pair_error > 50 * joint.pair_error
    assert design_of(sizes, 0.5, best, associate=True) == joint
    assert design_of((2, 2), 1.0, best).name == "sample"
    assert design_of((2, 2), 4.0, best).name == "joint"
    assert not made["sample"].tells_pairs
    assert made["sample"].pair_error == float("inf")


@pytest.mark.parametrize("mechanism", [*TestSplit.instances, *TestJoint.instances])
def test_the_stated_error_of_pairs_is_the_exact_one(mechanism: SeveralQuestions) -> None:
    """Of one person at random, by enumeration: that of unbiased shares of two answers together."""
    every, cells, total = values(mechanism), 0, 0.0
    for first, second in combinations(range(len(mechanism.sizes)), 2):
        cells += mechanism.sizes[first] * mechanism.sizes[second]
        for value in every:
            truth = np.zeros((mechanism.sizes[first], mechanism.sizes[second]))
            truth[value[first], value[second]] = 1
            mean = np.zeros_like(truth)
            for report, chance in channel(mechanism).laws[value].items():
                assert isinstance(report, bytes)
                told = records(mechanism, [report])
                found = together(mechanism, told, first, second)
                mean += float(chance) * found
                total += float(chance) * ((found - truth) ** 2).sum() / len(every)
            assert mean == pytest.approx(truth, abs=1e-9)
    assert mechanism.pair_error == pytest.approx(total / cells, rel=1e-9)


def together(
    mechanism: SeveralQuestions, told: Records, first: int, second: int
) -> NDArray[np.float64]:
    """What one report counts in the share of each two answers of two questions."""
    if isinstance(mechanism, JointQuestions):
        one = Aggregate(mechanism.key, 1, mechanism.tally(told))
        return mechanism.estimate_of(one, [first, second]).values.reshape(
            mechanism.sizes[first], mechanism.sizes[second]
        )
    weights = np.array([mechanism.weights(told, at)[0] for at in range(sum(mechanism.sizes))])
    parts = np.split(weights, np.cumsum(mechanism.sizes)[:-1])
    return np.outer(parts[first], parts[second])


@pytest.mark.parametrize("mechanism", [*TestSplit.instances, *TestJoint.instances])
def test_the_stated_error_is_the_exact_one(mechanism: SeveralQuestions) -> None:
    """Of one person at random, by enumeration: the mean over answers of the estimate's variance."""
    every = values(mechanism)
    totals = np.zeros(sum(mechanism.sizes))
    for value in every:
        for report, chance in channel(mechanism).laws[value].items():
            assert isinstance(report, bytes)
            told = mechanism.aggregate(records(mechanism, [report]))
            totals += float(chance) * mechanism.estimate(told).stderr ** 2 / len(every)
    ends = np.cumsum(mechanism.sizes)
    found = [part.mean() for part in np.split(totals, ends[:-1])]
    assert found == pytest.approx(list(mechanism.errors), rel=1e-9)
    assert mechanism.error == pytest.approx(totals.mean(), rel=1e-9)


def test_the_error_of_drawn_questions_is_that_of_many_people() -> None:
    """The margin's exact error at given numbers of the asked: over who was asked, and the noise."""
    mechanism = SampledQuestions((GRR(2, 0.75), GRR(2, 0.75)))
    noise, people = 0.75 * 0.25 / 0.25, 10_000
    rows = np.arange(people)[:, np.newaxis] % 2 * [1, 1]
    margins = [
        mechanism.margin(mechanism.aggregate(mechanism.randomize(rows, Seeded(seed))), 1)
        for seed in range(20)
    ]
    found = [margin.estimate.of_all(margin.people) for margin in margins]
    assert mechanism.errors == pytest.approx([2 * noise + 0.25] * 2)
    stated = np.mean([estimate.stderr**2 for estimate in found]) * people
    assert stated == pytest.approx(2 * noise + 0.25, rel=0.05)


@pytest.mark.parametrize("truth", [[2, 1], [0, 1, 1, 1]])
def test_the_margin_of_a_drawn_question_is_unbiased_given_how_many_were_asked(
    truth: list[int],
) -> None:
    """Exactly, over the enumerated law; and so is its stated variance where it isn't cut at 0."""
    mechanism = SampledQuestions((GRR(2, 0.75), GRR(2, 0.625)))
    people = population(mechanism, truth)
    law = aggregate_law(mechanism, people)
    for asked in range(1, len(people) + 1):
        mean, mass = np.zeros(2), 0.0
        for counts, chance in law.items():
            total = Aggregate(mechanism.key, len(people), np.reshape(counts, (2, -1)))
            if total.counts[0, 0] == asked:
                mean += float(chance) * mechanism.margin(total, 0).estimate.values
                mass += float(chance)
        shares = np.bincount(people[:, 0], minlength=2) / len(people)
        assert mean / mass == pytest.approx(shares, abs=EXACT)


@pytest.mark.parametrize("made", CATEGORICAL.values(), ids=lambda made: made.name)
def test_supports_of_two_answers_at_once(made: type[CategoricalMechanism]) -> None:
    """What a mechanism says of two answers at once is what its enumerated law says."""
    for k in (2, 3, 5):
        mechanism = made.calibrate(k, 1.0)
        said = mechanism.together
        if said is None:
            assert issubclass(made, PointMechanism)
            continue
        for held in (0, k - 1):
            rest = [answer for answer in range(k) if answer != held]
            both = np.zeros((k, k))
            for report, chance in channel(mechanism).laws[held].items():
                assert isinstance(report, bytes)
                told = records(mechanism, [report])
                yes = [float(mechanism.supports(told, answer)[0]) for answer in range(k)]
                both += float(chance) * np.outer(yes, yes)
            assert both[held, rest] == pytest.approx(said[0], abs=1e-9)
            others = both[np.ix_(rest, rest)][~np.eye(k - 1, dtype=bool)]
            assert others == pytest.approx(said[1], abs=1e-9)


def test_pairs_of_a_table_are_estimated_in_either_order() -> None:
    mechanism = JointQuestions((2, 3, 2), GRR.calibrate(12, 3.0))
    rows = Seeded(1).below(2, (900, 3)) * [1, 2, 1]
    total = mechanism.aggregate(mechanism.randomize(rows, Seeded(2)))
    pairs = mechanism.estimate_of(total, [0, 1]).values.reshape(2, 3)
    assert mechanism.estimate_of(total, [1, 0]).values.reshape(3, 2) == pytest.approx(pairs.T)
    assert pairs.sum(axis=0) == pytest.approx(mechanism.margin(total, 1).estimate.values)
    assert pairs.sum(axis=1) == pytest.approx(mechanism.margin(total, 0).estimate.values)


def test_nobody_in_a_table_is_a_p_value_of_the_exact_law() -> None:
    """The tail of sums over a table is the enumerated one: of GRR's and of independent bits'."""
    made = [JointQuestions((2, 3), GRR(6, 0.5)), JointQuestions((2, 2), OUE(4, 0.5, 0.25))]
    for mechanism in made:
        law = aggregate_law(mechanism, population(mechanism, [2]))  # nobody has the last answers
        for question, k in enumerate(mechanism.sizes):
            tails: dict[int, float] = {}
            for counts, chance in law.items():
                total = Aggregate(mechanism.key, 2, np.array(counts))
                others = tuple(at for at in range(len(mechanism.sizes)) if at != question)
                last = int(mechanism.supports_of(total).sum(axis=others)[k - 1])
                tails[last] = tails.get(last, 0.0) + float(chance)
                found = mechanism.margin(total, question).present[k - 1]
                tails.setdefault(-1 - last, float(found))
            for last in [key for key in tails if key >= 0]:
                tail = sum(chance for key, chance in tails.items() if key >= last)
                assert tails[-1 - last] == pytest.approx(tail, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SplitQuestions((GRR(2, 0.75),)), "2 to 64 questions at once, got 1"),
        (lambda: SampledQuestions((GRR(2, 0.75),) * 65), "2 to 64 questions at once, got 65"),
        (
            lambda: SplitQuestions((GRR(2, 0.75), SetResponse.calibrate(4, 2, 1.0))),  # type: ignore[arg-type]
            "takes one answer of a list; set is for something else",
        ),
        (lambda: JointQuestions((2, 2), GRR(5, 0.5)), "have 4 combinations, the table is for 5"),
        (
            lambda: JointQuestions((50, 50), GRR.calibrate(2500, 1.0)),
            "50 times 50 answers have 2,500 combinations; a joint table has at most 1,024",
        ),
        (
            lambda: JointQuestions((2,) * 11, GRR(1024, 0.5)),
            "11 questions' answers have 2,048 combinations; a joint table has at most 1,024",
        ),
        (
            lambda: JointQuestions((500,) * 20, GRR(1024, 0.5)),
            "20 questions' answers have more than 1,000,000,000,000 combinations",
        ),
        (
            lambda: JointQuestions((2, 4), ProjectiveGeometry.calibrate(8, 1.0)),
            "projective doesn't",
        ),
        (
            lambda: SampledQuestions((GRR(2, 0.75), Loloha.calibrate(2, 1.0))),
            "takes one answer of a list; loloha is for something else",
        ),
        (lambda: design_of((2, 2), 1.0, best, "other"), "the design is one of auto, sample"),
        (lambda: design_of((2, 2), 1e-300, best, "split"), "epsilon"),
        (
            lambda: design_of((2, 2), 1.0, best, "sample", associate=True),
            "--associate needs split or joint",
        ),
        (lambda: design_of((50, 50), 1.0, best, "joint"), "2,500 combinations"),
    ],
)
def test_what_is_no_mechanism_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make()


@pytest.mark.parametrize(
    "document",
    [
        {"name": "split", "parts": [{"name": "grr", "k": 2, "keep": "3/4"}, {"name": "set"}]},
        {"name": "split", "parts": [{"name": "grr", "k": 2, "keep": "3/4"}, {"k": 2}]},
        {"name": "split", "parts": {"name": "grr"}},
        {"name": "split", "parts": [None, None]},
        {"name": "split", "parts": [{"name": "split", "parts": []}] * 2},
        {"name": "joint", "shape": [2, 2], "table": {"name": "joint"}},
        {"name": "joint", "shape": [True, 4], "table": GRR(4, 0.5).document()},
        {"name": "joint", "shape": [2.0, 2], "table": GRR(4, 0.5).document()},
        {"name": "joint", "shape": [2, 2], "table": GRR(4, 0.5).document() | {"more": 1}},
    ],
)
def test_a_nested_document_is_read_strictly(document: dict[str, Any]) -> None:
    with pytest.raises((InvalidDocument, ParameterError, MechanismUnavailable)):
        from_document(document)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([[0, 3]], "position 0 to question 2 is not one of 0 to 2"),
        ([[0, 0], [-1, 0]], "position 1 to question 1"),
        ([[0, 0, 0]], "rows of 2 answers, one for each question"),
        ([[0], [0, 1]], "all alike"),
        ([[0.5, 1]], "whole numbers"),
        ([0, 1], "got the shape"),
    ],
)
def test_answers_outside_are_refused_by_their_place(value: Any, said: str) -> None:
    with pytest.raises(InvalidAnswer, match=said):
        SplitQuestions(KEEPS).randomize(value, Seeded(1))


def test_no_rows_and_groups() -> None:
    domain = Questions((2, 3))
    assert domain.check([]).shape == (0, 2)
    assert SplitQuestions(KEEPS).randomize([], Seeded(1)).shape == (0,)
    with pytest.raises(ParameterError, match="2 rows of answers and 1 groups"):
        domain.groups([[0, 0], [1, 1]], [1])
    with pytest.raises(ParameterError, match="groups of people"):
        domain.population({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="5 answers, numbered from 0"):
        SplitQuestions(KEEPS).place(5)


def test_a_report_of_a_drawn_question_has_no_more_than_its_part_says() -> None:
    mechanism = SampledQuestions((GRR(2, 0.75), SUE.calibrate(70, 1.0)))
    assert mechanism.report_dtype.itemsize == 1 + 16
    told = mechanism.randomize([[0, 0]] * 10, Seeded(1))
    short = np.flatnonzero(told["question"] == 0)[:1]
    told["report"][short, 5] = 1
    with pytest.raises(InvalidReport, match="question 0 has more than the 1 bytes of grr"):
        mechanism.aggregate(told)
    told["question"] = 2
    with pytest.raises(InvalidReport, match="questions are numbered 0 to 1"):
        mechanism.aggregate(told)


def test_an_aggregate_whose_questions_dont_add_up_is_refused() -> None:
    mechanism = SampledQuestions(KEEPS)
    total = mechanism.simulate(mechanism.domain.groups([[0, 0]], [20]), Seeded(1))
    with pytest.raises(InvalidDocument, match="20 reports in all, not 21"):
        mechanism.estimate(replace(total, n=21))
    counts = total.counts.copy()
    counts[0, 1] += 30
    with pytest.raises(InvalidDocument, match="is counted below 0 or above"):
        mechanism.estimate(replace(total, counts=counts))


def test_every_report_of_every_part_is_possible() -> None:
    """The reports of a drawn question are those of its part, each as likely as it is there."""
    mechanism = SampledQuestions(KEEPS)
    assert len(support(mechanism)) == 2 + 3
    (law,) = (channel(mechanism).laws[value] for value in [(0, 0)])
    assert sorted(law.values()) == sorted(
        [Fraction(3, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)]
    )

"""Projective geometry response, Hadamard response and local hashing."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import (
    Aggregate,
    HadamardResponse,
    LocalHashing,
    Mechanism,
    ProjectiveGeometry,
    Scripted,
    Seeded,
)
from sudare.errors import InvalidAnswer, InvalidDocument, InvalidReport, ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.mechanisms.point_reports import MOST_POINTS
from sudare.mechanisms.points import PointMechanism
from support.compiled import NEVER, compiled_from
from support.enumeration import channel, random_values
from support.laws import MechanismLaws

UNIT = 2.0**-53
FAMILIES: list[type[Any]] = [ProjectiveGeometry, HadamardResponse, LocalHashing]
SMALL = [
    ProjectiveGeometry(3, 0.5, 2, 2),
    ProjectiveGeometry(5, 0.625, 3, 2),
    ProjectiveGeometry(4, 0.5, 7, 1),
    ProjectiveGeometry.calibrate(4, 1.0),
    HadamardResponse(2, 0.75),
    HadamardResponse(5, 0.625),
    LocalHashing(3, 0.75, 2, 2),
    LocalHashing(5, 0.625, 3, 2),
    LocalHashing(4, 0.5, 7, 1),
]


THREE = [
    ProjectiveGeometry(5, 0.5, 3, 2),
    HadamardResponse(5, 0.75),
    LocalHashing(5, 0.5, 3, 2),
]


class Points(MechanismLaws):
    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, PointMechanism)
        return replace(mechanism, keep=mechanism.keep + 3 / 16)


class TestProjectiveGeometry(Points):
    instances: ClassVar = [
        ProjectiveGeometry(3, 0.5, 2, 2),
        ProjectiveGeometry(5, 0.625, 3, 2),
        ProjectiveGeometry(4, 0.5, 5, 1),
        ProjectiveGeometry.calibrate(2, 1.0),
    ]
    large: ClassVar = [
        ProjectiveGeometry.calibrate(k, epsilon)
        for k, epsilon in ((2, 1.0), (43, 0.1), (43, 2.0), (300, 8.0), (1024, 1.0), (70_000, 4.0))
    ]


class TestHadamardResponse(Points):
    instances: ClassVar = [
        HadamardResponse(2, 0.75),
        HadamardResponse(3, 0.625),
        HadamardResponse.calibrate(5, 1.0),
    ]
    large: ClassVar = [HadamardResponse.calibrate(k, 1.0) for k in (2, 43, 255, 256, 1024, 70_000)]


class TestLocalHashing(Points):
    instances: ClassVar = [
        LocalHashing(3, 0.75, 2, 2),
        LocalHashing(3, 0.625, 3, 1),
        LocalHashing(4, 0.5, 5, 1),
        LocalHashing.calibrate(2, 1.0),
    ]
    large: ClassVar = [
        LocalHashing.calibrate(k, epsilon)
        for k, epsilon in ((2, 1.0), (43, 0.1), (43, 2.0), (300, 3.0), (1024, 1.0), (70_000, 2.0))
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, LocalHashing)
        return replace(mechanism, keep=(mechanism.keep + 3) / 4)


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_points_support_answers_as_often_as_they_say(mechanism: PointMechanism) -> None:
    """Exactly, over all points: by one, by two, and with the chances that the estimate takes."""
    every = np.arange(mechanism.points).astype(mechanism.report_dtype["point"])
    points = every.view(mechanism.report_dtype)
    supports = [mechanism.supports(points, answer) for answer in range(mechanism.k)]
    for (x, one), (y, other) in product(enumerate(supports), repeat=2):
        shared = int((one & other).sum())
        assert shared == (mechanism.supporting if x == y else mechanism.shared)
        law = channel(mechanism).laws[x]
        chance = sum(law[point.tobytes()] for point in points[other])
        assert float(chance) == (mechanism.holder if x == y else mechanism.others)
        assert len(set(law.values())) == 2


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_the_supporting_points_are_numbered_each_once(mechanism: PointMechanism) -> None:
    numbers = np.arange(mechanism.supporting)
    for answer in range(mechanism.k):
        points = mechanism.supporters(np.full(len(numbers), answer), numbers)
        assert len(set(points.tolist())) == mechanism.supporting
        reports = points.astype(mechanism.report_dtype["point"]).view(mechanism.report_dtype)
        assert mechanism.supports(reports, answer).all()


@pytest.mark.parametrize("compile_from", [0, NEVER])
@pytest.mark.parametrize(
    "mechanism",
    [
        *SMALL,
        ProjectiveGeometry(30, 0.75, 2, 5),
        ProjectiveGeometry(43, 0.75, 3, 4),
        ProjectiveGeometry(343, 0.5, 7, 3),
        ProjectiveGeometry(23, 0.25, 11, 2),
        ProjectiveGeometry(121, 0.25, 11, 2),
        HadamardResponse(43, 0.75),
        HadamardResponse(64, 0.75),
        LocalHashing(30, 0.75, 2, 5),
        LocalHashing(43, 0.75, 3, 4),
        LocalHashing(343, 0.5, 7, 3),
        LocalHashing(23, 0.25, 11, 2),
        LocalHashing(121, 0.25, 11, 2),
    ],
    ids=repr,
)
def test_the_transform_counts_the_supports(mechanism: PointMechanism, compile_from: int) -> None:
    """Digit by digit, as one by one; also of more reports than 32 bits count."""
    reports = mechanism.randomize(random_values(mechanism, 700, Seeded(1)), Seeded(2))
    total = mechanism.aggregate(reports)
    one_by_one = [int(mechanism.supports(reports, answer).sum()) for answer in range(mechanism.k)]
    with compiled_from(compile_from):
        supported = mechanism.supported(total)
        assert supported.tolist() == one_by_one
        assert supported.dtype == np.int64
        many = replace(total, n=total.n << 40, counts=total.counts << 40)
        assert mechanism.supported(many).tolist() == [count << 40 for count in one_by_one]


def test_sums_of_32_bits_are_those_that_fit() -> None:
    mechanism = ProjectiveGeometry(9, 0.5, 3, 2)
    for n in (2**31 - 1, 2**31, 2**32):
        counts = np.zeros(mechanism.points, np.int64)
        counts[[1, 4]] = n // 2, n - n // 2  # both have the answer 0
        assert mechanism.supported(Aggregate(mechanism.key, n, counts))[0] == n


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_counts_that_are_not_of_n_reports_are_refused(mechanism: PointMechanism) -> None:
    counts = np.zeros(mechanism.points, np.int64)
    counts[1] = 5
    for wrong in (counts + 1, counts - 1, counts * 2**40):
        with pytest.raises(InvalidDocument, match="counts aren't those of 5 reports"):
            mechanism.estimate(Aggregate(mechanism.key, 5, wrong))


PROMISED = 1.04
OPTIMUM = 1.03  # times the error of subset selection with as large a set as you like


def least_error(k: int, epsilon: float) -> float:
    """That of subset selection with sets of the best size, whole or not."""
    size = k / (math.exp(epsilon) + 1)
    keep = size * math.exp(epsilon) / (size * math.exp(epsilon) + k - size)
    others = keep * (size - 1) / (k - 1) + (1 - keep) * size / (k - 1)
    return mean_squared_error(keep, others, 1, k)


def error_of(mechanism: CategoricalMechanism) -> float:
    return mean_squared_error(mechanism.holder, mechanism.others, 1, mechanism.k)


@pytest.mark.parametrize("k", [10_000, 100_000, 10**6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
def test_the_error_is_near_the_least_that_there_can_be(k: int, epsilon: float) -> None:
    mechanism = ProjectiveGeometry.calibrate(k, epsilon)
    least = least_error(k, epsilon)
    assert least < error_of(mechanism) <= OPTIMUM * least
    assert mechanism.report_dtype.itemsize <= 4


@pytest.mark.parametrize("k", [1025, 2188, 6860, 59_050, 10**6, 10**7])
def test_the_error_is_what_the_docs_promise(k: int) -> None:
    """Within 4 % up to ε = 4; local hashing is better by 0.2 % at most, in no shorter reports."""
    for epsilon in np.arange(1, 81) / 20:
        mechanism = ProjectiveGeometry.calibrate(k, epsilon)
        assert error_of(mechanism) <= PROMISED * least_error(k, epsilon)
        hashed = LocalHashing.calibrate(k, epsilon)
        assert error_of(mechanism) <= 1.002 * error_of(hashed)
        assert mechanism.report_dtype.itemsize <= hashed.report_dtype.itemsize


@pytest.mark.parametrize(
    ("k", "epsilon"), [(5, 0.3), (43, 1.0), (300, 3.0), (1000, 6.0), (97, 9.0)]
)
def test_no_other_prime_is_better_and_none_as_good_has_fewer_points(k: int, epsilon: float) -> None:
    """Beside all primes up to four times k, calibrated as exactly as can be."""

    tried = []
    bound = Fraction(math.exp(epsilon))
    for prime in range(2, 4 * k):
        if any(prime % divisor == 0 for divisor in range(2, math.isqrt(prime) + 1)):
            continue
        dimension = next(m for m in range(1, 40) if prime**m >= k)
        solved, unsolved = (prime**dimension - 1) // (prime - 1), prime**dimension
        keep = math.floor(bound * solved / (bound * solved + unsolved) * 2**53) * UNIT
        other = ProjectiveGeometry(k, keep, prime, dimension)
        error = mean_squared_error(other.holder, other.others, 1, k)
        tried.append((error, other.points, prime))
    least = min(tried)[0]
    expected = min((points, prime) for error, points, prime in tried if error <= 1.002 * least)
    best = ProjectiveGeometry.calibrate(k, epsilon)
    assert (best.points, best.prime) == expected


@given(k=st.integers(2, 10**6), epsilon=st.floats(0.01, 10))
def test_calibrate_spends_the_budget_and_no_more(k: int, epsilon: float) -> None:
    for family in FAMILIES:
        mechanism = family.calibrate(k, epsilon)
        assert mechanism.epsilon <= epsilon
        assert replace(mechanism, keep=mechanism.keep + UNIT).epsilon > epsilon


@pytest.mark.parametrize("family", FAMILIES)
def test_absurd_budgets_have_their_ends(family: Any) -> None:
    assert family.calibrate(5, 1e6).keep == 1 - UNIT
    for epsilon in (1e-300, 1e-17):
        with pytest.raises(ParameterError, match="too small"):
            family.calibrate(5, epsilon)
    for wrong in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match=r"^epsilon must be"):
            family.calibrate(5, wrong)
    assert family.calibrate(np.uint8(200), np.float32(1.0)) == family.calibrate(200, 1.0)
    with pytest.raises(ParameterError, match=r"k must be a whole number, got 5\.0"):
        family.calibrate(5.0, 1.0)


@pytest.mark.parametrize(
    ("k", "epsilon"), [(5, 0.3), (43, 1.0), (43, 2.5), (300, 3.0), (1000, 5.0)]
)
def test_no_other_number_of_cells_is_better(k: int, epsilon: float) -> None:
    """Beside all primes up to twice e^ε + 1, calibrated as exactly as can be."""
    tried, bound = [], Fraction(math.exp(epsilon))
    for prime in range(2, 2 * round(math.exp(epsilon) + 1)):
        if any(prime % divisor == 0 for divisor in range(2, math.isqrt(prime) + 1)):
            continue
        dimension = next(m for m in range(1, 40) if prime**m >= k)
        keep = math.floor(bound / (bound + prime - 1) * 2**53) * UNIT
        other = LocalHashing(k, keep, prime, dimension)
        tried.append((mean_squared_error(other.holder, other.others, 1, k), prime))
    assert LocalHashing.calibrate(k, epsilon).prime == min(tried)[1]


@pytest.mark.parametrize(("prime", "dimension"), [(2, 3), (3, 2), (5, 2), (7, 1), (11, 1)])
def test_hashes_meet_with_chance_exactly_one_in_g(prime: int, dimension: int) -> None:
    """Over all seeds, for every pair of answers; and each hash is uniform but that of 0."""
    k, seeds = prime**dimension, np.arange(prime**dimension)
    family = LocalHashing(k, 0.75, prime, dimension)
    hashed = [family.cells(np.full(len(seeds), answer), seeds) for answer in range(k)]
    for one, other in combinations(hashed, 2):
        assert prime * (one == other).sum() == len(seeds)
    for one in hashed[1:]:
        assert (np.bincount(one) == len(seeds) // prime).all()


def test_hadamard_is_half_of_a_power_of_two() -> None:
    for k, points in ((2, 4), (3, 4), (4, 8), (255, 256), (256, 512)):
        mechanism = HadamardResponse(k, 0.75)
        assert (mechanism.points, mechanism.supporting) == (points, points // 2)
        assert mechanism.others == 0.5
        assert mechanism.worst_ratio == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((5, 0.5, 4, 2), "prime must be a prime below 2^26, got 4"),
        ((5, 0.5, 1, 2), "prime must be a prime below 2^26, got 1"),
        ((5, 0.5, 2**61 - 1, 1), "prime must be a prime below 2^26, got 2305843009213693951"),
        ((5, 0.5, 2, 2), "5 answers have 3 digits to the base 2, got the dimension 2"),
        ((5, 0.5, 2, 2**70), "5 answers have 3 digits to the base 2, got the dimension"),
        ((9, 0.5, 3, 3), "9 answers have 2 digits to the base 3, got the dimension 3"),
        ((10**7, 0.5, 149, 4), "at most 2^26 points, whose counts fill 512 MiB, got 496214701"),
        ((5, 0.25, 3, 2), "keep must be a multiple of 2^-53 above 4/13 = 0.307692 and below 1"),
        ((5, 1.0, 3, 2), "keep must be a multiple of 2^-53"),
        ((5, 0.3125 + 2.0**-54, 3, 2), "got 0.3125"),
    ],
)
def test_what_is_no_geometry_is_refused_in_a_sentence(
    arguments: tuple[int, float, int, int], sentence: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        ProjectiveGeometry(*arguments)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("family", FAMILIES)
def test_more_answers_than_memory_bears_are_refused(family: Any) -> None:
    assert family.calibrate(MOST_POINTS // 8, 1.0).points <= MOST_POINTS
    for k in (MOST_POINTS, 10**8, 2**32):
        with pytest.raises(ParameterError, match=rf"at most 2\^26 points.* {k} answers need more"):
            family.calibrate(k, 1.0)
    with pytest.raises(ParameterError, match=r"between 2 and 2\^32"):
        family.calibrate(2**32 + 1, 1.0)


def test_the_widest_matrix_is_counted() -> None:
    assert HadamardResponse(MOST_POINTS - 1, 0.75).points == MOST_POINTS


@pytest.mark.parametrize(
    ("mechanism", "width"),
    [
        (HadamardResponse(255, 0.75), 1),
        (HadamardResponse(256, 0.75), 2),
        (ProjectiveGeometry(251, 0.75, 251, 1), 1),
        (ProjectiveGeometry(257, 0.75, 257, 1), 2),
        (ProjectiveGeometry(5, 0.75, 65537, 1), 4),
        (LocalHashing(251, 0.75, 2, 8), 2),
    ],
    ids=repr,
)
def test_a_report_takes_the_fewest_bytes(mechanism: PointMechanism, width: int) -> None:
    assert mechanism.report_dtype.itemsize == width


def test_what_has_few_points_is_enumerated() -> None:
    assert ProjectiveGeometry(5, 0.5, 997, 1).not_enumerable is None
    assert ProjectiveGeometry(5, 0.5, 1009, 1).not_enumerable == "not at 1,010 points (up to 1,000)"
    assert HadamardResponse(8, 0.75).not_enumerable is None
    assert str(HadamardResponse(9, 0.75).not_enumerable).startswith("not at 9 answers")


def test_a_report_outside_the_range_is_refused_by_its_position() -> None:
    mechanism = ProjectiveGeometry(5, 0.5, 3, 2)
    reports = np.array([(0,), (12,), (13,), (14,)], mechanism.report_dtype)
    mechanism.aggregate(reports[:2])
    with pytest.raises(InvalidReport, match="position 2 says 13; points are numbered 0 to 12"):
        mechanism.aggregate(reports)


def test_nobody_is_randomised_when_one_answer_is_wrong() -> None:
    rng = Scripted([])
    for mechanism in THREE:
        with pytest.raises(InvalidAnswer):
            mechanism.randomize([0, 1, 5], rng)
    assert rng.used == 0


def test_a_long_batch_is_even_blocks_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for family in FAMILIES:
        mechanism = family.calibrate(43, 1.0)
        values = random_values(mechanism, 2501, Seeded(1))
        together, apart = Seeded(2), Seeded(2)
        blocks = [mechanism.randomize(part, apart) for part in np.split(values, [833, 1667])]
        with monkeypatch.context() as patch:
            patch.setattr("sudare.mechanisms.points._BLOCK", 1000)
            reports = mechanism.randomize(values, together)
        assert reports.tobytes() == np.concatenate(blocks).tobytes()


@pytest.mark.parametrize("truth", [[10**6, 0, 3, 7, 10], [40, 0, 3, 0, 1], [0, 0, 0, 0, 0]])
def test_simulations_count_everybody_however_they_draw(
    truth: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many of one answer at once, the others one by one, in as many parts as it takes."""
    monkeypatch.setattr("sudare.mechanisms.point_reports._SIMULATED", 7)
    for mechanism in THREE:
        total = mechanism.simulate(truth, Seeded(1))
        assert total.counts.sum() == total.n == sum(truth)
        assert len(total.counts) == mechanism.points


def test_a_simulation_of_many_has_the_shares(seed: int) -> None:
    """Six standard errors for each of 5 answers: by chance, once in 10^8."""
    truth = np.array([500_000, 300_000, 150_000, 50_000, 0])
    for mechanism in THREE:
        estimate = mechanism.estimate(mechanism.simulate(truth, Seeded(seed)))
        off = np.abs(estimate.values - truth / truth.sum()) / estimate.stderr
        assert off.max() < 6.5
        wrong = replace(mechanism, keep=mechanism.keep + 1 / 32)
        biased = wrong.debiased(mechanism.simulate(truth, Seeded(seed)))
        assert (np.abs(biased.values - truth / truth.sum()) / biased.stderr).max() > 6.5

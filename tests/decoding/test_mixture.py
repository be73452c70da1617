"""The most likely mixture: its certificate, its rivals, closed forms, and the truth itself."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare import GRR, OUE, Collection, Mechanism, Rappor, Seeded, exact_law
from sudare.decoding import likelihoods as module
from sudare.decoding.likelihoods import decoy_digests, likelihoods
from sudare.decoding.mixture import CERTIFIED, Mixture, most_likely_mixture, stderr_of
from sudare.decoding.quadratic import nonnegative_minimum
from sudare.errors import ParameterError
from sudare.estimation.likelihood import most_likely
from sudare.mechanisms.bloom import design_rows
from support.compiled import NEVER, compiled_from

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Matrix:
    """Likelihoods that are there."""

    whole: Floats

    @property
    def n(self) -> int:
        return len(self.whole)

    @property
    def size(self) -> int:
        return int(self.whole.shape[1])

    def block(self, rows: slice) -> Floats:
        return self.whole[rows]


def drawn(case: int, seed: int) -> Matrix:
    """A mixture of every temper: flat and steep, few reports and many, twins among the columns."""
    generator = Seeded(seed + case).generator()
    n, size = int(generator.integers(1, 400)), int(generator.integers(2, 40))
    steep = float(generator.uniform(0.05, 4))
    whole = np.exp(steep * generator.normal(size=(n, size)))
    if case % 3 == 0:
        whole[:, -1] = whole[:, 0]
    return Matrix(whole)


def log_likelihood(matrix: Matrix, shares: Floats) -> float:
    return float(np.log(matrix.whole @ shares).sum())


cases = pytest.mark.parametrize("case", range(30))


@cases
def test_the_certificate_holds_against_any_rival(case: int, seed: int) -> None:
    matrix = drawn(case, seed)
    found = most_likely_mixture(matrix)
    assert found.shares.min() >= 0
    assert abs(found.shares.sum() - 1) < 1e-12
    assert found.gap <= CERTIFIED
    np.testing.assert_allclose(
        found.gains, (matrix.whole / (matrix.whole @ found.shares)[:, None]).mean(axis=0)
    )
    generator = Seeded(seed).generator()
    rivals = [
        *generator.dirichlet(np.ones(matrix.size), 50),
        *generator.dirichlet(np.full(matrix.size, 0.1), 50),
        *(0.99 * found.shares + 0.01 * np.eye(matrix.size)),
    ]
    best = log_likelihood(matrix, found.shares)
    assert best == pytest.approx(found.log_likelihood, abs=1e-7)
    assert max(log_likelihood(matrix, rival) for rival in rivals) <= best + found.gap + 1e-9


def test_plain_expectation_maximisation_climbs_to_the_same_height(seed: int) -> None:
    matrix = drawn(1, seed)
    found = most_likely_mixture(matrix)
    shares = np.full(matrix.size, 1 / matrix.size)
    for _ in range(3000):
        shares *= (matrix.whole / (matrix.whole @ shares)[:, None]).mean(axis=0)
    assert log_likelihood(matrix, shares) <= found.log_likelihood + found.gap + 1e-9


def test_many_components_are_certified_all_the_same(seed: int) -> None:
    """More than the working set holds."""
    whole = np.exp(Seeded(seed).generator().normal(size=(200, 3000)))
    found = most_likely_mixture(Matrix(whole))
    assert found.gap <= CERTIFIED


def test_progress_hears_a_falling_gap(seed: int) -> None:
    heard: list[float] = []
    most_likely_mixture(drawn(4, seed), heard.append)
    assert heard
    assert heard[-1] < heard[0]


@cases
def test_the_quadratic_program_meets_its_conditions(case: int, seed: int) -> None:
    generator = Seeded(seed + case).generator()
    size = int(generator.integers(1, 30))
    root = generator.normal(size=(size, size + 3))
    gram, linear = root @ root.T, generator.normal(size=size)
    point = nonnegative_minimum(gram, linear, generator.random(size) < 0.5)
    slope = gram @ point - linear
    assert point.min() >= 0
    assert slope.min() > -1e-9
    assert abs(point @ slope) < 1e-9


# Likelihoods of reports

TINY = [
    Rappor(2, 1, 2, 0.0, 0.25, 0.5),
    Rappor(4, 1, 2, 0.5, 0.0, 1.0),
    Rappor(4, 2, 1, 0.5, 0.0, 1.0),
    Rappor(3, 0, 1, 0.5, 0.25, 0.75),
    GRR(3, 0.75),
    OUE(3, 0.5, 0.25),
]
TEXTS = ["green", "black", "oolong"]


def law(mechanism: Mechanism) -> tuple[NDArray[np.void], list[list[Fraction]]]:
    """Every possible report, and its exact chance under each of three answers."""
    texts = isinstance(mechanism, Rappor) and mechanism.hashes
    values = list(mechanism.domain.check(TEXTS)) if texts else list(mechanism.domain)
    laws = [_law(mechanism, np.array([value])) for value in values]
    reports = sorted(set().union(*laws), key=repr)
    table = [[one.get(report, Fraction(0)) for one in laws] for report in reports]
    return np.frombuffer(b"".join(reports), mechanism.report_dtype), table


def _law(mechanism: Mechanism, held: NDArray[np.void]) -> dict[bytes, Fraction]:
    return exact_law(lambda rng: mechanism.randomize(held, rng).tobytes())


tiny = pytest.mark.parametrize("mechanism", TINY, ids=repr)


def columns(mechanism: Mechanism, reports: NDArray[np.void], *, other: bool) -> Floats:
    texts = isinstance(mechanism, Rappor) and mechanism.hashes
    digests = mechanism.domain.check(TEXTS) if texts else None
    return likelihoods(mechanism, reports, digests, other=other).block(slice(0, len(reports)))


@tiny
def test_likelihoods_are_the_enumerated_chances(mechanism: Mechanism) -> None:
    """Up to a factor per report."""
    reports, table = law(mechanism)
    chances = np.array([[float(chance) for chance in row] for row in table])
    found = columns(mechanism, reports, other=False)
    np.testing.assert_allclose(found / found[:, :1], chances / chances[:, :1])


@tiny
def test_on_the_exact_law_the_most_likely_shares_are_the_truth(mechanism: Mechanism) -> None:
    """Each report as often as its chance says: no luck is left, and no bias either."""
    reports, table = law(mechanism)
    truth = [Fraction(1, 2), Fraction(3, 8), Fraction(1, 8)]
    chances = [sum(map(Fraction.__mul__, row, truth), Fraction(0)) for row in table]
    whole = lcm(*(chance.denominator for chance in chances))
    people = np.repeat(reports, [int(chance * whole) for chance in chances])
    matrix = Matrix(columns(mechanism, people, other=False))
    expected = np.array([float(share) for share in truth])
    slope = (matrix.whole / (matrix.whole @ expected)[:, None]).mean(axis=0)
    np.testing.assert_allclose(slope, 1, atol=1e-12)  # nowhere is likelier
    found = most_likely_mixture(matrix)
    assert log_likelihood(matrix, expected) <= found.log_likelihood + 1e-9
    if np.linalg.matrix_rank(matrix.whole) == 3:  # else two texts share all their bits
        np.testing.assert_allclose(found.shares, expected, atol=1e-5)


def test_other_is_the_mean_over_all_filters() -> None:
    mechanism = Rappor(8, 3, 1, 0.0, 0.25, 0.5)
    reports = mechanism.randomize(TEXTS * 40, Seeded(1))
    found = columns(mechanism, reports, other=True)
    said = np.unpackbits(reports["bits"].view(np.uint8), axis=1, bitorder="little")[:, :8]

    def ratio(ones: list[int]) -> Floats:
        """By how many of these bits the report says 1 to."""
        met = said[:, ones].sum(axis=1).astype(float)
        return np.asarray((0.5 / 0.25) ** met * (0.5 / 0.75) ** (3 - met))

    mean = np.mean([ratio(list(ones)) for ones in combinations(range(8), 3)], axis=0)
    own = design_rows(mechanism.domain.check(TEXTS[:1]), 1, 3, 8)[0].tolist()
    np.testing.assert_allclose(found[:, -1] / found[:, 0], mean / ratio(own))


@pytest.mark.parametrize("hashes", [1, 2, 5])
@pytest.mark.parametrize("bits", [16, 64, 256])
def test_the_kernel_repeats_the_plain_path(hashes: int, bits: int, seed: int) -> None:
    mechanism = Rappor(bits, hashes, 7, 0.25, 0.25, 0.75)
    reports = mechanism.randomize([f"text {i % 50}" for i in range(500)], Seeded(seed))
    found = []
    for size in (0, NEVER):
        with compiled_from(size):
            made = likelihoods(mechanism, reports, decoy_digests(20))
            found.append(made.block(slice(3, 400)))
    np.testing.assert_array_equal(found[0], found[1])


def test_what_is_not_kept_is_computed_again(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    mechanism = Rappor(64, 4, 4, 0.0, 0.25, 0.75)
    reports = mechanism.randomize([f"text {i % 9}" for i in range(3000)], Seeded(seed))
    made = likelihoods(mechanism, reports, mechanism.domain.check([f"text {i}" for i in range(12)]))
    kept = most_likely_mixture(made.kept())
    monkeypatch.setattr(module, "_KEPT", 0)
    assert made.kept() is made
    again = most_likely_mixture(made)
    np.testing.assert_allclose(again.shares, kept.shares, atol=1e-12)


def test_for_grr_it_is_the_most_likely_of_the_counts(seed: int) -> None:
    mechanism = GRR.calibrate(6, 1.0)
    reports = mechanism.randomize(np.repeat(np.arange(3), 400), Seeded(seed))
    found = most_likely_mixture(likelihoods(mechanism, reports))
    expected = most_likely(mechanism.evidence(mechanism.aggregate(reports)))
    np.testing.assert_allclose(found.shares, expected.shares, atol=1e-5)


def test_extreme_odds_do_not_overflow() -> None:
    mechanism = Rappor(1024, 500, 1, 0.0, 2.0**-53, 1 - 2.0**-53)
    reports = mechanism.randomize(TEXTS * 5, Seeded(1))
    digests = mechanism.domain.check(TEXTS)
    found = most_likely_mixture(likelihoods(mechanism, reports, digests))
    np.testing.assert_allclose(found.shares, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-9)
    assert stderr_of(likelihoods(mechanism, reports, digests), found)[:3].max() < 1e-6


def test_free_text_needs_candidates() -> None:
    mechanism = Rappor(4, 1, 1, 0.0, 0.25, 0.75)
    with pytest.raises(ParameterError, match="name candidates"):
        likelihoods(mechanism, mechanism.randomize(TEXTS, Seeded(1)))


# Standard errors


def test_the_errors_of_grr_are_those_of_its_estimator(seed: int) -> None:
    """Inside the simplex both are the same estimator, so both have the same error."""
    mechanism = GRR.calibrate(3, 2.0)
    reports = mechanism.randomize(np.repeat(np.arange(3), [4000, 3000, 2000]), Seeded(seed))
    made = likelihoods(mechanism, reports)
    found = most_likely_mixture(made)
    expected = mechanism.estimate(mechanism.aggregate(reports))
    np.testing.assert_allclose(found.shares, expected.values, atol=1e-6)
    np.testing.assert_allclose(stderr_of(made, found), expected.stderr, rtol=1e-3)


def test_twins_have_infinite_errors(seed: int) -> None:
    whole = np.exp(Seeded(seed).generator().normal(size=(300, 3)))
    matrix = Matrix(whole[:, [0, 1, 2, 2]])
    shares = np.array([0.2, 0.2, 0.3, 0.3])
    gains = (matrix.whole / (matrix.whole @ shares)[:, None]).mean(axis=0)
    errors = stderr_of(matrix, Mixture(300, shares, gains, 0.0, 1))
    assert np.isinf(errors).tolist() == [False, False, True, True]
    alone = Mixture(300, np.array([0.2, 0.2, 0.6, 0.0]), gains, 0.0, 1)
    assert np.isinf(stderr_of(matrix, alone)).tolist() == [False, False, False, True]


def test_a_collections_reports_serve_as_well(seed: int) -> None:
    collection = Collection("tea", "Which tea?", tuple(TEXTS), OUE.calibrate(3, 3.0))
    reports = collection.randomize(["green"] * 900 + ["black"] * 300, Seeded(seed))
    made = likelihoods(collection.mechanism, reports)
    found = most_likely_mixture(made)
    errors = stderr_of(made, found)
    assert (np.abs(found.shares - [0.75, 0.25, 0]) < 6.5 * errors).all()

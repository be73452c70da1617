"""The port of google/rappor's decoder: what it solves is solved, and the truth comes back."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.strings import digests
from support.scripts import benchmark_module

PORT = benchmark_module("peers.google_rappor")
COHORTS, BITS, HASHES = 32, 16, 2

Floats = NDArray[np.float64]


def design(candidates: int) -> Design:
    hashed = digests("ab" * 32, [b"v%d" % number for number in range(candidates)])
    return Design(design_rows(hashed, COHORTS, HASHES, BITS), COHORTS, BITS)


def without_noise(columns: Design, shares: Floats, people: int = 10**6) -> BitShares:
    """Every cohort has the same people, whose bits are reported as they are."""
    held = np.zeros(columns.height)
    for row, share in zip(columns.rows[:], shares, strict=True):
        held[row] += share * people
    sums = np.rint(held).astype(np.int64).reshape(COHORTS, BITS)
    return BitShares(np.full(COHORTS, people), sums, 1.0, 0.0)


def noisy(columns: Design, shares: Floats, seed: int, people: int = 2000) -> BitShares:
    generator = np.random.default_rng(seed)
    exact = without_noise(columns, shares, people)
    sums = generator.binomial(exact.sums, 0.75) + generator.binomial(people - exact.sums, 0.5)
    return BitShares(exact.sizes, sums, 0.75, 0.5)


def population(candidates: int) -> Floats:
    """Eight of the candidates are held, from 30 % down to 4 %; a tenth of the people by others."""
    shares = np.zeros(candidates)
    shares[:8] = np.array([30, 16, 12, 10, 8, 6, 4, 4]) / 100
    return shares


@pytest.mark.parametrize("candidates", [100, 800])  # least squares at once, and after the LASSO
def test_without_noise_the_truth_comes_back(candidates: int) -> None:
    columns, shares = design(candidates), population(candidates)
    assert (candidates > PORT.FULL * columns.height) == (candidates == 800)
    rows = PORT.Rows.of(without_noise(columns, shares))
    assert np.abs(PORT.fit(columns, rows) - shares).max() < 1e-6
    other = shares[::-1].copy()
    assert np.abs(PORT.fit(columns, rows) - other).max() > 0.2  # and nothing else does


def test_those_who_are_there_are_reported() -> None:
    columns, shares = design(800), population(800)
    bits = without_noise(columns, shares)
    decoded = PORT.decode(columns, bits, np.random.default_rng(1))
    assert set(range(8)) <= set(decoded.found.tolist())
    assert decoded.found[0] == 0
    assert np.abs(decoded.shares - shares).max() < 5e-3
    assert (decoded.shares * bits.n == np.rint(decoded.shares * bits.n)).mean() > 0.99  # people
    assert (decoded.shares[decoded.found] > 2 * decoded.stderr[decoded.found]).all()


def test_the_programme_is_solved(seed: int) -> None:
    """Karush, Kuhn and Tucker: no slope, nothing forbidden, and a price only at a bound."""
    generator = np.random.default_rng(seed)
    for _ in range(20):
        matrix = generator.normal(size=(60, 40))
        gram, linear = matrix.T @ matrix, generator.normal(size=40) * 10
        sides = np.vstack([np.ones(40), generator.integers(0, 2, (10, 40))])
        bounds = generator.uniform(0.05, 0.3, 11)
        point, (prices, tolls) = PORT.minimum(gram, linear, sides, bounds)

        def slope(
            at: Floats,
            gram: Floats = gram,
            linear: Floats = linear,
            dual: Floats = sides.T @ tolls - prices,
        ) -> float:
            return float(np.abs(gram @ at - linear + dual).max())

        assert slope(point) < 1e-6
        assert slope(point * 1.001) > 1e-4  # a point beside it would be noticed
        assert point.min() >= 0
        assert prices.min() >= 0
        assert tolls.min() >= 0
        assert (sides @ point <= bounds + 1e-9).all()
        assert point @ prices == 0
        assert tolls @ (bounds - sides @ point) < 1e-8
        assert (point == 0).any()
        assert (tolls > 1e-3).any()  # the bounds matter


def test_the_constrained_fit_keeps_its_bounds(seed: int) -> None:
    """Also where plain least squares would not."""
    columns, shares = design(60), population(60) / population(60).sum()
    rows = PORT.Rows.of(noisy(columns, shares, seed))
    low = replace(rows, shares=rows.shares.copy())
    low.shares[columns.rows[:][0, :4]] = -1.0  # four sums that contradict the commonest string
    matrix = PORT.dense(columns, np.arange(60))
    point = PORT.constrained(matrix, low)
    bounds = np.clip(low.shares + 3 * low.deviations, 0.01, 1)
    plain = np.linalg.lstsq(matrix, low.shares, rcond=None)[0]
    assert plain.min() < 0
    assert (matrix @ plain > bounds + 1e-6).any()
    assert point.min() >= 0
    assert point.sum() <= 1 + 1e-9
    assert (matrix @ point <= bounds + 2e-9).all()
    assert point[0] <= 0.01 + 2e-9


def test_the_path_ends_at_a_minimum_of_the_lasso(seed: int) -> None:
    columns = design(3000)
    rows = PORT.Rows.of(noisy(columns, population(3000), seed))
    ended = PORT.propose(columns, rows.shares)
    assert 50 < ended.support.size <= PORT.FULL * columns.height
    assert ended.coefficients.min() > 0
    assert np.allclose(ended.gradient[ended.support], ended.penalty, rtol=1e-3, atol=0)
    assert ended.gradient.max() <= ended.penalty * (1 + 1e-3)
    assert (np.delete(ended.gradient, ended.support) < ended.penalty).mean() > 0.99
    centred = PORT.dense(columns, ended.support) - columns.density
    residual = rows.shares - rows.shares.mean() - centred @ ended.coefficients
    assert np.allclose(centred.T @ residual / columns.height, ended.gradient[ended.support])


def test_weights_are_at_most_twice_their_median() -> None:
    weights = PORT.row_weights(np.array([1.0, 1.0, 0.5, 0.1, 0.0]))
    assert np.allclose(weights / weights[0], [1, 1, 2, 3, 3])  # finite: 1, 1, 2, 10; median 1.5
    assert weights.mean() == pytest.approx(1)
    assert np.array_equal(PORT.row_weights(np.zeros(3)), np.ones(3))


def test_a_cohort_without_reports_is_left_out(seed: int) -> None:
    columns, shares = design(60), population(60)
    full = noisy(columns, shares, seed)
    sizes, sums = full.sizes.copy(), full.sums.copy()
    sizes[5], sums[5] = 0, 0
    without = BitShares(sizes, sums, full.holder, full.others)
    rows, part = PORT.Rows.of(without), PORT.reporting(columns, sizes)
    kept = np.repeat(np.arange(COHORTS) != 5, BITS)
    assert np.array_equal(rows.shares, PORT.Rows.of(full).shares[kept])
    everyone = np.arange(60)
    assert np.array_equal(PORT.dense(part, everyone), PORT.dense(columns, everyone)[kept])
    decoded = PORT.decode(columns, without, np.random.default_rng(seed))
    assert decoded.found[0] == 0

"""The decoder of google/rappor, ported from what its R code does (``decode.R``, commit a13fa96).

1. Each bit sum is debiased to a share of its cohort, with a binomial standard deviation.
2. If there are more candidates than 0.8 times the rows, a non-negative LASSO with an intercept
   proposes some: glmnet's path of 100 penalties, the last one before more than 500 (or 0.8 times
   the rows) candidates have had a coefficient.
3. Least squares, weighted by 1/σ (no weight above twice the median), over shares that are not
   negative, sum to at most 1, and overshoot no row by more than 3σ.
4. Steps 2 and 3 are repeated four times with noise of the same σ added to the rows. A candidate is
   reported if the mean of its five shares is above two of their standard deviations.

The level and the correction that the R code takes don't enter step 4: its tests are commented out.

What the port does otherwise: a penalty's LASSO is solved further than to glmnet's tolerance, and
the quadratic programme by an interior point rather than by quadprog's dual method (with limSolve's
ridge of 10⁻⁸, so that there is one solution). Inner loops are Sudare's kernels. Every candidate
must have the same number of ones in every cohort.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design
from sudare.kernels.columns import descend

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

FITS = 5
DEVIATIONS = 2.0  # a mean share must exceed so many of its standard deviations
_LEAST_COUNT = 1e-6  # and so many people

FULL = 0.8  # of the rows: more candidates are proposed by the LASSO, and at most so many
_MOST = 500  # of them
_PENALTIES = 100
_EXPLAINED = 0.999  # of the variance: there the path ends
_PRECISE = 1e-12  # of the squared response: what a step of the descent must gain

_RIDGE = 1e-8
_OVERSHOOT = 3.0  # σ
_LEAST_BOUND = 0.01
_MOST_STEPS = 100
_COMPLEMENTARY = 1e-11  # of the objective at 0: where the interior point may stop
_STATIONARY = 1e-10  # of the gradient at 0
_FEASIBLE = 1e-9  # by how much a bound may be passed


@dataclass(frozen=True, eq=False)
class Rows:
    """What the sums of bits say.

    Attributes:
        n: the number of reports.
        shares: the debiased share of each cohort and bit, row after row.
        deviations: their standard deviations σ.
    """

    n: int
    shares: Floats
    deviations: Floats

    @classmethod
    def of(cls, bits: BitShares) -> "Rows":
        """From the sums of bits of the cohorts that have reports."""
        kept = bits.sizes > 0
        sizes, slope = bits.sizes[kept, np.newaxis], bits.holder - bits.others
        shares = (bits.sums[kept] - bits.others * sizes) / (sizes * slope)
        said = bits.others + np.clip(shares, 0, 1) * slope
        deviations = np.sqrt(sizes * said * (1 - said)) / (sizes * slope)
        return cls(bits.n, shares.ravel(), deviations.ravel())

    def again(self, generator: np.random.Generator) -> "Rows":
        """The same with the noise of another survey on top."""
        shares = self.shares + generator.normal(0, self.deviations)
        return Rows(self.n, shares, self.deviations * np.sqrt(2))


@dataclass(frozen=True, eq=False)
class Decoded:
    """What is reported.

    Attributes:
        found: the candidates, by falling share.
        shares: the mean share of every candidate, as a whole number of people (cut off).
        stderr: the standard deviation of its five shares.
    """

    found: Indices
    shares: Floats
    stderr: Floats


def reporting(design: Design, sizes: NDArray[np.int64]) -> Design:
    """The design without the cohorts that nobody reported from."""
    kept = np.flatnonzero(sizes)
    places = design.rows[:].reshape(len(design), design.cohorts, -1)[:, kept].astype(np.int64)
    places += ((np.arange(kept.size) - kept) * design.bits)[:, np.newaxis]
    return Design(places.reshape(len(design), -1).astype(np.uint32), kept.size, design.bits)


def decode(design: Design, bits: BitShares, generator: np.random.Generator) -> Decoded:
    """The five fits, and who is reported for them."""
    design, rows = reporting(design, bits.sizes), Rows.of(bits)
    surveys = [rows] + [rows.again(generator) for _ in range(FITS - 1)]
    fits = np.array([fit(design, survey) for survey in surveys])
    shares, stderr = fits.mean(axis=0), fits.std(axis=0, ddof=1)
    found = np.flatnonzero(shares > DEVIATIONS * stderr + _LEAST_COUNT / rows.n)
    found = found[np.argsort(-shares[found], kind="stable")]
    return Decoded(found, np.floor(rows.n * shares) / rows.n, stderr)


def fit(design: Design, rows: Rows) -> Floats:
    """A share for every candidate."""
    support = np.arange(len(design))
    if len(design) > FULL * design.height:
        support = propose(design, rows.shares).support
    shares = np.zeros(len(design))
    if support.size:
        shares[support] = constrained(dense(design, support), rows)
    return shares


def dense(design: Design, support: Indices) -> Floats:
    """Some candidates' zeros and ones."""
    matrix = np.zeros((design.height, support.size))
    columns = np.repeat(np.arange(support.size), design.rows.shape[1])
    matrix[design.rows[support].ravel(), columns] = 1
    return matrix


class View:
    """The candidates that the path has had to look at, and the products of their columns.

    Attributes:
        design: of all candidates.
        seen: which are in view, in the order in which they came.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.seen = np.empty(0, np.intp)
        self._centred = np.empty((_MOST, design.height))
        self._products = np.empty((_MOST, _MOST))

    def add(self, new: Indices) -> None:
        """Have these candidates in view, too."""
        old, size = self.seen.size, self.seen.size + new.size
        if size > len(self._centred):
            room = 2 * size
            self._centred = np.pad(self._centred[:old], ((0, room - old), (0, 0)))
            self._products = np.pad(self._products[:old, :old], (0, room - old))
        self._centred[old:size] = dense(self.design, new).T - self.design.density
        products = self._centred[:size] @ self._centred[old:size].T / self.design.height
        self._products[:size, old:size] = products
        self._products[old:size, :size] = products.T
        self.seen = np.concatenate([self.seen, new])

    @property
    def gram(self) -> Floats:
        """X'X / n of the centred columns in view."""
        size = self.seen.size
        return np.ascontiguousarray(self._products[:size, :size])


@dataclass(frozen=True, eq=False)
class Proposal:
    """The minimiser of ‖y - b₀ - Xb‖² / 2n + penalty · Σb over b ≥ 0.

    Attributes:
        support: the candidates with a coefficient.
        coefficients: theirs.
        penalty: at which.
        gradient: X'(y - b₀ - Xb) / n of every candidate: the penalty on the support, at most that
            elsewhere.
    """

    support: Indices
    coefficients: Floats
    penalty: float
    gradient: Floats


def propose(design: Design, shares: Floats) -> Proposal:
    """What the LASSO's path ends with.

    A candidate comes into view when its gradient may reach the next penalty by the sequential
    strong rule, or when it was overlooked.
    """
    view, n = View(design), design.height
    response = shares - shares.mean()
    total = float(response @ response) / n
    linear = design.scores(response) / n
    least = 0.01 if n < len(design) else 1e-4
    penalties = float(np.abs(linear).max()) * least ** (np.arange(_PENALTIES) / (_PENALTIES - 1))
    ended = Proposal(np.empty(0, np.intp), np.empty(0), float(penalties[0]), linear)
    point = np.empty(0)
    ever = np.zeros(len(design), np.bool_)
    for penalty in penalties[1:].tolist():
        gradient, needed = ended.gradient, 2 * penalty - ended.penalty
        while True:
            new = np.setdiff1d(np.flatnonzero(gradient > needed), view.seen)
            if not new.size and gradient is not ended.gradient:
                break
            view.add(new)
            point = np.pad(point, (0, new.size))
            descend(view.gram, linear[view.seen], penalty, _PRECISE * total, point)
            support, coefficients = view.seen[point > 0], point[point > 0]
            gradient = design.scores(response - design.fitted(support, coefficients)) / n
            needed = penalty * (1 + 1e-6)
        ever[support] = True
        if ever.sum() > min(_MOST, FULL * n):
            break
        ended = Proposal(support, coefficients, penalty, gradient)
        explained = float(coefficients @ (linear[support] + gradient[support]))
        if explained >= _EXPLAINED * total:
            break
    return ended


def constrained(matrix: Floats, rows: Rows) -> Floats:
    """Weighted least squares over shares b ≥ 0, Σb ≤ 1, Xb ≤ y + 3σ (within 0.01 and 1).

    Few rows are ever overshot: those that are join the programme until none is left.
    """
    weights = row_weights(rows.deviations)
    weighted = matrix * weights[:, np.newaxis]
    gram = weighted.T @ weighted
    gram[np.diag_indices_from(gram)] += _RIDGE
    linear = weighted.T @ (weights * rows.shares)
    bounds = np.clip(rows.shares + _OVERSHOOT * rows.deviations, _LEAST_BOUND, 1)
    bounded = np.zeros(len(bounds), np.bool_)
    while True:
        sides = np.vstack([np.ones(matrix.shape[1]), matrix[bounded]])
        point, _ = minimum(gram, linear, sides, np.r_[1, bounds[bounded]])
        overshot = (matrix @ point > bounds + _FEASIBLE) & ~bounded
        if not overshot.any():
            return point
        bounded |= overshot


def row_weights(deviations: Floats) -> Floats:
    """1/σ, at most twice its median, 1 in the mean."""
    with np.errstate(divide="ignore"):
        weights = 1 / deviations
    finite = weights[np.isfinite(weights)]
    median = float(np.median(finite)) if finite.size else 1.0
    weights = np.minimum(weights, 2 * median)
    return np.asarray(weights / weights.mean())


def minimum(
    gram: Floats, linear: Floats, sides: Floats, bounds: Floats, precise: float = _COMPLEMENTARY
) -> tuple[Floats, tuple[Floats, Floats]]:
    """The minimiser of ½b'Gb - l'b over b ≥ 0 and Cb ≤ d, and the two sorts of multipliers.

    Mehrotra's predictor and corrector from the inside of b > 0; d > 0, so that b = 0 is allowed.
    Of a share and its multiplier the smaller is then taken for 0, as complementarity has it.
    """
    size = linear.size
    point = np.full(size, 0.5 * min(1.0, float(bounds.min())) / size)
    slack = bounds - sides @ point
    scale = max(float(np.abs(linear).max()), 1e-300)
    price, toll = np.full(size, scale), np.full(bounds.size, scale)
    worth = max(float(linear @ point), scale / size)
    for _ in range(_MOST_STEPS):
        dual = gram @ point - linear + sides.T @ toll - price
        primal = sides @ point + slack - bounds
        left = float(point @ price + slack @ toll)
        if left <= precise * worth and np.abs(dual).max() <= _STATIONARY * scale:
            break
        factor = cho_factor(gram + np.diag(price / point), lower=True, check_finite=False)
        inverse = cho_solve(factor, sides.T, check_finite=False)
        small = cho_factor(sides @ inverse + np.diag(slack / toll), lower=True, check_finite=False)
        now = _Now(sides, point, slack, price, toll, dual, primal, factor, inverse, small)
        values = (point, slack, price, toll)
        ahead = now.step(0.0, 0.0)
        reach = _reach(values, ahead)
        then = [value + reach * move for value, move in zip(values, ahead, strict=True)]
        centring = (float(then[0] @ then[2] + then[1] @ then[3]) / left) ** 3
        centring *= left / (size + bounds.size)
        moves = now.step(centring - ahead[0] * ahead[2], centring - ahead[1] * ahead[3])
        reach = min(1.0, 0.99 * _reach(values, moves, 1 / 0.99))
        point, slack, price, toll = (
            value + reach * move for value, move in zip(values, moves, strict=True)
        )
    else:
        raise ArithmeticError(f"the programme is not solved after {_MOST_STEPS} steps")
    held = point * np.diag(gram) > price
    return np.where(held, point, 0.0), (np.where(held, 0.0, price), toll)


@dataclass(frozen=True, eq=False)
class _Now:
    """Where the interior point is, and the factors of Newton's equations there."""

    sides: Floats
    point: Floats
    slack: Floats
    price: Floats
    toll: Floats
    dual: Floats
    primal: Floats
    factor: tuple[Floats, bool]
    inverse: Floats
    small: tuple[Floats, bool]

    def step(self, wanted: Floats | float, wanted_slack: Floats | float) -> tuple[Floats, ...]:
        """The moves towards these products of a share (a slack) and its multiplier."""
        push = -self.dual - self.price + wanted / self.point
        free = cho_solve(self.factor, push, check_finite=False)
        gap = self.sides @ free + self.primal + wanted_slack / self.toll - self.slack
        tolled = cho_solve(self.small, gap, check_finite=False)
        move = free - self.inverse @ tolled
        return (
            move,
            -self.primal - self.sides @ move,
            wanted / self.point - self.price - self.price / self.point * move,
            tolled,
        )


def _reach(values: Sequence[Floats], moves: Sequence[Floats], most: float = 1.0) -> float:
    """How far the moves can go until a value is 0."""
    for value, move in zip(values, moves, strict=True):
        down = move < 0
        if down.any():
            most = min(most, float((-value[down] / move[down]).min()))
    return most

"""The scores of a window mechanism's outputs that make the worst variance of a mean least.

In floats: whatever is found here is rounded to whole scores, and everything that is stated of the
mechanism follows exactly from those.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats

# Outputs, up to an ε: so many that the worst variance is within a twentieth of the least that there
# can be up to ε = 5, and within an eighth up to 8, of a range of many numbers.
_OUTPUTS = ((2.5, 16), (6.0, 32), (math.inf, 64))
_ALL_WIDTHS = 16  # outputs up to which windows of every width are tried
_COMMON = 2520  # of which all distances of nodes are divisors: a coin of each needs no more than it
_FINENESS = (8, 32)  # scores to a smallest distance
_GRID = 4096  # numbers at which a variance is looked at, where a range has more
_LEAST_GAP = 1e-3  # between nodes, on [-1, 1]

Whole = NDArray[np.int64]


class Design(NamedTuple):
    """The shape of a window mechanism."""

    width: int
    """How many consecutive outputs are a window."""
    scores: tuple[int, ...]
    """A whole number for each output: nodes lie where the sums of windows say."""


@lru_cache(maxsize=64)  # a planner asks for the same ones again
def best_design(steps: int, epsilon: float) -> Design:
    """The design with the least worst variance over the numbers ``0 .. steps``."""
    best, found = math.inf, Design(1, (-1, 1))
    if math.exp(-epsilon) == 1:  # nothing can be told, and no float says of what there is less
        return found
    numbers = np.linspace(-1, 1, min(steps, _GRID) + 1)
    for width, scores in _designs(steps, epsilon):
        worst = _worst_variance(width, scores, epsilon, numbers)
        if worst < best * (1 - 1e-9):  # of equals, the one with fewer outputs, which came first
            best, found = worst, Design(width, tuple(scores.tolist()))
    return found


def _designs(steps: int, epsilon: float) -> Iterator[tuple[int, Whole]]:
    """Widths and scores that may be best."""
    outputs = next(count for most, count in _OUTPUTS if epsilon <= most)
    widths = _widths(outputs, epsilon)
    if steps < outputs:  # a node for each number, so that none is rounded
        even = np.ones(steps, np.int64)
        for width in range(1, min(outputs - steps, widths[-1]) + 1):
            values = _Shape(steps + 1, width, epsilon).optimal(even=True)
            for fineness in _FINENESS:
                yield width, _whole_scores(width, values, even, fineness)
    for width in reversed(widths):
        nodes = outputs - width + 1
        values = _Shape(nodes, width, epsilon).optimal(even=False)
        gaps = np.diff(_window_sums(values, width))
        for whole in _whole_gaps(gaps):
            for fineness in _FINENESS:
                yield width, _whole_scores(width, values, whole, fineness)


def _widths(outputs: int, epsilon: float) -> range:
    """Widths of windows that may be best of so many outputs.

    Of many outputs they are those around outputs / e^(ε/3), where the lies and the width of a
    window add about as much to the variance.
    """
    if outputs <= _ALL_WIDTHS:
        return range(1, outputs)
    near = outputs * math.exp(-epsilon / 3)
    return range(max(1, math.floor(near) - 2), math.ceil(near) + 2)


def _window_sums(values: NDArray[Any], width: int) -> NDArray[Any]:
    sums: NDArray[Any] = np.lib.stride_tricks.sliding_window_view(values, width).sum(axis=1)
    return sums


def _chances(nodes: int, width: int, epsilon: float) -> tuple[float, float]:
    """The chance of an output in the window, and of one outside it, at a ratio of e^ε."""
    inside = 1 / (width + (nodes - 1) * math.exp(-epsilon))
    return inside, inside * math.exp(-epsilon)


@dataclass(frozen=True)
class _Shape:
    """Windows of so many outputs, around so many nodes from -1 to 1, at some ε.

    The outputs j and -j count the same, but for the sign: ``x`` is what the upper half counts.
    """

    nodes: int
    width: int
    epsilon: float

    @cached_property
    def signs(self) -> Floats:
        """What each output counts, of each part of x."""
        outputs = self.nodes + self.width - 1
        half = np.arange(outputs // 2)
        signs = np.zeros((outputs, len(half)))
        signs[half, half] = -1
        signs[outputs - 1 - half, half] = 1
        return signs

    @cached_property
    def chances(self) -> Floats:
        """The chance of each output, a row per node."""
        inside, outside = _chances(self.nodes, self.width, self.epsilon)
        outputs = np.arange(len(self.signs))
        member = outputs - np.arange(self.nodes)[:, np.newaxis]
        return np.where((member >= 0) & (member < self.width), inside, outside)

    @cached_property
    def places(self) -> Floats:
        """Where the nodes lie, linear in x."""
        return np.asarray(self.chances @ self.signs)

    def _moments(self, x: Floats) -> tuple[Floats, Floats]:
        """The second moment of each node, and its derivatives."""
        y = self.signs @ x
        return self.chances @ y**2, 2 * (self.chances * y) @ self.signs

    def at_nodes(self, x: Floats) -> tuple[Floats, Floats]:
        """The variance of each node, and its derivatives."""
        moments, slopes = self._moments(x)
        t = self.places @ x
        return moments - t**2, slopes - 2 * t[:, np.newaxis] * self.places

    def between_nodes(self, x: Floats) -> tuple[Floats, Floats]:
        """The largest variance in each gap of the lower half, and its derivatives.

        Between nodes a and b with second moments s and s' a number v has the variance
        s + r (v - a) - v², r = (s' - s) / (b - a), which is largest at v = r / 2 or at an end.
        """
        moments, slopes = self._moments(x)
        t = self.places @ x
        low, high = slice(0, self.nodes // 2), slice(1, self.nodes // 2 + 1)
        start, least = t[low], moments[low]
        gap = np.maximum(t[high] - start, _LEAST_GAP / 2)
        rise = (moments[high] - least) / gap
        v = np.minimum(np.maximum(rise / 2, start), start + gap)
        found = least + rise * (v - start) - v * v
        part, rise = ((v - start) / gap)[:, np.newaxis], rise[:, np.newaxis]
        below, above = (slopes[side] - rise * self.places[side] for side in (low, high))
        return found, (1 - part) * below + part * above

    def optimal(self, *, even: bool) -> Floats:
        """What each output counts, so that the worst variance is least.

        Args:
            even: whether the nodes are equally far from each other, and no number lies between.
        """
        variances = self.at_nodes if even else self.between_nodes
        upper = slice(self.nodes // 2, None) if even else slice(-1, None)
        wanted = np.linspace(-1, 1, self.nodes)
        start = np.asarray(np.linalg.lstsq(self.places, wanted, rcond=None)[0], np.float64)
        steps = np.zeros((0, len(start))) if even else np.diff(self.places, axis=0)
        found = _least_maximum(start, variances, (self.places[upper], wanted[upper]), steps)
        values: Floats = self.signs @ found
        return values


def _least_maximum(
    start: Floats,
    functions: Callable[[Floats], tuple[Floats, Floats]],
    fixed: tuple[Floats, Floats],
    rising: Floats,
) -> Floats:
    """The x with the least maximum of some functions, where A x = b and C x is above 0.

    Args:
        start: x to begin with.
        functions: their values at x, and their derivatives.
        fixed: A and b.
        rising: C.
    """
    from scipy import optimize  # heavy, and only a new mechanism needs it

    a, b = fixed
    goal = np.append(np.zeros(len(start)), 1.0)  # behind x stands what no function exceeds
    equal = np.column_stack([a, np.zeros(len(a))])
    above = np.column_stack([rising, np.zeros(len(rising))])

    def slack(z: Floats) -> Floats:
        return np.append(z[-1] - functions(z[:-1])[0], above @ z - _LEAST_GAP)

    def slopes(z: Floats) -> Floats:
        derived = functions(z[:-1])[1]
        return np.vstack([np.column_stack([-derived, np.ones(len(derived))]), above])

    minimize: Any = optimize.minimize  # whose types don't know rules with derivatives
    rules = [
        {"type": "ineq", "fun": slack, "jac": slopes},
        {"type": "eq", "fun": lambda z: equal @ z - b, "jac": lambda _: equal},
    ]
    found = minimize(
        lambda z: float(goal @ z),
        np.append(start, functions(start)[0].max()),
        jac=lambda _: goal,
        constraints=rules,
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-10},
    )
    return np.asarray(found.x[:-1])


def _whole_gaps(gaps: Floats) -> Iterator[Whole]:
    """Distances of nodes near these, up to a factor, each a divisor of ``_COMMON``."""
    divisors = np.array([d for d in range(1, _COMMON + 1) if _COMMON % d == 0])
    seen = set()
    for largest in divisors:
        wanted = np.maximum(gaps / gaps.max() * largest, 0.5)
        off = np.abs(np.log(divisors / wanted[:, np.newaxis]))
        whole = divisors[off.argmin(axis=1)]
        whole //= np.gcd.reduce(whole)
        if tuple(whole) not in seen:
            seen.add(tuple(whole))
            yield whole


def _whole_scores(width: int, values: Floats, gaps: Whole, fineness: int) -> Whole:
    """Whole scores near some values, up to a factor, whose windows' sums have these distances.

    The sum of a window exceeds that of the one before by the score that is new in it, less the one
    that is not in it any more: so scores at a distance of ``width`` from each other follow from
    one of them.
    """
    scores = np.empty(len(values), np.int64)
    sums = _window_sums(values, width)
    scaled = values * (fineness * gaps.sum() / (sums[-1] - sums[0]))
    for first in range(width):
        chain = np.arange(first, len(values), width)
        above = np.append(0, np.cumsum(fineness * gaps[chain[:-1]]))
        scores[chain] = above + round(float((scaled[chain] - above).mean()))
    scores //= np.gcd.reduce(scores)
    return scores


def _worst_variance(width: int, scores: Whole, epsilon: float, numbers: Floats) -> float:
    """The largest variance of one report's part of the mean, of these numbers from -1 to 1."""
    sums = _window_sums(scores, width).astype(np.float64)
    inside, outside = _chances(len(sums), width, epsilon)
    nodes = 2 * (sums - sums[0]) / (sums[-1] - sums[0]) - 1
    values = 2 * scores / ((inside - outside) * (sums[-1] - sums[0]))
    values = values - (outside * values.sum() + (inside - outside) * values[:width].sum()) - 1
    squares = values**2
    moments = outside * squares.sum() + (inside - outside) * _window_sums(squares, width)
    return float((np.interp(numbers, nodes, moments) - numbers**2).max())

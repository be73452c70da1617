"""A causal filter over the rounds of a stream: smoother, under an assumption.

What comes out is model-based. It assumes that the share moves like a random walk of small normal
steps, and that the rounds' errors are normal and independent. Where the share moves slowly, that
gains much; just after a jump it is wrong, and its standard error doesn't say so. The unbiased
estimate of each round assumes nothing.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats, Interval, check_level
from sudare.estimation.rounds import StreamEstimate

# Steps per round that are tried: none, then each twice the last, up to "anywhere".
DRIFTS = (0.0, *(2.0**-power for power in range(10, 0, -1)))
_FORGET = 0.02  # of the belief in the drifts, per round: what was learned long ago may be over


@dataclass(frozen=True, eq=False)
class FilteredStream:
    """Shares of rounds that rest on a model, a random walk of small steps: not unbiased.

    A round's value uses that round and earlier ones, never a later one. It begins with the first
    round that has an estimate; a later one without reports is predicted.

    Attributes:
        rounds: the numbers of the rounds.
        values: the expected share, given the reports so far and the model.
        stderr: its standard error *if the model holds*.
        drift: the step per round that was given, or is believed in by then.
        planned: how many rounds there are in all.
    """

    model: ClassVar[str] = "local level: the share moves like a random walk of small steps"

    rounds: tuple[int, ...]
    values: Floats
    stderr: Floats
    drift: Floats
    planned: int

    def interval(self, level: float = 0.95) -> Interval:
        """For each round the interval of its share at this level, if the model holds."""
        check_level(level)
        from scipy.special import ndtri

        reach = -float(ndtri((1 - level) / 2)) * self.stderr
        return Interval(self.values - reach, self.values + reach)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """A row per planned round, each saying that its numbers are model-based."""
        columns = (self.values, self.stderr, *self.interval(level), self.drift)
        names = ("filtered", "stderr", "low", "high", "drift")
        told = zip(*(column.tolist() for column in columns), strict=True)
        known = dict(zip(self.rounds, told, strict=True))
        nothing = (None,) * len(names)
        return [
            {
                "round": number,
                **dict(zip(names, known.get(number, nothing), strict=True)),
                "model": self.model,
            }
            for number in range(1, self.planned + 1)
        ]


def filtered(estimate: StreamEstimate, *, drift: float | None = None) -> FilteredStream:
    """The stream under a local-level model: Kalman's filter, from the first round on.

    Args:
        estimate: the rounds' own estimates.
        drift: how far the share typically moves from one round to the next (a standard
            deviation). Unless given it is learned on the way: the ``DRIFTS`` are weighted by
            how well each has predicted the rounds so far, the recent ones above all.
    """
    if drift is not None and not 0 <= drift < math.inf:
        raise ParameterError(f"a drift must be at least 0 and finite, got {drift}")
    if not estimate.rounds.size:
        raise ParameterError("0 rounds have reports: a filter needs at least 1")
    drifts = np.array(DRIFTS if drift is None else (drift,))
    belief = np.full(drifts.size, 1 / drifts.size)
    at = {int(number): index for index, number in enumerate(estimate.rounds)}
    first = min(at)
    # Nothing is known before the first round, so it is taken as it is.
    share = np.full(drifts.size, estimate.values[at[first]])
    variance = np.full(drifts.size, _first_variance(estimate, at[first]))
    path = [_mixed(belief, share, variance, drifts)]
    for number in range(first + 1, estimate.planned + 1):
        variance = variance + drifts**2
        if number in at:
            value = estimate.values[at[number]]
            noise = _noise(estimate, at[number], share, variance)
            belief = _judged(belief, value - share, variance + noise)
            gain = variance / (variance + noise)
            share, variance = share + gain * (value - share), (1 - gain) * variance
        path.append(_mixed(belief, share, variance, drifts))
    values, stderr, believed = np.array(path).T
    return FilteredStream(
        tuple(range(first, estimate.planned + 1)), values, stderr, believed, estimate.planned
    )


def _first_variance(estimate: StreamEstimate, index: int) -> float:
    """The variance of the first round, with one report more of each kind: it can't vanish."""
    reports = int(estimate.reports[index])
    said = (int(estimate.ones[index]) + 1) / (reports + 2)
    return said * (1 - said) / reports / (estimate.holder - estimate.others) ** 2


def _noise(estimate: StreamEstimate, index: int, share: Floats, variance: Floats) -> Floats:
    """The variance of a round's estimate, by what was expected of the round.

    Not by the round's own share: a count of 0 would be taken as certain. Of all shares within a
    standard error of the prediction the one nearest to one half has the largest variance.
    """
    reach = np.sqrt(variance)
    nearest = np.maximum(np.minimum(0.5, share + reach), share - reach)
    likely = np.minimum(np.maximum(nearest, 0), 1)
    slope = estimate.holder - estimate.others
    said = estimate.others + slope * likely
    noise: Floats = said * (1 - said) / (estimate.reports[index] * slope**2)
    return noise


def _judged(belief: Floats, surprise: Floats, variance: Floats) -> Floats:
    """The belief in each drift, after it has seen how far its prediction was off."""
    score = -0.5 * (surprise**2 / variance + np.log(variance))
    judged = ((1 - _FORGET) * belief + _FORGET / belief.size) * np.exp(score - score.max())
    return np.asarray(judged / judged.sum(), np.float64)


def _mixed(
    belief: Floats, share: Floats, variance: Floats, drifts: Floats
) -> tuple[float, float, float]:
    """Mean and standard error of a mixture, and its drift."""
    mean = belief @ share
    spread = belief @ (variance + (share - mean) ** 2)
    return float(mean), math.sqrt(spread), float(belief @ drifts)

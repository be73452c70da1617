"""The square wave: a number's bin, reported by a window around it, for the distribution."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.exact import (
    affordable,
    chance_text,
    check_epsilon,
    is_dyadic,
    largest_dyadic,
    too_small,
)
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.estimate import Estimate, Floats
from sudare.estimation.window_shares import WindowShares
from sudare.formats.numbers import counted, whole
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Numbers, SpreadNumbers
from sudare.mechanisms.interface import Mechanism, Records

# People randomised together: enough to pay for a call, few enough for a cache. Part of the
# format: a golden vector of any length means the same to every implementation.
_BLOCK = 1 << 18
_PATHS = 1 << 14  # values times reports that are walked down one by one
_COARSE, _FINE, _LARGE = 16, 32, 2.0  # bins unless others are asked for; fine above this ε
_EVEN = 5  # numbers of a bin from which on one more or less is no more than a fifth
_FEWEST = 5  # bins, of which more are left if they can be even


@dataclass(frozen=True)
class SquareWave(Mechanism):
    """A number's bin, or any other, as one of the outputs in the window that begins there.

    Values are the numbers ``0 .. steps``, which lie in ``bins`` bins of equal width, reports are
    outputs, numbered from 0. Bin b is the window of ``width`` consecutive outputs that begins with
    output b. With chance ``keep`` a report is an output of the window of the number's bin, else one
    of the others, any alike: the square wave of Li et al. ("Estimating Numerical Distributions
    under Local Differential Privacy", SIGMOD 2020), in whole numbers.
    """

    name: ClassVar[str] = "wave"
    steps: int
    bins: int
    width: int
    keep: float

    def __post_init__(self) -> None:
        domain = SpreadNumbers(self.steps, self.bins)
        object.__setattr__(self, "steps", domain.steps)
        object.__setattr__(self, "bins", domain.bins)
        object.__setattr__(self, "width", whole("width", self.width))
        if not 1 <= self.width <= self.bins:
            raise ParameterError(
                f"width must be between 1 and the number of bins, {self.bins}, got {self.width}"
            )
        if not is_dyadic(self.keep) or self.worst_ratio <= 1:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above {self.width / self.outputs:.6g} and "
                f"below 1, got {self.keep!r}"
            )

    @classmethod
    def calibrate(cls, steps: int, epsilon: float, bins: int | None = None) -> Self:
        """The square wave of the most informative width that spends at most ``epsilon``.

        Args:
            steps: of the range of numbers.
            epsilon: the most that a report may cost.
            bins: how many there are; unless it is said, as many as ``usual_bins`` says.
        """
        epsilon = check_epsilon(epsilon)
        if bins is None:
            bins = usual_bins(Numbers(steps).steps + 1, epsilon)
        domain = SpreadNumbers(steps, bins)
        width = _best_width(domain.bins, epsilon)
        guess = width / (width + (domain.bins - 1) * math.exp(-epsilon))

        def ratio(keep: float) -> Fraction:
            return _worst_ratio(domain.bins, width, keep)

        keep = largest_dyadic(guess, lambda keep: affordable(ratio(keep), epsilon))
        if ratio(keep) <= 1:
            raise too_small(epsilon)
        return cls(domain.steps, domain.bins, width, keep)

    @cached_property
    def domain(self) -> SpreadNumbers:
        """The numbers ``0 .. steps``, in bins."""
        return SpreadNumbers(self.steps, self.bins)

    @property
    def outputs(self) -> int:
        """How many outputs there are: as many as windows of ``width`` at each bin need."""
        return self.bins + self.width - 1

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: one output, in a byte, or two where there are more than 256."""
        return np.dtype([("output", np.min_scalar_type(self.outputs - 1).newbyteorder("<"))])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: an output in the window of one number, outside that of another."""
        return _worst_ratio(self.bins, self.width, self.keep)

    @property
    def odds(self) -> str:
        """How often a report says something true, in plain words."""
        window = "the one" if self.width == 1 else f"one of the {self.width:,} neighbours"
        stand = "stands" if self.width == 1 else "stand"
        return (
            f"A device puts the number into one of {counted(self.bins, 'bin')} and names one of "
            f"{counted(self.outputs, 'mark')}: {chance_text(self.keep)} of the time {window} that "
            f"{stand} for the bin, and otherwise any other."
        )

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance, where it would take forever."""
        if (self.steps + 1) * 2 * self.width * (self.bins - 1) <= _PATHS:
            return None
        return f"not of {counted(self.steps, 'step')} in {counted(self.bins, 'bin')}"

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked numbers: an output of the window of each, or another."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            self._surround(values[block], rng, reports["output"][block])
        return reports

    def _surround(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        bins, others = self.domain.bin_of, self.bins - 1
        honest = rng.bernoulli(self.keep, values.shape)
        compiled = isinstance(rng, Keystream) and len(values) >= COMPILE_FROM
        if isinstance(rng, Keystream) and compiled and self.width > 1 and others > 1:
            from sudare.kernels.waves import surround

            near = rng.fair_lanes(self.width, len(values))
            far = rng.fair_lanes(others, len(values))
            surround(values, bins, honest, near, self.width, far, others, out)
            rng.done(near)
            rng.done(far)
        else:
            first = bins[values].astype(np.int64)
            near = first + rng.below(self.width, values.shape)
            far = rng.below(others, values.shape)
            far += self.width * (far >= first)  # skip over the window
            out[:] = np.where(honest, near, far)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every output is one of those that there are."""
        outputs = reports["output"]
        if outputs.size and outputs.max() >= self.outputs:
            where = int(np.argmax(outputs >= self.outputs))
            raise InvalidReport(
                f"the report at position {where} says {outputs[where]}; outputs are numbered 0 to "
                f"{self.outputs - 1}"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports give each output."""
        outputs = reports["output"]
        if len(outputs) >= COMPILE_FROM:
            from sudare.kernels.choices import histogram

            return histogram(outputs, self.outputs)
        counts: NDArray[np.int64] = np.bincount(outputs, minlength=self.outputs)
        return counts

    @cached_property
    def window_shares(self) -> WindowShares:
        """What reports say of the shares of bins, and of sums of them."""
        inside, outside = self.keep / self.width, (1 - self.keep) / (self.bins - 1)
        return WindowShares(self.bins, self.width, inside, outside)

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The unbiased share of people whose number is in each bin."""
        return self.window_shares.shares(aggregate.summed().counts, aggregate.n)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people in a bin."""
        parts: Floats = self.window_shares.parts[answer][reports["output"]]
        return parts

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: how many people of each bin report each output."""
        held = self.domain.held(truth)
        laws = self.window_shares.law.T / self.window_shares.law.sum(axis=0)[:, np.newaxis]
        reported = rng.generator().multinomial(held, laws).sum(axis=0)
        return Aggregate(self.key, int(held.sum()), reported)


def usual_bins(numbers: int, epsilon: float) -> int:
    """How many bins so many numbers have unless somebody says: 16, and 32 above ε = 2.

    Or one for each number where these are fewer. Where they are few, so that bins of one number
    more than others would look like people, as many below that as have the same numbers each.
    """
    most = min(_COARSE if epsilon <= _LARGE else _FINE, numbers)
    if numbers >= _EVEN * most:
        return most
    return next((bins for bins in range(most, _FEWEST, -1) if numbers % bins == 0), most)


def _worst_ratio(bins: int, width: int, keep: float) -> Fraction:
    exact = Fraction(keep)
    return exact * (bins - 1) / ((1 - exact) * width)


def _best_width(bins: int, epsilon: float) -> int:
    """The width whose output tells the most of a bin, all bins alike: in mutual information."""

    def information(width: int) -> float:
        lower = math.exp(-epsilon)  # the chance of any other output, of one of the window
        inside = 1 / (width + (bins - 1) * lower)
        windows = np.minimum(np.arange(1, bins + width), np.arange(bins + width - 1, 0, -1))
        windows = np.minimum(windows, width)  # of how many bins each output is in the window
        chance = inside * (lower + windows / bins * (1 - lower))
        gain = np.log(inside / chance)
        bits = inside * (windows * gain + (bins - windows) * lower * (gain - epsilon))
        return float(bits.sum()) / bins

    return max(range(1, bins + 1), key=information)

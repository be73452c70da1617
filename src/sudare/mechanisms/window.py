"""The window mechanism: a number, rounded at random to a node, reported by a window around it."""

import math
from collections.abc import Sequence
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
from sudare.estimation.estimate import Floats
from sudare.estimation.means import MeanEstimate
from sudare.estimation.window_design import best_design
from sudare.formats.numbers import counted, whole
from sudare.formats.wire import Fields
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Numbers
from sudare.mechanisms.interface import Mechanism, Records

# People randomised together: enough to pay for a call, few enough for a cache. Part of the
# format: a golden vector of any length means the same to every implementation.
_BLOCK = 1 << 18
_MOST_OUTPUTS = 256  # a report is one byte
_MOST_SCORE = 1 << 31
_MOST_BOUND = 1 << 32  # of a number that is drawn
_PATHS = 1 << 16  # of chance, of all values together, that are walked down one by one


@dataclass(frozen=True)
class Window(Mechanism):
    """A number as a node near it, and the node as one of the outputs in a window around it.

    Values are the numbers ``0 .. steps``, reports are outputs, numbered from 0. Node i is the
    window of ``width`` outputs that begins with output i, and stands for the sum of their scores:
    these sums rise from the node of the number 0 to that of the number ``steps``. A device rounds
    its number to one of the two nodes next to it, at random, so that the mean is the number. With
    chance ``keep`` it reports an output of the node's window, else one of the others.
    """

    name: ClassVar[str] = "window"
    steps: int
    width: int
    keep: float
    scores: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", Numbers(self.steps).steps)
        object.__setattr__(self, "width", whole("width", self.width))
        object.__setattr__(self, "scores", tuple(whole("a score", one) for one in self.scores))
        outputs = len(self.scores)
        if not 2 <= outputs <= _MOST_OUTPUTS:
            raise ParameterError(f"there are between 2 and {_MOST_OUTPUTS} scores, got {outputs}")
        if not 1 <= self.width < outputs:
            raise ParameterError(
                f"width must be between 1 and {outputs - 1}, below the number of scores, got "
                f"{self.width}"
            )
        if max(map(abs, self.scores)) > _MOST_SCORE:
            raise ParameterError(f"a score must be between -2^31 and 2^31, got {self.scores}")
        if min(self._gaps) <= 0:
            raise ParameterError(
                f"each score must be above the one {self.width} places before it, got "
                f"{list(self.scores)}"
            )
        if self._bound > _MOST_BOUND:
            raise ParameterError(
                f"rounding {self.steps:,} steps to nodes at such distances takes a number below "
                f"{self._bound:,}; the most is 2^32"
            )
        if not is_dyadic(self.keep) or self.worst_ratio <= 1:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above {self.width / outputs:.6g} and below 1, "
                f"got {self.keep!r}"
            )

    @classmethod
    def calibrate(cls, steps: int, epsilon: float) -> Self:
        """The most accurate one that spends at most ``epsilon``: of the least worst variance."""
        steps, epsilon = Numbers(steps).steps, check_epsilon(epsilon)
        width, scores = best_design(steps, epsilon)
        others = len(scores) - width
        guess = width / (width + others * math.exp(-epsilon))

        def ratio(keep: float) -> Fraction:
            return _worst_ratio(width, others, keep)

        keep = largest_dyadic(guess, lambda keep: affordable(ratio(keep), epsilon))
        if ratio(keep) <= 1:
            raise too_small(epsilon)
        return cls(steps, width, keep, scores)

    @cached_property
    def domain(self) -> Numbers:
        """The numbers ``0 .. steps``."""
        return Numbers(self.steps)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: one output, in a byte."""
        return np.dtype([("output", "u1")])

    @property
    def nodes(self) -> int:
        """How many nodes there are: one for each window."""
        return len(self.scores) - self.width + 1

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: an output in the window of one number, outside that of another."""
        return _worst_ratio(self.width, self.nodes - 1, self.keep)

    @property
    def odds(self) -> str:
        """How often a report says something true, in plain words."""
        outputs = len(self.scores)
        window = (
            "the one that stands"
            if self.width == 1
            else f"one of the {self.width} neighbours that stand"
        )
        return (
            f"A device rounds the number to one of {self.nodes} and names one of {outputs} marks: "
            f"{chance_text(self.keep)} of the time {window} for the rounded "
            f"number, and otherwise one of the other {outputs - self.width}."
        )

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance, where it would take forever."""
        paths = (self.steps + 1) * self._bound * 2 * self.width * (self.nodes - 1)
        if paths <= _PATHS:
            return None
        return f"not of {counted(self.steps, 'step')}, rounded by a number below {self._bound:,}"

    # Where the nodes lie, in exact numbers: node i at ``_unit · _places[i]`` ticks, of which the
    # number v is ``_ticks · v`` above 0.

    @cached_property
    def _gaps(self) -> list[int]:
        """The distance of each node to the next, as a multiple of what divides them all."""
        scores = self.scores
        gaps = [high - low for low, high in zip(scores, scores[self.width :], strict=False)]
        common = math.gcd(*gaps) or 1
        return [gap // common for gap in gaps]

    @cached_property
    def _places(self) -> list[int]:
        return [sum(self._gaps[:node]) for node in range(self.nodes)]

    @property
    def _unit(self) -> int:
        return self.steps // math.gcd(self.steps, self._places[-1])

    @property
    def _ticks(self) -> int:
        return self._places[-1] // math.gcd(self.steps, self._places[-1])

    @property
    def _bound(self) -> int:
        """What a number is drawn below to round by: a multiple of the ticks in every gap."""
        return self._unit * math.lcm(*self._gaps)

    @cached_property
    def _rounding(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each value the node below it, and how many of ``_bound`` draws take the one above.

        The one above is taken with chance (v - a) / (b - a), for nodes at a and b.
        """
        ticks = np.arange(self.steps + 1) * self._ticks
        places = np.array(self._places) * self._unit
        lower = np.minimum(np.searchsorted(places, ticks, side="right") - 1, self.nodes - 2)
        draws = math.lcm(*self._gaps) // np.array(self._gaps)
        return lower, (ticks - places[lower]) * draws[lower]

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked numbers: each is rounded to a node, which is told by its window."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            reports["output"][block] = self._outputs(values[block], rng)
        return reports

    def _outputs(self, values: NDArray[Any], rng: Randomness) -> NDArray[np.int64]:
        lower, rise = self._rounding
        node = lower[values] + (rng.below(self._bound, values.shape) < rise[values])
        honest = rng.bernoulli(self.keep, values.shape)
        inside = rng.below(self.width, values.shape)
        lie = rng.below(self.nodes - 1, values.shape)
        lie += self.width * (lie >= node)  # skip over the window
        return np.where(honest, node + inside, lie)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every output is one of those that have a score."""
        outputs = reports["output"]
        if outputs.size and outputs.max() >= len(self.scores):
            where = int(np.argmax(outputs >= len(self.scores)))
            raise InvalidReport(
                f"the report at position {where} says {outputs[where]}; outputs are numbered 0 to "
                f"{len(self.scores) - 1}"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports give each output."""
        counts: NDArray[np.int64] = np.bincount(reports["output"], minlength=len(self.scores))
        return counts

    # What a report counts. The mean of the scores, over the law of a node, is
    # outside · Σ scores + (inside - outside) · the sum of its window: so a line through the scores
    # makes it the number at which the node lies.

    @cached_property
    def _chances(self) -> tuple[Fraction, Fraction]:
        """The exact chance of an output in a node's window, and of one outside it."""
        keep = Fraction(self.keep)
        return keep / self.width, (1 - keep) / (self.nodes - 1)

    @cached_property
    def parts(self) -> tuple[Fraction, ...]:
        """What a report of each output counts in the mean, exactly, in steps."""
        inside, outside = self._chances
        sums = self._window_sums(self.scores)
        slope = self.steps / ((inside - outside) * (sums[-1] - sums[0]))
        least = outside * sum(self.scores) + (inside - outside) * sums[0]
        return tuple(slope * (score - least) for score in self.scores)

    @cached_property
    def _parts(self) -> Floats:
        return np.array([float(part) for part in self.parts])

    def _window_sums(self, of: Sequence[Any]) -> list[Any]:
        return [sum(of[node : node + self.width]) for node in range(self.nodes)]

    @cached_property
    def node_variances(self) -> tuple[Fraction, ...]:
        """The exact variance of what a report counts, of people whose number is at each node."""
        return tuple(
            moment - place**2
            for moment, place in zip(self._moments, self.node_numbers, strict=True)
        )

    @cached_property
    def node_numbers(self) -> list[Fraction]:
        """Where the nodes lie, exactly, in steps."""
        return [Fraction(self._unit * place, self._ticks) for place in self._places]

    @cached_property
    def _moments(self) -> list[Fraction]:
        """The exact second moment of what a report counts, at each node."""
        inside, outside = self._chances
        squares = [part**2 for part in self.parts]
        blind = outside * sum(squares)
        return [blind + (inside - outside) * own for own in self._window_sums(squares)]

    @property
    def worst_variance(self) -> Fraction:
        """The largest variance of what a report counts, over all numbers, in steps squared."""
        return self._worst[0]

    @property
    def worst_number(self) -> int:
        """A number whose variance that is."""
        return self._worst[1]

    @cached_property
    def _worst(self) -> tuple[Fraction, int]:
        """The largest variance, and the largest number that has it.

        Between two nodes the second moment is a line, so that the variance is largest near
        its vertex, or at an end.
        """
        places, moments = self.node_numbers, self._moments
        found = []
        for i in range(self.nodes - 1):
            slope = (moments[i + 1] - moments[i]) / (places[i + 1] - places[i])
            least, most = math.ceil(places[i]), math.floor(places[i + 1])
            if least > most:
                continue  # no number lies between them
            for vertex in (math.floor(slope / 2), math.ceil(slope / 2)):
                v = min(max(vertex, least), most)
                found.append((moments[i] + slope * (v - places[i]) - v * v, v))
        return max(found)

    @cached_property
    def _noise(self) -> Floats:
        """What a report of each output counts in the variance of the noise.

        Its mean over the law of a node is the variance there: of all numbers for which that is so,
        those nearest to being equal.
        """
        chances = np.full((self.nodes, len(self.scores)), float(self._chances[1]))
        for node, row in enumerate(chances):
            row[node : node + self.width] = float(self._chances[0])
        variances = np.array([float(variance) for variance in self.node_variances])
        middle = variances.mean()
        found: Floats = middle + np.linalg.lstsq(chances, variances - middle, rcond=None)[0]
        return found

    @cached_property
    def _mean_rounding(self) -> float:
        """The variance of rounding to a node, in the mean over all numbers of the range.

        Reports tell nodes and not numbers, so that it can't be seen in them; it is 0 where every
        number is a node.
        """
        lower, rise = self._rounding
        up = rise / self._bound
        gaps = np.diff([float(number) for number in self.node_numbers])
        return float((up * (1 - up) * gaps[lower] ** 2).mean())

    def debiased(self, aggregate: Aggregate) -> MeanEstimate:
        """The unbiased mean, in steps; its error is that of the noise."""
        n, shares = aggregate.n, aggregate.summed().counts / aggregate.n
        noise = max(0.0, float(shares @ self._noise)) + self._mean_rounding
        mean = float(shares @ self._parts)
        return MeanEstimate(
            n=n,
            values=np.array([mean]),
            stderr=np.sqrt([noise / n]),
            slope=np.zeros(1),
            spread=float(shares @ (self._parts - mean) ** 2),
        )

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the sum of all numbers."""
        del answer  # there is one
        parts: Floats = self._parts[reports["output"]]
        return parts

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: its numbers are rounded, then each node's are reported."""
        counts = self.domain.population(truth)
        generator = rng.generator()
        lower, rise = self._rounding
        above = generator.binomial(counts, rise / self._bound)
        held = np.zeros(self.nodes, np.int64)
        np.add.at(held, lower, counts - above)
        np.add.at(held, lower + 1, above)
        inside, outside = (float(chance) for chance in self._chances)
        laws = np.full((self.nodes, len(self.scores)), outside)
        for node, law in enumerate(laws):
            law[node : node + self.width] = inside
        laws /= laws.sum(axis=1, keepdims=True)  # which they do but for rounding
        reported = generator.multinomial(held, laws).sum(axis=0)
        return Aggregate(self.key, int(counts.sum()), reported)


def _worst_ratio(width: int, others: int, keep: float) -> Fraction:
    exact = Fraction(keep)
    return exact * others / ((1 - exact) * width)

"""A number in a range: plans for its mean, or for its distribution."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate, Floats
from sudare.estimation.frequency_error import ShareNoise
from sudare.formats.ranges import Range
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.wave import SquareWave
from sudare.mechanisms.window import Window
from sudare.planning.kinds.interface import (
    QUESTION,
    Design,
    Kind,
    Make,
    each_visit,
    new_collection,
    spent,
    year_epsilon,
)
from sudare.planning.kinds.trials import Population, Told, Trial
from sudare.planning.measures import MeanMeasure, Measure, ShareMeasure
from sudare.planning.wish import Goal, Wish

FOUND_OUT = ("mean", "distribution")
_GUESS = 0.5  # of a range: who says its middle is off by no more; and so of a share


@dataclass(frozen=True, kw_only=True)
class Number(Kind):
    """A number in a range, of which the mean is estimated.

    Attributes:
        least: that may be answered, as a decimal in text.
        largest: that may be answered.
        step: from one number to the next.
        found_out: what is estimated: the mean, or the distribution.
        bins: of a distribution; as many as are usual, unless it is said.
    """

    name: ClassVar[str] = "number"
    curve: ClassVar[tuple[float, ...]] = (0.25, 0.5, 1.0, 2.0, 4.0, 6.0)  # each takes a while
    least: str
    largest: str
    step: str
    found_out: Literal["mean", "distribution"] = "mean"
    bins: int | None = None

    def __post_init__(self) -> None:
        for name in ("least", "largest", "step"):
            object.__setattr__(self, name, str(getattr(self, name)))
        if self.found_out not in FOUND_OUT:
            raise ParameterError(
                f"of a number the {' or the '.join(FOUND_OUT)} is estimated, got {self.found_out!r}"
            )
        if self.bins is not None and self.found_out == "mean":
            raise ParameterError("bins are of a distribution, and the mean has none")
        _ = self.range

    @cached_property
    def range(self) -> Range:
        """The numbers that may be answered."""
        return Range.in_steps_of(self.least, self.largest, self.step)

    @property
    def estimated(self) -> str:  # type: ignore[override]
        """The mean, or a bin."""
        return "the mean" if self.found_out == "mean" else "the share of a bin"

    @property
    def goals(self) -> tuple[Goal, ...]:  # type: ignore[override]
        """A mean has no share to be seen."""
        return ("error", "difference") if self.found_out == "mean" else super().goals

    @property
    def unit(self) -> Literal["share", "number"]:  # type: ignore[override]
        """A mean is a number, a bin has a share."""
        return "number" if self.found_out == "mean" else "share"

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """The one mechanism for what is asked."""
        if self.found_out == "mean":
            if wish.population:
                raise ParameterError(
                    "the mean of a population can't be planned: nobody knows how its numbers differ"
                )
            if wish.share:
                raise ParameterError("a mean is of all numbers, of no share: leave out share")
            return {Window.name: lambda epsilon: self._mean(epsilon, wish)}
        return {SquareWave.name: lambda epsilon: self._distribution(epsilon, wish)}

    def _mean(self, epsilon: float, wish: Wish) -> Design:
        each, steps = each_visit(epsilon, wish), self.range.steps
        made = Window.calibrate(steps, each)
        variance = float(made.worst_variance) * self.scale**2
        # Who has one end as their number, and says what counts most.
        moved = max(float(max(made.parts)), steps - float(min(made.parts))) / steps
        return _design(made, MeanMeasure(variance, wish), wish, each, moved)

    def _distribution(self, epsilon: float, wish: Wish) -> Design:
        each = each_visit(epsilon, wish)
        made = SquareWave.calibrate(self.range.steps, each, self.bins)
        own, other = _noise_of_bins(made)
        noises = {
            (inside, outside): ShareNoise(inside, outside, float(wish.population))
            for inside, outside in zip(own.tolist(), other.tolist(), strict=True)
            if not ((own > inside) & (other > outside)).any()  # which would always be worse
        }
        moved = float(made.window_shares.parts.max())
        return _design(made, ShareMeasure(tuple(noises.values()), wish), wish, each, moved)

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """People with two numbers of large noise; or so many in the bin with the most of it."""
        made: Any = design.mechanism
        if self.found_out == "mean":
            people = self._two_numbers(design, value, reports)
            return trial.told(made, people, reports)
        own, other = _noise_of_bins(made)
        worst = int(np.argmax(value * own + (1 - value) * other))
        first = made.domain.edges[:-1]
        elsewhere = np.delete(first, worst)

        def truth(held: int) -> NDArray[np.int64]:
            counts = np.zeros(self.range.steps + 1, np.int64)
            each, more = divmod(reports - held, len(elsewhere))
            counts[elsewhere] = each
            counts[elsewhere[:more]] += 1
            counts[first[worst]] = held
            return counts

        def read(aggregate: Aggregate) -> Estimate:
            every: Estimate = made.debiased(aggregate)
            bins = slice(worst, worst + 1)
            return replace(
                every, values=every.values[bins], stderr=every.stderr[bins], slope=every.slope[bins]
            )

        return trial.told(made, Population(value, truth, read), reports)

    def _two_numbers(self, design: Design, value: float, reports: int) -> Population:
        """People whose mean is so far above the number of the largest noise, or near to it.

        The noise is as large at the number as far below the largest as that is above the least. If
        the mean lies between the two, all people have one of them.
        """
        made: Any = design.mechanism
        steps, far = self.range.steps, value / self.scale
        few, many = sorted((made.worst_number, steps - made.worst_number))
        if far > steps - few:
            few = 0
        if far > many - few:
            many = steps
        numbers = np.array([few, many])

        def truth(held: int) -> NDArray[np.int64]:
            return np.bincount(numbers, [reports - held, held], steps + 1).astype(np.int64)

        def read(aggregate: Aggregate) -> Estimate:
            found: Estimate = made.debiased(aggregate).scaled(0.0, self.scale)
            return found

        span = (many - few) * self.scale
        share = value / span if span else 0.0
        return Population(share, truth, read, few * self.scale, span)

    def guess(self, goal: Goal) -> float:
        """Half of the range; of a share, a half."""
        if self.found_out == "mean":
            return _GUESS * float(self.range.high - self.range.low) * (2 - (goal == "error"))
        return _GUESS if goal == "error" else 1.0

    @property
    def guessing(self) -> str:
        """What such a guess is."""
        if self.found_out == "mean":
            return "who asks nobody and says the middle of the range is off by no more"
        return "who asks nobody and says a half is off by no more"

    @property
    def counts_changed(self) -> float:
        """A sum changes by the whole range; of a distribution two bins change."""
        return float(self.range.steps) if self.found_out == "mean" else 2.0

    @property
    def scale(self) -> float:
        """A step, for a mean."""
        return float(self.range.step) if self.found_out == "mean" else 1.0

    @property
    def wishes(self) -> dict[str, Any]:
        """The kind's own wishes, by name."""
        return {name: value for name, value in super().wishes.items() if name != "range"}

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        del name
        options = f"--from={self.least} --to={self.largest} --step={self.step}"
        if self.found_out == "distribution":
            options += " --estimate distribution"
        if self.bins is not None:
            options += f" --bins {self.bins}"
        return new_collection(QUESTION, design, options)


def _noise_of_bins(wave: SquareWave) -> tuple[Floats, Floats]:
    """The variance of each bin's share, of people in it and outside, who are spread evenly."""
    windows = wave.window_shares
    squares = windows.parts**2 @ windows.law
    own = squares.diagonal()
    return own - 1, (squares.sum(axis=1) - own) / (wave.bins - 1)


def _design(
    made: Window | SquareWave, measure: Measure, wish: Wish, each: float, moved: float
) -> Design:
    return Design(
        measure,
        spends=spent(made, wish),
        each=each,
        report_bytes=made.report_dtype.itemsize,
        forger_gain=moved,
        year_epsilon=year_epsilon(made),
        mechanism=made,
    )

"""A number in a stated range: how people's numbers are distributed.

What is shown of a distribution is smooth, and biased; what its intervals rest on is unbiased, and
rough. So a share of a bin may lie outside its interval, and then the interval is to be trusted.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate, Floats, Interval, check_level
from sudare.estimation.smoothed import smoothed
from sudare.formats.documents import Count, Shape
from sudare.formats.numbers import as_given
from sudare.formats.ranges import Range, exact
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.interface import (
    DEVIATIONS,
    Agreed,
    Result,
    ResultDocument,
    ResultOptions,
)
from sudare.questions.number import MEAN, MeanRow, NumberQuestion, RangeRow

if TYPE_CHECKING:
    from sudare.mechanisms.wave import SquareWave

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Those that are told, unless others are asked for."""


class BinRow(Shape):
    """The estimated share of the numbers from ``least`` to ``most``, both included."""

    least: float
    most: float
    share: float
    unbiased: float
    stderr: float
    low: float
    high: float


class QuantileRow(Shape):
    """The number that a share of the people are below."""

    quantile: float
    value: float
    low: float
    high: float


class AboveRow(Shape):
    """The share of people whose number is above another."""

    above: float
    share: float
    unbiased: float
    stderr: float
    low: float
    high: float


class DistributionDocument(ResultDocument):
    """The distribution of people's numbers, as ``sudare estimate --json`` says it."""

    n: Count
    level: float
    population: bool
    range: RangeRow
    bins: list[BinRow]
    quantiles: list[QuantileRow]
    above: list[AboveRow]
    estimates: list[MeanRow]


def name_of(least: float, most: float) -> str:
    """The numbers from one to another, in a few words."""
    return as_given(least) if least == most else f"{as_given(least)} to {as_given(most)}"


@dataclass(frozen=True)
class Distribution(NumberQuestion):
    """A question that is answered by a number, of which the distribution is found out."""

    result_document: ClassVar[type[ResultDocument]] = DistributionDocument
    takes_places: ClassVar[bool] = True

    @property
    def estimated(self) -> str:
        """What is found out of the numbers: their distribution."""
        return "distribution"

    @property
    def wave(self) -> "SquareWave":
        """The mechanism that the collection uses."""
        return cast("SquareWave", self.agreed.mechanism)

    @cached_property
    def bins(self) -> list[tuple[float, float]]:
        """The least and the largest number of each bin."""
        edges, span = self.wave.domain.edges.tolist(), self.numbers
        ends = pairwise(edges)
        return [
            (float(span.low + span.step * first), float(span.low + span.step * (past - 1)))
            for first, past in ends
        ]

    @cached_property
    def bin_names(self) -> tuple[str, ...]:
        """The numbers of each bin, in a few words."""
        return tuple(name_of(least, most) for least, most in self.bins)

    def labelled(self, estimate: Estimate) -> Estimate:
        """The mechanism's estimate, by the numbers of each bin."""
        return estimate.labelled(self.bin_names)

    @property
    def weight_names(self) -> Sequence[str]:
        """The names of what a report has a weight for: the bins."""
        return self.bin_names

    def weights_described(self) -> str:
        """For what each report has a weight, as the refusal of anything else ends."""
        return f"each report of “{self.agreed.name}” has one for each of its {self.wave.bins} bins"

    def true_shares(self, values: Iterable[NDArray[Any]]) -> dict[str, float]:
        """The share of people in each bin, and the mean of their numbers."""
        wave, span = self.wave, self.numbers
        held, total = np.zeros(wave.bins, np.int64), 0
        for chunk in values:
            held += np.bincount(wave.domain.bin_of[chunk], minlength=wave.bins)
            total += int(chunk.sum(dtype=np.int64))
        people = max(1, int(held.sum()))
        shares = dict(zip(self.bin_names, (held / people).tolist(), strict=True))
        return shares | {MEAN: float(span.low + span.step * Fraction(total, people))}

    def result(self, weighed: Aggregate, options: ResultOptions) -> "Spread":
        """The shares of bins, quantiles, shares above thresholds and the mean."""
        self.check_options(options)
        released = self.wave.own(self.released(weighed)).summed()
        check_level(options.level)
        for quantile in options.quantiles:
            if not 0 < quantile < 1:
                meant = f": {quantile:g} % is {quantile / 100:g}" if 1 < quantile < 100 else ""
                raise ParameterError(f"a quantile is between 0 and 1, got {quantile:g}{meant}")
        windows, edges = self.wave.window_shares, self.wave.domain.edges
        return Spread(
            collection=self.agreed,
            counts=released.counts,
            n=released.n,
            shares=smoothed(released.counts, windows, np.diff(edges)).shares,
            options=options,
            thresholds=tuple(self._values_up_to(text) for text in options.above),
        )

    def _values_up_to(self, threshold: str | float) -> int:
        """How many of the numbers that may be answered aren't above a threshold."""
        span, place = self.numbers, exact(str(threshold))
        if place is None:
            raise ParameterError(f"a threshold is a number, got {threshold!r}")
        if not span.low <= place < span.high:
            least, most = self.agreed.answers
            raise ParameterError(
                f"a threshold is a number from {least} to below {most}, got {threshold}"
            )
        return math.floor((place - span.low) / span.step) + 1

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of a bin's share, if all numbers are alike."""
        windows = self.wave.window_shares
        parts = windows.parts
        variance = float((parts**2 @ windows.law.mean(axis=1)).mean()) - 1 / windows.bins
        return DEVIATIONS * math.sqrt(variance / people)


@dataclass(frozen=True, eq=False)
class Spread(Result):
    """The distribution of people's numbers.

    Attributes:
        collection: whose numbers.
        counts: how many reports gave each output.
        n: how many there are.
        shares: smooth shares of the bins.
        options: the level, and what is asked for.
        thresholds: for each that is asked for, how many of the numbers aren't above it.
    """

    row: ClassVar[type[Shape]] = BinRow

    collection: Agreed
    counts: NDArray[np.int64]
    n: int
    shares: Floats
    options: ResultOptions
    thresholds: tuple[int, ...]
    truth: Mapping[str, float] | None = None

    @property
    def kind(self) -> Distribution:
        """The question."""
        return cast("Distribution", self.collection.kind)

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return self.options.level

    @property
    def population(self) -> bool:
        """Whether the intervals are for the population that these people were sampled from."""
        return self.options.population

    @property
    def numbers(self) -> Range:
        """The numbers that people may have answered."""
        return self.kind.numbers

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types."""
        return super().columns | self.truth_columns

    @cached_property
    def estimate(self) -> Estimate:
        """The unbiased shares of the bins, by name."""
        wave = self.kind.wave
        found = self.kind.labelled(wave.window_shares.shares(self.counts, self.n))
        return self._sampled(found)

    def _sampled(self, estimate: Estimate) -> Estimate:
        return estimate.of_population() if self.population else estimate

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row for each bin."""
        return self.merged(1)

    def merged(self, bins: int) -> list[dict[str, Any]]:
        """The numbers, a row for so many neighbouring bins each: fewer than there are."""
        count = self.kind.wave.bins
        firsts = np.arange(0, count, bins)
        if bins == 1:
            found = self.estimate
        else:
            taken = np.arange(count) // bins == np.arange(len(firsts))[:, np.newaxis]
            windows = self.kind.wave.window_shares
            found = self._sampled(windows.sums(self.counts, self.n, taken.astype(np.float64)))
        smooth = np.add.reduceat(self.shares, firsts)
        low, high = found.interval(self.level)
        columns = (smooth, found.values, found.stderr, low, high)
        names = ("share", "unbiased", "stderr", "low", "high")
        rows = []
        for first, *cells in zip(
            firsts.tolist(), *(each.tolist() for each in columns), strict=True
        ):
            past = min(first + bins, count)
            ends = {"least": self.kind.bins[first][0], "most": self.kind.bins[past - 1][1]}
            row = ends | dict(zip(names, cells, strict=True))
            rows.append(row | self._true_cells(first, past, row["low"], row["high"]))
        return rows

    def _true_cells(self, first: int, past: int, low: float, high: float) -> dict[str, Any]:
        if self.truth is None:
            return {}
        true = sum(self.truth[name] for name in self.kind.bin_names[first:past])
        return {"truth": true, "holds_truth": low <= true <= high}

    # Places are counted in bins from the least number, of which each has half a step on both sides.

    def _number(self, place: float) -> float:
        """The number at a place, within the range."""
        edges, span = self.kind.wave.domain.edges, self.numbers
        steps = float(np.interp(place, np.arange(len(edges)), edges)) - 0.5
        return float(span.low) + float(span.step) * min(max(steps, 0.0), float(span.steps))

    def _place(self, values: int) -> float:
        """The place below which so many of the numbers lie."""
        edges = self.kind.wave.domain.edges
        return float(np.interp(values, edges, np.arange(len(edges))))

    def _up_to(self, places: Floats) -> Estimate:
        """The share below places, unbiased."""
        windows = self.kind.wave.window_shares
        return self._sampled(windows.up_to(self.counts, self.n, places))

    @cached_property
    def quantiles(self) -> list[dict[str, float]]:
        """The numbers that shares of the people are below, each with its interval."""
        windows = self.kind.wave.window_shares
        before = np.concatenate([[0.0], np.cumsum(self.shares)])
        before[-1] = 1.0  # but for rounding
        rows = []
        for quantile in self.options.quantiles or QUANTILES:
            value = float(np.interp(quantile, before, np.arange(len(before))))
            low, high = windows.place_interval(self._up_to, quantile, self.level)
            cells = (quantile, *(self._number(place) for place in (value, low, high)))
            rows.append(dict(zip(("quantile", "value", "low", "high"), cells, strict=True)))
        return rows

    @cached_property
    def above(self) -> list[dict[str, float]]:
        """The shares of people whose numbers are above thresholds, each with its interval."""
        places = np.array([self._place(values) for values in self.thresholds])
        if not len(places):
            return []
        found = self._up_to(places)
        low, high = found.interval(self.level)
        before = np.concatenate([[0.0], np.cumsum(self.shares)])
        smooth = 1 - np.interp(places, np.arange(len(before)), before)
        thresholds = [float(threshold) for threshold in self.options.above]
        columns = (smooth, 1 - found.values, found.stderr, 1 - high, 1 - low)
        names = ("above", "share", "unbiased", "stderr", "low", "high")
        cells = zip(thresholds, *(column.tolist() for column in columns), strict=True)
        return [dict(zip(names, row, strict=True)) for row in cells]

    def mean_row(self) -> dict[str, Any]:
        """The unbiased mean, if the numbers of a bin are spread evenly, and its interval."""
        wave, span = self.kind.wave, self.numbers
        windows, edges = wave.window_shares, wave.domain.edges
        middles = (edges[:-1] + edges[1:] - 1) / (2 * span.steps)
        found = windows.sums(self.counts, self.n, np.stack([middles, middles**2]))
        mean, square = (float(value) for value in found.values)
        variance = float(found.stderr[0]) ** 2
        if self.population:
            variance += max(0.0, square - mean**2 + variance) / (self.n - 1)
        width = float(span.high - span.low)
        value, stderr = float(span.low) + width * mean, width * math.sqrt(variance)
        reach = self._deviations * stderr
        row = {MEAN: value, "stderr": stderr, "low": value - reach, "high": value + reach}
        return row | self.truth_cells(MEAN, row["low"], row["high"])

    @property
    def _deviations(self) -> float:
        """Half the width of an interval, in standard errors."""
        plain = Estimate(1, np.zeros(1), np.ones(1), np.zeros(1))
        ends: Interval = plain.interval(self.level)
        return float(ends.high[0])

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        return {
            **self.heading(),
            "n": self.n,
            "level": self.level,
            "population": self.population,
            "range": self.kind.range_row(),
            "bins": self.rows(),
            "quantiles": self.quantiles,
            "above": self.above,
            "estimates": [self.mean_row()],
        }

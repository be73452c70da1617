"""Precision, recall and F1 of what was found, over many runs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.significance import benjamini_hochberg

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEVEL = 0.05


@dataclass(frozen=True)
class Score:
    """How well one run found the strings that are held.

    Attributes:
        precision: the share of those found that are held; the listing's 0 where nothing is found.
        recall: the share of those held that are found.
        f1: 2TP / (2TP + FP + FN).
        false: how many are found that nobody holds.
    """

    precision: float
    recall: float
    f1: float
    false: float

    @classmethod
    def of(cls, found: Flags, held: Flags) -> "Score":
        """By who was found and who is held, a flag per candidate."""
        hits, claims, wanted = int((found & held).sum()), int(found.sum()), int(held.sum())
        precision = hits / claims if claims else 0.0
        return cls(precision, hits / wanted, 2 * hits / (claims + wanted), claims - hits)


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of many runs."""

    runs: tuple[Score, ...]

    def mean(self, name: str) -> float:
        """The mean of a score over the runs."""
        return float(self._all(name).mean())

    def deviation(self, name: str) -> float:
        """Its standard deviation from run to run."""
        return float(self._all(name).std(ddof=1))

    def stderr(self, name: str) -> float:
        """The standard error of its mean."""
        return self.deviation(name) / float(np.sqrt(len(self.runs)))

    def _all(self, name: str) -> Floats:
        return np.array([getattr(run, name) for run in self.runs])


@dataclass(frozen=True, eq=False)
class Judged:
    """The same runs judged twice.

    Attributes:
        alone: each candidate by itself at 5 %, as in the document.
        together: with at most 5 % of the discoveries expected to be false.
    """

    alone: Scores
    together: Scores

    @classmethod
    def of(cls, p_values: Iterable[Floats], held: Iterable[Flags]) -> "Judged":
        """From a p-value for every candidate of every run."""
        pairs = list(zip(p_values, held, strict=True))
        alone = tuple(Score.of(p <= LEVEL, truth) for p, truth in pairs)
        together = tuple(Score.of(benjamini_hochberg(p) <= LEVEL, truth) for p, truth in pairs)
        return cls(Scores(alone), Scores(together))


@dataclass(frozen=True, eq=False)
class Line:
    """A curve for ``sudare.results.figures.error_figure``."""

    label: str
    x: Floats
    y: Floats
    stderr: Floats | None = None
    theory: None = None

"""The truth with some chance, else the throw of a die: a mechanism in a package of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import expm1
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare import Aggregate, Categories, Randomness
from sudare.chance.exact import affordable, chance_text, check_epsilon, is_dyadic, largest_dyadic
from sudare.chance.keystream import Keystream
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.likelihood import Evidence
from sudare.formats.wire import Fields
from sudare.mechanisms.interface import CategoricalMechanism, Records


@dataclass(frozen=True)
class Dice(CategoricalMechanism):
    """The true answer with chance ``keep``, else any of the k answers, each with the same."""

    name: ClassVar[str] = "dice"
    keep: float

    def __post_init__(self) -> None:
        Categories(self.k)  # refuses a k that is no number of answers
        if not is_dyadic(self.keep):
            raise ParameterError(f"keep must be a multiple of 2^-53 in (0, 1), got {self.keep!r}")

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most honest die that spends at most ``epsilon``."""
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        odds = expm1(min(epsilon, 40)) / k
        return cls(
            k, largest_dyadic(odds / (1 + odds), lambda p: affordable(_ratio(k, p), epsilon))
        )

    @classmethod
    def examples(cls) -> Iterator[Self]:
        """Small ones, on which ``sudare laws`` tries the laws; without this, calibrated ones."""
        yield from (cls(2, 0.5), cls(3, 0.25), cls.calibrate(4, 1.0))

    @property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: one answer."""
        return np.dtype([("answer", "<u4")])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: the answer held, kept or thrown, against one that is only thrown."""
        return _ratio(self.k, self.keep)

    @property
    def odds(self) -> str:
        """How a device treats an answer, in plain words."""
        return f"A device tells the truth {chance_text(self.keep)} of the time, else throws a die."

    @property
    def holder(self) -> float:
        """The chance that a report gives the answer that the person holds."""
        return self.keep + self.others

    @property
    def others(self) -> float:
        """The chance that a report gives any one answer that the person doesn't hold."""
        return (1 - self.keep) / self.k

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: the die is thrown by all, also by those who don't use it."""
        reports = np.empty(len(values), self.report_dtype)
        honest = rng.bernoulli(self.keep, values.shape)
        thrown = rng.below(self.k, values.shape)
        reports["answer"] = np.where(honest, values, thrown)
        return reports

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every answer is below ``k``."""
        wrong = reports["answer"] >= self.k
        if wrong.any():
            raise InvalidReport(f"the report at position {np.argmax(wrong)} is not below {self.k}")

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports give each answer."""
        counts: NDArray[np.int64] = np.bincount(reports["answer"], minlength=self.k)
        return counts

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports give the answer."""
        given: NDArray[np.bool_] = reports["answer"] == answer
        return given

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """One event per answer: it was reported."""
        counts = aggregate.counts[np.newaxis].astype(np.float64)
        return Evidence(counts, np.array([self.holder]), np.array([self.others]))

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: those who are honest, and the throws of the others."""
        counts = self.domain.population(truth)
        generator = rng.generator()
        honest = generator.binomial(counts, self.keep)
        thrown = generator.multinomial((counts - honest).sum(), np.full(self.k, 1 / self.k))
        return Aggregate(self.key, int(counts.sum()), honest + thrown)


def _ratio(k: int, keep: float) -> Fraction:
    blind = (1 - Fraction(keep)) / k
    return (Fraction(keep) + blind) / blind

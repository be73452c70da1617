"""Generalized randomized response: one answer of k, sometimes a lie."""

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
from sudare.estimation.likelihood import Evidence
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import CategoricalMechanism, Records

# People randomised together: enough to pay for a call, few enough for a cache. Part of the
# format: a golden vector of any length means the same to every implementation.
_BLOCK = 1 << 18


@dataclass(frozen=True)
class GRR(CategoricalMechanism):
    """Generalized randomized response: the truth with probability ``keep``, else any other answer.

    Values and reports are answers numbered ``0 .. k - 1``. Best for few answers; from about
    k = 3e^ε + 2 on, :class:`sudare.OUE` estimates rare answers better.
    """

    name: ClassVar[str] = "grr"
    keep: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", Categories(self.k).k)
        if not is_dyadic(self.keep) or Fraction(self.keep) <= Fraction(1, self.k):
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above 1/k = {1 / self.k:.6g} and below 1, "
                f"got {self.keep!r}"
            )

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate GRR that spends at most ``epsilon``."""
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        guess = 1 / (1 + (k - 1) * math.exp(-epsilon))
        keep = largest_dyadic(guess, lambda keep: affordable(_worst_ratio(k, keep), epsilon))
        if _worst_ratio(k, keep) <= 1:
            raise too_small(epsilon)
        return cls(k, keep)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: one answer, in the fewest bytes that hold it."""
        return np.dtype([("answer", np.min_scalar_type(self.k - 1).newbyteorder("<"))])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report, the honest answer against the lie: keep / ((1 - keep) / (k - 1))."""
        return _worst_ratio(self.k, self.keep)

    @property
    def odds(self) -> str:
        """How often a device tells the truth, in plain words."""
        others = "the other one" if self.k == 2 else f"one of the other {self.k - 1:,}, any alike"
        return (
            f"A device tells the true answer {chance_text(self.keep)} of the time, and otherwise "
            f"{others}."
        )

    @property
    def holder(self) -> float:
        """The chance that a report gives the answer that the person holds: ``keep``."""
        return self.keep

    @property
    def others(self) -> float:
        """The chance that a report gives any one answer that the person doesn't hold."""
        return (1 - self.keep) / (self.k - 1)

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: each is kept, or swapped for another."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            self._swap(values[block], rng, reports["answer"][block])
        return reports

    def _swap(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        honest = rng.bernoulli(self.keep, values.shape)
        if isinstance(rng, Keystream) and len(values) >= COMPILE_FROM and self.k > 2:
            from sudare.kernels.choices import respond

            lanes = rng.fair_lanes(self.k - 1, len(values))
            respond(values, honest, lanes, self.k - 1, out)
            rng.done(lanes)
        else:
            lie = rng.below(self.k - 1, values.shape)
            lie += lie >= values  # skip over the truth
            out[:] = np.where(honest, values.astype(np.int64), lie)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every answer is below ``k``."""
        answers = reports["answer"]
        if answers.size and answers.max() >= self.k:
            where = int(np.argmax(answers >= self.k))
            raise InvalidReport(
                f"the report at position {where} says {answers[where]}; "
                f"answers are numbered 0 to {self.k - 1}"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports give each answer."""
        answers = reports["answer"]
        if len(answers) >= COMPILE_FROM:
            from sudare.kernels.choices import histogram

            return histogram(answers, self.k)
        counts: NDArray[np.int64] = np.bincount(answers, minlength=self.k)
        return counts

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports give the answer."""
        given: NDArray[np.bool_] = reports["answer"] == answer
        return given

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of the counts about the shares: one event per answer, it was reported."""
        counts = aggregate.counts[np.newaxis].astype(np.float64)
        return Evidence(counts, np.array([self.holder]), np.array([self.others]))

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: with some chance the truth, else a uniform answer."""
        counts = self.domain.population(truth)
        generator = rng.generator()
        honest = generator.binomial(counts, max(0.0, (self.k * self.keep - 1) / (self.k - 1)))
        blind = generator.multinomial(counts.sum() - honest.sum(), np.full(self.k, 1 / self.k))
        return Aggregate(self.key, int(counts.sum()), honest + blind)


def _worst_ratio(k: int, keep: float) -> Fraction:
    exact = Fraction(keep)
    return exact / (1 - exact) * (k - 1)

"""Glance's error in its two parts, section 5.1.2: what noise adds, and who happens to report."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from record import Row
from setting import PEOPLE, ROUNDS, Counts, Floats, exact, population

from sudare import Glance, Seeded
from sudare.simulation.scenarios import stream

STILL = {"half": 0.5, "dense": 0.9995, "all-but-one": 0.9999}  # of one share: the law is known
STREAMS = {
    **{name: population(share) for name, share in STILL.items()},
    "step": stream("step", ROUNDS, PEOPLE, Seeded(1)),  # draws nothing
}


CASES = (
    *((name, epsilon) for name in ("half", "step", "dense") for epsilon in (1.0, 2.5, 8.0)),
    ("all-but-one", 9.0),
)
_ALLOWED = 5  # standard errors


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs on one stream: a row each, a column per round.

    Attributes:
        stream: its name in ``STREAMS``.
        epsilon: ε.
        keep: the chance that a reporter tells the truth.
        shares: μ_t.
        reporters: how many report.
        held: how many of them are in state 1.
        said: how many of them say 1.
    """

    stream: str
    epsilon: float
    keep: float
    shares: Floats
    reporters: Counts
    held: Counts
    said: Counts

    @property
    def estimates(self) -> Floats:
        """μ̂_t."""
        return (self.said / self.reporters - (1 - self.keep)) / (2 * self.keep - 1)

    @property
    def sampled(self) -> Floats:
        """μ̃_t, the share among the reporters."""
        return self.held / self.reporters

    @cached_property
    def noise(self) -> Floats:
        """max_t |μ̂_t - μ̃_t| of each run."""
        return np.asarray(np.abs(self.estimates - self.sampled).max(axis=1))

    @cached_property
    def sampling(self) -> Floats:
        """max_t |μ̃_t - μ_t| of each run."""
        return np.asarray(np.abs(self.sampled - self.shares).max(axis=1))

    @cached_property
    def errors(self) -> Floats:
        """max_t |μ̂_t - μ_t| of each run."""
        return np.asarray(np.abs(self.estimates - self.shares).max(axis=1))


def steps(repetitions: int) -> int:
    """How many runs there are in all."""
    return repetitions * len(CASES)


def measure(repetitions: int, rng: Seeded, progress: Callable[[int], object]) -> list[Runs]:
    """Every case."""
    found = []
    for name, epsilon in CASES:
        found.append(_drawn(name, epsilon, repetitions, rng.generator()))
        progress(repetitions)
    return found


def _drawn(name: str, epsilon: float, repetitions: int, generator: np.random.Generator) -> Runs:
    """Who reports is a draw without replacement in each round, and who of them lies another."""
    zeros, ones = STREAMS[name].T
    keep = Glance.calibrate(ROUNDS, epsilon).keep
    reporters = generator.multinomial(PEOPLE, np.full(ROUNDS, 1 / ROUNDS), repetitions)
    held = generator.hypergeometric(ones, zeros, reporters)
    said = generator.binomial(held, keep) + generator.binomial(reporters - held, 1 - keep)
    return Runs(name, epsilon, keep, ones / PEOPLE, reporters, held, said)


def rows(runs: Sequence[Runs]) -> list[Row]:
    """Whether the two parts add up to an error that has its exact mean."""
    return [_row(each) for each in runs if each.stream in STILL]


def _row(runs: Runs) -> Row:
    law = exact("glance", STILL[runs.stream], runs.epsilon)
    mean, stderr = runs.errors.mean(), runs.errors.std(ddof=1) / math.sqrt(runs.errors.size)
    off = abs(mean - law.mean) / stderr if stderr else math.inf
    return Row(
        f"parts.{runs.stream}.{runs.epsilon:g}",
        f"section 5.1.2, {runs.stream} stream, ε = {runs.epsilon:g}: the mean maximal error of the "
        f"runs that are split in two parts; the exact mean is {law.mean:.5f}",
        None,
        float(mean),
        f"{'equal' if off <= _ALLOWED else 'differs'}: {off:.1f} standard errors",
    )

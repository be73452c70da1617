"""Population division of LDP-IDS, simulated for comparison: LPU and LPA.

Ren et al., "LDP-IDS: Local Differential Privacy for Infinite Data Streams", SIGMOD 2022: instead
of a part of ε in every round, people are divided among the rounds and each spends all of it once.
Read here for a state of 0 or 1, randomised response, and a window that is the whole stream, so
that nobody reports twice and the stream as a whole is ε-private.

In LPA the collector decides, by what people have reported so far, whether to ask more of them: it
isn't a ``Mechanism``, whose reports are drawn in advance. It carries budget absorption (Kellaris et
al., "Differentially private event sequences over infinite streams", VLDB 2014) over to people, and
is written here from that pattern; it has not been compared with the authors' own code. What is
read into it:

- The d cells are the two states. Their squared differences are alike as soon as something has been
  released; before, the release is 0 for both, so that the first round is nearly always published.
- The variance of a mean of n people is that of the noise, q(1 - q)/((1 - 2q)² n), without that of
  drawing the n.
- Before the first publication no round is nullified. (By the letter of the pattern it would be one
  less than none, and the first would take two rounds' people.)
- People who are left over when they are divided are not asked.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.mechanisms.domain import Streams
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.population_sampler import Counts, PopulationSampler


@dataclass(frozen=True, eq=False)
class Releases:
    """The shares that a collector releases, a row per repetition and a column per round.

    Attributes:
        shares: of people in state 1.
        asked: how many people report in each round.
        published: whether the share is new, or that of the round before.
    """

    shares: Floats
    asked: Counts
    published: NDArray[np.bool_]


@dataclass(frozen=True)
class _Division(ABC):
    """People divided among the rounds, each asked once with randomised response.

    The true state is told with probability ``keep``.
    """

    rounds: int
    keep: float
    parts: ClassVar[int]
    """Into how many groups per round the people are divided."""
    name: ClassVar[str]

    @classmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate division that spends at most ``epsilon`` on the whole stream."""
        return cls(rounds, Glance.calibrate(rounds, epsilon).keep)

    def simulate_shares(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Floats:
        """The shares that are released in many experiments, a row each."""
        return self.simulate_releases(truth, repetitions, rng).shares

    def simulate_releases(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Releases:
        """The shares that are released and how many people were asked, drawn from the exact law.

        Args:
            truth: how many people are in state 0 and in state 1, a row per round; who they are
                is drawn anew in each round.
            repetitions: how many experiments.
            rng: a seed's, as a rule.
        """
        held = Streams(self.rounds).population(truth)
        size = int(held[0].sum()) // (self.parts * self.rounds)
        if not size:
            raise ParameterError(
                f"{self.name} divides people into {self.parts * self.rounds} groups; there are "
                f"{int(held[0].sum())} people"
            )
        if repetitions < 1:
            raise ParameterError(f"repetitions must be at least 1, got {repetitions}")
        return self._released(held, size, repetitions, PopulationSampler(rng))

    @abstractmethod
    def _released(
        self, held: Counts, size: int, repetitions: int, sampler: PopulationSampler
    ) -> Releases:
        """The releases, if groups are of this size."""

    def _asked(
        self, held: Counts, size: Counts, sampler: PopulationSampler
    ) -> tuple[Floats, Counts]:
        """The shares that groups of such sizes tell, and those of each state who are left."""
        ones = sampler.hypergeometric(held[..., 1], held[..., 0], size)
        said = sampler.binomial(ones, self.keep) + sampler.binomial(size - ones, 1 - self.keep)
        shares: Floats = (said / size - (1 - self.keep)) / (2 * self.keep - 1)
        return shares, held - np.stack([size - ones, ones], axis=-1)

    def _variance(self, size: Counts) -> Floats:
        """The variance of the noise in the share that a group tells."""
        return self.keep * (1 - self.keep) / (2 * self.keep - 1) ** 2 / size.astype(np.float64)


@dataclass(frozen=True)
class Lpu(_Division):
    """Population uniform: a T-th of the people in each round, as in Glance with fixed groups."""

    parts: ClassVar[int] = 1
    name: ClassVar[str] = "lpu"

    def _released(
        self, held: Counts, size: int, repetitions: int, sampler: PopulationSampler
    ) -> Releases:
        asked = np.full((repetitions, self.rounds), size)
        shares, _ = self._asked(held, asked, sampler)
        return Releases(shares, asked, np.ones(asked.shape, np.bool_))


@dataclass(frozen=True)
class Lpa(_Division):
    """Population absorption: ask few whether anything changed, and many only if it did.

    In every round a 2T-th of the people estimate how far the state is from the last release. As
    many more are reserved for publishing, and pass to later rounds if they aren't asked. What is
    found to be nearer than the noise of a new publication is released again as it was; after a
    publication with the people of a rounds, a - 1 rounds have none.
    """

    parts: ClassVar[int] = 2
    name: ClassVar[str] = "lpa"

    def _released(
        self, held: Counts, size: int, repetitions: int, sampler: PopulationSampler
    ) -> Releases:
        shares = np.zeros((repetitions, self.rounds))
        published = np.zeros(shares.shape, np.bool_)
        asked = np.full(shares.shape, size)
        release = np.zeros((repetitions, 2))
        spoken_for = np.zeros(repetitions, np.int64)  # rounds absorbed or nullified so far
        for number in range(self.rounds):
            few = np.full(repetitions, size)
            seen, left = self._asked(held[number], few, sampler)
            both = np.stack([1 - seen, seen], axis=-1)
            far = np.square(both - release).mean(axis=-1) - self._variance(few)
            absorbed = number + 1 - spoken_for
            reserve = size * np.maximum(absorbed, 1)
            new = np.flatnonzero((absorbed > 0) & (far > self._variance(reserve)))
            told, _ = self._asked(left[new], reserve[new], sampler)
            release[new] = np.stack([1 - told, told], axis=-1)
            asked[new, number] += reserve[new]
            published[new, number] = True
            spoken_for[new] = number + absorbed[new]
            shares[:, number] = release[:, 1]
        return Releases(shares, asked, published)

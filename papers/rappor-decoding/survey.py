"""One survey of the population: simulated, and decoded by the document's way and by ours."""

from dataclasses import dataclass

import listing
import numpy as np
from numpy.typing import NDArray
from paper_decoder import PENALTY, printed_decoder
from population import CANDIDATES, HELD, PEOPLE, shares
from scores import LEVEL

from sudare import Aggregate, Collection, Rappor, Seeded, decode
from sudare.chance.exact import smallest_dyadic
from sudare.decoding.from_sums import Decoded, hash_candidates
from sudare.estimation.significance import Correction
from sudare.mechanisms.bloom import design_rows
from sudare.planning.texts import best_rappor

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


def ours(epsilon: float) -> Rappor:
    """What our planner takes for these people and candidates: one hash, q = ½, p = 1/(1 + e^ε)."""
    return best_rappor(epsilon, PEOPLE, len(CANDIDATES)).mechanism


def as_long(epsilon: float) -> Rappor:
    """The same with reports as long as the document's."""
    return Rappor.calibrate(epsilon, form="instant", bits=listing.BITS, hashes=1, cohorts=64)


def rescaled(hashes: int, epsilon: float) -> Rappor:
    """The document's design with q = .75 and the p that spends this budget with these hashes."""
    q = 0.75
    guess = 1 / (1 + np.exp(epsilon / hashes) * (1 - q) / q)
    p = smallest_dyadic(
        float(guess), lambda p: p < q and listing.mechanism(hashes, p, q).epsilon <= epsilon
    )
    return listing.mechanism(hashes, p, q)


@dataclass(frozen=True, eq=False)
class Survey:
    """A collection of its own, so that every run has its own hash family, and its reports."""

    collection: Collection
    aggregate: Aggregate

    @classmethod
    def draw(cls, mechanism: Rappor, rng: Seeded) -> "Survey":
        """People drawn from the population, divided among cohorts at random."""
        generator = rng.generator()
        name = f"run {generator.integers(1 << 62)}"
        collection = Collection(name, "Which string?", (), mechanism)
        people = generator.multinomial(PEOPLE, shares())
        truth = dict(zip(CANDIDATES[:HELD], people.tolist(), strict=True))
        return cls(collection, collection.simulate(truth, rng))

    def decoded(self, candidates: Indices) -> Floats:
        """The p-value of each of these candidates by our decoder."""
        return self._decoded(candidates, "none").findings.tests.p_values

    def found(self, candidates: Indices, correction: Correction) -> Flags:
        """Which of these candidates our decoder finds."""
        flags = np.zeros(len(candidates), np.bool_)
        flags[self._decoded(candidates, correction).findings.found] = True
        return flags

    def printed(self, candidates: Indices, penalty: float = PENALTY) -> Floats:
        """The p-values by the document's decoder, on a dense matrix and debiased counts."""
        mechanism = self._mechanism
        sizes, sums = self.aggregate.counts[:, :1], self.aggregate.counts[:, 1:]
        counts = (sums - mechanism.others * sizes) / (mechanism.holder - mechanism.others)
        return printed_decoder(self.matrix(candidates), counts.ravel(), penalty).p_values

    def matrix(self, candidates: Indices) -> Floats:
        """The zeros and ones of these candidates."""
        mechanism, texts = self._mechanism, self._texts(candidates)
        _, hashed = hash_candidates(self.collection.key, texts)
        rows = design_rows(hashed, mechanism.cohorts, mechanism.hashes, mechanism.bits)
        matrix = np.zeros((mechanism.cohorts * mechanism.bits, len(texts)))
        matrix[rows.ravel(), np.repeat(np.arange(len(texts)), rows.shape[1])] = 1
        return matrix

    def _decoded(self, candidates: Indices, correction: Correction) -> Decoded:
        texts = self._texts(candidates)
        return decode(
            self.collection, self.aggregate, texts, correction=correction, false_discoveries=LEVEL
        )

    @property
    def _mechanism(self) -> Rappor:
        mechanism = self.collection.mechanism
        assert isinstance(mechanism, Rappor)  # noqa: S101 - for the type checker
        return mechanism

    @staticmethod
    def _texts(candidates: Indices) -> list[str]:
        return [CANDIDATES[number] for number in candidates]

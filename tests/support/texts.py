"""Populations of texts and their decoding, for the tests of RAPPOR's decoder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.chance.randomness import Seeded
from sudare.decoding.bit_sums import BitShares
from sudare.decoding.candidates import Findings, find
from sudare.decoding.design import Design
from sudare.estimation.significance import Correction
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Digests, digests

Counts = NDArray[np.int64]


def hashed(family: int, count: int) -> Digests:
    """The digests of so many texts, under one of many hash families."""
    return digests(f"{family:064x}", (b"text %d" % number for number in range(count)))


def design_of(mechanism: Rappor, texts: Digests) -> Design:
    """The candidates' bits."""
    return Design.of_texts(texts, mechanism)


def bits_of(mechanism: Rappor, texts: Digests, people: Counts, seed: int) -> BitShares:
    """The bit sums of people who hold these texts."""
    counts = mechanism.simulate((texts, people), Seeded(seed)).counts
    return BitShares(counts[:, 0], counts[:, 1:], mechanism.holder, mechanism.others)


def dense(design: Design) -> NDArray[np.float64]:
    """The centred matrix that the positions stand for."""
    matrix = np.zeros((design.height, len(design)))
    matrix[design.rows[:].astype(np.intp).T, np.arange(len(design))] = 1
    return matrix - design.density


def zipf(texts: int, people: int, exponent: float = 1.0) -> Counts:
    """How many people hold each text, the most popular first."""
    weights = np.arange(1, texts + 1) ** -exponent
    counts: Counts = np.floor(people * weights / weights.sum()).astype(np.int64)
    counts[0] += people - counts.sum()
    return counts


@dataclass(frozen=True, eq=False)
class Trial:
    """One simulated survey and what was decoded from it.

    Candidates come in the order: those that somebody holds, then those that nobody does.
    """

    truth: NDArray[np.float64]
    findings: Findings

    @property
    def false_share(self) -> float:
        """The share of those found that nobody holds; 0 if nothing is found."""
        found = self.findings.found
        return float((self.truth[found] == 0).mean()) if found.size else 0.0

    def covered(self, deviations: float = 1.96) -> NDArray[np.bool_]:
        """Whose truth lies within so many standard errors."""
        findings = self.findings
        missed: NDArray[np.bool_] = (
            np.abs(findings.shares - self.truth) <= deviations * findings.stderr
        )
        return missed


def trial(
    mechanism: Rappor,
    people: Counts,
    candidates: int,
    seed: int,
    *,
    missing: float = 0.0,
    correction: Correction = "benjamini-hochberg",
) -> Trial:
    """Decode a population with a hash family of its own, some of its texts not being candidates.

    The texts that are missing are drawn anew in each trial.
    """
    return trials(mechanism, people, candidates, seed, missing, (correction,))[0]


def trials(  # noqa: PLR0917 - one survey
    mechanism: Rappor,
    people: Counts,
    candidates: int,
    seed: int,
    missing: float,
    corrections: Sequence[Correction],
) -> list[Trial]:
    """The same, decoded with several corrections."""
    texts = hashed(seed, len(people) + candidates)
    gone = np.random.default_rng(seed).random(len(people)) < missing
    known = np.flatnonzero(~gone)
    others = np.arange(len(people), len(people) + candidates)
    listed = np.concatenate([known, others])[:candidates]
    bits = bits_of(mechanism, texts[: len(people)], people, seed)
    design = design_of(mechanism, texts[listed])
    truth = np.zeros(candidates)
    truth[: len(known)] = (people[known] / people.sum())[:candidates]
    return [Trial(truth, find(design, bits, correction=each)) for each in corrections]

"""Why cohorts: candidates that can't be told apart, and what is found, with 1, 8 and 64 of them.

All else stays: 128 bits, 20,000 people, 200 candidates, and the document's p = ½, q = ¾; or, with
less noise, one hash, q = ¾ and the p that spends ε₁ = 4.39. The document's α = 0.1 asks for a share
in proportion to the number of cohorts, so its decoder runs once as printed, and once with
α = 0.8/m, which asks for the same share of the people whatever their number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import listing
import numpy as np
from numpy.typing import NDArray
from paired import FAR
from paper_decoder import PENALTY
from population import CANDIDATES, HELD_FLAGS
from record import Row
from scores import LEVEL, Score, Scores
from survey import Survey, rescaled

from sudare import Rappor, Seeded

Floats = NDArray[np.float64]

COHORTS = (1, 8, 64)
DESIGNS = {  # with the document's 8 cohorts
    "h1": ("h = 1", listing.mechanism(1)),
    "h8": ("h = 8", listing.mechanism(8)),
    "quiet": ("h = 1 at ε₁ = 4.39", rescaled(1, listing.mechanism(4).epsilon)),
}
WAYS = {
    "printed": "the document's decoder",
    "scaled": "the document's decoder, α = 0.8/m",
    "ours": "our decoder",
}


@dataclass(frozen=True, eq=False)
class Point:
    """The runs of a design with so many cohorts.

    Attributes:
        design: one of ``DESIGNS``.
        mechanism: with its number of cohorts.
        alike: how many candidates have the bits of another in every cohort, by run.
        rank: of the design matrix, on average: so many candidates can be estimated at once.
        scores: by decoder.
    """

    design: str
    mechanism: Rappor
    alike: Floats
    rank: float
    scores: dict[str, Scores]


def measure(runs: int, rng: Seeded, progress: Callable[[], object]) -> list[Point]:
    """Every design with every number of cohorts, ``runs`` times."""
    points = []
    for design, (_, eight) in DESIGNS.items():
        for cohorts in COHORTS:
            mechanism = replace(eight, cohorts=cohorts)
            same, ranks = [], []
            scores: dict[str, list[Score]] = {way: [] for way in WAYS}
            for _ in range(runs):
                survey = Survey.draw(mechanism, rng)
                # In any order: of two that are alike, a solver takes the first.
                order = rng.generator().permutation(len(CANDIDATES))
                matrix = survey.matrix(order)
                same.append(alike(matrix))
                ranks.append(int(np.linalg.matrix_rank(matrix.T @ matrix, hermitian=True)))
                penalty = PENALTY * listing.COHORTS / cohorts
                found = {
                    "printed": survey.printed(order) <= LEVEL,
                    "scaled": survey.printed(order, penalty) <= LEVEL,
                    "ours": survey.found(order, "none"),
                }
                for way, flags in found.items():
                    scores[way].append(Score.of(flags, HELD_FLAGS[order]))
                progress()
            points.append(
                Point(
                    design,
                    mechanism,
                    np.array(same, np.float64),
                    float(np.mean(ranks)),
                    {way: Scores(tuple(these)) for way, these in scores.items()},
                )
            )
    return points


def alike(matrix: Floats) -> int:
    """How many columns equal another."""
    _, counts = np.unique(matrix.T, axis=0, return_counts=True)
    return int(counts[counts > 1].sum())


def expected_alike(mechanism: Rappor) -> float:
    """The same in expectation: M (1 - (1 - c)^(M - 1)), c the chance that two texts are alike.

    With one hash there are as many filters as bits. With more, those of our hash family are a
    start and an odd stride, and the same bits can be walked from either end: B²/4 filters.
    """
    bits, others = mechanism.bits, len(CANDIDATES) - 1
    filters = bits if mechanism.hashes == 1 else bits**2 / 4
    chance = filters**-mechanism.cohorts
    return len(CANDIDATES) * float(-np.expm1(others * np.log1p(-chance)))


def rows(points: Sequence[Point]) -> list[Row]:
    """Who is alike, what the design can tell apart, and the scores."""
    found = []
    for point in points:
        name = f"cohorts.m{point.mechanism.cohorts}.{point.design}"
        what = f"m = {point.mechanism.cohorts} cohorts, {DESIGNS[point.design][0]}"
        alike_mean, expected = float(point.alike.mean()), expected_alike(point.mechanism)
        error = float(point.alike.std(ddof=1)) / float(np.sqrt(len(point.alike)))
        found += [
            Row(
                f"{name}.alike",
                f"{what}: candidates with the same bits as another in every cohort",
                None,
                alike_mean,
                f"{'as' if abs(alike_mean - expected) <= FAR * error + 1e-9 else 'not as'} "
                f"expected: {expected:.1f}",
            ),
            Row(
                f"{name}.alike.expected",
                f"{what}: the same in expectation",
                None,
                expected,
                "computed",
            ),
            Row(
                f"{name}.rank",
                f"{what}: rank of the design, of 200 candidates",
                None,
                point.rank,
                "measured: fewer equations than candidates"
                if point.rank < len(CANDIDATES)
                else "measured",
            ),
        ]
        found += [
            Row(
                f"{name}.{way}.{score}{suffix}",
                f"{what}, {said}: {score}{note}",
                None,
                value,
                "measured",
            )
            for way, said in WAYS.items()
            for score in ("precision", "recall", "f1")
            for suffix, note, value in (
                ("", "", point.scores[way].mean(score)),
                (".stderr", ", its standard error", point.scores[way].stderr(score)),
            )
            if score == "f1" or not suffix
        ]
    return found

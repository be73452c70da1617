"""The document's figure 1 as printed: precision and recall against the number of hashes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import listing
import numpy as np
from missing import without_a_third
from numpy.typing import NDArray
from paper_decoder import LEAST, PENALTY, printed_decoder
from population import CANDIDATES, HELD, HELD_FLAGS, PEOPLE
from record import Row
from scores import Judged, Score, Scores

from sudare import Seeded

Floats = NDArray[np.float64]

SEED = 10  # of the listing


@dataclass(frozen=True, eq=False)
class Point:
    """The runs at one number of hashes.

    Attributes:
        hashes: their number.
        scores: with every string among the candidates.
        thirds: the same reports, with a third of the strings missing from the candidates.
        distinct: how many different bits a string sets in a cohort, on average.
    """

    hashes: int
    scores: Scores
    thirds: Scores
    distinct: float


def measure(runs: int, rng: Seeded, progress: Callable[[], object]) -> list[Point]:
    """Every number of hashes, ``runs`` times, each with a hash family of its own."""
    generator = rng.generator()
    points = []
    for hashes in listing.HASHES:
        mechanism = listing.mechanism(hashes)
        whole, parts, kept_flags, distinct = [], [], [], []
        for _ in range(runs):
            matrix = listing.design(listing.secret(generator), hashes)
            counts = listing.debiased_counts(matrix, mechanism, generator)
            kept = without_a_third(generator)
            whole.append(printed_decoder(matrix, counts).p_values)
            parts.append(printed_decoder(matrix[:, kept], counts).p_values)
            kept_flags.append(kept < HELD)
            distinct.append(matrix.sum() / matrix.shape[1] / listing.COHORTS)
            progress()
        scores = Judged.of(whole, [HELD_FLAGS] * runs).alone
        thirds = Judged.of(parts, kept_flags).alone
        points.append(Point(hashes, scores, thirds, float(np.mean(distinct))))
    return points


def rows(points: Sequence[Point]) -> list[Row]:
    """Precision and recall by h, and the privacy that each h costs."""
    found = []
    for point in points:
        h, scores = point.hashes, point.scores
        found += [
            Row(
                f"printed.{name}.h{h}{suffix}",
                f"figure 1, h = {h}: {name}{said}",
                "figure",
                value,
                "measured",
            )
            for name in ("precision", "recall", "f1")
            for suffix, said, value in (
                ("", f", mean of {len(scores.runs)} runs", scores.mean(name)),
                (".sd", ", standard deviation", scores.deviation(name)),
            )
        ]
    found += [
        Row(
            f"privacy.h{h}",
            f"what a report costs at h = {h}: ε₁ = h ln 3",
            "not said",
            listing.mechanism(h).epsilon,
            "differs: the curve over h compares unequal privacy"
            if listing.mechanism(h).epsilon > 1.5 * math.log(3)
            else "measured",
        )
        for h in listing.HASHES
    ]
    return found


def text_rows(points: Sequence[Point]) -> list[Row]:
    """Where the text and the listing contradict each other, or themselves."""
    return [
        _runs(points[3]),
        _seed(),
        _indentation(),
        _collisions(points[-1]),
        *_penalty(),
        Row(
            "text.name",
            "section 1: the name of what is simulated",
            "Basic One-time RAPPOR",
            "a Bloom filter with the instantaneous step alone",
            "misprint: in [1] “basic” has no hashes and “one-time” skips the instantaneous step",
        ),
        Row(
            "text.level",
            "section 3: what the 0.05 of the test is",
            "confidence coefficient",
            "significance level",
            "misprint: the listing keeps p < 0.05",
        ),
    ]


def _runs(point: Point) -> Row:
    recalls = [run.recall for run in point.scores.runs]
    moved = float(np.mean(recalls[:10]) - np.mean(recalls))
    return Row(
        "text.runs",
        f"section 3: “16 runs”, “the mean of 10”: how far recall at h = {point.hashes} moves, "
        f"of {len(recalls)} runs (standard error {point.scores.stderr('recall'):.3f})",
        "16 and 10",
        moved,
        "misprint: 16 is taken",
    )


def _seed() -> Row:
    """The listing seeds after the design was drawn: two runs of it are two experiments."""

    def recall(base_secret: str) -> float:
        generator = np.random.default_rng(SEED)
        matrix = listing.design(base_secret, 8)
        counts = listing.debiased_counts(matrix, listing.mechanism(8), generator)
        return _score(matrix, counts).recall

    first, second, again = recall("0.1secret"), recall("0.2secret"), recall("0.1secret")
    return Row(
        "text.seed",
        "listing: recall at h = 8 under the same seed and two secrets",
        "one number",
        f"{first:.2f} and {second:.2f}",
        "misprint: the design is drawn before the seed is set; seeded first, it repeats"
        if first == again != second
        else "confirmed",
    )


def _indentation() -> Row:
    generator = np.random.default_rng(SEED)
    matrix = listing.design("0.1secret", 8)
    counts = listing.damaged_counts(matrix, listing.mechanism(8), generator)
    recall = _score(matrix, counts).recall
    return Row(
        "text.indentation",
        "listing: recall at h = 8 with the debiasing inside the loop over strings, as printed",
        "figure",
        recall,
        f"misprint: it belongs after the loop; inside, |Y| grows to {np.abs(counts).max():.0e}"
        if recall == 0
        else "confirmed",
    )


def _collisions(point: Point) -> Row:
    bits = listing.BITS
    expected = bits * (1 - (1 - 1 / bits) ** point.hashes)
    close = abs(point.distinct - expected) < 0.1
    return Row(
        "text.collisions",
        f"different bits that a string sets at h = {point.hashes} (measured: {point.distinct:.2f})",
        point.hashes,
        expected,
        f"differs: hashes collide, {expected:.1f} bits are left" if close else "refuted",
    )


def _penalty() -> list[Row]:
    """α = 0.1 has the unit of the counts: it says who is worth looking at, in people."""
    generator = np.random.default_rng(SEED)
    matrix = listing.design("0.1secret", 32)
    counts = listing.debiased_counts(matrix, listing.mechanism(32), generator)
    size = PEOPLE // listing.COHORTS
    people, shares = (_score(matrix, values).recall for values in (counts, counts / size))
    scaled = printed_decoder(matrix, counts / size, PENALTY / size, LEAST / size).found()
    same = np.array_equal(scaled, printed_decoder(matrix, counts).found())
    thresholds = [PENALTY * listing.BITS * m / PEOPLE for m in (listing.COHORTS, 64)]
    return [
        Row(
            "text.penalty.people",
            "α = 0.1 on the counts, h = 32: recall",
            "figure",
            people,
            "confirmed" if people > 0.4 else "differs",
        ),
        Row(
            "text.penalty.shares",
            "α = 0.1 on the same counts as shares of a cohort: recall",
            None,
            shares,
            "differs: nothing is found; with α / 2500 the same strings are found as before"
            if shares == 0 and same
            else "confirmed",
        ),
        Row(
            "text.penalty.cohorts",
            "the share that a string needs to pass α = 0.1 at h = 1 with 8 and with 64 cohorts",
            None,
            f"{thresholds[0]:.2%} and {thresholds[1]:.2%}",
            "differs: the more cohorts, the fewer strings are proposed",
        ),
    ]


def _score(matrix: listing.Matrix, counts: Floats) -> Score:
    found = np.zeros(len(CANDIDATES), np.bool_)
    found[printed_decoder(matrix, counts).found()] = True
    return Score.of(found, HELD_FLAGS)

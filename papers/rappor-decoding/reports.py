"""The document's simulation with real reports: every person randomised by the shipping code.

The document draws a bit's sum as binomials, for speed. Here the same people, in the same cohorts
and with the same filters, are randomised one by one, their reports checked and counted, and both
sums decoded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import listing
import numpy as np
from numpy.typing import NDArray
from paired import Difference
from paper_decoder import printed_decoder
from population import HELD, HELD_FLAGS, PEOPLE, shares
from record import Row
from scores import LEVEL, Score, Scores

from sudare import Rappor, Seeded

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """The runs at one number of hashes, by binomials and by reports."""

    hashes: int
    drawn: Scores
    reported: Scores


def measure(runs: int, rng: Seeded, progress: Callable[[], object]) -> list[Point]:
    """Every number of hashes, ``runs`` times."""
    generator = rng.generator()
    points = []
    for hashes in listing.HASHES:
        mechanism = listing.mechanism(hashes)
        drawn, reported = [], []
        for _ in range(runs):
            matrix = listing.design(listing.secret(generator), hashes)
            people = generator.multinomial(PEOPLE // listing.COHORTS, shares(), listing.COHORTS)
            binomials = listing.drawn(listing.bit_holders(matrix, people), mechanism, generator)
            drawn.append(_score(matrix, binomials))
            reported.append(_score(matrix, report(matrix, people, mechanism, rng)))
            progress()
        points.append(Point(hashes, Scores(tuple(drawn)), Scores(tuple(reported))))
    return points


def report(
    matrix: listing.Matrix, people: NDArray[np.int64], mechanism: Rappor, rng: Seeded
) -> Floats:
    """Y_vec of the listing from a report of each person.

    Args:
        matrix: the design.
        people: how many of each cohort (row) hold each string (column).
        mechanism: that randomises them.
        rng: of the randomising.
    """
    filters = matrix[:, :HELD].reshape(listing.COHORTS, listing.BITS, HELD).transpose(0, 2, 1)
    packed = np.packbits(filters, axis=2, bitorder="little").view("<u8")
    kept = np.repeat(packed.reshape(listing.COHORTS * HELD, -1), people.ravel(), axis=0)
    cohorts = np.repeat(np.arange(listing.COHORTS), people.sum(axis=1))
    reports = mechanism.instant(kept, cohorts, rng)
    mechanism.check(reports)
    return listing.debiased(mechanism.tally(reports)[:, 1:], mechanism)


def _score(matrix: listing.Matrix, counts: Floats) -> Score:
    return Score.of(printed_decoder(matrix, counts).p_values <= LEVEL, HELD_FLAGS)


def rows(points: Sequence[Point]) -> list[Row]:
    """The means of both, and whether they differ."""
    found = []
    for point in points:
        for name in ("precision", "recall", "f1"):
            difference = Difference.of(point.drawn.runs, point.reported.runs, name)
            verdict = "differs" if difference.told_apart else "equal"
            found.append(
                Row(
                    f"reports.{name}.h{point.hashes}",
                    f"figure 1, h = {point.hashes}, every person randomised, beside binomials: "
                    f"{name}",
                    point.drawn.mean(name),
                    point.reported.mean(name),
                    f"{verdict}: {difference.said}",
                )
            )
    return found

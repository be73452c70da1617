"""The document's reports at each of its numbers of hashes, by its decoder and by ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import listing
from missing import everyone
from paired import Difference
from population import HELD_FLAGS
from record import Row
from scores import LEVEL, Score, Scores
from survey import Survey

from sudare import Seeded
from sudare.estimation.significance import ADJUSTMENTS, Correction

JUDGES = {"": "", ".fdr": ", false discoveries held to 5 %"}
CORRECTIONS: dict[str, Correction] = {"": "none", ".fdr": "benjamini-hochberg"}


@dataclass(frozen=True, eq=False)
class Point:
    """The runs at one number of hashes: by judge (each alone, or together), both decoders'."""

    hashes: int
    printed: dict[str, Scores]
    ours: dict[str, Scores]


def measure(runs: int, rng: Seeded, progress: Callable[[], object]) -> list[Point]:
    """Both decoders on the same reports, ``runs`` times for each number of hashes."""
    points = []
    for hashes in listing.HASHES:
        mechanism = listing.mechanism(hashes)
        printed: dict[str, list[Score]] = {judge: [] for judge in JUDGES}
        ours: dict[str, list[Score]] = {judge: [] for judge in JUDGES}
        for _ in range(runs):
            survey = Survey.draw(mechanism, rng)
            kept = everyone(rng.generator())
            p_values = survey.printed(kept)
            for judge, correction in CORRECTIONS.items():
                flags = ADJUSTMENTS[correction](p_values, None) <= LEVEL
                printed[judge].append(Score.of(flags, HELD_FLAGS))
                ours[judge].append(Score.of(survey.found(kept, correction), HELD_FLAGS))
            progress()
        points.append(Point(hashes, _scores(printed), _scores(ours)))
    return points


def _scores(runs: dict[str, list[Score]]) -> dict[str, Scores]:
    return {judge: Scores(tuple(these)) for judge, these in runs.items()}


def rows(points: Sequence[Point]) -> list[Row]:
    """Both decoders' scores, and whether ours finds more."""
    found = []
    for point in points:
        for judge, said in JUDGES.items():
            what = f"the document's reports, h = {point.hashes}{said}"
            name = f"decoders.h{point.hashes}{judge}"
            printed, ours = point.printed[judge], point.ours[judge]
            for decoder, shown, scores in (
                ("printed", "its decoder", printed),
                ("ours", "our decoder", ours),
            ):
                found += [
                    Row(
                        f"{name}.{decoder}.{score}",
                        f"{what}, {shown}: {score}",
                        None,
                        scores.mean(score),
                        "measured",
                    )
                    for score in ("precision", "recall", "f1")
                ]
            difference = Difference.of(printed.runs, ours.runs, "f1")
            verdict = "not told apart"
            if difference.told_apart:
                verdict = "ours is ahead" if difference.mean > 0 else "ours is behind"
            found += [
                Row(
                    f"{name}.ahead",
                    f"{what}: F1 of our decoder less that of the document's, on the same reports",
                    None,
                    difference.mean,
                    f"{verdict}: {difference.said}",
                ),
                Row(
                    f"{name}.ahead.stderr",
                    f"{what}: its standard error",
                    None,
                    difference.error,
                    "measured",
                ),
            ]
    return found

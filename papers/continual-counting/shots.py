"""Beyond the document: several rounds per person, and groups of fixed size."""

import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from fixed_groups import groups_maximum
from record import Row
from setting import DOCUMENTS, EPSILONS, PEOPLE, ROUNDS, Floats, exact, population

from sudare import Glance, KShot, Seeded
from sudare.simulation.experiments import FixedGroups, Simulated, stream_errors

WANTED: Mapping[int, float] = {3: 0.75, 4: 0.63, 6: 0.46, 8: 0.37}
NEVER_WORSE = 1.02
LOW = (0.0, 0.0005, 0.005, 0.05, 0.2, 0.5)
SHARES = (*LOW, *(1 - share for share in LOW[-2::-1]))
MORE = 4  # times as many runs where a ratio is held to a number


def steps(many: int) -> int:
    """How many experiments there are in all."""
    return many * (
        MORE * 2 * len(WANTED) + len(SHARES) * sum(_design(e).shots > 1 for e in EPSILONS)
    )


def rows(many: int, rng: Seeded, progress: Callable[[int], object]) -> list[Row]:
    """Told the share, told nothing, and in groups of fixed size."""
    return [
        *_told_rows(MORE * many, rng, progress),
        *_untold_rows(many, rng, progress),
        *_group_rows(),
    ]


def _told_rows(runs: int, rng: Seeded, progress: Callable[[int], object]) -> list[Row]:
    found = []
    for epsilon, wanted in WANTED.items():
        design = KShot.calibrate(ROUNDS, epsilon, low=0.5, high=0.5)
        arms: dict[str, Simulated] = {"told": design, "told.groups": FixedGroups(design)}
        for arm, method in arms.items():
            ratio, stderr = _ratio(method, 0.5, epsilon, runs, (rng, progress))
            what = (
                f"KShot ({design.shots} rounds, at most {design.flips} lies{_GROUPS[arm]}) over "
                f"Glance, μ = 0.5, ε = {epsilon}"
            )
            found += [
                Row(
                    f"kshot.{arm}.{epsilon}",
                    f"{what}: mean maximal errors; wanted: at most {wanted}",
                    None,
                    ratio,
                    "better" if ratio <= wanted else "differs",
                ),
                Row(
                    f"kshot.{arm}.{epsilon}.stderr",
                    f"{what}: the standard error of it",
                    None,
                    stderr,
                    "measured",
                ),
            ]
    return found


_GROUPS = {"told": "", "told.groups": ", groups of fixed size"}


def _untold_rows(runs: int, rng: Seeded, progress: Callable[[int], object]) -> list[Row]:
    ratios = {}
    found = []
    for epsilon in EPSILONS:
        for share in SHARES:
            ratio, stderr = _untold(share, epsilon, runs, rng, progress)
            ratios[epsilon, share] = ratio
            sure = ratio + 3 * stderr <= NEVER_WORSE
            found.append(
                Row(
                    f"kshot.untold.{epsilon}.{share:g}",
                    f"KShot told nothing ({_design(epsilon).shots} rounds) over Glance, "
                    f"μ = {share:g}, ε = {epsilon}: mean maximal errors",
                    None,
                    ratio,
                    f"{'better' if ratio < 1 else 'equal'}: ± {stderr:.3f}" if sure else "differs",
                )
            )
    worst = max(ratios.values())
    return [
        Row(
            "kshot.untold.worst",
            f"KShot told nothing over Glance: the largest ratio of all; wanted: {NEVER_WORSE}",
            None,
            worst,
            "confirmed: never worse" if worst <= NEVER_WORSE else "refuted",
        ),
        *found,
    ]


def _untold(
    share: float, epsilon: int, runs: int, rng: Seeded, progress: Callable[[int], object]
) -> tuple[float, float]:
    design, glance = _design(epsilon), Glance.calibrate(ROUNDS, epsilon)
    if (design.shots, design.few) == (1, glance.keep):
        return 1.0, 0.0  # it is Glance: the same reports with the same chances
    return _ratio(design, share, epsilon, runs, (rng, progress))


@cache
def _design(epsilon: int) -> KShot:
    return KShot.calibrate(ROUNDS, epsilon)


def _ratio(
    method: Simulated,
    share: float,
    epsilon: int,
    runs: int,
    chance: tuple[Seeded, Callable[[int], object]],
) -> tuple[float, float]:
    """The mean maximal error in units of Glance's, which is exact, and its standard error."""
    rng, progress = chance
    sample = stream_errors(method, population(share), runs, rng, progress=progress).maximal
    glance = exact("glance", share, epsilon).mean
    return float(sample.mean() / glance), float(sample.std(ddof=1) / math.sqrt(runs) / glance)


def _group_rows() -> list[Row]:
    found = []
    for share in (0.5, 0.9995):
        for epsilon in (1, 4, 8):
            keep = DOCUMENTS["glance"].calibrate(ROUNDS, epsilon).keep
            fixed = groups_maximum(keep, PEOPLE, population(share)[:, 1]).mean
            ratio = fixed / exact("glance", share, epsilon).mean
            found.append(
                Row(
                    f"groups.{share}.{epsilon}",
                    f"Glance in groups of fixed size over Glance, μ = {share}, ε = {epsilon}: "
                    f"exact mean maximal errors",
                    None,
                    ratio,
                    "better" if ratio < 1 else "differs",
                )
            )
    return found


def told_curve(rows_found: list[Row]) -> tuple[Floats, Floats, Floats]:
    """ε, ratio and standard error of KShot told the share, to be drawn."""
    values = {row.id: row.ours for row in rows_found}
    ratios, errors = (
        np.array([values[f"kshot.told.{epsilon}{end}"] for epsilon in WANTED], np.float64)
        for end in ("", ".stderr")
    )
    return np.array(list(WANTED), np.float64), ratios, errors

"""How often chance alone shows OUE better than GRR on five answers, where it never is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from record import Row
from scipy.special import ndtr

from sudare import GRR, OUE, Seeded
from sudare.simulation.comparison import ErrorCurve, error_curves

Floats = NDArray[np.float64]

REPETITIONS = 100  # of the document
EPSILONS = tuple(round(0.1 * step, 1) for step in range(1, 11))
# Dataset1 is known by its size only: the stand-in, and the least and most skewed of that size.
POPULATIONS: Mapping[str, tuple[int, ...]] = {
    "stand-in 6 4 2 1 1": (6, 4, 2, 1, 1),
    "even 3 3 3 3 2": (3, 3, 3, 3, 2),
    "all on one 14 0 0 0 0": (14, 0, 0, 0, 0),
}
RESAMPLES = 5000
FEWEST = 10  # cases that make a frequency worth a point
CHANCE = 0.01  # what is likelier than this may have been chance


@dataclass(frozen=True, eq=False)
class Luck:
    """The chance that OUE's mean error over 100 repetitions falls below GRR's, by ε.

    ``theory`` takes the means from the closed form and the spread from the measurement, with a
    normal law; ``y`` resamples the measured errors and is missing where it hardly happened.
    """

    label: str
    x: Floats
    y: Floats
    stderr: Floats
    theory: Floats


def measure(many: int, rng: Seeded, progress: Callable[[], object]) -> list[Luck]:
    """The luck of each population, from ``many`` repetitions of its survey."""
    lucks = []
    for name, counts in POPULATIONS.items():
        grr, oue = error_curves([GRR, OUE], counts, EPSILONS, many, rng, progress=progress)
        lucks.append(_luck(name, grr, oue, rng.generator()))
    return lucks


def rows(lucks: Sequence[Luck]) -> list[Row]:
    """The document's finding below ε = 1 on Dataset1, point by point."""
    chances = dict(zip(EPSILONS, lucks[0].theory.tolist(), strict=True))
    below = [chance for epsilon, chance in chances.items() if epsilon < 1]
    explained = max((e for e, chance in chances.items() if chance > CHANCE), default=0.0)
    most = {e: max(luck.theory[i] for luck in lucks) for i, e in enumerate(EPSILONS)}
    whole = float(np.prod(below))
    return [
        *(
            Row(
                f"luck.{epsilon}",
                f"the chance that 100 repetitions show OUE below GRR on Dataset1 at ε = {epsilon}",
                "OUE below GRR",
                chances[epsilon],
                _verdict(chances[epsilon]),
            )
            for epsilon in (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
        ),
        Row(
            "luck.some",
            "the chance of at least one such point among ε = 0.1, 0.2, …, 0.9",
            None,
            1 - float(np.prod([1 - chance for chance in below])),
            f"measured: chance explains points up to ε = {explained}",
        ),
        Row(
            "luck.whole",
            "the chance that OUE is below GRR at every ε = 0.1, 0.2, …, 0.9",
            "OUE below GRR for ε < 1",
            whole,
            "differs: neither chance nor skew gives it" if whole < 1e-3 else "confirmed",
        ),
        Row(
            "luck.populations",
            "the chance at ε = 0.5 for whichever 14 answers make it largest, of three populations",
            None,
            float(most[0.5]),
            "confirmed: no skew makes it likely" if most[0.5] < CHANCE else "differs",
        ),
    ]


def _verdict(chance: float) -> str:
    kind = "chance" if chance > CHANCE else "differs"
    return f"{kind}: once in {1 / chance:,.0f} experiments"


def _luck(name: str, grr: ErrorCurve, oue: ErrorCurve, generator: np.random.Generator) -> Luck:
    spread = np.sqrt((grr.samples.var(axis=1) + oue.samples.var(axis=1)) / REPETITIONS)
    normal = ndtr((grr.theory - oue.theory) / spread)
    wins = np.array(
        [
            np.mean(_means(oue, point, generator) < _means(grr, point, generator))
            for point in range(len(EPSILONS))
        ]
    )
    seen = np.where(wins * RESAMPLES >= FEWEST, wins, np.nan)
    error = np.sqrt(seen * (1 - seen) / RESAMPLES)
    return Luck(name, grr.x, seen, error, np.asarray(normal))


def _means(curve: ErrorCurve, point: int, generator: np.random.Generator) -> Floats:
    """Means of 100 measured errors, drawn anew, scaled to the exact mean."""
    samples = curve.samples[point]
    picks = generator.integers(samples.size, size=(RESAMPLES, REPETITIONS))
    scale = curve.theory[point] / samples.mean()
    return np.asarray(scale * samples[picks].mean(axis=1))

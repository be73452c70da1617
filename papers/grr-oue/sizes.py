"""What section 4.1 leaves open: few answers from many people, many from few, and skew.

Every number of answers and of people of the document's two data sets, crossed, each with even
answers, with the skew of a data set, and with everybody on one answer.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import populations
from consistency import CLEAR, TOO_FAR, Floats, Integers, Moments, Pair, squared_errors
from crossover import Ratio
from populations import Population
from record import Row
from statements import advantage_over

from sudare import GRR, OUE, Seeded
from sudare.estimation.frequency_error import share_variance

PEOPLE = (14, 49_742)
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0)
SKEWS = {"even": "even", "skewed": "skewed", "one": "all on one"}


@dataclass(frozen=True, eq=False)
class Crowd:
    """People in one corner of the comparison."""

    skew: str
    counts: Integers

    @property
    def k(self) -> int:
        """How many answers there are."""
        return self.counts.size

    @property
    def n(self) -> int:
        """How many people."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Cell:
    """A crowd at one ε: the errors of both mechanisms, exactly and measured."""

    crowd: Crowd
    epsilon: float
    exact: float
    measured: dict[str, Pair]
    surveys: int

    def ahead(self, step: str) -> str:
        """Who is measured ahead after a step, if that is clear."""
        pair = self.measured[step]
        clear = (pair.ratio - 1) / pair.stderr(self.surveys)
        if abs(clear) < CLEAR:
            return "undecided"
        return "OUE" if clear > 0 else "GRR"


def crowds() -> list[Crowd]:
    """Twelve: two numbers of answers, two of people, three degrees of skew."""
    few = populations.teas()
    return [
        Crowd(skew, apportioned(shares, n))
        for data in (few, populations.clothing())
        for n in PEOPLE
        for skew, shares in _shares(data.counts.size, few if n == few.n else data).items()
    ]


def _shares(k: int, skewed: Population) -> dict[str, Floats]:
    """Three ways to hold ``k`` answers; the skew is a data set's, the answers it lacks at 0."""
    own = skewed.counts / skewed.n
    return {
        "even": np.full(k, 1 / k),
        "skewed": np.pad(own, (0, k - own.size)),
        "one": np.eye(k)[0],
    }


def apportioned(shares: Floats, n: int) -> Integers:
    """``n`` people by these shares, what is left over to the largest remainders."""
    wanted = n * shares
    counts = np.floor(wanted).astype(np.int64)
    counts[np.argsort(counts - wanted, kind="stable")[: n - counts.sum()]] += 1
    return counts


def measure(surveys: int, rng: Seeded, progress: Callable[[], object]) -> list[Cell]:
    """Every crowd at every ε, ``surveys`` times."""
    cells = []
    for crowd in crowds():
        for epsilon in EPSILONS:
            grr, oue = (_errors(cls, crowd, epsilon, surveys, rng) for cls in (GRR, OUE))
            pairs = {step: Pair(grr[step], oue[step]) for step in grr}
            exact = advantage_over(crowd.counts, epsilon)
            cells.append(Cell(crowd, epsilon, exact, pairs, surveys))
            progress()
    return cells


def _errors(
    cls: type[GRR | OUE], crowd: Crowd, epsilon: float, surveys: int, rng: Seeded
) -> dict[str, Moments]:
    mechanism = cls.calibrate(crowd.k, epsilon)
    shares = np.column_stack(
        [mechanism.estimate(mechanism.simulate(crowd.counts, rng)).values for _ in range(surveys)]
    )
    errors = squared_errors(shares, crowd.counts / crowd.n)
    return {step: Moments.measured(error) for step, error in errors.items()}


def curves(cells: Sequence[Cell], k: int) -> list[Ratio]:
    """After projection, a line for each crowd of so many answers; ``theory`` is without it."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.crowd.k == k:
            groups.setdefault(f"{cell.crowd.n:,} people, {SKEWS[cell.crowd.skew]}", []).append(cell)
    lines = []
    for label, group in groups.items():
        pairs = [cell.measured["projected"] for cell in group]
        x = np.array([cell.epsilon for cell in group])
        y = np.array([pair.ratio for pair in pairs])
        stderr = np.array([pair.stderr(group[0].surveys) for pair in pairs])
        exact = np.array([cell.exact for cell in group])
        lines.append(Ratio(label, x, y, stderr, exact))
    return lines


def rows(cells: Sequence[Cell]) -> list[Row]:
    """The answers: before projection by closed form and simulation, after it by simulation."""
    return [
        *_exact_rows(cells),
        *_simulated_rows(cells),
        *_projected_rows(cells),
        _common_row(max(cell.crowd.k for cell in cells)),
    ]


def _exact_rows(cells: Sequence[Cell]) -> list[Row]:
    found = []
    for k in sorted({cell.crowd.k for cell in cells}):
        for epsilon in EPSILONS:
            ratios = [c.exact for c in cells if (c.crowd.k, c.epsilon) == (k, epsilon)]
            ahead = "OUE" if ratios[0] > 1 else "GRR"
            found.append(
                Row(
                    f"open.{k}.{epsilon:g}",
                    f"section 4.1, left open: MSE of GRR / OUE for {k} answers at ε = {epsilon:g}, "
                    "14 and 49,742 people, even, skewed, all on one",
                    "open",
                    ratios[0],
                    f"answered: {ahead} better, the same for all {len(ratios)}"
                    if np.ptp(ratios) < 1e-9 * ratios[0]
                    else "answered: it depends on the people",
                )
            )
    return found


def _simulated_rows(cells: Sequence[Cell]) -> list[Row]:
    pairs = [(cell, cell.measured["unbiased"]) for cell in cells]
    far = max(abs(pair.ratio - cell.exact) / pair.stderr(cell.surveys) for cell, pair in pairs)
    wrong = sum(
        cell.ahead("unbiased") not in {"undecided", "OUE" if cell.exact > 1 else "GRR"}
        for cell in cells
    )
    decided = sum(cell.ahead("unbiased") != "undecided" for cell in cells)
    return [
        Row(
            "open.simulated",
            f"the same by simulation, {cells[0].surveys:,} surveys for each of {len(cells)} cases: "
            "the farthest from the closed form, in standard errors",
            None,
            far,
            "confirmed" if far < TOO_FAR else "refuted: the closed form does not fit",
        ),
        Row(
            "open.simulated.ahead",
            f"cases of {len(cells)} in which the simulation is sure who is better, and is wrong",
            0,
            wrong,
            f"confirmed: sure of {decided}" if not wrong else "refuted",
        ),
    ]


def _projected_rows(cells: Sequence[Cell]) -> list[Row]:
    changed = [
        cell
        for cell in cells
        if cell.ahead("projected") not in {"undecided", "OUE" if cell.exact > 1 else "GRR"}
    ]
    names = "; ".join(
        f"d = {c.crowd.k}, n = {c.crowd.n:,}, {SKEWS[c.crowd.skew]}, ε = {c.epsilon:g}"
        for c in changed
    )
    found = []
    for cell in cells:
        pair, crowd = cell.measured["projected"], cell.crowd
        ahead = cell.ahead("projected")
        verdict = ahead if ahead == "undecided" else f"{ahead} better"
        found.append(
            Row(
                f"open.projected.{crowd.k}.{crowd.n}.{crowd.skew}.{cell.epsilon:g}",
                f"the same for projected shares: {crowd.k} answers, {crowd.n:,} people, "
                f"{SKEWS[crowd.skew]}, ε = {cell.epsilon:g}",
                "open",
                pair.ratio,
                f"{verdict}: ± {pair.stderr(cell.surveys):.3f}",
            )
        )
    return [
        *found,
        Row(
            "open.projected.changed",
            f"cases of {len(cells)} in which projection makes the other one better",
            "open",
            len(changed),
            f"answered: {names}" if changed else "answered: none",
        ),
    ]


def _common_row(k: int) -> Row:
    """Projection rids one common answer of its rivals' noise, and its own error remains.

    At share 1, GRR's error has p(1 - p) / (p - q)² = (k - 1)E / (E - 1)² and OUE's
    ((E + 1) / (E - 1))², with E = e^ε: equal where E + 1/E = k - 3.
    """
    epsilon = math.acosh((k - 3) / 2)
    grr, oue = (
        float(share_variance(m.holder, m.others, 1, 1.0))
        for m in (GRR.calibrate(k, epsilon), OUE.calibrate(k, epsilon))
    )
    return Row(
        "open.common",
        f"the ε below which OUE is better on an answer that everybody holds, d = {k}: "
        "e^ε + e^-ε = d - 3",
        "open",
        epsilon,
        "answered: equal errors there" if math.isclose(grr, oue, rel_tol=1e-9) else "differs",
    )

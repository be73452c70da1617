"""The ε at which GRR overtakes OUE, found from measured errors, with its uncertainty."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from record import Row

from sudare.estimation.frequency_error import rare_answer_crossover, total_error_crossover
from sudare.simulation.comparison import ErrorCurve

Floats = NDArray[np.float64]

REACH = 0.5  # how far from the crossing the errors are looked at
RESAMPLES = 500


@dataclass(frozen=True)
class Crossing:
    """Where the errors of GRR and OUE are equal."""

    epsilon: float
    stderr: float
    repetitions: int

    def away(self, other: float) -> float:
        """How many standard errors it lies from another value."""
        return abs(self.epsilon - other) / self.stderr


@dataclass(frozen=True, eq=False)
class Ratio:
    """The error of GRR in units of OUE's: a curve for ``sudare.results.figures.error_figure``."""

    label: str
    x: Floats
    y: Floats
    stderr: Floats
    theory: Floats

    @classmethod
    def of(cls, grr: ErrorCurve, oue: ErrorCurve) -> "Ratio":
        """The ratio of two measured curves, its error to first order."""
        y = grr.y / oue.y
        spread = np.hypot(grr.stderr / grr.y, oue.stderr / oue.y)
        label = f"{grr.samples.shape[1]:,} repetitions"
        return cls(label, grr.x, y, y * spread, grr.theory / oue.theory)


def change_point(grr: ErrorCurve, oue: ErrorCurve) -> float:
    """The ε up to which OUE has mostly won: the top of the summed log-ratios."""
    return float(grr.x[np.argmax(np.cumsum(np.log(grr.y / oue.y)))])


def crossing(grr: ErrorCurve, oue: ErrorCurve, rng: np.random.Generator) -> Crossing:
    """The root of a parabola through log(MSE of GRR / MSE of OUE) near the change of places.

    Its standard error is that over resamples of the repetitions, drawn for each ε and each
    mechanism by itself.
    """
    middle = change_point(grr, oue)
    near = np.abs(grr.x - middle) < REACH + 1e-9
    x, samples = grr.x[near], (grr.samples[near], oue.samples[near])
    roots = [
        _root(x, _resampled(samples[0], rng) / _resampled(samples[1], rng), middle)
        for _ in range(RESAMPLES)
    ]
    found = _root(x, samples[0].mean(axis=1) / samples[1].mean(axis=1), middle)
    return Crossing(found, float(np.std(roots, ddof=1)), grr.samples.shape[1])


def rows(found: Crossing, identifier: str, k: int) -> list[Row]:
    """A crossing against the document's rule and the exact one."""
    rare, exact = rare_answer_crossover(k), total_error_crossover(k)
    refused, kept = found.away(rare), found.away(exact)
    if refused > 4 and kept < 4:
        verdict = (
            f"differs: {refused:.1f} standard errors from {rare:.3f}, {kept:.1f} from {exact:.3f}"
        )
    elif kept < 4:
        verdict = (
            f"undecided: {refused:.1f} standard errors from {rare:.3f}, {kept:.1f} from {exact:.3f}"
        )
    else:
        verdict = f"refuted: {kept:.1f} standard errors from the exact {exact:.3f}"
    what = f"the ε at which GRR overtakes OUE on Dataset2, {found.repetitions:,} repetitions"
    return [
        Row(f"{identifier}.epsilon", what, 2.615, found.epsilon, verdict),
        Row(f"{identifier}.stderr", "its standard error", None, found.stderr, "measured"),
    ]


def seen_row(found: Crossing) -> Row:
    """What the document reads off its figure."""
    inside = 2 < found.epsilon < 3
    what = f"the same, as read off figure 3.8, {found.repetitions:,} repetitions"
    verdict = "confirmed" if inside else "differs"
    return Row("crossover.seen", what, "between 2 and 3", found.epsilon, verdict)


def _resampled(samples: Floats, rng: np.random.Generator) -> Floats:
    picks = rng.integers(samples.shape[1], size=samples.shape)
    return np.asarray(np.take_along_axis(samples, picks, axis=1).mean(axis=1))


def _root(x: Floats, ratio: Floats, middle: float) -> float:
    """The root nearest ``middle``, or the parabola's vertex if it has none."""
    parabola = np.polynomial.Polynomial.fit(x - middle, np.log(ratio), 2)
    roots = np.asarray(parabola.roots())
    return middle + float(roots[np.argmin(np.abs(roots))].real)

"""Beyond the document: five kinds of stream, and every method on each of them."""

import math
from collections.abc import Callable, Mapping
from functools import cache

from record import Row
from setting import PEOPLE, ROUNDS

from sudare import Seeded
from sudare.simulation.experiments import (
    METHODS,
    Calibrate,
    ErrorSummary,
    compare_streams,
    expecting,
)
from sudare.simulation.scenarios import SCENARIOS, stream

EPSILONS = (1, 2, 4, 8)
TOLD = (0.2, 0.8)  # where the streams are, or mean to be
OURS: Mapping[str, Calibrate] = {  # designed once for all streams
    "kshot": cache(METHODS["kshot"]),
    "kshot-told": cache(expecting(*TOLD)),
}
COMPARED: Mapping[str, Calibrate] = {**METHODS, **OURS}
_TIED = 4  # standard errors
_WALK = 1  # the seed of the streams themselves: the same walk whatever the seed of the runs


def steps(many: int) -> int:
    """How many experiments there are in all."""
    return many * len(SCENARIOS) * len(COMPARED) * len(EPSILONS)


def measure(many: int, rng: Seeded, progress: Callable[[int], object]) -> list[ErrorSummary]:
    """Every method on every kind at every ε."""
    streams = {kind: stream(kind, ROUNDS, PEOPLE, Seeded(_WALK)) for kind in SCENARIOS}
    return compare_streams(streams, COMPARED, EPSILONS, many, rng, progress=progress)


def rows(outcomes: list[ErrorSummary]) -> list[Row]:
    """Who has the least errors, and both errors of each."""
    found = []
    for one in outcomes:
        name = f"kinds.{one.stream}.{one.method}.{one.epsilon:g}"
        what = f"{one.stream} stream, {one.method}, ε = {one.epsilon:g}"
        found += [
            Row(
                name,
                f"{what}: mean maximal error",
                None,
                one.maximal,
                f"measured: ± {one.stderr:.2g}",
            ),
            Row(f"{name}.squared", f"{what}: mean squared error", None, one.squared, "measured"),
        ]
    return [*_best_rows(outcomes), *found]


def _best_rows(outcomes: list[ErrorSummary]) -> list[Row]:
    found = []
    for kind in SCENARIOS:
        for epsilon in EPSILONS:
            here = [one for one in outcomes if (one.stream, one.epsilon) == (kind, epsilon)]
            ours = [one for one in here if one.method in OURS]
            others = [one for one in here if one.method not in OURS]
            what = f"{kind} stream, ε = {epsilon}: the better KShot over the best of the others"
            found += [
                _maximal_row(f"kinds.{kind}.{epsilon}.ratio", what, ours, others),
                _squared_row(f"kinds.{kind}.{epsilon}.ratio.squared", what, ours, others),
            ]
    return found


def _maximal_row(name: str, what: str, ours: list[ErrorSummary], others: list[ErrorSummary]) -> Row:
    mine, best = (min(each, key=lambda one: one.maximal) for each in (ours, others))
    tied = abs(mine.maximal - best.maximal) <= _TIED * math.hypot(mine.stderr, best.stderr)
    verdict = f"equal: tied with {best.method}" if tied else _winner(mine, best, "maximal")
    return Row(name, f"{what}, mean maximal errors", None, mine.maximal / best.maximal, verdict)


def _squared_row(name: str, what: str, ours: list[ErrorSummary], others: list[ErrorSummary]) -> Row:
    mine, best = (min(each, key=lambda one: one.squared) for each in (ours, others))
    ratio = mine.squared / best.squared
    tied = abs(ratio - 1) < 0.03  # it varies by some percent
    verdict = f"equal: tied with {best.method}" if tied else _winner(mine, best, "squared")
    return Row(name, f"{what}, mean squared errors", None, ratio, verdict)


def _winner(mine: ErrorSummary, best: ErrorSummary, error: str) -> str:
    if getattr(mine, error) < getattr(best, error):
        return f"better: than {best.method}"
    return f"differs: {best.method} wins"

"""Dataset1 below ε = 1, where the document saw OUE ahead: it is, once shares are projected.

Fourteen people and five answers have few enough tallies to run down all of them: 3,060 under
GRR and 759,375 under OUE. So the errors after projection are exact, as those before it are.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from consistency import (
    CLEAR,
    STEPS,
    TOO_FAR,
    Floats,
    Integers,
    Mechanism,
    Moments,
    Pair,
    squared_errors,
    summed_crossover,
    unbiased,
)
from crossover import Ratio
from luck import EPSILONS, POPULATIONS, REPETITIONS
from record import Row
from scipy.optimize import brentq
from scipy.special import ndtr
from tallies import ones_law

from sudare import GRR, OUE, Seeded

STAND_IN, *OTHERS = POPULATIONS.values()
SHOWN = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # as in ``luck``
BATCH = 50_000  # surveys at once


@dataclass(frozen=True)
class Point:
    """One ε: the errors after each step, exactly and measured."""

    epsilon: float
    exact: dict[str, Pair]
    measured: dict[str, Pair]
    surveys: int


def measure(surveys: int, rng: Seeded, progress: Callable[[], object]) -> list[Point]:
    """The stand-in for Dataset1 at every ε, each survey person by person."""
    points = []
    for epsilon in EPSILONS:
        errors = [_measured(m, STAND_IN, surveys, rng) for m in _calibrated(STAND_IN, epsilon)]
        points.append(Point(epsilon, exact_pairs(STAND_IN, epsilon), _pairs(*errors), surveys))
        progress()
    return points


def curves(points: Sequence[Point]) -> list[Ratio]:
    """A line for each step."""
    names = {"unbiased": "L[f] as it is", "summed": "summing to 1", "projected": "Norm-Sub"}
    x = np.array([point.epsilon for point in points])
    return [
        Ratio(
            names[step],
            x,
            np.array([point.measured[step].ratio for point in points]),
            np.array([point.measured[step].stderr(point.surveys) for point in points]),
            np.array([point.exact[step].ratio for point in points]),
        )
        for step in STEPS
    ]


def exact_pairs(counts: Sequence[int], epsilon: float) -> dict[str, Pair]:
    """The exact errors of both mechanisms after each step, over every tally."""
    grr, oue = _calibrated(counts, epsilon)
    laws = ((grr, *grr_law(grr, counts)), (oue, *oue_law(oue, counts)))
    n, truth = sum(counts), np.array(counts) / sum(counts)
    moments = [
        {
            step: Moments.exact(errors, chances)
            for step, errors in squared_errors(unbiased(m, tallies, n), truth).items()
        }
        for m, tallies, chances in laws
    ]
    return _pairs(*moments)


def grr_law(mechanism: GRR, counts: Sequence[int]) -> tuple[Integers, Floats]:
    """Every tally of GRR's reports, and its chance: one person after another."""
    k = len(counts)
    law = {(0,) * k: 1.0}
    for answer in np.repeat(np.arange(k), counts).tolist():
        grown: dict[tuple[int, ...], float] = defaultdict(float)
        for tally, chance in law.items():
            for said in range(k):
                after = (*tally[:said], tally[said] + 1, *tally[said + 1 :])
                grown[after] += chance * (mechanism.keep if said == answer else mechanism.others)
        law = grown
    return np.array(list(law), np.int64).T, np.array(list(law.values()))


def oue_law(mechanism: OUE, counts: Sequence[int]) -> tuple[Integers, Floats]:
    """Every tally of OUE's reports, and its chance: bits are independent."""
    n, k = sum(counts), len(counts)
    tallies = np.indices((n + 1,) * k).reshape(k, -1)
    chances = reduce(np.multiply.outer, [ones_law(mechanism, held, n) for held in counts])
    return tallies, np.asarray(chances).ravel()


def survey_tallies(
    mechanism: Mechanism, counts: Sequence[int], surveys: int, rng: Seeded
) -> Integers:
    """The tallies of so many surveys, every person of each randomised by the code that ships."""
    k, n = len(counts), sum(counts)
    answers = np.tile(np.repeat(np.arange(k), counts), surveys)
    reports = mechanism.randomize(answers, rng)
    if isinstance(mechanism, GRR):
        columns = [reports["answer"] == answer for answer in range(k)]
    else:
        columns = [reports["bits"][:, 0] >> np.uint64(answer) & np.uint64(1) for answer in range(k)]
    per_survey = [said.reshape(surveys, n).sum(axis=1, dtype=np.int64) for said in columns]
    return np.array(per_survey)


def rows(points: Sequence[Point]) -> list[Row]:
    """Both orders, before and after projection, and what the document's finding then says."""
    by_epsilon = {point.epsilon: point for point in points}
    return [
        *(row for epsilon in SHOWN for row in _point_rows(by_epsilon[epsilon])),
        *_summed_rows(),
        *_projected_rows(points),
    ]


def _point_rows(point: Point) -> list[Row]:
    found = []
    for step, said in (("unbiased", "as they are"), ("projected", "projected on the simplex")):
        exact, measured = point.exact[step], point.measured[step]
        stderr = measured.stderr(point.surveys)
        what = f"Dataset1, ε = {point.epsilon}, shares {said}: MSE of GRR / OUE"
        name = f"anomaly.{step}.{point.epsilon}"
        found += [
            Row(
                name,
                f"{what}, exactly",
                "above 1",
                exact.ratio,
                "confirmed: OUE ahead" if exact.ratio > 1 else "differs: GRR ahead",
            ),
            Row(
                f"{name}.measured",
                f"{what}, {point.surveys:,} surveys person by person",
                "above 1",
                measured.ratio,
                _measured_verdict(measured.ratio, stderr, exact.ratio),
            ),
            Row(f"{name}.stderr", "its standard error", None, stderr, "measured"),
        ]
    return found


def _measured_verdict(ratio: float, stderr: float, exact: float) -> str:
    far = abs(ratio - exact) / stderr
    if far > TOO_FAR:
        return f"refuted: {far:.1f} standard errors from the exact {exact:.4f}"
    clear = (ratio - 1) / stderr
    if abs(clear) < CLEAR:
        return f"undecided: {abs(clear):.1f} standard errors from 1, {far:.1f} from the exact"
    ahead = "confirmed: OUE" if clear > 0 else "differs: GRR"
    return f"{ahead} ahead by {abs(clear):.1f} standard errors, {far:.1f} from the exact"


def _summed_rows() -> list[Row]:
    """The first half of a projection has a closed form, which owes nothing to the population."""
    k = len(STAND_IN)
    epsilon = summed_crossover(k)
    pairs = exact_pairs(STAND_IN, epsilon)
    left = [
        getattr(pairs["summed"], name).mean / getattr(pairs["unbiased"], name).mean
        for name in ("grr", "oue")
    ]
    return [
        Row(
            "anomaly.summed.left",
            "Dataset1: what is left of OUE's error when its shares are made to sum to 1, exactly",
            None,
            left[1],
            f"answered: 1 - 1/{k}; of GRR's, which sum to 1, all"
            if np.allclose(left, [1, 1 - 1 / k], rtol=1e-9)
            else "differs",
        ),
        Row(
            "anomaly.summed.crossover",
            "the ε below which OUE is ahead on 5 answers then, whoever holds them: "
            "e^ε = √(2d(d-2)) - (d-1)",
            None,
            epsilon,
            "answered: equal errors, enumerated"
            if math.isclose(pairs["summed"].ratio, 1, rel_tol=1e-9)
            else "differs",
        ),
    ]


def _projected_rows(points: Sequence[Point]) -> list[Row]:
    below = [point.exact for point in points if point.epsilon < 1]
    chances = {
        step: math.prod(_chance(pairs[step]) for pairs in below)
        for step in ("unbiased", "projected")
    }
    ahead = [point.epsilon for point in points if point.exact["projected"].ratio > 1]
    others = [exact_pairs(counts, 0.5)["projected"].ratio for counts in OTHERS]
    crossing = float(
        brentq(
            lambda epsilon: exact_pairs(STAND_IN, epsilon)["projected"].ratio - 1,
            max(ahead),
            max(ahead) + 0.1,
            xtol=1e-4,
        )
    )
    return [
        Row(
            "anomaly.projected.crossover",
            "Dataset1, shares projected: the ε below which OUE is ahead, exactly",
            "1",
            crossing,
            f"differs: OUE ahead up to {crossing:.2f} only" if crossing < 1 else "confirmed",
        ),
        Row(
            "anomaly.projected.populations",
            "the same ratio at ε = 0.5 for the least and the most skewed 14 answers: the smaller",
            "above 1",
            min(others),
            "confirmed: OUE ahead without skew and with it" if min(others) > 1 else "differs",
        ),
        Row(
            "anomaly.whole",
            "the chance that 100 repetitions show OUE below GRR at every ε = 0.1, 0.2, …, 0.9, "
            "if the document projected its shares",
            "OUE below GRR for ε < 1",
            chances["projected"],
            f"explained: once in {1 / chances['projected']:,.0f} experiments; "
            "with L[f] as printed below 10^-20"
            if chances["projected"] > 1e-3 and chances["unbiased"] < 1e-20
            else "differs",
        ),
    ]


def _chance(pair: Pair) -> float:
    """That OUE's mean error over the document's repetitions falls below GRR's."""
    spread = math.hypot(pair.grr.spread, pair.oue.spread) / math.sqrt(REPETITIONS)
    return float(ndtr((pair.grr.mean - pair.oue.mean) / spread))


def _measured(
    mechanism: Mechanism, counts: Sequence[int], surveys: int, rng: Seeded
) -> dict[str, Moments]:
    n, truth = sum(counts), np.array(counts) / sum(counts)
    parts = []
    for start in range(0, surveys, BATCH):
        tallies = survey_tallies(mechanism, counts, min(BATCH, surveys - start), rng)
        parts.append(squared_errors(unbiased(mechanism, tallies, n), truth))
    return {
        step: Moments.measured(np.concatenate([part[step] for part in parts])) for step in STEPS
    }


def _pairs(grr: dict[str, Moments], oue: dict[str, Moments]) -> dict[str, Pair]:
    return {step: Pair(grr[step], oue[step]) for step in STEPS}


def _calibrated(counts: Sequence[int], epsilon: float) -> tuple[GRR, OUE]:
    k = len(counts)
    return GRR.calibrate(k, epsilon), OUE.calibrate(k, epsilon)

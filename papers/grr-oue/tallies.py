"""The numerical examples (sections 2.2.1 and 2.3.1): d = 3, ε = 2, n = 10, on our mechanisms."""

import math

import numpy as np
from numpy.typing import NDArray
from record import Row, agrees, number

from sudare import GRR, OUE, Aggregate
from sudare.estimation.frequency_error import mean_squared_error
from sudare.estimation.likelihood import most_likely

EPSILON = 2.0
TRUTH = {"A": 3, "B": 2, "C": 5}
N, D = sum(TRUTH.values()), len(TRUTH)


def estimated_counts(mechanism: GRR | OUE, tally: dict[str, int]) -> dict[str, float]:
    """The document's L[f]: our estimate from its tally, in people."""
    counts = np.array(list(tally.values()), np.int64)
    estimate = mechanism.estimate(Aggregate(mechanism.key, N, counts))
    return dict(zip(tally, (N * estimate.values).tolist(), strict=True))


def grr_rows() -> list[Row]:
    """Section 2.2.1, whose results need p = .787, not the .737 printed."""
    mechanism = GRR.calibrate(D, EPSILON)
    tally = {"A": 3, "B": 2, "C": 5}
    ours = estimated_counts(mechanism, tally)
    printed = {"A": "2.843", "B": "1.374", "C": "5.78"}
    errors = {"A": "-0.157", "B": "-0.626", "C": "+0.78"}

    def from_p(p: float, lie: float) -> float:  # both forms of L[f_A] in section 2.2
        return (tally["A"] * (D - 1) - N * lie) / (p * (D - 1) - lie)

    as_printed = from_p(0.737, 1 - 0.737)
    used = agrees(printed["A"], ours["A"]) and not agrees(printed["A"], as_printed)
    because = f"0.737 would give L[f_A] = {as_printed:.3f}, not {printed['A']}" if used else ""
    small, whole = mechanism.others, 1 - mechanism.keep
    meant = agrees(printed["A"], from_p(mechanism.keep, whole))
    meaning = f"here q is 1 - p; with {small:.3f}, L[f_A] = {from_p(mechanism.keep, small):.3f}"
    return [
        number("grr.p", "GRR example: p", "0.737", mechanism.keep, because),
        number("grr.q", "GRR example: q", "0.107", small),
        number(
            "grr.derivation.q",
            "GRR, section 2.2: the q of L[f] = (f'(d-1) - nq) / (p(d-1) - q), as defined",
            "0.107",
            whole,
            meaning if meant else "",
        ),
        *(
            number(f"grr.estimate.{name}", f"GRR example: L[f_{name}]", printed[name], ours[name])
            for name in TRUTH
        ),
        *(
            number(
                f"grr.error.{name}",
                f"GRR example: error of {name}",
                errors[name],
                ours[name] - TRUTH[name],
            )
            for name in TRUTH
        ),
    ]


def oue_rows() -> list[Row]:
    """Section 2.3.1, whose table does not repeat its own formulas."""
    mechanism = OUE.calibrate(D, EPSILON)
    tally = {"A": 6, "B": 4, "C": 7}
    ours = estimated_counts(mechanism, tally)
    formula = {"A": "12.62", "B": "7.374", "C": "15.25"}
    table = {"A": "12.32", "B": "7.374", "C": "15.25"}
    errors = {"A": "+9.32", "B": "+5.374", "C": "+10.52"}
    rows = [
        number("oue.p", "OUE example: p", "0.5", mechanism.p),
        number("oue.q", "OUE example: q", "0.119", mechanism.q),
    ]
    for name, truth in TRUTH.items():
        above = f"the formula above the table says {formula[name]}"
        wrong = float(table[name]) - truth
        error = ours[name] - truth
        if agrees(errors[name], wrong) and table[name] != formula[name]:
            because = f"{table[name]} was carried on"
        elif sorted(errors[name]) == sorted(f"{error:+.2f}"):
            because = "two digits are swapped"
        else:
            because = ""
        rows += [
            number(f"oue.formula.{name}", f"OUE example: L[f_{name}]", formula[name], ours[name]),
            number(
                f"oue.table.{name}",
                f"OUE example: L[f_{name}] in the table",
                table[name],
                ours[name],
                above if agrees(formula[name], ours[name]) else "",
            ),
            number(
                f"oue.error.{name}", f"OUE example: error of {name}", errors[name], error, because
            ),
        ]
    return [*rows, *_conclusion(mechanism, tally, ours)]


def _conclusion(mechanism: OUE, tally: dict[str, int], ours: dict[str, float]) -> list[Row]:
    """What follows from the example: nothing about OUE, for nobody would see this tally."""
    luck = math.prod(_at_least(mechanism, TRUTH[name], tally[name]) for name in TRUTH)
    seen = math.sqrt(sum((ours[name] - TRUTH[name]) ** 2 for name in TRUTH) / D)
    grr = GRR.calibrate(D, EPSILON)
    root = {
        m.name: N * math.sqrt(mean_squared_error(m.holder, m.others, N, D))
        for m in (mechanism, grr)
    }
    likely = _most_likely(mechanism, tally)
    times = root["oue"] / root["grr"]
    return [
        Row(
            "oue.tally",
            "OUE example: the chance of a tally as high as the assumed 6, 4, 7",
            "assumed",
            luck,
            f"differs: once in {1 / luck:,.0f} surveys, so nothing follows from it"
            if luck < 1e-3
            else "confirmed",
        ),
        Row(
            "oue.typical",
            "OUE example: root mean squared error in people, the example's and the expected "
            f"(of GRR: {root['grr']:.2f})",
            seen,
            root["oue"],
            f"differs: OUE errs {times:.2f} times as much as GRR at d = 3, "
            f"not the example's {seen / root['grr']:.1f}"
            if seen > 2 * root["oue"]
            else "confirmed",
        ),
        Row(
            "oue.likelihood",
            f"OUE example: the most likely number for C, of {N} people",
            15.25,
            likely["C"],
            "differs: L[f] is unbiased, and most likely only where it is a number of people"
            if ours["C"] > N
            else "confirmed",
        ),
    ]


def _most_likely(mechanism: OUE, tally: dict[str, int]) -> dict[str, float]:
    """The counts under which the tally is most likely, among those that sum to N."""
    aggregate = Aggregate(mechanism.key, N, np.array(list(tally.values()), np.int64))
    shares = most_likely(mechanism.evidence(aggregate)).shares
    return dict(zip(tally, (N * shares).tolist(), strict=True))


def _at_least(mechanism: OUE, holders: int, wanted: int) -> float:
    """The chance that a bit is set in ``wanted`` or more of the reports, exactly."""
    return float(ones_law(mechanism, holders, N)[wanted:].sum())


def ones_law(mechanism: OUE, holders: int, n: int) -> NDArray[np.float64]:
    """The chances that 0, 1, … n of the reports have an answer's bit set."""
    return np.convolve(_binomial(holders, mechanism.p), _binomial(n - holders, mechanism.q))


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    return np.array([math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)])

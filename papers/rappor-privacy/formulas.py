"""Every formula and claim of the document, against the enumerated law and exact fractions."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from record import Row

import laws
from sudare import Rappor
from sudare.chance.exact import log_up
from sudare.mechanisms.rappor import said_chances

Integers = NDArray[np.int64]

F, P, Q, H = 0.5, 0.5, 0.75, 2  # of [1], and of the known values
PERMANENT = Rappor(4, H, 1, F, 0.0, 1.0)  # a report is the kept filter itself
REPORT = Rappor(4, H, 1, F, P, Q)
SINGLE = Rappor(2, 1, 1, F, P, Q)
CROWDED = Rappor(4, 3, 1, F, 0.0, 1.0)  # three hashes in four bits


def _equal(identifier: str, what: str, document: float, ours: Fraction | float) -> Row:
    same = math.isclose(document, float(ours), rel_tol=1e-12)
    return Row(identifier, what, document, float(ours), "equal" if same else "differs")


def permanent_epsilon(f: float, hashes: int) -> float:
    """The document's ε∞ = 2h ln((1 - f/2) / (f/2))."""
    return 2 * hashes * math.log((1 - f / 2) / (f / 2))


def report_epsilon(f: float, p: float, q: float, hashes: int) -> float:
    """The document's ε₁ = h ln(q*(1 - p*) / (p*(1 - q*))), by (9) and (10)."""
    one = f * (p + q) / 2 + (1 - f) * q
    zero = f * (p + q) / 2 + (1 - f) * p
    return hashes * math.log(one * (1 - zero) / (zero * (1 - one)))


def permanent_rows() -> list[Row]:
    """Equations (6) to (8) and ε∞."""
    kept, flipped = laws.bit_law(PERMANENT)
    enumerated = laws.channel(PERMANENT).worst_ratio
    return [
        _equal("eq6", "(6): P(b' = 1 | b = 1) = 1 - f/2, enumerated", 1 - F / 2, kept),
        _equal("eq7", "(7): P(b' = 1 | b = 0) = f/2, enumerated", F / 2, flipped),
        _equal(
            "eq8",
            "(8): ((1 - f/2) / (f/2))^2h, the worst ratio of kept filters, enumerated for h = 2",
            ((1 - F / 2) / (F / 2)) ** (2 * H),
            enumerated,
        ),
        _equal(
            "epsilon.lasting",
            "ε∞ at h = 2, f = ½: 4 ln 3",
            permanent_epsilon(F, H),
            log_up(enumerated),
        ),
        Row(
            "epsilon.lasting.code",
            "ε∞ as the mechanism states it, in units of the enumerated",
            None,
            REPORT.lifetime_epsilon / log_up(enumerated),
            "equal" if REPORT.lifetime_ratio == enumerated else "differs",
        ),
        _crowded_row(),
    ]


def _crowded_row() -> Row:
    """Where B < 2h two filters can't differ in 2h bits."""
    formula = permanent_epsilon(F, CROWDED.hashes)
    enumerated = laws.channel(CROWDED).worst_ratio
    exact = log_up(enumerated)
    return Row(
        "eq8.crowded",
        "(8) with B < 2h: ε∞ at h = 3, B = 4, enumerated",
        formula,
        exact,
        f"differs: an upper bound; two filters differ in {2 * CROWDED.changes} bits at most"
        if enumerated == CROWDED.lifetime_ratio and exact < formula
        else "equal",
    )


def report_rows() -> list[Row]:
    """Equations (9) to (11) and ε₁."""
    one, zero = laws.bit_law(REPORT)
    p_star, q_star = said_chances(F, P, Q)
    enumerated = laws.channel(REPORT).worst_ratio
    unequal = float(q_star / (p_star * (1 - q_star))) * (1 - P)
    formula = report_epsilon(F, P, Q, H)
    return [
        _equal("eq9", "(9): q* = f(p + q)/2 + (1 - f)q, enumerated", float(q_star), one),
        _equal("eq10", "(10): p* = f(p + q)/2 + (1 - f)p, enumerated", float(p_star), zero),
        _equal(
            "eq11",
            "(11): (q*(1 - p*) / (p*(1 - q*)))^h, the worst ratio of reports, enumerated",
            float((q_star * (1 - p_star) / (p_star * (1 - q_star))) ** H),
            enumerated,
        ),
        Row(
            "eq11.star",
            "(11) as printed, “(1-p)*”, if it were 1 - p: the ratio to the power h",
            unequal**H,
            float(enumerated),
            "misprint: 1 - p*" if not math.isclose(unequal**H, enumerated) else "equal",
        ),
        _equal(
            "epsilon.report",
            "ε₁ at h = 2, f = ½, p = ½, q = ¾: 1.0743",
            formula,
            log_up(enumerated),
        ),
        Row(
            "epsilon.report.code",
            "the mechanism's own worst ratio, in units of the enumerated",
            None,
            float(REPORT.worst_ratio / enumerated),
            "equal" if REPORT.worst_ratio == enumerated else "differs",
        ),
    ]


def bound_rows() -> list[Row]:
    """“S does not affect differential privacy”: it can only help, as post-processing does."""
    lasting, once = (laws.channel(m).worst_ratio for m in (PERMANENT, REPORT))
    return [
        Row(
            "text.postprocessing",
            "section 2.1: P(S | B') has no effect on privacy; ε of a report S against ε∞ of B'",
            log_up(lasting),
            log_up(once),
            "differs: an upper bound; a report costs less than the kept filter"
            if once < lasting
            else "confirmed",
        ),
        Row(
            "text.order",
            "section 2.2: q > p is the same as q* > p*, as (1 - f)(q - p) = q* - p*: "
            "the largest error over a grid",
            0.0,
            _order_error(),
            "equal" if _order_error() == 0 else "differs",
        ),
    ]


def _order_error() -> float:
    grid = [Fraction(i, 8) for i in range(9)]
    errors = [
        abs((1 - f) * (q - p) - _star_difference(float(f), float(p), float(q)))
        for f in grid[:-1]
        for p in grid
        for q in grid
    ]
    return float(max(errors))


def _star_difference(f: float, p: float, q: float) -> Fraction:
    zero, one = said_chances(f, p, q)
    return one - zero


def dominance_rows() -> list[Row]:
    """Inequalities (5) and (12), over every set of reports and every pair of filters."""
    held, reached, sets = 0, 0, 0
    for a, b in permutations(laws.numerators(REPORT), 2):
        top = int(np.argmax(a / b))
        above, below = _subset_sums(a)[1:], _subset_sums(b)[1:]
        left, right = above * int(b[top]), int(a[top]) * below  # Σa/Σb against max a/b, exactly
        held += int((left <= right).sum())
        reached += int((left == right).any())
        sets += left.size
    pairs = len(laws.texts(REPORT)) * (len(laws.texts(REPORT)) - 1)
    return [
        Row(
            "eq12",
            "(12) and (5): P(S ∈ R | B₁) / P(S ∈ R | B₂) ≤ the largest ratio of one report: "
            "sets R for which it holds, of all with 4 bits and every pair of filters",
            sets,
            held,
            "confirmed" if held == sets else "refuted",
        ),
        Row(
            "eq12.reached",
            "appendix A: pairs of filters for which equality is reached",
            pairs,
            reached,
            "confirmed" if reached == pairs else "differs",
        ),
    ]


def _subset_sums(values: Integers) -> Integers:
    """The sum over every subset, the empty one first."""
    sums = np.zeros(1, np.int64)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums

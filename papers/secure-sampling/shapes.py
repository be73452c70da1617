"""The shape of a table, the factor 1.5 to 1.7, and the list of 1/δ entries by Froelicher et al."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from printed_numbers import number
from record import Row
from tables import DRAWS, TABLE_3, guarantees, proved

from sudare.chance.exact import float_up
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, prove
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped

SHAPED = Guarantee(0.1, 1e-8)  # figure 4's
SMALLEST = Guarantee(1.0, 1e-10), 2  # the table of 2.25 MiB
LISTED = (Guarantee(1.0, 1e-4), Guarantee(1.0, 1e-6), Guarantee(0.5, 1e-6))
FARTHEST = 400  # of an exact root that is looked at
WIDEST_LIST = 40  # in units of 1/ε: more than ln(1/δ) for every δ here


def side_of(proof: Proof) -> list[int]:
    """A table's counts from its outermost value to 0."""
    table = proof.scheme.tables[0]
    return [table[value] for value in range(min(table), 1)]


def rise(proof: Proof) -> float:
    """How many times the least count the outermost is: above 1, the table is a W."""
    side = side_of(proof)
    return side[0] / min(side)


def exact_root(epsilon: float, draws: int, farthest: int) -> NDArray[np.float64]:
    """The law from 0 on of which n draws add up to a discrete Laplace noise, untruncated.

    A difference of two negative binomial numbers of shape 1/n: both weights fall from 0 on.
    """
    terms = round(WIDEST_LIST / epsilon) + farthest
    weights = np.ones(terms)
    for j in range(1, terms):
        weights[j] = weights[j - 1] * math.exp(-epsilon) * (j - 1 + 1 / draws) / j
    products = [float(weights[: terms - k] @ weights[k:]) for k in range(farthest + 1)]
    return np.array(products) / (2 * sum(products) - products[0])


def shape_rows() -> Iterator[Row]:
    """Where a table is a W: exactly where e^ε < n, as the second count is ⌊e^ε · init / n⌋."""
    proofs = [proved(guarantee, draws) for guarantee in guarantees() for draws in DRAWS]
    proofs += [proved(SHAPED, draws) for draws in DRAWS]
    agreeing = sum(
        (rise(proof) > 1) == (math.exp(proof.guarantee.epsilon) < len(proof.scheme.signs))
        for proof in proofs
    )
    yield Row(
        "shape.rule",
        "section 6, a W for n > 1: tables that are one where e^ε < n, and only there",
        float(len(proofs)),
        float(agreeing),
        "differs: a W where e^ε < n, not for every n > 1" if agreeing == len(proofs) else "refuted",
    )
    for draws in DRAWS[1:]:
        yield Row(
            f"shape.{SHAPED.epsilon:g}.n{draws}",
            f"figure 4's ε = 0.1, δ = 1e-08 at n = {draws}: the outermost count over the least",
            None,
            rise(proved(SHAPED, draws)),
            "confirmed: a W" if rise(proved(SHAPED, draws)) > 1 else "refuted",
        )
    rises = [rise(proved(SHAPED, draws)) for draws in DRAWS]
    yield Row(
        "shape.smaller",
        "figure 4, the ends rise less for fewer draws: n = 2 over n = 4",
        None,
        rises[1] / rises[3],
        "confirmed" if all(a < b for a, b in pairwise(rises)) else "refuted",
    )
    yield Row(
        "shape.1.n2",
        "section 6, also for n = 2: at ε = 1, δ = 1e-06 the outermost count over the least",
        None,
        rise(proved(Guarantee(1.0, 1e-6), 2)),
        "refuted: no W, as e > 2" if rise(proved(Guarantee(1.0, 1e-6), 2)) == 1 else "confirmed",
    )
    for draws in DRAWS[1:]:
        root = exact_root(SHAPED.epsilon, draws, FARTHEST)
        steepest = float((root[1:] / root[:-1]).max())
        yield Row(
            f"shape.root.n{draws}",
            f"section 6, the exact root of n = {draws} is no W: its largest step outwards, ε = 0.1",
            None,
            steepest,
            "confirmed: it falls everywhere" if steepest < 1 else "refuted",
        )


def factor_rows() -> Iterator[Row]:
    """Section 1: with two draws the noise is 1.5 to 1.7 times the best."""
    proofs = [proved(Guarantee(epsilon, 1e-6), 2) for epsilon in TABLE_3]
    naive = [float(proof.mean) * proof.guarantee.epsilon for proof in proofs]
    for name, choose, printed in (("least", min, "1.5"), ("most", max, "1.7")):
        yield number(
            f"factor.{name}",
            f"section 1: the {name} E|Z| of table 3 at n = 2, in units of Δ/ε",
            printed,
            choose(naive),
        )
        yield number(
            f"factor.{name}.best",
            f"section 1: the {name} E|Z| of table 3 at n = 2, in units of the best, 1/sinh(ε/Δ)",
            printed,
            choose(proof.relative_mean for proof in proofs),
        )
    yield number(
        "factor.smallest",
        "section 1: E|Z| of the table of 2.25 MiB, in units of the best, 1/sinh(ε/Δ)",
        "1.7",
        proved(*SMALLEST).relative_mean,
    )


def listed(guarantee: Guarantee, farthest: int) -> Scheme | None:
    """Froelicher's list of 1/δ noises that ends at ± ``farthest``: ⌈density / quantum⌉ of each.

    As UnLynx fills its list: 0, then ±1, ±2 and so on, the quantum as small as 1/δ entries allow.
    """
    entries = round(1 / guarantee.delta)
    density = np.exp(-guarantee.epsilon * np.arange(farthest + 1))

    def counts(quantum: float) -> NDArray[np.int64]:
        return np.asarray(np.ceil(density / quantum), np.int64)

    def size(quantum: float) -> int:
        side = counts(quantum)
        return int(2 * side.sum() - side[0])

    fine, coarse = 1 / entries / 4, 1.0
    if size(coarse) > entries:
        return None  # 1/δ entries don't reach so far
    for _ in range(100):
        middle = math.sqrt(fine * coarse)
        fine, coarse = (middle, coarse) if size(middle) > entries else (fine, middle)
    side = counts(coarse).tolist()
    side[0] += entries - size(coarse)  # what rounding left over
    table = dict(enumerate(side))
    return Scheme((table | {-k: count for k, count in table.items()},), (1,), distinct=False)


def listed_rows() -> Iterator[Row]:
    """What 1/δ entries guarantee, and how many a guarantee takes."""
    one_draw = [proved(guarantee, 1) for guarantee in guarantees()]
    tight = sum(proof.delta * proof.scheme.entries >= 1 for proof in one_draw)
    yield Row(
        "list.needed",
        "section 2, one draw takes 1/δ entries: tables with n = 1 whose exact δ is at least 1/#T",
        float(len(one_draw)),
        float(tight),
        "confirmed: the outermost entry alone is 1/#T" if tight == len(one_draw) else "refuted",
    )
    for guarantee in LISTED:
        lists = (listed(guarantee, k) for k in range(2, round(WIDEST_LIST / guarantee.epsilon)))
        proofs = [prove(scheme, guarantee) for scheme in lists if scheme is not None]
        best = min(proofs, key=lambda proof: proof.delta)
        name = f"list.{guarantee.epsilon:g}.{guarantee.delta:g}"
        times = float(best.delta) / guarantee.delta
        yield Row(
            name,
            f"section 2, 1/δ entries are enough: the exact δ of Froelicher's list, however long, "
            f"at ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}",
            guarantee.delta,
            float_up(best.delta),
            "confirmed" if best.holds else f"refuted: {times:.3g} times δ",
        )
        ours = shipped(guarantee)
        if ours is None:
            continue
        theirs = ", ".join(f"{proved(guarantee, draws).scheme.entries:,}" for draws in DRAWS)
        yield Row(
            f"{name}.entries",
            f"entries at ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}: Froelicher's, ours",
            float(best.scheme.entries),
            float(ours.scheme.entries),
            f"fewer: Algorithm 2 with 1 to 4 draws takes {theirs}"
            if ours.scheme.entries < best.scheme.entries
            else "more",
        )

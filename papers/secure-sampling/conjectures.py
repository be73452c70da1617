"""Theorem 4.1 and conjecture 4.2.1 under the stop rule that gave the tables, and a weaker claim.

Conjecture 4.2.1 says that condition (iv) holds. What would be enough is less: that the exact δ is
at most (init / ΣD)ⁿ, at which Algorithm 2 stops. Both fail, the second for small ε only.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from record import Row
from tables import DRAWS, guarantees, proved

from sudare.chance.exact import float_up
from sudare.twoparty.noise.algorithm2 import algorithm2, mirrored, smallest_initial
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.law import excess, prove

BREAKS_IV = Guarantee(0.1, 8.772e-4), 4
EXCEEDED = {2: Guarantee(0.003, 0.024), 3: Guarantee(0.01, 0.0228), 4: Guarantee(0.01, 0.0204)}
SCANNED = (
    *(4.0, 2.0, 1.0, 0.7, 0.5, 0.3, 0.25, 0.2, 0.15, 0.1),
    *(0.07, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01, 0.005),
)
SCANNED_DRAWS = range(2, 9)
SCANNED_INITIALS = (1, 2, 10)  # times the document's own choice
LEAST_DELTA = 1e-12  # at which a scan ends


@dataclass(frozen=True)
class Length:
    """Algorithm 2, had it stopped here: (init / ΣD)ⁿ beside the exact δ."""

    draws: int
    initial: int
    length: int
    bound: Fraction
    delta: Fraction

    @property
    def margin(self) -> Fraction:
        """How many times the exact δ the bound is; below 1 the claim is false."""
        return self.bound / self.delta


def lengths(epsilon: float, draws: int, longest: int, initials: int = 1) -> Iterator[Length]:
    """Every table that Algorithm 2 passes on its way to about this length, each exact.

    A smaller δ only makes it go on, so the longest table begins like all before it. Whatever δ
    lies between two of the bounds makes it stop at the later one. It begins with the document's
    initial count, or with so many times that.
    """
    guarantee = Guarantee(epsilon, _delta_of(epsilon, draws, longest))
    initial = initials * smallest_initial(guarantee.rate, draws)
    (table,) = algorithm2(guarantee, draws, initial=initial).tables
    side = [table[value] for value in range(min(table), 1)]
    for length in range(1, len(side)):
        counts = side[: length + 1]
        one = IntegerLaw.of(mirrored(counts))
        delta = excess([(1, prod([one] * (draws - 1), start=one))], guarantee)
        bound = Fraction(initial, sum(counts)) ** draws
        yield Length(draws, initial, length, bound, delta)


def _delta_of(epsilon: float, draws: int, longest: int) -> float:
    """About the δ at which Algorithm 2 stops at a length: D[k] as it is before it is floored."""
    count, total = 1.0, 1.0
    for k in range(1, longest + 1):
        count *= math.exp(epsilon) * (k - 1 + 1 / draws) / k
        total += count
    return max(LEAST_DELTA, total**-draws)


def theorem_rows() -> Iterator[Row]:
    """Theorem 4.1 on the document's tables: its δ is not only enough but exact."""
    proofs = [proved(guarantee, draws) for guarantee in guarantees() for draws in DRAWS]
    sharp = sum(
        all(proof.conditions.values())
        and proof.delta == Fraction(proof.law.trimmed.counts[0], proof.law.total)
        for proof in proofs
    )
    yield Row(
        "theorem4.1",
        "theorem 4.1: tables, of tables 1 and 2, whose exact δ is the left side of condition (v)",
        float(len(proofs)),
        float(sharp),
        "confirmed: it is not only enough" if sharp == len(proofs) else "confirmed: it is enough",
    )


def refuted_rows() -> Iterator[Row]:
    """What fails under the stop rule that gave the tables."""
    guarantee, draws = BREAKS_IV
    proof = prove(algorithm2(guarantee, draws), guarantee)
    yield Row(
        "conjecture.tabulated-rule",
        f"conjecture 4.2.1, stopping as the tables: entries at ε = {guarantee.epsilon:g}, "
        f"n = {draws}, δ = {guarantee.delta:g}",
        None,
        float(proof.scheme.entries),
        "confirmed" if proof.conditions["iv"] else "refuted: condition (iv) fails here, too",
    )
    yield Row(
        "conjecture.tabulated-rule.delta",
        "the exact δ of those entries",
        guarantee.delta,
        float_up(proof.delta),
        f"proved: {float(Fraction(guarantee.delta) / proof.delta):.3g} times less"
        if proof.holds
        else "refuted",
    )
    for draws, guarantee in EXCEEDED.items():
        proof = prove(algorithm2(guarantee, draws), guarantee)
        kept = [name for name, holds in proof.conditions.items() if holds]
        yield Row(
            f"repaired.n{draws}",
            f"the exact δ, stopping as the tables, at ε = {guarantee.epsilon:g}, n = {draws}, "
            f"{proof.scheme.entries:,} entries",
            guarantee.delta,
            float_up(proof.delta),
            "confirmed"
            if proof.holds
            else f"refuted: of the conditions only {', '.join(kept)} hold, and δ is exceeded",
        )


def scan_rows(longest: int) -> Iterator[Row]:
    """The least (init / ΣD)ⁿ over the exact δ at each ε, for n = 2 to 8 and all lengths."""
    for epsilon in SCANNED:
        found = [
            length
            for draws, initials in product(SCANNED_DRAWS, SCANNED_INITIALS)
            for length in lengths(epsilon, draws, longest, initials)
        ]
        worst = min(found, key=lambda length: length.margin)
        failing = sum(length.margin < 1 for length in found)
        yield Row(
            f"repaired.scan.{epsilon:g}",
            f"the least (init / ΣD)ⁿ over the exact δ at ε = {epsilon:g}, n = 2 to 8",
            None,
            float(worst.margin),
            (f"refuted: {failing:,} of" if failing else "holds: in all")
            + f" {len(found):,} tables; the least at n = {worst.draws}, init = {worst.initial}, "
            f"L = {worst.length}, δ = {float(worst.delta):.3g}",
        )

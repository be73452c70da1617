"""One table that is drawn from several times: Algorithm 2 of the document.

Kii, "A secure sampling method with a smaller table for differential privacy" (in Japanese).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction

from sudare.chance.exact import exp_enclosed
from sudare.errors import ParameterError
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, prove
from sudare.twoparty.noise.scheme import MOST_DRAWS, Scheme


class Stop(Enum):
    """The end of Algorithm 2: the total with which the outermost ways are compared.

    ``TABLES`` takes n draws from one side of the table, its centre included, and gives the
    sizes that the document tabulates. ``PRINTED`` takes n draws from all of it, as line 10
    says, and ends sooner.
    """

    TABLES = "tables"
    PRINTED = "printed"


def algorithm2(
    guarantee: Guarantee,
    draws: int,
    stop: Stop = Stop.TABLES,
    initial: int | None = None,
) -> Scheme:
    """The table of Algorithm 2 for this many draws.

    What it gives is meant to keep the guarantee, and must be proved: the conjecture that it
    always does is false.

    Args:
        guarantee: what is wanted.
        draws: n, how many entries are added up.
        stop: when to end.
        initial: how many entries have the outermost value; the document's choice if None.
    """
    if not 1 <= draws <= MOST_DRAWS:
        raise ParameterError(f"a table is drawn from 1 to {MOST_DRAWS} times, got {draws}")
    init = smallest_initial(guarantee.rate, draws) if initial is None else initial
    side = _one_side(guarantee, draws, stop, init)
    return Scheme((mirrored(side),), (1,) * draws, distinct=False)


def distinct_table(guarantee: Guarantee, draws: int) -> Proof:
    """A table of Algorithm 2 that keeps the guarantee when its draws all differ.

    Then no two indices coincide, and P2 learns nothing from them. The law is a little another
    one, so Algorithm 2 is asked for an ever smaller δ until the proof succeeds.
    """
    stricter = guarantee
    while True:
        table = replace(algorithm2(stricter, draws), distinct=True)
        proof = prove(table, guarantee)
        if proof.holds:
            return proof
        stricter = replace(stricter, delta=stricter.delta / 2)


def mirrored(side: Sequence[int]) -> dict[int, int]:
    """The table whose counts are ``side`` from the outermost value to 0, and back."""
    centre = len(side) - 1
    return {value: side[centre - abs(value)] for value in range(-centre, centre + 1)}


def smallest_initial(rate: Fraction, draws: int) -> int:
    """The smallest I such that (4), ⌊e^rate · i/n⌋ > i/n, holds for every whole i ≥ I."""

    def rises(initial: int) -> bool:
        return draws * _floor_of_exp(rate, Fraction(initial, draws)) > initial

    # ⌊y⌋ > x holds wherever y ≥ x + 1.
    initial = math.ceil(draws / (exp_enclosed(rate)[0] - 1))
    while rises(initial - 1):  # not at 0, where both sides are
        initial -= 1
    return initial


def _one_side(guarantee: Guarantee, draws: int, stop: Stop, init: int) -> list[int]:
    """D of Algorithm 2: counts from the outermost value inwards.

    ``ways[m]`` is Dⁿ's coefficient m, by the recurrence of a power series' power:
    m·D₀·ways[m] = Σ_{k=1..m} (k·n - m + k)·D[k]·ways[m - k]. It is linear in the new D[m].
    """
    if init < 1:
        raise ParameterError(f"the initial count must be at least 1, got {init}")
    delta, sensitivity, n = Fraction(guarantee.delta), guarantee.sensitivity, draws
    side, ways = [init], [init**n]
    while True:
        m = len(side)
        rest = sum((k * n - m + k) * side[k] * ways[m - k] for k in range(1, m))
        unit = m * n * init**n
        count = _floor_of_exp(guarantee.rate, Fraction(m * init * ways[-1], unit), rest, unit)
        if count < 1:
            raise ParameterError(
                f"an initial count of {init} is too small: the count {m} steps inwards is {count}"
            )
        side.append(count)
        ways.append((rest + unit * count) // (m * init))
        whole_table = 2 * sum(side[:-1]) + side[-1]
        total = sum(side) if stop is Stop.TABLES else whole_table
        if m + 1 >= sensitivity and sum(ways[:sensitivity]) <= delta * total**n:
            return side


def _floor_of_exp(rate: Fraction, factor: Fraction, less: int = 0, unit: int = 1) -> int:
    """⌊e^rate · factor - less/unit⌋: e^rate is enclosed ever closer until both ends agree."""
    digits = 50
    while True:
        low, high = (
            math.floor(end * factor - Fraction(less, unit)) for end in exp_enclosed(rate, digits)
        )
        if low == high:
            return low
        digits *= 2

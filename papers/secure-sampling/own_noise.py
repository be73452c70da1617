"""Method (2): each of two parties adds a discrete Laplace noise of its own, without any table.

A party knows its own noise and must be left with enough of the other's. So both noises are whole
ones, the guarantee is ε with δ = 0, and the sum is noisier than one of them.
"""

from collections.abc import Iterator
from fractions import Fraction

from record import Row
from tables import DRAWS, TABLE_3, guarantees, proved

from sudare.chance.exact import exp_enclosed
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.shipped_tables import shipped

DIGITS = 40  # to which the law is summed
CLOSE = Fraction(1, 10**15)


def closed_mean(guarantee: Guarantee) -> Fraction:
    """E|Z| of the sum, 4p(1 + p + p²) / ((1 + p)³(1 - p)) with p = e^(-ε/Δ), to 50 digits.

    The sum is k with chance ((1 - p)/(1 + p))² · p^|k| · (|k| + (1 + p²)/(1 - p²)).
    """
    p = 1 / exp_enclosed(guarantee.rate)[0]
    return 4 * p * (1 + p + p * p) / ((1 + p) ** 3 * (1 - p))


def summed_mean(guarantee: Guarantee) -> Fraction:
    """The same from the law: two noises in whole units of 10⁻⁴⁰, as far as there are any, added."""
    p = 1 / exp_enclosed(guarantee.rate)[0]
    unit = 10**DIGITS
    side, weight = [], unit
    while weight:
        side.append(weight)
        weight = weight * p.numerator // p.denominator
    noise = IntegerLaw(1 - len(side), (*side[:0:-1], *side))
    return (noise * noise).mean_size


def own_rows() -> Iterator[Row]:
    """E|Z| at the ε of table 3, beside the document's least with more than one draw, and ours."""
    for epsilon in TABLE_3:
        guarantee = Guarantee(epsilon, 1e-6)
        mean = closed_mean(guarantee)
        least = min(proved(guarantee, draws).mean for draws in DRAWS[1:])
        ours = shipped(guarantee)
        if ours is None:
            raise LookupError(f"no tables are shipped for {guarantee}")
        than_theirs = "less" if mean < least else "more"
        than_ours = "more" if mean > ours.mean else "less"
        yield Row(
            f"own.{epsilon:g}",
            f"method (2): E|Z| at ε = {epsilon:g}, δ = 0; the document's least with n ≥ 2",
            float(least),
            float(mean),
            f"{than_theirs}: {float(mean) / guarantee.best_mean:.3f} of 1/sinh(ε), "
            f"{than_ours} than our tables' {float(ours.mean):.3f}",
        )
        summed = summed_mean(guarantee)
        yield Row(
            f"own.{epsilon:g}.summed",
            f"method (2): the same, summed over the law at ε = {epsilon:g}",
            None,
            float(summed),
            "equal: to 15 digits" if abs(summed - mean) < CLOSE * mean else "differs",
        )
    cells = [(guarantee, draws) for guarantee in guarantees() for draws in DRAWS[1:]]
    noisier = sum(
        proved(guarantee, draws).mean > closed_mean(guarantee) for guarantee, draws in cells
    )
    yield Row(
        "own.tables",
        "section 1, method (2) needs more noise: tables with n ≥ 2, of tables 1 and 2, with less",
        float(len(cells)),
        float(len(cells) - noisier),
        "refuted: each of them adds more" if noisier == len(cells) else "confirmed: some add less",
    )

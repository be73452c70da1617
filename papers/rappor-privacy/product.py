"""Equation (3): the chance of a report through one B', where all of them have to be summed."""

from fractions import Fraction

import numpy as np
from claims import PERMANENT, REPORT, H, P, Q
from record import Row

import laws
from sudare import Rappor


def product_rows() -> list[Row]:
    """The likeliest report, both ways, and all reports together."""
    one = Rappor(4, H, 1, 0.0, P, Q)  # what the instantaneous step alone does to a filter
    text = laws.texts(REPORT)[0]
    law = laws.channel(REPORT).laws[text]
    # All filters B' with their chances; each is turned into a report by the second step.
    kept = laws.channel(PERMANENT).laws[laws.texts(PERMANENT)[0]]
    filters = {_bits(PERMANENT, report): chance for report, chance in kept.items()}
    report = max(law, key=lambda sent: law[sent])
    said = _bits(REPORT, report)
    products = [_said(said, bits, one) * chance for bits, chance in filters.items()]
    total, largest = sum(products, Fraction(0)), max(products)
    mass = _largest_mass(filters, one)
    return [
        Row(
            "eq3.sum",
            "(3) with a sum over B': the chance of the likeliest report",
            None,
            float(total),
            "equal: to the enumerated law" if total == law[report] else "differs",
        ),
        Row(
            "eq3.product",
            "(3) as printed, a product with one B': its largest value for the same report",
            float(largest),
            float(law[report]),
            "misprint: a sum over B' belongs there" if largest < total else "equal",
        ),
        Row(
            "eq3.mass",
            "(3) as printed, summed over all reports: what should be 1, for the best choice of B'",
            float(mass),
            1.0,
            "misprint: the product is not a distribution" if mass < 1 else "equal",
        ),
    ]


def _largest_mass(filters: dict[int, Fraction], step: Rappor) -> Fraction:
    """Σ over reports of the product (3), with the B' that makes each largest."""
    return sum(
        (
            max(_said(said, bits, step) * chance for bits, chance in filters.items())
            for said in range(1 << step.bits)
        ),
        Fraction(0),
    )


def _bits(mechanism: Rappor, report: object) -> int:
    assert isinstance(report, bytes)  # noqa: S101 - for the type checker
    return int(np.frombuffer(report, mechanism.report_dtype)["bits"][0, 0])


def _said(said: int, bits: int, step: Rappor) -> Fraction:
    """The chance of a report given the kept bits, by (2)."""
    chance = Fraction(1)
    for place in range(step.bits):
        one = Fraction(step.q if bits >> place & 1 else step.p)
        chance *= one if said >> place & 1 else 1 - one
    return chance

"""Equation (3): the chance of a report through one B', where all of them have to be summed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from formulas import REPORT, SINGLE, F, P, Q
from record import Row

import laws
from sudare import Rappor

FILTERS = (
    REPORT,
    SINGLE,
    Rappor(2, 1, 1, 0.25, 0.25, 0.75),
    Rappor(2, 1, 1, 0.125, 0.25, 0.875),
)
KNOWN = (Rappor(2, 1, 1, 0.0, P, Q), Rappor(2, 1, 1, F, 0.0, 1.0))  # B' = B, and S = B'


@dataclass(frozen=True)
class Chance:
    """A report's chance given a text, and the document's product for each B' on the way to it."""

    enumerated: Fraction
    products: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        """The products, summed over B'."""
        return sum(self.products, Fraction(0))


def product_rows() -> list[Row]:
    """The likeliest report, all reports of one text, and all of every text on small filters."""
    text = laws.texts(REPORT)[0]
    of_one = list(chances(REPORT, text))
    likeliest = max(of_one, key=lambda chance: chance.enumerated)
    largest = max(likeliest.products)
    mass = sum((max(chance.products) for chance in of_one), Fraction(0))
    return [
        Row(
            "eq3.sum",
            "(3) with a sum over B': the chance of the likeliest report",
            None,
            float(likeliest.total),
            "equal: to the enumerated law"
            if likeliest.total == likeliest.enumerated
            else "differs",
        ),
        Row(
            "eq3.product",
            "(3) as printed, a product with one B': its largest value for the same report",
            float(largest),
            float(likeliest.enumerated),
            "misprint: a sum over B' belongs there" if largest < likeliest.enumerated else "equal",
        ),
        Row(
            "eq3.mass",
            "(3) as printed, summed over all reports: what should be 1, for the best choice of B'",
            float(mass),
            1.0,
            "misprint: the product is not a distribution" if mass < 1 else "equal",
        ),
        *_every_rows(),
    ]


def _every_rows() -> list[Row]:
    every, known = (
        [chance for m in some for text in laws.texts(m) for chance in chances(m, text)]
        for some in (FILTERS, KNOWN)
    )
    summed = sum(chance.total == chance.enumerated for chance in every)
    printed, certain = (
        sum(chance.enumerated in chance.products for chance in some) for some in (every, known)
    )
    return [
        Row(
            "eq3.every.sum",
            f"(3) with a sum over B': reports whose enumerated chance it equals, of all of every "
            f"text on {len(FILTERS)} small filters",
            len(every),
            summed,
            "equal: as fractions" if summed == len(every) else "differs",
        ),
        Row(
            "eq3.every.product",
            "(3) as printed: the reports among them whose chance it equals, for any B' at all",
            len(every),
            printed,
            "misprint: a sum over B' belongs there" if printed == 0 else "differs",
        ),
        Row(
            "eq3.every.known",
            "(3) as printed, where B' is known: it is B (f = 0) or the report (p = 0, q = 1); "
            "reports whose chance it equals",
            len(known),
            certain,
            "confirmed: one term of the sum is all of it" if certain == len(known) else "differs",
        ),
    ]


def chances(mechanism: Rappor, text: str) -> Iterator[Chance]:
    """Every report of a text: its chance, and P(S | B') P(B' | B) for each B', all enumerated."""
    kept = laws.kept(mechanism, text)
    for report, enumerated in laws.report(mechanism, text).items():
        said = [laws.said(mechanism, bits).get(report, Fraction(0)) for bits in kept]
        yield Chance(enumerated, _products(said, list(kept.values())))


def _products(said: Sequence[Fraction], kept: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(a * b for a, b in zip(said, kept, strict=True))

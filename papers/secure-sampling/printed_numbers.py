"""Numbers that the document prints, compared with exact ones."""

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from record import Row


def number(
    identifier: str, what: str, printed: str, ours: Fraction | float, misprint: str = ""
) -> Row:
    """A printed number beside an exact one: equal if ours, rounded or cut off, has its digits."""
    exact = Fraction(ours)
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    unit = Decimal(printed)
    rounded, cut = (decimal.quantize(unit, rounding=way) for way in (ROUND_HALF_EVEN, ROUND_FLOOR))
    if unit == rounded:
        verdict = "equal"
    elif unit == cut:
        verdict = "equal: cut off, not rounded"
    else:
        verdict = f"misprint: {rounded}; {misprint}" if misprint else f"differs: {rounded}"
    return Row(identifier, what, float(printed), float(exact), verdict)

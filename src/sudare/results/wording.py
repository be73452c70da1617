"""Numbers as people read them."""

import math
from collections.abc import Iterable
from fractions import Fraction

from sudare.formats.numbers import counted

__all__ = [  # ``counted`` is of the formats: things are counted in sentences of every folder
    "ABSENT",
    "MINUS",
    "PERCENT",
    "at_most",
    "counted",
    "decimals_for",
    "fixed",
    "is_plain",
    "measured",
    "p_value",
    "percent",
    "percent_range",
    "percents",
    "scientific",
]

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"
PERCENT = "\N{NO-BREAK SPACE}%"

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals; what rounds to zero has no sign."""
    if not math.isfinite(value):
        return ABSENT
    text = f"{value:,.{decimals}f}"
    return text.replace("-", MINUS) if text.strip("-0.,") else text.removeprefix("-")


def percent(share: float, decimals: int | None = None) -> str:
    """A share in percent, with so many decimals, or with those it has: 95 %, 99.9 %."""
    text = f"{100 * share:.6g}" if decimals is None else fixed(100 * share, decimals)
    return text if text == ABSENT else text + PERCENT


def percents(shares: Iterable[float], decimals: int) -> list[str]:
    """Shares in percent, each with so many decimals."""
    return [percent(share, decimals) for share in shares]


def percent_range(low: float, high: float, decimals: int) -> str:
    """An interval of shares in percent: 29.3 to 31.3 %."""
    return f"{fixed(100 * low, decimals)} to {percent(high, decimals)}"


def decimals_for(error: float) -> int:
    """The decimals that give a number of this size two digits."""
    return min(9, max(0, 1 - math.floor(math.log10(error)))) if error > 0 else 2


def at_most(ratio: Fraction) -> str:
    """A ratio to three digits, rounded up, so that "at most" stays true."""
    from sudare.chance.exact import digits_up

    value = digits_up(ratio, 3)
    if value < 10**6:
        return f"{value:,f}"
    exponent = value.adjusted()  # a float may not reach so far
    return _scaled(f"{value.scaleb(-exponent):f}", exponent)


def integer(number: int) -> str:
    """A whole number of any size: −1,234,567."""
    return f"{number:,}".replace("-", MINUS)


def powered(value: float) -> str:
    """A number to three digits with its power of ten, for narrow columns: 1.93e−03."""
    return f"{value:.2e}".replace("-", MINUS)


def scientific(value: float, plain: bool | None = None, digits: int = 4) -> str:
    """A number to a few digits, with a power of ten where that is shorter or ``plain`` says so."""
    if not math.isfinite(value):
        return ABSENT
    if is_plain(value) if plain is None else plain:
        return f"{value + 0.0:,.{digits}g}".replace("-", MINUS)  # without the sign of a zero
    mantissa, exponent = f"{value + 0.0:.{digits - 1}e}".split("e")
    return _scaled(mantissa.rstrip("0").rstrip(".").replace("-", MINUS), int(exponent))


def measured(value: float, error: float) -> str:
    """A number and its standard error, to two digits of the error."""
    if not (math.isfinite(value) and math.isfinite(error)):
        return scientific(value)
    exponent = 0 if is_plain(value) else math.floor(math.log10(abs(value)))
    scale = 10.0**exponent
    decimals = decimals_for(error / scale)
    text = f"{fixed(value / scale, decimals)} ± {fixed(error / scale, decimals)}"
    return text if exponent == 0 else _scaled(f"({text})", exponent)


def is_plain(value: float) -> bool:
    """Whether a number is best written without a power of ten."""
    return value == 0 or 0.001 <= abs(value) < 10**4


def _scaled(mantissa: str, exponent: int) -> str:
    power = "10" + str(exponent).translate(_SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}×{power}"


def p_value(p: float) -> str:
    """A p-value: two digits, and no more zeros than anyone reads."""
    if p < 0.0001:
        return "< 0.0001"
    return fixed(p, min(4, decimals_for(p)))


def truths_text(held: int, known: int, level: float) -> str:
    """That so many of the true shares lie inside their intervals, in a sentence."""
    sure = percent(level).replace("\N{NO-BREAK SPACE}", " ")
    return f"{held:,} of {counted(known, 'truth')} lie inside their {sure} intervals"

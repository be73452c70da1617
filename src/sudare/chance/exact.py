"""Exact arithmetic on chance: dyadic probabilities, numbers rounded one way, laws of code.

What is stated of privacy is rounded against the claim: what is spent upwards, what is left
downwards.
"""

import decimal
import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import COIN_BITS, Shape, Words, packed_words
from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError

_UNIT = 2.0**-COIN_BITS
# Decimal's ln and exp are correctly rounded at any precision, on every machine alike.
_PRECISE = decimal.Context(prec=60)
_SLACK = decimal.Decimal("1e-50")  # far above the error of 60 digits, far below a float's ulp
_PLAIN = 20  # powers of ten on either side that are written out, without an exponent
_SIGNIFICANT = 1024  # bits of a denominator: what is left out changes a logarithm by 2^-1000

Outcome = TypeVar("Outcome", bound=Hashable)


def dyadic(p: float) -> float:
    """The multiple of 2⁻⁵³ nearest to ``p``."""
    return round(p / _UNIT) * _UNIT


def is_dyadic(p: float) -> bool:
    """Whether ``p`` is a multiple of 2⁻⁵³ strictly between 0 and 1: a coin we can toss exactly."""
    return isinstance(p, float) and 0 < p < 1 and p == dyadic(p)


def is_coin(p: float) -> bool:
    """Whether ``p`` is a multiple of 2⁻⁵³ from 0 to 1, its ends included: tossed or certain."""
    return is_dyadic(p) or (isinstance(p, float) and p in (0, 1))


def largest_dyadic(guess: float, allowed: Callable[[float], bool]) -> float:
    """The largest multiple of 2⁻⁵³ that is ``allowed``, near ``guess``.

    ``allowed`` must hold up to some point and fail from there on.
    """
    return _edge(guess, allowed, +1)


def smallest_dyadic(guess: float, allowed: Callable[[float], bool]) -> float:
    """The smallest multiple of 2⁻⁵³ that is ``allowed``, near ``guess``."""
    return _edge(guess, allowed, -1)


def _edge(guess: float, allowed: Callable[[float], bool], direction: int) -> float:
    """Double the step away from the guess until the edge is bracketed, then halve."""

    def holds(units: int) -> bool:
        # The limits of the range end the search even where the caller would allow them.
        inside = 0 < units < 1 << COIN_BITS
        return allowed(units * _UNIT) if inside else (units <= 0) == (direction > 0)

    good, step = round(guess / _UNIT), 1
    while not holds(good):
        good, step = good - direction * step, 2 * step
    bad, step = good + direction, 1
    while holds(bad):
        good, bad, step = bad, bad + direction * step, 2 * step
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    if not 0 < good < 1 << COIN_BITS:
        raise ParameterError(
            "epsilon is too small: no multiple of 2^-53 strictly between 0 and 1 is private enough"
        )
    return good * _UNIT


def log_up(ratio: Fraction) -> float:
    """The smallest float that is certainly not below ln ``ratio``."""
    if ratio < 1:
        raise ParameterError(f"a worst ratio is at least 1, got {ratio}")
    if ratio == 1:
        return 0.0
    # Of a ratio of millions of digits the first hundreds are enough, rounded up like the rest.
    spare = max(0, ratio.denominator.bit_length() - _SIGNIFICANT)
    top = decimal.Decimal(-(-ratio.numerator >> spare))
    bottom = decimal.Decimal(ratio.denominator >> spare)
    exact = _PRECISE.subtract(_PRECISE.ln(top), _PRECISE.ln(bottom))
    upper = _PRECISE.add(exact, _SLACK)
    nearest = float(upper)
    return nearest if nearest >= upper else math.nextafter(nearest, math.inf)


def float_up(number: Fraction) -> float:
    """The smallest float that is not below ``number``; infinity beyond them all."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.inf
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def digits_up(number: float | Fraction, digits: int) -> decimal.Decimal:
    """The smallest number of so few digits that is not below ``number``."""
    exact = Fraction(number)
    rounding = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    top, bottom = decimal.Decimal(exact.numerator), decimal.Decimal(exact.denominator)
    return rounding.divide(top, bottom).normalize(rounding)


def text_up(number: float | Fraction, digits: int = 6) -> str:
    """A privacy loss in a few digits for people, never less than it is."""
    text = digits_up(number, digits)
    return format(text, "f" if -_PLAIN <= text.adjusted() <= _PLAIN else "e")


def text_down(number: float | Fraction, digits: int = 6) -> str:
    """An amount that is left in a few digits for people, never more than it is."""
    return text_up(-Fraction(number), digits).removeprefix("-")


def scientific_up(number: float | Fraction, digits: int = 3) -> str:
    """A number of any size, such as a δ, in a few digits for people, never less than it is."""
    return f"{float_up(Fraction(digits_up(number, digits))):.{digits}g}"


def scientific_down(number: float | Fraction, digits: int = 3) -> str:
    """A number of any size, such as a δ that is left, in a few digits, never more than it is."""
    return scientific_up(-Fraction(number), digits).removeprefix("-")


def chance_text(probability: float) -> str:
    """A chance in percent for people, to two digits of it or of its complement.

    Nothing that can fail is said to happen 100 % of the time.
    """
    if probability in (0, 1):
        return f"{100 * probability:.0f}\N{NO-BREAK SPACE}%"
    rarer = 100 * min(probability, 1 - probability)
    text = f"{100 * probability:.{max(0, 1 - math.floor(math.log10(rarer)))}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "\N{NO-BREAK SPACE}%"


def affordable(ratio: Fraction, epsilon: float) -> bool:
    """Whether a worst ratio costs at most ``epsilon``, as we would state it."""
    return ratio <= 1 or log_up(ratio) <= epsilon


def too_small(epsilon: float) -> ParameterError:
    """The error of a budget for which no coin that we can toss is private enough."""
    return ParameterError(
        f"epsilon = {epsilon} is too small: no multiple of 2^-53 spends so little"
    )


def check_epsilon(epsilon: float, name: str = "epsilon") -> float:
    """The budget as a float of full width; what is no positive number is refused by its name."""
    if not 0 < epsilon < math.inf:
        raise ParameterError(f"{name} must be above 0 and finite, got {epsilon}")
    return float(epsilon)  # a narrower float would compare in its own width, and round


def exp_down(epsilon: float) -> Fraction:
    """A fraction just below e^``epsilon``."""
    exact = _PRECISE.exp(decimal.Decimal(epsilon))
    return Fraction(exact) * (1 - Fraction(1, 10**50))


def exp_enclosed(exponent: Fraction, digits: int = 50) -> tuple[Fraction, Fraction]:
    """Fractions just below and just above e^``exponent``, closer than ``digits`` digits."""
    precise = decimal.Context(prec=digits + 20)  # room for an exponent of many digits
    quotient = precise.divide(
        decimal.Decimal(exponent.numerator), decimal.Decimal(exponent.denominator)
    )
    middle, slack = Fraction(precise.exp(quotient)), Fraction(1, 10**digits)
    return middle * (1 - slack), middle * (1 + slack)


class _Paths:
    """Randomness that follows one path of answers and notes where it could have turned."""

    def __init__(self, prefix: list[int]) -> None:
        self.prefix = prefix
        self.taken: list[int] = []
        self.options: list[int] = []
        self.weight = Fraction(1)

    def _choose(self, weights: list[Fraction]) -> int:
        at = len(self.taken)
        choice = self.prefix[at] if at < len(self.prefix) else 0
        self.taken.append(choice)
        self.options.append(len(weights))
        self.weight *= weights[choice]
        return choice

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        exact = Fraction(p)
        if exact in (0, 1):
            return np.full(shape, bool(exact))
        count = int(np.prod(shape))
        coins = [bool(self._choose([1 - exact, exact])) for _ in range(count)]
        return np.array(coins, np.bool_).reshape(shape)

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        weights = [Fraction(1, bound)] * bound
        count = int(np.prod(shape))
        return np.array([self._choose(weights) for _ in range(count)], np.int64).reshape(shape)

    def packed(self, p: float, rows: int, bits: int) -> Words:
        coins = np.zeros((rows, 64 * packed_words(bits)), np.bool_)
        coins[:, :bits] = self.bernoulli(p, (rows, bits))
        return np.packbits(coins, axis=1, bitorder="little").view("<u8")

    def subsets(self, items: int, chosen: NDArray[np.int64]) -> Words:
        picked = np.zeros((len(chosen), 64 * packed_words(items)), np.bool_)
        for row, count in zip(picked, chosen.tolist(), strict=True):
            every = list(combinations(range(items), count))
            row[list(every[self._choose([Fraction(1, len(every))] * len(every))])] = True
        return np.packbits(picked, axis=1, bitorder="little").view("<u8")


def exact_law(experiment: Callable[[Randomness], Outcome]) -> dict[Outcome, Fraction]:
    """The exact distribution of ``experiment``: the code itself, run down every path of chance."""
    law: dict[Outcome, Fraction] = {}
    prefix: list[int] = []
    while True:
        paths = _Paths(prefix)
        outcome = experiment(paths)
        law[outcome] = law.get(outcome, Fraction(0)) + paths.weight
        prefix = paths.taken
        while prefix and prefix[-1] == paths.options[len(prefix) - 1] - 1:
            prefix.pop()
        if not prefix:
            return law
        prefix[-1] += 1

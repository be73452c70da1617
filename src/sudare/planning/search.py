"""Searches for the first whole number that is enough: of people, or of thousandths of ε."""

import math
from collections.abc import Callable

PER_UNIT = 1000  # steps of a budget, where the smallest is searched
_FARTHEST = math.log(100)  # of a leap
_BEYOND = 0.02  # so that it is enough even if the value falls a little more slowly


def first(enough: Callable[[int], bool], most: int, slowly: int = 1) -> int | None:
    """The number from 1 on that is enough where the one before it isn't, if there is any.

    The search doubles numbers, or adds a ``slowly``-th of them, until one is enough.
    """
    few, last = 0, 1
    while not enough(last):
        if last == most:
            return None
        few, last = last, min(last + max(1, last // slowly), most)
    while last - few > 1:
        middle = (few + last) // 2
        few, last = (few, middle) if enough(middle) else (middle, last)
    return last


def first_below(value: Callable[[int], float], wished: float, start: int, most: int) -> int | None:
    """Likewise the first at which a falling value is no more than wished, in few evaluations.

    A value that falls like a power of the number is met at once, and any other is come near to
    faster than by doubling and halving, which is what is done where it is infinite.
    """
    seen: dict[int, float] = {}
    few, last, number = 0, most + 1, min(max(1, start), most)
    while last - few > 1:
        found = value(number)
        seen[number] = math.log(found / wished) if 0 < found < math.inf else found - wished
        if seen[number] <= 0:
            last = number
        else:
            few = number
        number = _next(few, last, seen, most)
    return last if last <= most else None


def _next(few: int, last: int, seen: dict[int, float], most: int) -> int:
    """The number to look at next, between one that is too few and one that is enough."""
    if last > most:
        return min(most, _further(few, seen))
    if not few:
        return max(1, last // 4)
    high, low = seen[few], seen[last]
    if not math.isfinite(high) or len(seen) % 3 == 0:  # now and then halves, so that it ends
        return (few + last) // 2
    guess: float = few * (last / few) ** (high / (high - low))
    return min(max(math.ceil(guess), few + 1), last - 1)


def _further(few: int, seen: dict[int, float]) -> int:
    """A number that is enough, if the value goes on falling like a power; else the double."""
    before = max((number for number in seen if number < few), default=0)
    fall = seen[before] - seen[few] if before else 0.0
    if not 0 < fall < math.inf:
        return 2 * few
    powers = min(seen[few] / fall * math.log(few / before), _FARTHEST)
    return few + math.ceil(few * math.expm1(powers + _BEYOND))

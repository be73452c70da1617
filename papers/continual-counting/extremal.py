"""Section 2.2: no ε-LDP channel of a bit has larger f-divergences than randomised response."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from types import MappingProxyType

from record import Row

Number = Fraction | float
Law = tuple[Fraction, ...]

RATIOS = (Fraction(2), Fraction(3), Fraction(5), Fraction(11))  # e^ε: responses in twelfths
EIGHTHS, TWELFTHS, TWENTY_FOURTHS = 8, 12, 24  # chances of the channels of which all are tried
_SHARES = tuple(Fraction(number, 4) for number in range(5))
_LARGE = Fraction(99)  # an e^ε at which three answers tell more than two
_FRACTIONS = ("total variation", "hockey stick", "chi-squared", "Le Cam")
_ROUNDING = 1e-12  # of a divergence that is none

# q·f(p/q), summed over the answers.
DIVERGENCES: Mapping[str, Callable[[Fraction, Fraction], Number]] = MappingProxyType(
    {
        "total variation": lambda p, q: abs(p - q) / 2,
        "hockey stick": lambda p, q: max(Fraction(0), p - Fraction(3, 2) * q),
        "chi-squared": lambda p, q: (p - q) ** 2 / q,
        "Le Cam": lambda p, q: (p - q) ** 2 / (2 * (p + q)),
        "Hellinger": lambda p, q: (math.sqrt(p) - math.sqrt(q)) ** 2,
        "Kullback-Leibler": lambda p, q: p * math.log(p / q),
    }
)


def divergence(name: str, first: Law, second: Law) -> Number:
    """The f-divergence of two laws of the same answers; one that neither gives counts nothing."""
    term = DIVERGENCES[name]
    return sum((term(p, q) for p, q in zip(first, second, strict=True) if p or q), Fraction(0))


def response(ratio: Fraction) -> tuple[Law, Law]:
    """Randomised response with e^ε = ``ratio``: the laws of its answer in state 0 and in 1."""
    keep = ratio / (1 + ratio)
    return (keep, 1 - keep), (1 - keep, keep)


def private(laws: Sequence[Law], ratio: Fraction) -> bool:
    """Whether no answer is more than e^ε times as likely in one state as in another."""
    return all(max(chances) <= ratio * min(chances) for chances in zip(*laws, strict=True))


def corners(ratio: Fraction) -> set[tuple[Fraction, Fraction]]:
    """The extreme points (x, y) = (P(1 | 0), P(1 | 1)) of all ε-LDP channels with two answers.

    Four edges: x ≤ e^ε y, 1 - x ≤ e^ε (1 - y), and the same with x and y exchanged.
    """
    zero, one = Fraction(0), Fraction(1)
    edges = [
        (one, -ratio, zero),
        (-ratio, one, zero),
        (-one, ratio, ratio - 1),
        (ratio, -one, ratio - 1),
    ]
    found = set()
    for (a, b, c), (d, e, f) in combinations(edges, 2):  # where ax + by = c and dx + ey = f
        determinant = a * e - b * d
        if determinant:
            x, y = (c * e - b * f) / determinant, (a * f - c * d) / determinant
            if private([(1 - x, x), (1 - y, y)], ratio):
                found.add((x, y))
    return found


@cache
def channels(parts: int, answers: int, ratio: Fraction) -> list[tuple[Law, Law]]:
    """Every ε-LDP channel of a bit whose chances are multiples of 1/``parts``."""
    laws = [
        tuple(Fraction(weight, parts) for weight in (*weights, parts - sum(weights)))
        for weights in product(range(parts + 1), repeat=answers - 1)
        if sum(weights) <= parts
    ]
    return [pair for pair in product(laws, laws) if private(pair, ratio)]


def processed(pair: tuple[Law, Law], ratio: Fraction) -> bool:
    """Whether a channel is randomised response whose answer is then made into another.

    (e^ε P - Q) / (e^ε - 1) is what becomes of the answer 0, and the same exchanged of 1.
    """
    after = [
        [(ratio * p - q) / (ratio - 1) for p, q in zip(*each, strict=True)]
        for each in (pair, pair[::-1])
    ]
    proper = all(min(law) >= 0 and sum(law) == 1 for law in after)
    return proper and all(
        law == tuple(zero * a + one * b for a, b in zip(*after, strict=True))
        for law, (zero, one) in zip(pair, response(ratio), strict=True)
    )


def rows() -> list[Row]:
    """The corners, six divergences, what is behind them, and where it ends."""
    return [
        *(_corner_row(ratio) for ratio in RATIOS),
        *(_divergence_row(name) for name in DIVERGENCES),
        _processing_row(),
        _shares_row(),
        _three_row(),
    ]


def _corner_row(ratio: Fraction) -> Row:
    found, keep = corners(ratio), ratio / (1 + ratio)
    silent = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    wanted = silent | {(keep, 1 - keep), (1 - keep, keep)}
    return Row(
        f"section2.corners.{ratio}",
        f"section 2.2, e^ε = {ratio}: extreme points of the ε-LDP channels from a bit to a bit",
        None,
        len(found),
        "equal: two that say nothing, randomised response, and the same relabelled"
        if found == wanted
        else "differs",
    )


def _divergence_row(name: str) -> Row:
    """The largest of all other channels, at any ε, in units of randomised response's."""
    most: Number = 0
    for ratio in RATIOS:
        best, own = divergence(name, *response(ratio)), response(ratio)
        others = [
            divergence(name, *pair)
            for pair in channels(TWENTY_FOURTHS, 2, ratio)
            if pair not in (own, own[::-1])
        ]
        most = max(most, max(others) / best)
    return Row(
        f"section2.divergence.{name.replace(' ', '-')}",
        f"section 2.2, {name}: the largest of any other channel in 24ths, at e^ε = 2, 3, 5 and "
        f"11, over that of randomised response",
        "at most 1",
        float(most),
        "confirmed" if most <= (1 if name in _FRACTIONS else 1 + _ROUNDING) else "refuted",
    )


def _processing_row() -> Row:
    tried = [processed(pair, ratio) for ratio in RATIOS for pair in channels(EIGHTHS, 3, ratio)]
    return Row(
        "section2.processing",
        f"section 2.2: of {len(tried):,} ε-LDP channels with three answers, in eighths, those "
        f"that are not randomised response and something done to its answer",
        0,
        tried.count(False),
        "confirmed: so no divergence, of any number of answers, is larger"
        if all(tried)
        else "refuted",
    )


def _shares_row() -> Row:
    """Divergences of answers where the state itself is random, in two populations."""
    ratio, above, tried = RATIOS[1], 0, 0
    for pair in channels(TWELFTHS, 2, ratio):
        for one, other in product(_SHARES, repeat=2):
            mixed, best = (
                [_mixed(laws, share) for share in (one, other)] for laws in (pair, response(ratio))
            )
            for name in _FRACTIONS:
                above += divergence(name, *mixed) > divergence(name, *best)
                tried += 1
    return Row(
        "section2.populations",
        f"section 2.2: two populations with shares in quarters instead of two people, e^ε = "
        f"{ratio}: of {tried:,} divergences as fractions, those above randomised response's",
        0,
        above,
        "refuted" if above else "confirmed",
    )


def _mixed(laws: tuple[Law, Law], share: Fraction) -> Law:
    return tuple((1 - share) * a + share * b for a, b in zip(*laws, strict=True))


def _three_row() -> Row:
    """Three values: to answer with one of three, or map them to a bit and respond with that."""
    held = [tuple(Fraction(n, 6) for n in weights) for weights in ((4, 1, 1), (1, 4, 1))]
    keep = _LARGE / (_LARGE + 2)
    tried: list[list[Law]] = [
        [tuple(keep if x == y else (1 - keep) / 2 for y in range(3)) for x in range(3)],
        *([response(_LARGE)[bit] for bit in of] for of in product((0, 1), repeat=3)),
    ]
    three, *two = (
        divergence("chi-squared", *(_answer(channel, law) for law in held)) for channel in tried
    )
    more = three / max(two)
    return Row(
        "section2.three",
        f"section 2.2: inputs from [0, 1]; χ² of two populations of three values, e^ε = {_LARGE}: "
        f"an answer among three over the best bit",
        "at most 1",
        float(more),
        "misprint: {0, 1}; of more values than two a bit doesn't keep all" if more > 1 else "equal",
    )


def _answer(channel: Sequence[Law], held: Law) -> Law:
    return tuple(
        sum((share * law[y] for share, law in zip(held, channel, strict=True)), Fraction(0))
        for y in range(len(channel[0]))
    )

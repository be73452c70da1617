"""Section 3.2: several noises drawn from one table that was shuffled once, and what P2 learns.

P2 knows its indices, so it knows which of its draws, of whatever noise, are the same entry. The
noises of a table that nobody shuffled anew are joint: their law, given which draws coincide, is
computed exactly, all noises written as the digits of one number.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import prod

from record import Row
from tables import proved

from sudare.chance.exact import float_up
from sudare.twoparty.noise.algorithm2 import distinct_table
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.law import distinct_law, divergence, noise_law, views
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped

Views = list[tuple[int, IntegerLaw]]

# Of the document: δ, draws and noises at ε = 1. More noises of a wider table take minutes.
DRAWN_AGAIN = (
    (1e-4, 1, 2),
    (1e-6, 1, 2),
    (1e-6, 1, 3),
    (1e-4, 2, 2),
    (1e-6, 2, 2),
    (1e-10, 2, 2),
    (1e-6, 3, 2),
)
OURS = Guarantee(1.0, 1e-6)


def place_value(scheme: Scheme) -> int:
    """The base in which noises are digits: their span, and room to move by one on either side."""
    span = sum(max(table) - min(table) for table in scheme.tables) * len(scheme.signs)
    return span + 3


def patterns(noises: Sequence[Sequence[int]], *, distinct: bool) -> Counter[tuple[int, ...]]:
    """The ways in which draws of several noises can be the same entry.

    A noise is the weights of its draws. What comes out are the weights of the different entries,
    and how many patterns have them. With ``distinct`` no two draws of one noise coincide.
    """
    found: Counter[tuple[tuple[int, int], ...]] = Counter({(): 1})
    for noise, weights in enumerate(noises):
        for weight in weights:
            longer: Counter[tuple[tuple[int, int], ...]] = Counter()
            for entries, number in found.items():
                longer[tuple(sorted((*entries, (weight, noise))))] += number
                for at, (held, last) in enumerate(entries):
                    if not (distinct and last == noise):
                        joined = (*entries[:at], (held + weight, noise), *entries[at + 1 :])
                        longer[tuple(sorted(joined))] += number
            found = longer
    grouped: Counter[tuple[int, ...]] = Counter()
    for entries, number in found.items():
        grouped[tuple(sorted(held for held, _ in entries))] += number
    return grouped


def one_table(scheme: Scheme, noises: int) -> Views:
    """P2's views of noises that are all drawn from tables shuffled once."""
    base = place_value(scheme)
    draws = [[sign * base**noise for sign in scheme.signs] for noise in range(noises)]
    ways_to_coincide = patterns(draws, distinct=scheme.distinct)
    of_tables = [
        [
            (number, distinct_law(table, weights))
            for weights, number in ways_to_coincide.items()
            if len(weights) <= size
        ]
        for table, size in zip(scheme.tables, scheme.sizes, strict=True)
    ]
    return [_joined(chosen) for chosen in product(*of_tables)]


def fresh_tables(scheme: Scheme, noises: int) -> Views:
    """P2's views of as many noises, each from tables that are shuffled for it."""
    base = place_value(scheme)
    of_noises = [
        [(number, _stretched(ways, base**noise)) for number, ways in views(scheme)]
        for noise in range(noises)
    ]
    return [_joined(chosen) for chosen in product(*of_noises)]


def results_only(scheme: Scheme, noises: int) -> Views:
    """The view of everyone who does not know an index: noises that have nothing to do with another.

    A table's order matters to nobody whose indices are uniform, so shuffling anew changes nothing.
    """
    base = place_value(scheme)
    law = noise_law(scheme)
    return [_joined([(1, _stretched(law, base**noise)) for noise in range(noises)])]


def joint_delta(seen: Views, scheme: Scheme, noises: int, epsilon: float) -> Fraction:
    """The exact δ of all noises together at noises · ε, where one person moves each by up to 1."""
    base = place_value(scheme)
    # The noises are alike, so only how many of them are moved which way matters.
    moves = {
        sum(move * base**noise for noise, move in enumerate(moved))
        for moved in combinations_with_replacement((-1, 0, 1), noises)
    } - {0}
    if all(ways.symmetric for _, ways in seen):
        moves = {abs(move) for move in moves}
    return divergence(seen, noises * Fraction(epsilon), sorted(moves))


def again_rows() -> Iterator[Row]:
    """The document's tables drawn from again, and ours, were they."""
    for delta, draws, noises in DRAWN_AGAIN:
        guarantee = Guarantee(1.0, delta)
        scheme = proved(guarantee, draws).scheme
        setting = f"ε = 1, δ = {delta:g}, n = {draws}, {scheme.entries:,} entries"
        yield from _rows(f"again.{delta:g}.n{draws}.k{noises}", setting, scheme, guarantee, noises)
    scheme = distinct_table(OURS, 2).scheme
    setting = f"ε = 1, δ = 1e-06, n = 2, no entry twice in a noise, {scheme.entries:,} entries"
    yield from _rows("again.distinct.n2.k2", setting, scheme, OURS, 2)
    ours = shipped(OURS)
    if ours is None:
        raise LookupError(f"no tables are shipped for {OURS}")
    setting = f"ε = 1, δ = 1e-06, our {ours.scheme.entries} entries"
    yield from _rows("again.ours.k2", setting, ours.scheme, OURS, 2)


def _rows(
    name: str, setting: str, scheme: Scheme, guarantee: Guarantee, noises: int
) -> Iterator[Row]:
    stated = noises * Fraction(guarantee.delta)
    what = f"the exact δ of {noises} noises together at {noises}ε, {setting}"
    seen = {
        "results": (f"{what}: whoever knows no index", results_only(scheme, noises)),
        "fresh": (f"{what}: P2, a fresh table for each", fresh_tables(scheme, noises)),
        "one": (f"{what}: P2, one table for all", one_table(scheme, noises)),
    }
    fresh = Fraction(0)
    for kind, (shown, view) in seen.items():
        delta = joint_delta(view, scheme, noises, guarantee.epsilon)
        verdict = f"proved: at most {noises}δ"
        if delta > stated:
            verdict = f"refuted: {float(delta / stated):.3g} times {noises}δ"
        if kind == "fresh":
            fresh = delta
        if kind == "one":
            verdict += f", {float(delta / fresh):.3g} times that of fresh tables"
        yield Row(f"{name}.{kind}", shown, float(stated), float_up(delta), verdict)


def _joined(parts: Sequence[tuple[int, IntegerLaw]]) -> tuple[int, IntegerLaw]:
    numbers, ways = zip(*parts, strict=True)
    return prod(numbers), prod(ways[1:], start=ways[0])


@cache
def _stretched(ways: IntegerLaw, factor: int) -> IntegerLaw:
    """The ways to ``factor`` times each number."""
    return IntegerLaw.of(
        {factor * (ways.least + i): count for i, count in enumerate(ways.counts) if count}
    )

"""The exact law of a scheme's noise, and the proof that it keeps a guarantee.

Everything here is whole numbers and fractions. e^ε is replaced by a fraction just below it, so
that each δ comes out no smaller than it is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from math import prod

from sudare.chance.exact import exp_enclosed, scientific_up
from sudare.errors import ParameterError
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.scheme import Scheme


def noise_law(scheme: Scheme) -> IntegerLaw:
    """The exact law of a scheme's noise: how many choices of indices lead to each value."""
    return _convolved(
        [
            distinct_law(table, scheme.signs)
            if scheme.distinct
            else _convolved([_weighted(table, sign) for sign in scheme.signs])
            for table in scheme.tables
        ]
    )


def views(scheme: Scheme) -> list[tuple[int, IntegerLaw]]:
    """The views that P2 can tell apart, by which of its indices coincide.

    Each with the number of patterns that look alike, and the choices of indices by the noise
    they lead to. All views together are the law itself.
    """
    if scheme.distinct or len(scheme.signs) == 1:  # nothing ever coincides
        return [(1, noise_law(scheme))]
    (table,), (size,) = scheme.tables, scheme.sizes
    return [
        (alike, distinct_law(table, weights))
        for weights, alike in _patterns(scheme.signs).items()
        if len(weights) <= size  # else there are not so many different indices
    ]


@dataclass(frozen=True)
class Proof:
    """The proof of a scheme: its exact law against a guarantee, what holds, and for whom.

    Attributes:
        scheme: the tables and how they are drawn from.
        guarantee: what was claimed.
        law: the choices of indices by the noise they lead to.
        delta: the δ against everyone who learns the noisy result and nothing else. P1, who
            knows the order of its tables, is one of them as long as P2 re-randomises the sum.
        delta_p2: the δ against P2 if it learns the result: it knows which indices coincide.
    """

    scheme: Scheme
    guarantee: Guarantee
    law: IntegerLaw
    delta: Fraction
    delta_p2: Fraction

    @property
    def delta_p1(self) -> Fraction:
        """The δ against P1: indices that it doesn't know are uniform to it in any order."""
        return self.delta

    @property
    def holds(self) -> bool:
        """Whether the guarantee is kept against all who see the result but P2."""
        return self.delta <= Fraction(self.guarantee.delta)

    @property
    def holds_for_p2(self) -> bool:
        """Whether the guarantee is kept against P2 as well, if P2 sees the result."""
        return self.delta_p2 <= Fraction(self.guarantee.delta)

    @cached_property
    def mean(self) -> Fraction:
        """E|Z| of the noise, exactly."""
        return self.law.mean_size

    @property
    def relative_mean(self) -> float:
        """E|Z| of the noise in units of the best, 1 / sinh(ε/Δ)."""
        return float(self.mean) / self.guarantee.best_mean

    @cached_property
    def conditions(self) -> dict[str, bool]:
        """Which conditions of the document's Theorem 4.1 hold: sufficient, not necessary.

        With w the noise farthest from 0, on whichever side it lies: (i) the law is symmetric; (ii)
        w is at least 2, and every noise from -w to w is possible; (iii) it rises strictly from -w
        to 0, (iv) by at most e^(ε/Δ) a step; (v) its Δ chances from -w on are together at most δ.
        """
        return _conditions(self.law.trimmed, self.guarantee)

    @property
    def verdict(self) -> str:
        """The outcome of the proof, in one sentence without its full stop."""
        claimed = self.guarantee
        claim = f"({claimed}) at sensitivity {claimed.sensitivity}"
        if not self.holds:
            return f"refused: {claim} is not kept, {self._excess(self.delta)}"
        if not self.holds_for_p2:
            return (
                f"{claim} is proved, but not against P2 if it sees the result: P2 knows which "
                f"of its draws coincide, {self._excess(self.delta_p2)}"
            )
        return f"proved: {claim} is kept against P1, P2 and everyone who sees the result"

    def _excess(self, delta: Fraction) -> str:
        claimed = Fraction(self.guarantee.delta)
        return (
            f"δ is {scientific_up(delta)}, {scientific_up(delta / claimed)} times what is "
            f"claimed and {scientific_up(delta - claimed)} too much"
        )


def prove(scheme: Scheme, guarantee: Guarantee) -> Proof:
    """The proof of a scheme against a guarantee, whether this is kept or not."""
    law = noise_law(scheme)
    delta = excess([(1, law)], guarantee)
    return Proof(scheme, guarantee, law, delta, excess(views(scheme), guarantee))


def require(scheme: Scheme, guarantee: Guarantee, *, p2_blind: bool = False) -> Proof:
    """The proof of a scheme that keeps its guarantee; raises where it does not.

    Args:
        scheme: the tables and how they are drawn from.
        guarantee: what is claimed.
        p2_blind: P2 never learns the result, so what it knows of its indices does no harm.
    """
    proof = prove(scheme, guarantee)
    if not proof.holds or not (p2_blind or proof.holds_for_p2):
        raise ParameterError(proof.verdict)
    return proof


def excess(views: Sequence[tuple[int, IntegerLaw]], guarantee: Guarantee) -> Fraction:
    """The hockey-stick divergence Σ max(0, P(x) - e^ε P(x - k)), the worst over ±k up to Δ.

    Averaged over views, each counted as often as it occurs. Rounded up, by less than 10⁻⁴⁰, as
    e^ε is taken just below its value.
    """
    if guarantee.sensitivity >= max(len(ways.counts) for _, ways in views):
        return Fraction(1)  # moved by as much, no noise is where another was
    mirrored = all(ways.symmetric for _, ways in views)
    distances = range(1, guarantee.sensitivity + 1)
    shifts = [*distances] if mirrored else [s * k for k in distances for s in (1, -1)]
    return divergence(views, Fraction(guarantee.epsilon), shifts)


def divergence(
    views: Sequence[tuple[int, IntegerLaw]], epsilon: Fraction, shifts: Iterable[int]
) -> Fraction:
    """The worst hockey-stick divergence at ε between a law and itself moved by a shift.

    Averaged over views, each counted as often as it occurs; rounded up, by less than 10⁻⁴⁰.
    """
    factor = exp_enclosed(epsilon)[0]
    total = sum(alike * ways.total for alike, ways in views)
    worst = max(
        sum(alike * _scaled_excess(ways, shift, factor) for alike, ways in views)
        for shift in shifts
    )
    return Fraction(worst, factor.denominator * total)


def _scaled_excess(ways: IntegerLaw, shift: int, factor: Fraction) -> int:
    """Σ max(0, b·w(x) - a·w(x - shift)), where factor = a/b."""
    a, b = factor.numerator, factor.denominator
    counts, empty = ways.counts, (0,) * abs(shift)
    behind = (empty + counts)[: len(counts)] if shift > 0 else (counts + empty)[-shift:]
    excesses = (b * here - a * there for here, there in zip(counts, behind, strict=True))
    return sum(gain for gain in excesses if gain > 0)


def _conditions(law: IntegerLaw, guarantee: Guarantee) -> dict[str, bool]:
    step, w = exp_enclosed(guarantee.rate)[0], max(-law.least, law.greatest)
    rising = list(pairwise(law[k] for k in range(-w, 1)))
    edge = sum(law[k] for k in range(-w, min(-w + guarantee.sensitivity, w + 1)))
    return {
        "i": law.symmetric,
        "ii": w > 1 and all(law[k] > 0 for k in range(-w, w + 1)),
        "iii": all(a < b for a, b in rising),
        "iv": all(b <= step * a for a, b in rising),
        "v": edge <= Fraction(guarantee.delta) * law.total,
    }


def _convolved(parts: Sequence[IntegerLaw]) -> IntegerLaw:
    return prod(parts[1:], start=parts[0])


def _weighted(table: Mapping[int, int], weight: int) -> IntegerLaw:
    """One entry, ``weight`` times; with weight 0 all entries lead to 0."""
    if weight == 0:
        return IntegerLaw(0, (sum(table.values()),))
    return IntegerLaw.of({weight * value: count for value, count in table.items()})


def distinct_law(table: Mapping[int, int], weights: Sequence[int]) -> IntegerLaw:
    """The exact law of Σ_j weights[j] · T[i_j] over all choices of indices that differ.

    The last index is any, less those equal to an earlier one, which then has both weights.
    """

    @cache
    def ways(weights: tuple[int, ...]) -> IntegerLaw:
        *others, last = weights
        found = _weighted(table, last)
        if others:
            found = ways(tuple(others)) * found
        for at, other in enumerate(others):
            merged = sorted([*others[:at], other + last, *others[at + 1 :]])
            found -= ways(tuple(merged))
        return found

    return ways(tuple(sorted(weights)))


def _patterns(signs: Sequence[int]) -> Counter[tuple[int, ...]]:
    """The ways in which draws can coincide, as the weights of the different indices."""
    patterns: Counter[tuple[int, ...]] = Counter({(): 1})
    for sign in signs:
        longer: Counter[tuple[int, ...]] = Counter()
        for weights, number in patterns.items():
            longer[*weights, sign] += number  # an index not drawn before
            for at in range(len(weights)):
                joined = list(weights)
                joined[at] += sign
                longer[tuple(joined)] += number
        patterns = longer
    grouped: Counter[tuple[int, ...]] = Counter()
    for weights, number in patterns.items():
        grouped[tuple(sorted(weights))] += number
    return grouped

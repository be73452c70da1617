"""How many rounds a person should report in: the error of noise that several rounds share.

A person who reports in k rounds adds e ∈ {0,1}^k to their states: any pattern of at most r ones
with weight e^ε, any other with weight 1. One round and no flip (k = 1, r = 0) is Glance.
"""

import math
from fractions import Fraction

MOST_SHOTS = 16
ALLOWED = 1.02  # times Glance's error, at the least favourable share in the range


def patterns(shots: int, flips: int) -> tuple[int, int]:
    """How many patterns have at most ``flips`` ones, and how many have more."""
    few = sum(math.comb(shots, ones) for ones in range(flips + 1))
    return few, 2**shots - few


def flip_chance(shots: int, flips: int, few: Fraction) -> Fraction:
    """The chance that one round's state is flipped, if few flips have the chance ``few``."""
    near, far = patterns(shots, flips)
    # Of the patterns with i ones, a share i/k has one in any given round.
    ones = sum(math.comb(shots - 1, i - 1) for i in range(1, flips + 1))
    return few * Fraction(ones, near) + (1 - few) * Fraction(2 ** (shots - 1) - ones, far)


def few_chance(shots: int, flips: int, epsilon: float) -> float:
    """The chance of at most ``flips`` flips that spends ``epsilon``, nearly."""
    near, far = patterns(shots, flips)
    return near / (near + far * math.exp(-epsilon))


def round_variance(rounds: int, shots: int, flip: float, share: float) -> float:
    """The variance of a round's estimate, times the number of people.

    n k/T of the n people report, drawn without replacement.
    """
    noise = flip * (1 - flip) / (1 - 2 * flip) ** 2
    return (noise + share * (1 - share) * (1 - shots / rounds)) * rounds / shots


def nearest_share(low: float, high: float) -> float:
    """The share in a range that is nearest to ½: where the sampling error is largest."""
    return min(max(low, 0.5), high)


def extreme_share(low: float, high: float) -> float:
    """The one furthest from ½: where noise counts most."""
    return low if low * (1 - low) < high * (1 - high) else high


def best_shots(rounds: int, epsilon: float, low: float = 0.0, high: float = 1.0) -> tuple[int, int]:
    """The (k, r) with the least error, if all that is known of the share is its range.

    Only those count whose standard error of a round is nowhere in the range more than 2 % above
    Glance's. Of these the one is taken whose largest standard error in the range is least. Told
    nothing, this is two rounds from about ε = 3.2 on; told that the share stays near ½, many more.

    This is right for as many people as give several lies in a round. Where lies are rare, the
    worst round is off if anybody lies at all, and several rounds per person make that likelier.
    ``sudare.stream_planner`` knows the number of people and takes Glance there.
    """
    nearest, extreme = nearest_share(low, high), extreme_share(low, high)
    glance = [_variance(rounds, 1, 0, epsilon, share) for share in (nearest, extreme)]
    best, least = (1, 0), glance[0]
    for shots in range(2, min(MOST_SHOTS, rounds) + 1):
        for flips in range((shots + 1) // 2):
            here, there = (
                _variance(rounds, shots, flips, epsilon, share) for share in (nearest, extreme)
            )
            if there <= ALLOWED**2 * glance[1] and here < least:
                best, least = (shots, flips), here
    return best


def _variance(rounds: int, shots: int, flips: int, epsilon: float, share: float) -> float:
    few = Fraction(few_chance(shots, flips, epsilon))
    flip = float(flip_chance(shots, flips, few)) if few < 1 else 0.0
    return round_variance(rounds, shots, flip, share) if flip < 0.5 else math.inf

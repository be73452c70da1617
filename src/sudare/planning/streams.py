"""How far the worst round of a stream is off, and when several rounds of a person pay."""

import math
from functools import lru_cache

import numpy as np

from sudare.estimation.estimate import Floats
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.kshot import ALLOWED, KShot, extreme_share, nearest_share

GUESS = 0.5  # the error of saying ½ in every round, whatever happens, is never more
_LEVEL = 0.95
_SIZES = 41  # numbers of reports in a round that stand for all of them
_ERRORS = 400  # errors at which a law is looked at
_NORMAL = 10_000  # a variance of a count from which its law is normal: errors agree to 4 digits


@lru_cache(maxsize=256)  # a search asks for the same ones again
def worst_error(mechanism: ContinualMechanism, people: int, share: float) -> tuple[float, float]:
    """The mean error of a stream's worst round, and what it exceeds in one stream of twenty.

    The rounds are taken as independent. In each the number of reports is binomial; how many of
    them say 1 follows the binomial law of their chance, with the deviations scaled down by what
    sampling without replacement gains. Where few say 1, or all but a few, nothing is gained and
    the law is that of rare events, not the normal one. Where nearly everybody reports in every
    round and hardly anybody lies, the error is overstated.
    """
    sizes, weights = _round_sizes(mechanism, people)
    slope = mechanism.holder - mechanism.others
    said = mechanism.others + slope * share
    spread = np.sqrt(round_variance(mechanism, people, share, sizes))
    # No error exceeds the limit, and next to none the second term.
    limit = max(said, 1 - said) / slope
    rounds = mechanism.rounds
    scale = np.sqrt(said * (1 - said) / sizes) / slope / spread
    one_report = 1 / (sizes * slope * scale)
    far = min(limit, (spread * (5 + math.sqrt(2 * math.log(rounds))) + 12 * one_report).max())
    # The law jumps where all reports are the same. Where they mostly are, nearly all of it does.
    alike = np.concatenate([said / (slope * scale), (1 - said) / (slope * scale)])
    edges = np.unique(np.r_[np.linspace(0, far, _ERRORS), alike[alike < far]])
    errors = (edges[1:] + edges[:-1]) / 2
    reach = errors[:, np.newaxis] * slope * sizes * scale
    middle = sizes * said
    within = _at_most(middle + reach, sizes, said) - _at_most(
        np.ceil(middle - reach) - 1, sizes, said
    )
    law = (within @ weights) ** rounds
    mean = float((1 - law) @ np.diff(edges))
    return mean, float(edges[np.searchsorted(law, _LEVEL)])


def _round_sizes(mechanism: ContinualMechanism, people: int) -> tuple[Floats, Floats]:
    """Numbers of reports in a round, where there is any, and their chances: a grid of them."""
    chance = mechanism.reports_each / mechanism.rounds
    mean, deviation = people * chance, math.sqrt(people * chance * (1 - chance))
    first, last = max(1, mean - 6 * deviation - 2), min(people, mean + 6 * deviation + 6)
    sizes = np.unique(np.round(np.linspace(first, last, _SIZES)))
    edges = np.r_[sizes[0] - 0.5, (sizes[1:] + sizes[:-1]) / 2, sizes[-1] + 0.5]
    weights = np.diff(_at_most(edges, np.float64(people), chance))
    return sizes, np.asarray(weights / weights.sum(), np.float64)


def round_variance(
    mechanism: ContinualMechanism, people: int, share: float, sizes: Floats
) -> Floats:
    """The variance of a round's estimate from so many reports, drawn without replacement."""
    p, q = mechanism.holder, mechanism.others
    noise = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2
    left = (people - sizes) / max(1, people - 1)
    return np.asarray((noise + share * (1 - share) * left) / sizes, np.float64)


def _at_most(count: Floats, sizes: Floats | np.float64, chance: float) -> Floats:
    """The binomial law up to a count; of many reports, as good as the normal one."""
    from scipy.special import betainc, ndtr

    whole_count = np.floor(count)
    variance = sizes * chance * (1 - chance)
    if np.min(variance) > _NORMAL:
        return np.asarray(ndtr((whole_count + 0.5 - sizes * chance) / np.sqrt(variance)))
    inside = np.clip(whole_count, 0, sizes - 1)
    law = betainc(sizes - inside, inside + 1, 1 - chance)
    return np.where(whole_count < 0, 0.0, np.where(whole_count >= sizes, 1.0, law))


def is_better(shot: KShot, glance: Glance, people: int, low: float, high: float) -> bool:
    """Whether KShot is the better of the two for so many people.

    Its variance is smaller, but where lies are rare it is the chance of any that counts, and a
    person who reports more often lies more often. So its worst round has to be predicted to be off
    by less at the share in the range that is nearest to ½, and at no end by 2 % more.
    """
    if shot.shots == 1:
        return False
    for share, allowed in ((extreme_share(low, high), ALLOWED), (nearest_share(low, high), 1.0)):
        ours, theirs = (worst_error(each, people, share)[0] for each in (shot, glance))
        if ours > allowed * theirs:
            return False
    return True


def chance_of_silence(mechanism: ContinualMechanism, people: int) -> float:
    """What the chance that some round has no report is at most."""
    nobody = (1 - mechanism.reports_each / mechanism.rounds) ** people
    return float(min(1.0, mechanism.rounds * nobody))

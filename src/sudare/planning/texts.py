"""A design for free text, from budget and people, and how rare a text it can show."""

import math
from dataclasses import dataclass
from functools import lru_cache

from sudare.errors import ParameterError
from sudare.estimation.detection import (
    detectable_deviations,
    rare_variance,
    reports_needed,
    smallest_detectable,
)
from sudare.formats.numbers import counted, real, whole
from sudare.mechanisms.rappor import Rappor

MOST_BITS = 1024
MOST_CANDIDATES = 10**12
LEAST_CHANCE = 1e-12
_HASHES = (1, 2, 3, 4, 6, 8)
_WORTH = 1.05  # a wider filter must gain more than this in variance
_COLLISIONS = 0.1  # of the variance: what strings too rare to be found may add by sharing bits
_FEWEST_BITS = 16
_COHORTS = (8, 512)
_MOST_ROWS = 1 << 16  # cohorts × bits: a candidate's positions then take two bytes each
_FEWEST_PER_COHORT = 100  # reports, so that a bit's sum is nearly normal


@dataclass(frozen=True)
class RapporPlan:
    """A design for free text, and the texts that it is predicted to show.

    Attributes:
        mechanism: the design.
        people: how many will report.
        candidates: how many texts will be tested.
        false_discoveries: the chance of any.
        smallest_detectable: the share of people that a text needs to be found half the time.
    """

    mechanism: Rappor
    people: int
    candidates: int
    false_discoveries: float
    smallest_detectable: float


def best_rappor(  # noqa: PLR0913 - what a planner may know
    epsilon: float,
    people: int,
    candidates: int,
    *,
    false_discoveries: float = 0.05,
    lifetime: float | None = None,
    most_bits: int = MOST_BITS,
) -> RapporPlan:
    """The RAPPOR that finds the rarest texts for this budget and this many people.

    At a given ε one hash is best, with q = ½ and p = 1/(1 + e^ε): more hashes divide the budget
    among more bits and win back less than that. A filter is as wide as still pays, and there
    are enough cohorts that the strings too rare to be found don't disturb the others.

    Args:
        epsilon: the budget of one report.
        people: how many will report.
        candidates: how many texts will be tested.
        false_discoveries: the chance of any.
        lifetime: the budget of all reports of one answer, if people report again and again.
        most_bits: the widest filter that may be sent.
    """
    people, candidates = whole("people", people), whole("candidates", candidates)
    if people < 1 or candidates < 1:
        raise ParameterError(
            f"a plan needs at least 1 person and 1 candidate, got {people} and {candidates}"
        )
    check_search(candidates, false_discoveries)
    best = best_filter(epsilon, lifetime, most_bits)
    smallest = smallest_detectable(best, people, candidates, false_discoveries)
    if smallest > 1:
        raise ParameterError(
            f"at ε = {epsilon} {counted(people, 'person', 'people')} can't show even a text that "
            f"everybody answers; at least "
            f"{reports_needed(best, candidates, false_discoveries)} are needed"
        )
    cohorts = _cohorts(
        best.bits, people, smallest, detectable_deviations(candidates, false_discoveries)
    )
    mechanism = Rappor(best.bits, best.hashes, cohorts, best.f, best.p, best.q)
    return RapporPlan(mechanism, people, candidates, false_discoveries, smallest)


def check_search(candidates: int, false_discoveries: float) -> None:
    """Refuse a search for no text, or one that is often wrong."""
    if not 1 <= whole("candidates", candidates) <= MOST_CANDIDATES:
        raise ParameterError(
            f"a plan needs at least 1 candidate, and at most {MOST_CANDIDATES:,}, got {candidates}"
        )
    if not LEAST_CHANCE <= real("false discoveries", false_discoveries) < 0.5:
        raise ParameterError(
            f"the chance of false discoveries must be at least {LEAST_CHANCE:g} and below 0.5, "
            f"got {false_discoveries}"
        )


@lru_cache(maxsize=64)  # a search asks for the same ones again
def best_filter(
    epsilon: float, lifetime: float | None = None, most_bits: int = MOST_BITS
) -> Rappor:
    """The RAPPOR whose rare texts have the least variance, however many people report.

    Args:
        epsilon: the budget of one report.
        lifetime: the budget of all reports of one answer, if people report again and again.
        most_bits: the widest filter that may be sent.
    """
    if most_bits < _FEWEST_BITS:
        raise ParameterError(f"most_bits must be at least {_FEWEST_BITS}, got {most_bits}")
    widths = [1 << j for j in range(_FEWEST_BITS.bit_length() - 1, most_bits.bit_length())]
    designs = [
        _design(epsilon, lifetime, bits, hashes)
        for bits in widths
        for hashes in _HASHES
        if 2 * hashes <= bits
    ]
    least = min(rare_variance(design, 1) for design in designs)
    # The first that is good enough is the narrowest, and has the fewest hashes.
    return next(design for design in designs if rare_variance(design, 1) <= _WORTH * least)


def _design(epsilon: float, lifetime: float | None, bits: int, hashes: int) -> Rappor:
    if lifetime is None:
        return Rappor.calibrate(epsilon, form="instant", bits=bits, hashes=hashes)
    return Rappor.calibrate(epsilon, lifetime=lifetime, bits=bits, hashes=hashes)


def _cohorts(bits: int, people: int, smallest: float, deviations: float) -> int:
    """Enough that undetected strings, by sharing bits, add little to the variance.

    Strings of shares s_i add Σs_i² / (bits · cohorts). None of those undetected exceeds the
    smallest detectable share s, so Σs_i² ≤ s, and the variance of an estimate is (s / z)².
    """
    needed = deviations**2 / (_COLLISIONS * bits * min(smallest, 1.0))
    wanted = 1 << max(0, math.ceil(math.log2(needed)))
    few, many = _COHORTS
    # Below that, chance alone could give a text all the bits of another.
    allowed = min(many, _MOST_ROWS // bits, max(few, people // _FEWEST_PER_COHORT))
    return 1 << min(max(few, wanted), allowed).bit_length() - 1

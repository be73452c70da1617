"""The averaging attack: one person reports a thousand times, and the collector keeps score.

Fresh noise on each report averages out, and the answer is found. A device that keeps its
permanent noise repeats itself: the average shows the noisy bits that it kept, and of these
no number of reports can tell more than e^ε∞.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sudare import Collection, Device, Rappor

SITES = tuple(f"site {number}" for number in range(8))
REPORTS = (1, 10, 100, 1000)


def log_likelihoods(mechanism: Rappor, counts: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """How well each answer explains n memoised reports: the attacker knows all parameters."""
    b = mechanism.f / 2
    set_, clear = (
        counts * math.log(chance) + (n - counts) * math.log(1 - chance)
        for chance in (mechanism.q, mechanism.p)
    )
    as_one = np.logaddexp(math.log(1 - b) + set_, math.log(b) + clear)
    as_zero = np.logaddexp(math.log(b) + set_, math.log(1 - b) + clear)
    return np.asarray(as_one - as_zero + as_zero.sum())


def fresh_log_likelihoods(
    mechanism: Rappor, counts: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """The same where every report has new permanent noise: bits of chance q* or p*."""
    q, p = mechanism.holder, mechanism.others
    return np.asarray(counts * math.log(q / p) + (n - counts) * math.log((1 - q) / (1 - p)))


def belief(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The posterior of each answer, all having been equally likely before."""
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def attack(survey: Collection, mechanism: Rappor, person: int) -> NDArray[np.float64]:
    """What the attacker believes of one person's answer: after so many reports, fresh or kept."""
    device, answer = Device.new(), SITES[person]
    kept = np.concatenate([device.report(survey, answer) for _ in range(REPORTS[-1])])
    fresh = survey.randomize([answer] * REPORTS[-1])
    believed = []
    for n in REPORTS:
        tallies = [survey.aggregate(reports[:n]).counts for reports in (fresh, kept)]
        scores = (
            fresh_log_likelihoods(mechanism, tallies[0], n),
            log_likelihoods(mechanism, tallies[1], n),
        )
        believed.append([belief(score)[person] for score in scores])
    return np.array(believed)


def main() -> None:
    """Attack both kinds of devices, and compare with what ε∞ allows."""
    mechanism = Rappor.calibrate(epsilon=1.0, form="basic", lifetime=2.0, bits=len(SITES))
    survey = Collection("sites", "Which site do you open first?", SITES, mechanism)
    before = 1 / len(SITES)
    odds = math.exp(mechanism.lifetime_epsilon) * before / (1 - before)
    print(
        f"ε₁ = {mechanism.epsilon:.3f} per report, ε∞ = {mechanism.lifetime_epsilon:.3f} for life"
    )
    print(f"Before any report the attacker believes the truth with {before:.1%}.")
    found = np.array([attack(survey, mechanism, person) for person in range(len(SITES))])
    print("After so many, in the true answer (mean of 8 people, and the most of any):")
    print("reports     fresh noise        memoised")
    for n, mean, most in zip(REPORTS, found.mean(axis=0), found.max(axis=0), strict=True):
        cells = [f"{m:7.1%} ({t:6.1%})" for m, t in zip(mean, most, strict=True)]
        print(f"{n:7,}  {'  '.join(cells)}")
    print(f"No number of memoised reports can take that belief above {odds / (1 + odds):.1%}.")


if __name__ == "__main__":
    main()

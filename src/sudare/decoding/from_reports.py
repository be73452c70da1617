"""Free text back from the single reports: every report's likelihood, not only the bits' sums.

A bit sum forgets which bits came together. For a text of several bits that is most of what the
reports say, so with ``hashes`` of 4 or more this finds far more texts than ``sudare.decode``, at
a cost that grows with reports times candidates.
"""

import math
from collections.abc import Callable

import numpy as np

from sudare.decoding.candidates import Findings, by_share, critical_chance
from sudare.decoding.from_sums import Decoded, number_of_tests
from sudare.decoding.leave_one_out import Judged, judge
from sudare.decoding.likelihoods import decoy_digests, likelihoods
from sudare.decoding.mixture import Floats, Mixture, most_likely_mixture
from sudare.decoding.selection import explained, luck_at
from sudare.errors import ParameterError, TooFewReports
from sudare.estimation.detection import detectable_deviations, likelihood_information
from sudare.estimation.significance import Correction, Tests
from sudare.formats.numbers import counted
from sudare.mechanisms.interface import Records
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Digests

_DECOYS = 1000


def weigh_reports(  # noqa: PLR0913, PLR0917 - all that a result depends on
    mechanism: Rappor,
    told: Records,
    texts: tuple[str, ...],
    hashed: Digests,
    false_discoveries: float,
    correction: Correction,
    level: float,
    progress: Callable[[float], object] | None = None,
) -> Decoded:
    """Which candidates people hold, and how many do, from reports that were checked.

    ``sudare.decode_reports`` says what each argument is.
    """
    tests = number_of_tests(correction, len(texts), false_discoveries)
    expected = _expected_smallest(mechanism, len(told), tests, false_discoveries)
    every = likelihoods(mechanism, told, hashed).kept()
    mixture = most_likely_mixture(every, progress)
    decoys = likelihoods(mechanism, told, decoy_digests(_DECOYS), other=False)
    judged = judge(every, decoys, mixture)
    smallest = max(
        expected, _smallest(judged.stderr[:-1], mixture.shares[:-1], tests, false_discoveries)
    )
    findings = _findings(judged, mixture, false_discoveries, correction)
    return Decoded(len(told), texts, findings, false_discoveries, correction, level, smallest)


def _expected_smallest(mechanism: Rappor, n: int, tests: int, false_discoveries: float) -> float:
    """The share that theory needs to find a rare text; refused if it is more than everybody."""
    needed = detectable_deviations(tests, false_discoveries) ** 2 / likelihood_information(
        mechanism
    )
    if needed > n:
        raise TooFewReports(
            f"{counted(n, 'report')} can't show even a text that everybody answered, in "
            f"{counted(tests, 'test')}; at least {math.ceil(needed)} are needed"
        )
    return math.sqrt(needed / n)


def _smallest(stderr: Floats, shares: Floats, tests: int, false_discoveries: float) -> float:
    """The share that a typical rare candidate needs to be found with an even chance."""
    known = np.isfinite(stderr)
    if not known.any():
        raise ParameterError(
            f"the {counted(stderr.size, 'candidate')} can't be told apart: their bits are the same"
        )
    rare = known & (shares <= np.median(shares[known]))
    return detectable_deviations(tests, false_discoveries) * float(np.median(stderr[rare]))


def _findings(
    judged: Judged, mixture: Mixture, false_discoveries: float, correction: Correction
) -> Findings:
    shares, stderr, scores = judged.shares[:-1], judged.stderr[:-1], judged.scores[:-1]
    tests = Tests(scores, judged.law.p_values, correction)
    passed = tests.passed(false_discoveries, judged.law.threshold(false_discoveries))
    found, p_values, adjusted = by_share(passed, shares)
    cut = judged.law.threshold(
        critical_chance(false_discoveries, correction, found.size, shares.size)
    )
    absent, typical = shares.size - found.size, float(np.median(stderr[np.isfinite(stderr)]))
    luck = luck_at(cut, scores, stderr, judged.law, absent, typical)
    return Findings(
        found,
        p_values,
        adjusted,
        shares[found] * cut / scores[found],
        tests,
        shares,
        stderr,
        *explained(shares[found], np.diag(stderr[found] ** 2), luck),
        mixture=mixture,
    )

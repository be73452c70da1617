"""Which candidates are there, and how many people hold each: RAPPOR's decoder.

The stages, each a function of its own:

1. debias the bit sums (``bits``), keep the candidates' bits as positions (``design``);
2. ``screen``: a non-negative LASSO with intercept proposes who is there (``lasso``);
3. ``refit``: weighted least squares on those, with the covariance of their shares;
4. ``judge``: a p-value for *every* candidate, proposed or not, by the law of a candidate that
   nobody holds (``hashnull``), adjusted for asking so many times;
5. ``find`` repeats 3 and 4 with those beyond doubt until they stay the same, and reports.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from sudare.estimation.bits import BitShares
from sudare.estimation.design import Design, Floats, Indices
from sudare.estimation.lasso import Lasso, nonnegative_lasso
from sudare.estimation.mixture import Mixture
from sudare.estimation.refit import Fit, bulk, column_weight, refit
from sudare.estimation.significance import Correction, Tests

_SHRUNK = 0.75  # of the penalty that theory asks for: refit and test forgive a few too many
_NEAR = 0.3  # of the penalty: who comes so near to being proposed contends for a place
_ABOUT = 0.5  # standard deviations on either side of a cut that count as being at it
_FULLEST = 4  # rows per candidate in the model, at least


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known of every candidate.

    Attributes:
        found: which candidates passed the test, by falling share.
        found_p_values: theirs, of "nobody holds this candidate".
        found_adjusted: the same, adjusted for all candidates.
        tests: those of every candidate.
        shares: the share of people who hold each candidate.
        stderr: their standard errors.
        explained: the share of people who hold one of those found.
        explained_stderr: its standard error.
        excess: how many times as large as randomising makes them the bit sums' residuals are.
        screening: the LASSO that proposed the first model, in decoding from bit sums.
        mixture: the most likely shares of all candidates and "other", in decoding from reports.
    """

    found: Indices
    found_p_values: Floats
    found_adjusted: Floats
    tests: Tests
    shares: Floats
    stderr: Floats
    explained: float
    explained_stderr: float
    excess: float | None = None
    screening: Lasso | None = None
    mixture: Mixture | None = None


def find(
    design: Design,
    bits: BitShares,
    level: float = 0.05,
    correction: Correction = "benjamini-hochberg",
) -> Findings:
    """Decode: who is there at this level, and the share of everyone."""
    screening = screen(design, bits)
    fit = _beyond_doubt(design, bits, screening, level)
    tests = judge(fit, correction)
    shares, stderr = estimates(fit)
    found = by_share(tests.passed(level, fit.law.threshold(level)), shares)
    cut = fit.law.threshold(critical_chance(level, correction, found[0].size, len(design)))
    whole = explained(fit.support, fit.covariance, tests.scores, cut, shares, stderr, found[0])
    return Findings(*found, tests, shares, stderr, *whole, fit.excess, screening)


def by_share(
    found: tuple[Indices, Floats, Floats], shares: Floats
) -> tuple[Indices, Floats, Floats]:
    """Those found and what is known of them, by falling share."""
    order = np.argsort(-shares[found[0]], kind="stable")
    return found[0][order], found[1][order], found[2][order]


def _beyond_doubt(design: Design, bits: BitShares, screening: Lasso, level: float) -> Fit:
    """The fit of those who pass the strictest test (Bonferroni's) given each other.

    Only they are taken out of the residuals by which everyone is judged. A looser model would
    hold some who aren't there, fitted to noise: the noise then looks smaller than it is, and
    more than the stated share of discoveries would be false.

    Few candidates come near to passing, so these settle it among themselves; a pass over all
    then says whether somebody was overlooked.
    """
    chance = level / len(design)
    contending = screening.gradient > _NEAR * screening.penalty
    contending[screening.support] = True
    model = screening.support
    while True:
        contenders = np.flatnonzero(contending)
        inside = np.searchsorted(contenders, model)
        among = _settled(design.part(contenders), bits, inside, chance)
        model = contenders[among.support]
        fit = replace(among, design=design, support=model)
        passed = _passing(fit, chance)
        if contending[passed].all():
            return fit
        contending[passed] = True


def _settled(design: Design, bits: BitShares, model: Indices, chance: float) -> Fit:
    """The fit of those who pass given each other; the last one tried, if they go in circles."""
    seen = set[bytes]()
    while True:
        fit = nearly = refit(design, bits, model)
        # A model is refined with what this fit says of the noise, and then fitted anew.
        while (passed := _passing(nearly, chance)).tobytes() not in seen:
            seen.add(passed.tobytes())
            if np.array_equal(passed, np.sort(nearly.support)):
                break
            nearly = refit(design, bits, passed, fit)
        if nearly is fit:
            return fit
        model = passed


def _passing(fit: Fit, chance: float) -> Indices:
    """Whose p-value is at most this chance; the likeliest, where a model could not hold all."""
    z = fit.standardised
    passed = np.flatnonzero(z >= fit.law.threshold(chance))
    most = fit.design.height // _FULLEST
    return np.sort(passed[np.argsort(-z[passed])][:most])


def screen(design: Design, bits: BitShares) -> Lasso:
    """The LASSO's proposal, at a penalty scaled to the noise and the number of candidates.

    λ = ¾ σ √(2 ln M) ‖x‖, where σ is what binomial noise explains, or more where the bulk of
    the rows shows more (strings that are missing).
    """
    spread = max(bits.noise, bulk(bits.response, bits.weights))
    length = math.sqrt(column_weight(design, bits.weights))
    penalty = _SHRUNK * spread * math.sqrt(2 * math.log(max(len(design), 2))) * length
    while True:
        solution = nonnegative_lasso(design, bits.response, bits.weights, penalty)
        if len(solution.support) <= design.height // _FULLEST:
            return solution
        penalty *= 1.5


def judge(fit: Fit, correction: Correction) -> Tests:
    """For every candidate, in the model or not, the test of "nobody holds it".

    No p-value is smaller than the chance that two texts have the same bits in every cohort.
    """

    def chance(scores: Floats) -> Floats:
        return np.maximum(fit.law.p_values(scores), fit.design.coincidence)

    return Tests(fit.standardised, chance, correction)


def estimates(fit: Fit) -> tuple[Floats, Floats]:
    """Everyone's share and its standard error: the model's, and one step for the others."""
    shares = fit.scores / fit.length
    stderr = np.full(len(fit.design), fit.law.deviation / fit.length)
    shares[fit.support] = fit.shares
    stderr[fit.support] = np.sqrt(np.maximum(np.diag(fit.covariance), 0))
    return shares, stderr


def critical_chance(level: float, correction: Correction, found: int, tests: int) -> float:
    """The p-value at which a candidate is just found, when so many are."""
    if correction == "none":
        return level
    return level / tests * (max(found, 1) if correction == "benjamini-hochberg" else 1)


def explained(  # noqa: PLR0913, PLR0917 - what is known of candidates
    support: Indices,
    covariance: Floats,
    z: Floats,
    cut: float,
    shares: Floats,
    stderr: Floats,
    found: Indices,
) -> tuple[float, float]:
    """The summed share of those found, without the luck that helped them, and its error.

    Who is found at a cut c has been lucky: the expected excess of a candidate's estimate is its
    variance times the density of that estimate at c. Summed over candidates, this is the
    density of all estimates at c, which can be seen: it is how many lie about there.
    The covariance is known of those in the support; the others count as independent.
    """
    if not found.size:
        return 0.0, 0.0
    near = (np.abs(z - cut) <= _ABOUT) & np.isfinite(stderr)
    luck = stderr[near] / (2 * _ABOUT)
    inside = np.isin(support, found)
    outside = np.setdiff1d(found, support)
    variance = float(covariance[np.ix_(inside, inside)].sum())
    variance += float((stderr[outside] ** 2).sum() + (luck**2).sum())
    return float(shares[found].sum() - luck.sum()), math.sqrt(max(variance, 0))

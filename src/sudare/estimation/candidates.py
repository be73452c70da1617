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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sudare.estimation.bits import BitShares
from sudare.estimation.design import Design, Floats, Indices
from sudare.estimation.hashnull import hash_null
from sudare.estimation.lasso import Lasso, nonnegative_lasso
from sudare.estimation.mixture import Mixture
from sudare.estimation.significance import benjamini_hochberg, bonferroni

Correction = Literal["benjamini-hochberg", "bonferroni", "none"]

ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "benjamini-hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p_values: p_values,
}
_SHRUNK = 0.75  # of the penalty that theory asks for: refit and test forgive a few too many
_ABOUT = 0.5  # standard deviations on either side of a cut that count as being at it
_FULLEST = 4  # rows per candidate in the model, at least


@dataclass(frozen=True, eq=False)
class Fit:
    """Least squares on some candidates.

    Attributes:
        support: the candidates in the model.
        shares: theirs.
        covariance: of these shares, as estimates for the people who answered.
        residual: what the model leaves, per row.
        leverage: for each in the support, its variance per unit of noise.
    """

    support: Indices
    shares: Floats
    covariance: Floats
    residual: Floats
    leverage: Floats


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known of every candidate.

    Attributes:
        found: which candidates passed the test, by falling share.
        shares: the share of people who hold each candidate.
        stderr: their standard errors.
        p_values: of "nobody holds this candidate".
        adjusted: the same, adjusted for all candidates.
        explained: the share of people who hold one of those found.
        explained_stderr: its standard error.
        screening: the LASSO that proposed the first model, in decoding from bit sums.
        mixture: the most likely shares of all candidates and "other", in decoding from reports.
    """

    found: Indices
    shares: Floats
    stderr: Floats
    p_values: Floats
    adjusted: Floats
    explained: float
    explained_stderr: float
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
    fit = _beyond_doubt(design, bits, screening.support, level)
    z, p_values = judge(design, bits, fit)
    adjusted = ADJUSTMENTS[correction](p_values)
    shares, stderr = estimates(design, bits, fit)
    found = np.flatnonzero(adjusted <= level)
    found = found[np.argsort(-shares[found], kind="stable")]
    return Findings(
        found,
        shares,
        stderr,
        p_values,
        adjusted,
        *explained(fit.support, fit.covariance, z, shares, stderr, found),
        screening,
    )


def _beyond_doubt(design: Design, bits: BitShares, model: Indices, level: float) -> Fit:
    """The fit of those who pass the strictest test given each other.

    Only they are taken out of the residuals by which everyone is judged. A looser model would
    hold some who aren't there, fitted to noise: the noise then looks smaller than it is, and
    more than the stated share of discoveries would be false.
    """
    seen = set[bytes]()
    while True:
        fit = refit(design, bits, model)
        z, p_values = judge(design, bits, fit)
        passed = np.flatnonzero(bonferroni(p_values) <= level)
        passed = np.sort(passed[np.argsort(-z[passed])][: design.height // _FULLEST])
        if passed.tobytes() in seen or np.array_equal(passed, np.sort(model)):
            return fit
        seen.add(passed.tobytes())
        model = passed


def screen(design: Design, bits: BitShares) -> Lasso:
    """The LASSO's proposal, at a penalty scaled to the noise and the number of candidates.

    λ = ¾ σ √(2 ln M) ‖x‖, where σ is what binomial noise explains, or more where the bulk of
    the rows shows more (strings that are missing).
    """
    spread = bits.response * np.sqrt(bits.weights)
    telling = bits.weights > 0
    expected = bits.variances(bits.shares.ravel())[telling] * bits.weights[telling]
    noise = math.sqrt(max(float(np.mean(expected)), _bulk(spread[telling]) ** 2))
    length = math.sqrt(_column_weight(design, bits.weights))
    penalty = _SHRUNK * noise * math.sqrt(2 * math.log(max(len(design), 2))) * length
    while True:
        solution = nonnegative_lasso(design, bits.response, bits.weights, penalty)
        if len(solution.support) <= design.height // _FULLEST:
            return solution
        penalty *= 1.5


def refit(design: Design, bits: BitShares, support: Indices) -> Fit:
    """Weighted least squares on the support.

    Rows are weighted by their cohorts' reports. The covariance takes the binomial variance of
    each row by itself, raised where the residuals show more than binomial noise; what would be
    the sampling error of a larger population, s(1 - s)/n, is not part of it.
    """
    gram = design.gram(support, bits.weights)
    inverse = np.linalg.inv(gram) if len(support) else gram
    projected = design.scores(bits.weights * bits.response)[support]
    shares = inverse @ projected
    residual = bits.response - design.fitted(support, shares)
    held = bits.shares.mean(axis=1).repeat(design.bits) + bits.response - residual
    variances = bits.variances(held)
    telling = bits.weights > 0
    freedom = int(telling.sum()) * (1 - 1 / design.bits) - len(support)
    misfit = float((residual[telling] ** 2 / variances[telling]).sum()) / max(freedom, 1)
    variances[~telling] = 0
    inner = design.gram(support, bits.weights**2 * variances * max(misfit, 1.0))
    covariance = inverse @ inner @ inverse
    clipped = np.clip(shares, 0, 1)
    covariance[np.diag_indices_from(covariance)] -= clipped * (1 - clipped) / bits.n
    return Fit(support, shares, covariance, residual, np.diag(inverse).copy())


def judge(design: Design, bits: BitShares, fit: Fit) -> tuple[Floats, Floats]:
    """Every candidate's standardised score and the p-value of "nobody holds it".

    For one in the model the score is that of its share given the others; for one outside, what
    the residuals at its bits add up to.
    """
    weighted = bits.weights * fit.residual
    law = hash_null(weighted.reshape(design.cohorts, -1), design.rows.shape[1] // design.cohorts)
    z = design.scores(weighted) / law.deviation
    # What the model took from the residuals' variance must be given back to its own members.
    freedom = 1 - len(fit.support) / design.height
    noise = law.deviation / math.sqrt(_column_weight(design, bits.weights) * freedom)
    z[fit.support] = fit.shares / (noise * np.sqrt(fit.leverage))
    return z, law.p_values(z)


def estimates(design: Design, bits: BitShares, fit: Fit) -> tuple[Floats, Floats]:
    """Everyone's share and its standard error: the model's, and one step for the others."""
    length = _column_weight(design, bits.weights)
    weighted = bits.weights * fit.residual
    shares = design.scores(weighted) / length
    law = weighted.reshape(design.cohorts, -1)
    hashes = design.rows.shape[1] // design.cohorts
    stderr = np.full(len(design), math.sqrt(hashes * float((law**2).mean(axis=1).sum())) / length)
    shares[fit.support] = fit.shares
    stderr[fit.support] = np.sqrt(np.maximum(np.diag(fit.covariance), 0))
    return shares, stderr


def _column_weight(design: Design, weights: Floats) -> float:
    """X'Wx of a centred column: the same for every candidate."""
    return float(weights.sum()) * design.density * (1 - design.density)


def _bulk(values: Floats) -> float:
    """A standard deviation that a few large values don't move: 1.48 times the median size."""
    return 1.4826 * float(np.median(np.abs(values)))


def explained(  # noqa: PLR0913, PLR0917 - what is known of candidates
    support: Indices, covariance: Floats, z: Floats, shares: Floats, stderr: Floats, found: Indices
) -> tuple[float, float]:
    """The summed share of those found, without the luck that helped them, and its error.

    Who is found at a cut c has been lucky: the expected excess of a candidate's estimate is its
    variance times the density of that estimate at c. Summed over candidates, this is the
    density of all estimates at c, which can be seen: it is how many lie about there.
    The covariance is known of those in the support; the others count as independent.
    """
    if not found.size:
        return 0.0, 0.0
    cut = float(z[found].min())
    near = np.abs(z - cut) <= _ABOUT
    luck = stderr[near] / (2 * _ABOUT)
    inside = np.isin(support, found)
    outside = np.setdiff1d(found, support)
    variance = float(covariance[np.ix_(inside, inside)].sum())
    variance += float((stderr[outside] ** 2).sum() + (luck**2).sum())
    return float(shares[found].sum() - luck.sum()), math.sqrt(max(variance, 0))

"""Which candidates are there, and how many people hold each: RAPPOR's decoder.

The stages, each a function of its own:

1. debias the bit sums (``bit_sums``), keep the candidates' bits as positions (``design``);
2. ``settle``: a non-negative LASSO with intercepts proposes who is fitted together (``lasso``), and
   a fit of those says how much noise is left (``refit``), in turns until it stays the same;
3. ``judge``: a p-value for *every* candidate, proposed or not, as if it stood outside the model, by
   the law of a candidate that nobody holds (``null_law``), adjusted for asking so many times;
4. ``find`` fits those found by themselves, and says what is known of them (``selection``).
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design, Indices
from sudare.decoding.lasso import Lasso, nonnegative_lasso
from sudare.decoding.mixture import Mixture
from sudare.decoding.refit import Fit, column_weight, refit
from sudare.decoding.selection import explained, interval_given_found, luck_at
from sudare.estimation.estimate import Floats
from sudare.estimation.significance import Correction, Tests

_ENTRANTS = 2.0  # candidates whom nobody holds that may be let in, on average
_COMMON = 0.2  # the chance to be let in, at most
_STEADY = 0.95  # of the penalty: less than that is another penalty
_MOST_ROUNDS = 12
_DEARER = 1.25  # times the penalty, where it lets more in than can be fitted
_NEXT = 0.85  # of the penalty: who comes so near may take the place of one left out
_SLIGHT = 1e-9  # of what a candidate can gain: no step gains more at the end
_DOUBT = 1.0  # standard deviations above the cut: who is nearer is judged again
_NEAR = 0.2  # of the penalty: who comes so near to being proposed contends for a place
_FULLEST = 4  # rows per candidate in the model, at least


@dataclass(frozen=True, eq=False)
class Findings:
    """The tests and shares of every candidate, and who was found.

    Attributes:
        found: which candidates passed the test, by falling share.
        found_p_values: their p-values, of "nobody holds this candidate".
        found_adjusted: their p-values, adjusted for all candidates.
        found_least: the share at which each would just have been found.
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
    found_least: Floats
    tests: Tests
    shares: Floats
    stderr: Floats
    explained: float
    explained_stderr: float
    excess: float | None = None
    screening: Lasso | None = None
    mixture: Mixture | None = None

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """The ends of every candidate's interval; of those found, given that they were found."""
        from scipy.special import ndtri

        reach = float(ndtri((1 + confidence) / 2)) * self.stderr
        low, high = self.shares - reach, self.shares + reach
        known = self.shares[self.found], self.stderr[self.found], self.found_least
        low[self.found], high[self.found] = interval_given_found(*known, confidence)
        return low, high


def find(
    design: Design,
    bits: BitShares,
    level: float = 0.05,
    correction: Correction = "benjamini-hochberg",
) -> Findings:
    """Decode bit sums: which candidates are there at this level, and the share of each."""
    model = settle(design, bits)
    fit = model.fit
    tests = judge(model, level, correction)
    shares, stderr = estimates(fit)
    found, p_values, adjusted = by_share(tests.passed(level, fit.law.threshold(level)), shares)
    cut = fit.law.threshold(critical_chance(level, correction, found.size, len(design)))
    absent, typical = len(design) - found.size, fit.law.deviation / fit.length
    luck = luck_at(cut, tests.scores, stderr, fit.law, absent, typical)
    least = fit.shares_at(cut)[found] / shares[found]
    # Those found, fitted by themselves: whoever the LASSO let in beside them took a part of theirs.
    final = refit(design, bits, found, fit)
    errors = np.sqrt(np.diag(final.covariance))
    stderr[found] = errors * math.sqrt(1 + _moved(final.shares - shares[found], errors))
    shares[found] = final.shares
    return Findings(
        found,
        p_values,
        adjusted,
        least * final.shares,
        tests,
        shares,
        stderr,
        *explained(shares[found], final.covariance, luck),
        excess=final.excess,
        screening=model.screening,
    )


def _moved(change: Floats, stderr: Floats) -> float:
    """The variance that the choice of a model brings, in units of the shares' own.

    Where many texts are nearly found, another choice would have been as good.
    """
    return float(np.mean((change / stderr) ** 2)) if change.size else 0.0


def by_share(
    found: tuple[Indices, Floats, Floats], shares: Floats
) -> tuple[Indices, Floats, Floats]:
    """The candidates found and their two p-values, by falling share."""
    order = np.argsort(-shares[found[0]], kind="stable")
    return found[0][order], found[1][order], found[2][order]


@dataclass(frozen=True, eq=False)
class Model:
    """The candidates that are fitted together, and how they were chosen.

    Attributes:
        screening: the first LASSO, among all candidates.
        lasso: the last one, among the contenders; it proposed those in the fit.
        contenders: who came near to being proposed.
        heard: what the last LASSO was asked to explain.
        fit: of those proposed, among all candidates.
    """

    screening: Lasso
    lasso: Lasso
    contenders: Indices
    heard: Floats
    fit: Fit

    def without(self, number: int) -> float:
        """The standardised score of a candidate in the model, chosen again without it."""
        from sudare.kernels.columns import descend

        near, gram, linear = self._near
        point = np.zeros(near.size)
        point[np.searchsorted(near, self.fit.support)] = self.lasso.coefficients
        others = near != number
        gram, linear, point = gram[np.ix_(others, others)], linear[others], point[others]
        slight = _SLIGHT * float(linear.max(initial=0)) ** 2 / float(gram.max(initial=1))
        descend(gram, linear, self.lasso.penalty, slight, point)
        chosen = near[others][point > 0]
        if np.array_equal(chosen, self.fit.support[self.fit.support != number]):
            return float(self.fit.standardised[number])
        return refit(self.fit.design, self.fit.bits, chosen, self.fit).outsider(number)

    @cached_property
    def _near(self) -> tuple[Indices, Floats, Floats]:
        """Who may take the place of one left out, with their part of the LASSO's problem."""
        close = self.lasso.gradient > _NEXT * self.lasso.penalty
        near = np.union1d(self.contenders[close], self.fit.support)
        part, weights = self.fit.design.part(near), self.fit.bits.weights
        gram = part.gram(np.arange(near.size), weights)
        return near, gram, part.scores(weights * self.heard)


def settle(design: Design, bits: BitShares) -> Model:
    """The candidates that are fitted together, as the LASSO proposes them.

    The LASSO lets a candidate in whose score a candidate that nobody holds would reach with a
    chance of ``_ENTRANTS`` in M. The more true texts are in, the less noise is left, and the lower
    that score is: so it is asked again until the noise stays the same. Rows beyond the limits of
    the last fit enter cut, or texts that are missing would call in whoever shares their bits.

    **Why the tests hold.** A LASSO without one of those it leaves out is the same LASSO. So to a
    candidate outside the model its own bits had no say in the residuals by which it is judged, and
    if nobody holds it, they are random to them.

    Few candidates ever come near, so these settle it among themselves; a pass over all then says
    whether somebody was overlooked.
    """
    chance = min(_ENTRANTS / len(design), _COMMON)
    contenders = np.arange(len(design))
    fit = refit(design, bits, np.empty(0, np.intp))
    heard, first = fit.heard, _proposed(fit, _entry(fit, chance), contenders)
    lasso, fit = first, refit(design, bits, first.support)
    contending = first.gradient > _NEAR * first.penalty
    contending[first.support] = True
    for _ in range(_MOST_ROUNDS):
        penalty = _entry(fit, chance)
        if penalty > _STEADY * lasso.penalty:
            overlooked = (fit.scores > lasso.penalty) & ~contending
            if not overlooked.any():
                break
            contending |= overlooked
        contenders = np.flatnonzero(contending)
        heard, lasso = fit.heard, _proposed(fit, penalty, contenders, lasso)
        if not np.array_equal(lasso.support, fit.support):
            fit = refit(design, bits, lasso.support)
    return Model(first, lasso, contenders, heard, fit)


def _proposed(fit: Fit, penalty: float, contenders: Indices, like: Lasso | None = None) -> Lasso:
    """The LASSO among contenders, on what a fit heard.

    Its support is by numbers of all candidates, its gradient that of the contenders.
    """
    everyone = contenders.size == len(fit.design)
    part = fit.design if everyone else fit.design.part(contenders)
    known = None if like is None else (np.searchsorted(contenders, like.support), like.coefficients)
    while True:
        weights = fit.bits.weights
        solution = nonnegative_lasso(part, fit.heard, weights, penalty, start=known)
        if len(solution.support) <= fit.design.freedom // _FULLEST:
            order = np.argsort(solution.support)
            support, shares = contenders[solution.support[order]], solution.coefficients[order]
            return replace(solution, support=support, coefficients=shares)
        penalty *= _DEARER


def _entry(fit: Fit, chance: float) -> float:
    """The score that a candidate whom nobody holds reaches with this chance.

    The noise is that of the residuals, with what the model took from them given back, and never
    less than randomising makes.
    """
    from scipy.special import ndtri

    given_back = math.sqrt(1 - len(fit.support) / fit.design.freedom)
    least = fit.bits.noise * math.sqrt(column_weight(fit.design, fit.bits.weights))
    return max(fit.score_at(chance) / given_back, -float(ndtri(chance)) * least)


def judge(model: Model, level: float, correction: Correction) -> Tests:
    """For every candidate, in the model or not, the test of "nobody holds it".

    To one in the model its bits did have a say: they helped to choose the others, and these make
    it look better. So whoever just passes is judged by a model that is chosen without it.

    No p-value is smaller than the chance that two texts have the same bits in every cohort.
    """
    fit = model.fit

    def chance(scores: Floats) -> Floats:
        coincidence = fit.design.coincidence(fit.bits.telling)
        return np.maximum(fit.law.p_values(scores), coincidence)

    tests = Tests(fit.standardised, chance, correction)
    found = tests.passed(level, fit.law.threshold(level))[0]
    cut = fit.law.threshold(critical_chance(level, correction, found.size, len(fit.design)))
    doubtful = np.intersect1d(found, fit.support)
    doubtful = doubtful[fit.standardised[doubtful] < cut + _DOUBT]
    scores = fit.standardised.copy()
    scores[doubtful] = [model.without(int(number)) for number in doubtful]
    return Tests(scores, chance, correction)


def estimates(fit: Fit) -> tuple[Floats, Floats]:
    """Every candidate's share and standard error: the model's, and one step for the others."""
    shares = fit.scores / fit.length
    stderr = np.full(len(fit.design), fit.law.deviation / fit.length)
    shares[fit.support] = fit.shares
    stderr[fit.support] = np.sqrt(np.maximum(np.diag(fit.covariance), 0))
    return shares, stderr


def critical_chance(level: float, correction: Correction, found: int, tests: int) -> float:
    """The p-value at which a candidate is just found, when so many of all are."""
    if correction == "none":
        return level
    return level / tests * (max(found, 1) if correction == "benjamini-hochberg" else 1)

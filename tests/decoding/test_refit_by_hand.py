"""The refit recomputed with a dense matrix, for filters of every shape.

Nothing here calls the package for a formula: scores, standard errors and degrees of freedom are
written out again, so that each factor of them is seen if it goes missing.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import sudare.decoding.refit as module
from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design
from sudare.decoding.refit import Fit, refit
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, dense, design_of, hashed, zipf

Floats = NDArray[np.float64]

SHAPES = {
    "1 hash": Rappor(16, 1, 8, 0.0, 0.25, 0.75),
    "2 hashes": Rappor(16, 2, 8, 0.0, 0.25, 0.75),
    "3 hashes": Rappor(16, 3, 8, 0.0, 0.25, 0.75),
    "4 hashes": Rappor(16, 4, 8, 0.0, 0.25, 0.75),
    "6 hashes": Rappor(16, 6, 8, 0.0, 0.25, 0.75),
    "8 of 32": Rappor(32, 8, 4, 0.0, 0.25, 0.75),
}
CLASSES = {1: 1, 2: 2, 3: 1, 4: 4, 6: 2, 8: 8}  # the largest power of two in the hashes
MEMBERS = 5
AT_STAKE = 5.0  # standard deviations: where tests are decided
IN_DOUBT = 7.5  # standard deviations: further out the cut is not looked at

every_shape = pytest.mark.parametrize("shape", SHAPES)


@pytest.fixture
def uncut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No row is cut: least squares."""
    monkeypatch.setattr(module, "_NARROW", 1e9)
    monkeypatch.setattr(module, "_WIDE", 1e9)


@dataclass(frozen=True)
class Case:
    """A survey with cohorts of different sizes, five of whose ten texts are fitted."""

    mechanism: Rappor
    design: Design
    bits: BitShares

    @classmethod
    def of(cls, shape: str, people: int = 40_000, seed: int = 5) -> "Case":
        mechanism, texts = SHAPES[shape], hashed(seed, 60)
        return cls(
            mechanism,
            design_of(mechanism, texts),
            bits_of(mechanism, texts[:10], zipf(10, people), seed),
        )

    @property
    def fit(self) -> Fit:
        return refit(self.design, self.bits, np.arange(MEMBERS))

    @property
    def weights(self) -> Floats:
        """Of each row, by the size of its cohort."""
        sizes = self.bits.sizes / self.bits.sizes.mean()
        return np.repeat(sizes, self.mechanism.bits)

    def centred(self, table: Floats) -> Floats:
        """Each row less the mean of the bits of its cohort at the same place modulo the classes."""
        classes, result = CLASSES[self.mechanism.hashes], table.reshape(len(self.bits.sizes), -1)
        result = result.copy()
        for cohort in result:
            for first in range(classes):
                cohort[first::classes] -= cohort[first::classes].mean()
        return result.ravel()

    @property
    def shares(self) -> Floats:
        """The debiased bits."""
        said = self.bits.sums / self.bits.sizes[:, np.newaxis]
        holder, others = self.mechanism.q, self.mechanism.p
        return np.asarray((said - others) / (holder - others)).ravel()

    def solved(self, members: int = MEMBERS) -> tuple[Floats, Floats, Floats]:
        """The shares of the first members, what they leave, and the inverse Gram matrix."""
        matrix = dense(self.design)[:, :members]
        inverse = np.linalg.inv(matrix.T @ (self.weights[:, np.newaxis] * matrix))
        response = self.centred(self.shares)
        found = inverse @ matrix.T @ (self.weights * response)
        return found, response - matrix @ found, np.asarray(inverse, np.float64)

    def deviation(self, residual: Floats) -> float:
        """Of a random candidate's score: over every start and every odd stride."""
        bits, hashes, total = self.mechanism.bits, self.mechanism.hashes, 0.0
        for cohort in (self.weights * residual).reshape(-1, bits):
            sums = [
                sum(cohort[(start + place * stride) % bits] for place in range(hashes))
                for start in range(bits)
                for stride in range(1, bits, 2)
            ]
            total += float(np.var(sums))
        return math.sqrt(total)


@every_shape
def test_every_candidate_has_as_many_ones_in_each_class(shape: str) -> None:
    design = Case.of(shape).design
    ones = dense(design) + design.density
    classes = CLASSES[design.hashes]
    assert design.classes == classes
    for first in range(classes):
        each = ones.reshape(design.cohorts, -1, classes, len(design))[:, :, first].sum(axis=1)
        assert each == pytest.approx(design.hashes / classes)
    assert design.freedom == design.height - design.cohorts * classes


@every_shape
@pytest.mark.usefixtures("uncut")
def test_shares_are_least_squares_with_an_intercept_per_class(shape: str) -> None:
    case = Case.of(shape)
    found, rest, inverse = case.solved()
    assert case.fit.shares == pytest.approx(found, abs=1e-6)
    assert case.fit.residual == pytest.approx(rest, abs=1e-6)
    assert case.fit.inverse == pytest.approx(inverse, rel=1e-6)


@every_shape
@pytest.mark.usefixtures("uncut")
def test_scores_of_outsiders_are_sums_in_units_of_every_progression(shape: str) -> None:
    case = Case.of(shape)
    _, rest, _ = case.solved()
    half = 0.5 / (case.bits.sizes.mean() * (case.mechanism.q - case.mechanism.p))
    sums = dense(case.design).T @ (case.weights * rest)
    z = (sums - half) / case.deviation(rest)
    assert case.fit.standardised[MEMBERS:] == pytest.approx(z[MEMBERS:], abs=1e-4)


@every_shape
@pytest.mark.usefixtures("uncut")
def test_a_members_score_is_that_of_the_fit_without_it(shape: str) -> None:
    """Also where it is the only one."""
    case = Case.of(shape, people=500)
    for support in (np.arange(3, 4), np.arange(MEMBERS)):
        whole = refit(case.design, case.bits, support)
        doubtful = support[whole.standardised[support] < IN_DOUBT]
        assert doubtful.size
        for number in doubtful:
            outside = refit(case.design, case.bits, support[support != number])
            # In units of its own residuals' power, as those of the law are the whole fit's.
            power = [np.sum((case.weights * fit.residual) ** 2) for fit in (whole, outside)]
            z = outside.standardised[number] * outside.law.deviation
            z /= whole.law.deviation * math.sqrt(power[1] / power[0])
            half = case.bits.step / 2 / whole.law.deviation
            assert whole.standardised[number] == pytest.approx(z, abs=1e-3 + 0.1 * half)


@every_shape
def test_with_rows_cut_it_is_nearly_so(shape: str) -> None:
    case = Case.of(shape, people=500)
    whole = case.fit
    doubtful = np.flatnonzero(whole.standardised[:MEMBERS] < AT_STAKE)
    assert doubtful.size
    for number in doubtful:
        outside = refit(case.design, case.bits, np.delete(np.arange(MEMBERS), number))
        assert whole.standardised[number] == pytest.approx(
            outside.standardised[number], rel=0.1, abs=0.15
        )


@every_shape
@pytest.mark.usefixtures("uncut")
def test_the_covariance_is_binomial_raised_by_the_misfit(shape: str) -> None:
    case = Case.of(shape)
    found, rest, inverse = case.solved()
    q, p = case.mechanism.q, case.mechanism.p
    fitted = np.clip(case.shares - rest, 0, 1)
    said = p + (q - p) * fitted
    sizes = np.repeat(case.bits.sizes, case.mechanism.bits)
    variances = said * (1 - said) / (sizes * (q - p) ** 2)
    classes = CLASSES[case.mechanism.hashes]
    freedom = case.design.height - classes * case.mechanism.cohorts - MEMBERS
    misfit = max(float((rest**2 / variances).sum()) / freedom, 1.0)
    assert misfit > 1.02  # five texts are missing from the model: it shows
    matrix = dense(case.design)[:, :MEMBERS]
    inner = matrix.T @ ((case.weights**2 * variances * misfit)[:, np.newaxis] * matrix)
    spread = inverse @ inner @ inverse
    bits = case.bits.n * case.mechanism.hashes
    spread[np.diag_indices(MEMBERS)] -= found * (1 - found) / bits
    assert case.fit.covariance == pytest.approx(spread, rel=1e-3, abs=1e-12)
    assert case.fit.excess == pytest.approx(math.sqrt(misfit), rel=1e-4)


def test_strangers_make_the_cut_narrow_and_nothing_else_does() -> None:
    mechanism = Rappor(64, 1, 16, 0.0, 0.25, 0.75)
    texts, people = hashed(7, 12), zipf(12, 10**6)
    bits = bits_of(mechanism, texts, people, 7)
    everybody = refit(design_of(mechanism, texts), bits, np.arange(12))
    some = refit(design_of(mechanism, texts[6:]), bits, np.arange(6))
    assert (everybody.deviations, some.deviations) == (3, 2)
    assert np.abs(some.rest).max() > 2 * np.abs(some.residual).max()
    assert some.listening < 0.99 < everybody.listening


@every_shape
@pytest.mark.usefixtures("uncut")
def test_the_share_at_a_score_is_where_the_score_is_met(shape: str) -> None:
    """Of the only member: its share moved there, the score outside is the wanted one."""
    case = Case.of(shape, people=500)
    fit = refit(case.design, case.bits, np.arange(1))
    at = float(fit.shares_at(2.0)[0])
    found, rest, _ = case.solved(1)
    outside = rest + dense(case.design)[:, 0] * at
    score = dense(case.design)[:, 0] @ (case.weights * outside)
    assert score / case.deviation(outside) == pytest.approx(2, rel=0.02)
    assert found.size == 1

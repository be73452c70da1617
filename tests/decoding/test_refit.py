"""The refit: least squares where nothing is missing, deaf to strangers where something is."""

import numpy as np
import pytest

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.refit import refit
from sudare.errors import InvalidDocument
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, dense, design_of, hashed, zipf

MECHANISM = Rappor.calibrate(3.0, form="instant", cohorts=16)


def test_it_is_least_squares_on_what_is_heard() -> None:
    texts = hashed(1, 30)
    design, bits = design_of(MECHANISM, texts), bits_of(MECHANISM, texts, zipf(30, 10**6), 1)
    fit = refit(design, bits, np.arange(30))
    matrix = dense(design)
    slope = matrix.T @ (bits.weights * fit.residual)
    curvature = np.sqrt((bits.weights[:, np.newaxis] * matrix**2).sum(axis=0))
    noise = fit.residual.std()
    assert np.abs(slope / curvature / noise).max() < 1e-2  # no better shares for these residuals
    assert fit.residual.reshape(16, -1).sum(axis=1) == pytest.approx(0, abs=1e-12)
    assert 0.9 < fit.listening <= 1


def test_strangers_are_not_heard() -> None:
    people = zipf(200, 10**7)
    texts = hashed(2, 200)
    bits = bits_of(MECHANISM, texts, people, 2)
    known = np.arange(0, 200, 2)
    design = design_of(MECHANISM, texts[known])
    fit = refit(design, bits, np.arange(known.size))
    matrix = dense(design)
    weighted = bits.weights[:, np.newaxis] * matrix
    response, _ = design.centred(bits.shares)
    plain = np.linalg.solve(matrix.T @ weighted, weighted.T @ response)
    truth = people[known] / people.sum()
    assert np.abs(fit.shares - truth).mean() < 0.6 * np.abs(plain - truth).mean()


def test_standard_errors_are_those_of_repeated_surveys() -> None:
    people = zipf(40, 200_000)
    errors, stated = [], []
    for seed in range(200):
        texts = hashed(seed, 40)
        design = design_of(MECHANISM, texts)
        bits = bits_of(MECHANISM, texts, people, seed)
        fit = refit(design, bits, np.arange(40))
        errors.append(fit.shares - people / people.sum())
        stated.append(np.diag(fit.covariance))
    ratio = np.square(errors).mean() / np.mean(stated)
    # 8000 squares of nearly independent normals: the mean strays by 1.6 % (one deviation).
    assert ratio == pytest.approx(1, abs=0.1)
    assert np.abs(np.mean(errors, axis=0)).max() < 6 * np.sqrt(np.max(stated) / 200)


def test_a_cohort_without_reports_says_nothing() -> None:
    texts = hashed(3, 10)
    design, bits = design_of(MECHANISM, texts), bits_of(MECHANISM, texts, zipf(10, 10**5), 3)
    sizes, sums = bits.sizes.copy(), bits.sums.copy()
    sizes[5], sums[5] = 0, 0
    some = BitShares(sizes, sums, bits.holder, bits.others)
    fit = refit(design, some, np.arange(10))
    assert np.isfinite(fit.covariance).all()
    assert fit.shares == pytest.approx(zipf(10, 10**5) / 10**5, abs=0.02)


def test_more_ones_than_reports_are_refused() -> None:
    with pytest.raises(InvalidDocument, match="below 0 or above its reports"):
        BitShares(np.array([3]), np.array([[4, 0]]), 0.5, 0.25)

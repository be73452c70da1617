"""Error curves: their samples follow the exact law of the mechanism, and theory is its mean."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri

from sudare.chance.randomness import Seeded
from sudare.errors import ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.simulation.comparison import ErrorCurve, error_curves
from support.chance import ALPHA, assert_follows, rejects
from support.enumeration import aggregate_law, population

names = pytest.mark.parametrize("name", CATEGORICAL)
FAR = float(-ndtri(ALPHA / 2))  # standard errors; 6.1
CLOTHES = np.arange(1, 44) * 100


def squared_error(
    mechanism: CategoricalMechanism, truth: list[int], counts: tuple[int, ...]
) -> str:
    """To nine digits, as a name for an outcome: some counts err equally, up to rounding."""
    n, p, q = sum(truth), mechanism.holder, mechanism.others
    supported = mechanism.supported(Aggregate(mechanism.key, n, np.array(counts)))
    shares = (supported - n * q) / (n * (p - q))
    return f"{np.square(shares - np.array(truth) / n).mean():.9g}"


def error_law(mechanism: CategoricalMechanism, truth: list[int]) -> dict[str, Fraction]:
    law: dict[str, Fraction] = {}
    for counts, chance in aggregate_law(mechanism, population(mechanism, truth)).items():
        error = squared_error(mechanism, truth, counts)
        law[error] = law.get(error, Fraction(0)) + chance
    return law


@names
def test_samples_follow_the_enumerated_law(name: str, seed: int) -> None:
    """Exact tails; chance of failing 1e-9. Power: the law at an ε a tenth larger is rejected."""
    truth, repetitions = [5, 1], 4000
    (curve,) = error_curves([CATEGORICAL[name]], truth, [1.0], repetitions, Seeded(seed))
    counts = Counter(f"{error:.9g}" for error in curve.samples[0])
    law = error_law(CATEGORICAL[name].calibrate(2, 1.0), truth)
    assert_follows(counts, law, repetitions)
    other = error_law(CATEGORICAL[name].calibrate(2, 1.1), truth)
    assert rejects(counts, other, repetitions)
    mean = sum(float(error) * float(chance) for error, chance in law.items())
    assert curve.theory[0] == pytest.approx(mean, rel=1e-7)


def distance(curve: ErrorCurve, factor: float = 1) -> float:
    """The farthest of the points from ``factor`` times the theory, in standard errors."""
    return float((np.abs(curve.y - factor * curve.theory) / curve.stderr).max())


@names
def test_curves_lie_on_the_theory(name: str, seed: int) -> None:
    """Normal tails, as means of 43 · 400 squares are; chance of failing below 1e-8 for four ε.

    Power: 1.2 times the theory, and 1/1.2 of it, are rejected.
    """
    budgets = [0.5, 1.0, 2.0, 4.0]
    (curve,) = error_curves([CATEGORICAL[name]], CLOTHES, budgets, 400, Seeded(seed))
    assert distance(curve) < FAR
    assert distance(curve, 1.2) > FAR
    assert distance(curve, 1 / 1.2) > FAR


def test_a_curve_says_what_was_measured() -> None:
    seen: list[None] = []
    classes = list(CATEGORICAL.values())
    curves = error_curves(
        classes, CLOTHES, [1.0, 2.0], 10, Seeded(1), progress=lambda: seen.append(None)
    )
    assert len(seen) == len(classes) * 2
    assert [curve.label for curve in curves] == [name.upper() for name in CATEGORICAL]
    for curve, cls in zip(curves, classes, strict=True):
        assert curve.x.tolist() == [1.0, 2.0]
        assert curve.samples.shape == (2, 10)
        np.testing.assert_allclose(curve.y, curve.samples.mean(axis=1))
        np.testing.assert_allclose(curve.stderr, curve.samples.std(axis=1, ddof=1) / 10**0.5)
        made = cls.calibrate(43, 2.0)
        theory = mean_squared_error(made.holder, made.others, int(CLOTHES.sum()), 43)
        assert curve.theory[1] == theory


def test_the_same_seed_is_the_same_experiment() -> None:
    one, two, other = (
        error_curves([CATEGORICAL["oue"]], CLOTHES, [1.0], 5, Seeded(seed))[0].samples.tolist()
        for seed in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.parametrize("repetitions", [-1, 0, 1])
def test_one_repetition_has_no_standard_error(repetitions: int) -> None:
    with pytest.raises(ParameterError, match=f"at least 2 repetitions, got {repetitions}"):
        error_curves([CATEGORICAL["grr"]], [1, 1], [1.0], repetitions, Seeded(1))


@pytest.mark.parametrize("truth", [[0.5, 0.5], [3, -1]])
def test_a_population_is_counts_of_people(truth: list[float]) -> None:
    with pytest.raises(ParameterError, match="counts of people"):
        error_curves([CATEGORICAL["grr"]], truth, [1.0], 2, Seeded(1))

"""Three bugs that other libraries shipped, rebuilt here, and the law that catches each.

- pure-LDP's RAPPOR only ever set bits: a 1 was never cleared, and no ε held.
- OpenDP's bit vector looped one short: the last bit left the device as it was.
- Parameters kept from a larger ε: p is not lowered when ε is, in the calibration or at the coin.

Each law passes for the genuine mechanism and fails for its mutant.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from numpy.typing import NDArray

import sudare.kernels
from sudare import GRR, OUE, SUE, Mechanism, Randomness
from sudare.errors import SudareError
from sudare.mechanisms.interface import Records
from support.laws import (
    check_accepts_only_possible_reports,
    estimate_is_unbiased,
    kernels_repeat_the_plain_path,
    laws_sum_to_one,
    people_are_independent,
    ratio_is_declared,
    simulate_follows_the_law,
    spends_at_most,
)


class NeverClears(SUE):
    """The answer's bit is set, whatever its coin says."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        reports = super().perturb(values, rng)
        reports["bits"][:, 0] |= np.uint64(1) << values.astype(np.uint64)
        return reports


class SkipsLastBit(OUE):
    """The last bit is the truth."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        reports = super().perturb(values, rng)
        last = np.uint64(1 << self.k - 1)
        told = np.where(values == self.k - 1, last, np.uint64(0))
        reports["bits"][:, 0] = reports["bits"][:, 0] & ~last | told
        return reports


class KeepsOldBudget(GRR):
    """The first calibration is remembered, and given out for every later budget."""

    remembered: ClassVar[dict[int, float]] = {}

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        return cls(k, cls.remembered.setdefault(k, GRR.calibrate(k, epsilon).keep))


class TossesOldCoin(GRR):
    """States its own ``keep``, and tosses one that was calibrated for ε = 2."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        return GRR.calibrate(self.k, 2.0).perturb(values, rng)


Law = Callable[[Mechanism], None]
unbiased: Law = partial(estimate_is_unbiased, truth=[2, 1, 0])


def wrong(law: Law, mechanism: Mechanism) -> bool:
    """Whether a law fails for a mechanism."""
    try:
        law(mechanism)
    except (AssertionError, SudareError, pytest.fail.Exception):
        return True
    return False


@pytest.mark.parametrize(
    ("genuine", "mutant"),
    [
        (SUE(3, 0.75, 0.25), NeverClears(3, 0.75, 0.25)),
        (OUE(3, 0.5, 0.25), SkipsLastBit(3, 0.5, 0.25)),
        (GRR.calibrate(3, 1.0), TossesOldCoin.calibrate(3, 1.0)),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
@pytest.mark.parametrize("law", [ratio_is_declared, unbiased], ids=["ratio", "unbiased"])
def test_a_wrong_coin_is_caught_by_the_ratio_and_by_the_mean(
    genuine: Mechanism, mutant: Mechanism, law: Law
) -> None:
    assert mutant.worst_ratio == genuine.worst_ratio  # what it claims
    assert not wrong(law, genuine)
    assert wrong(law, mutant)


def test_the_simulated_law_is_not_that_of_a_wrong_coin(seed: int) -> None:
    genuine, mutant = GRR.calibrate(3, 1.0), TossesOldCoin.calibrate(3, 1.0)
    assert not wrong(lambda m: simulate_follows_the_law(m, mutant, seed), genuine)
    assert wrong(lambda m: simulate_follows_the_law(m, GRR(3, 0.75), seed), mutant)


def test_a_stale_calibration_is_caught_when_the_budget_falls() -> None:
    KeepsOldBudget.remembered.clear()
    for epsilon in (2.0, 1.0, 0.5):
        assert not wrong(partial(spends_at_most, epsilon=epsilon), GRR.calibrate(4, epsilon))
    assert not wrong(partial(spends_at_most, epsilon=2.0), KeepsOldBudget.calibrate(4, 2.0))
    assert wrong(partial(spends_at_most, epsilon=1.0), KeepsOldBudget.calibrate(4, 1.0))


class SharesOneCoin(GRR):
    """One coin for the whole batch: right for each person, wrong for two."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        reports = super().perturb(values, rng)
        honest = rng.bernoulli(self.keep, 1)[0]
        lie = rng.below(self.k - 1, values.shape)
        reports["answer"] = values if honest else lie + (lie >= values)
        return reports


class ReportsTooFew(GRR):
    """Never reports the last answer, but accepts it."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        reports = super().perturb(values, rng)
        reports["answer"] %= self.k - 1
        return reports


class DrawsOneMore(GRR):
    """Reports that differ between large and small batches."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        if len(values) >= sudare.kernels.COMPILE_FROM:
            rng.below(5, 1)
        return super().perturb(values, rng)


def test_the_other_laws_can_fail_too() -> None:
    assert wrong(people_are_independent, SharesOneCoin(3, 0.5))
    assert not wrong(laws_sum_to_one, SharesOneCoin(3, 0.5))
    assert not wrong(check_accepts_only_possible_reports, GRR(3, 0.5))
    assert wrong(check_accepts_only_possible_reports, ReportsTooFew(3, 0.5))
    values = np.arange(100) % 3
    repeat = partial(kernels_repeat_the_plain_path, people=values, seed=1)
    assert not wrong(repeat, GRR(3, 0.5))
    assert wrong(repeat, DrawsOneMore(3, 0.5))

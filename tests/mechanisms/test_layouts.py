"""Answers and reports in any memory layout, compiled and plain: the layout changes nothing."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare import GRR, OUE, Glance, Mechanism, Seeded
from support.compiled import NEVER, compiled_from

MECHANISMS = [GRR.calibrate(43, 1.0), OUE.calibrate(43, 1.0), OUE.calibrate(100, 1.0)]
TYPES = ["i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">u8", "<u8"]
VALUES: NDArray[np.int64] = np.arange(500) * 7 % 43


@pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_answers_of_any_integer_type(mechanism: Mechanism, dtype: str, size: int) -> None:
    expected = mechanism.randomize(VALUES, Seeded(1))
    with compiled_from(size):
        found = mechanism.randomize(VALUES.astype(dtype), Seeded(1))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_views_and_locked_arrays(mechanism: Mechanism, size: int) -> None:
    reports = mechanism.randomize(VALUES, Seeded(1))
    total = mechanism.aggregate(reports)
    spread = np.repeat(VALUES, 3)[::3]
    locked = VALUES.copy()
    locked.flags.writeable = False
    strided = np.repeat(reports, 2)[::2]
    received = np.frombuffer(reports.tobytes(), reports.dtype)
    with compiled_from(size):
        for values in (spread, locked, VALUES.tolist()):
            assert mechanism.randomize(values, Seeded(1)).tobytes() == reports.tobytes()
        for same in (strided, received, reports[::-1]):
            assert mechanism.aggregate(same) == total


@pytest.mark.parametrize("rounds", [1, 255, 256, 70_000])
def test_states_over_time_are_counted_alike(rounds: int) -> None:
    mechanism = Glance.calibrate(rounds, 1.0)
    rng = np.random.default_rng(rounds)
    reports = np.empty(2001, mechanism.report_dtype)
    reports["round"] = rng.integers(1, rounds, 2001, endpoint=True)
    reports["bit"] = rng.integers(0, 2, 2001)
    expected = np.zeros((rounds, 2), np.int64)
    np.add.at(expected, (reports["round"].astype(np.int64) - 1, reports["bit"]), 1)
    received = np.frombuffer(reports.tobytes(), reports.dtype)
    for size in (0, NEVER):
        with compiled_from(size):
            for same in (reports, reports[::-1], received, np.repeat(reports, 2)[::2]):
                assert np.array_equal(mechanism.aggregate(same).counts, expected)
            assert np.array_equal(mechanism.zero.counts, 0 * expected)

"""Which path is taken, in whose modules, and for how long."""

import sys
from types import ModuleType

import pytest

import sudare.kernels
import sudare.mechanisms.grr
from sudare.laws.compiled_paths import NEVER, compiled_from


def test_every_module_that_goes_by_it_follows_and_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = ModuleType("somebody_elses")
    vars(other)["COMPILE_FROM"] = 12
    monkeypatch.setitem(sys.modules, "somebody_elses", other)
    before = sudare.kernels.COMPILE_FROM
    with compiled_from(NEVER):
        assert vars(sudare.mechanisms.grr)["COMPILE_FROM"] == NEVER
        assert vars(other)["COMPILE_FROM"] == sudare.kernels.COMPILE_FROM == NEVER
    assert sudare.kernels.COMPILE_FROM == vars(sudare.mechanisms.grr)["COMPILE_FROM"] == before
    assert vars(other)["COMPILE_FROM"] == 12

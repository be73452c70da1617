"""RAPPOR: the laws of every mechanism, its privacy over many reports, and its forms."""

from dataclasses import replace
from typing import ClassVar

import pytest

from laws import MechanismLaws
from sudare import Mechanism, Rappor
from sudare.errors import ParameterError


class TestBasic(MechanismLaws):
    instances: ClassVar = [
        Rappor(2, 0, 1, 0.5, 0.25, 0.75),
        Rappor(3, 0, 1, 0.0, 0.25, 0.5),
        Rappor(3, 0, 1, 0.5, 0.0, 1.0),
    ]
    large: ClassVar = [
        Rappor.calibrate(1.0, form="basic", bits=43),
        Rappor(1024, 0, 1, 0.5, 0.5, 0.75),
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Rappor)
        return replace(mechanism, q=mechanism.q - 3 / 16)


class TestTexts(MechanismLaws):
    instances: ClassVar = [
        Rappor(2, 1, 2, 0.0, 0.25, 0.5),
        Rappor(4, 1, 2, 0.5, 0.0, 1.0),
        Rappor(4, 2, 1, 0.5, 0.0, 1.0),
        Rappor(4, 3, 1, 0.25, 0.0, 1.0),
    ]
    large: ClassVar = [
        Rappor(16, 2, 8, 0.5, 0.5, 0.75),
        Rappor(128, 2, 64, 0.5, 0.5, 0.75),
        Rappor.calibrate(1.0, bits=1024, hashes=1),
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Rappor)
        return replace(mechanism, q=mechanism.q - 3 / 16)

    def test_the_estimate_is_unbiased_and_so_is_its_variance(self, mechanism: Mechanism) -> None:
        with pytest.raises(ParameterError, match="decode it with candidates"):
            mechanism.estimate(replace(mechanism.zero, n=1))

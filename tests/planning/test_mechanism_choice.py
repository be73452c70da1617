"""Which mechanism a new collection gets."""

import pytest

from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.planning.mechanism_choice import MechanismOptions, choose


def error(made: CategoricalMechanism) -> float:
    return mean_squared_error(made.holder, made.others, 1, made.k)


@pytest.mark.parametrize("k", [2, 3, 5, 8, 43, 64, 65, 300, 1024, 1025, 5000])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 4.0, 7.0, 12.0])
def test_auto_has_the_least_error_of_short_reports_and_of_two_as_good_the_shorter(
    k: int, epsilon: float
) -> None:
    """Beside every mechanism there is."""
    made = choose(MechanismOptions(epsilon), k)
    assert isinstance(made, CategoricalMechanism)
    every = [family.calibrate(k, epsilon) for family in CATEGORICAL.values()]
    short = [each for each in every if each.report_dtype.itemsize <= 128]
    least = min(map(error, short))
    assert made in short
    assert error(made) <= (1 + 1e-9) * least
    shorter = [each for each in short if each.report_dtype.itemsize < made.report_dtype.itemsize]
    assert all(error(each) > (1 + 1e-9) * least for each in shorter)


@pytest.mark.parametrize(
    ("k", "epsilon", "name"),
    [
        (2, 1.0, "grr"),
        (5, 2.0, "grr"),
        (5, 0.5, "subset"),
        (43, 1.0, "subset"),
        (43, 4.0, "grr"),
        (1024, 4.0, "subset"),
        (1025, 4.0, "projective"),
        (1025, 12.0, "grr"),
        (10**6, 1.0, "projective"),
    ],
)
def test_auto_is_a_set_unless_a_set_has_one_answer_or_is_long(
    k: int, epsilon: float, name: str
) -> None:
    assert choose(MechanismOptions(epsilon), k).name == name

"""Which mechanism a new collection gets."""

import pytest

from sudare.errors import ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.planning.mechanism_choice import MechanismOptions, choose, choose_several


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


@pytest.mark.parametrize("k", [2, 8, 43, 300, 5000, 10**6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 12.0])
def test_small_has_the_least_error_of_four_bytes(k: int, epsilon: float) -> None:
    """Beside every mechanism there is."""
    made = choose(MechanismOptions(epsilon, "small"), k)
    assert isinstance(made, CategoricalMechanism)
    every = [CATEGORICAL[name].calibrate(k, epsilon) for name in ("grr", "projective", "hadamard")]
    assert error(made) <= (1 + 1e-9) * min(map(error, every))
    assert made.report_dtype.itemsize <= 4
    alike = [each for each in every if error(each) <= (1 + 1e-9) * error(made)]
    assert made.report_dtype.itemsize == min(each.report_dtype.itemsize for each in alike)


def test_small_is_of_a_single_question() -> None:
    with pytest.raises(ParameterError, match="--mechanism small is for a single question"):
        choose_several(MechanismOptions(1.0, "small"), [2, 3])
    with pytest.raises(ParameterError, match="told by window, not by small"):
        choose(MechanismOptions(1.0, "small", least="1", largest="9", step="1"), 2)


def test_several_questions_take_no_range() -> None:
    with pytest.raises(ParameterError, match="--from needs one question, without --questions"):
        choose_several(MechanismOptions(1.0, least="1"), [2, 3])


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

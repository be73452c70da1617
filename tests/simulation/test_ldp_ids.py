"""LPU and LPA: nobody is asked twice, and what they release is what the paper's rules say."""

import numpy as np
import pytest

from sudare import Glance, Seeded
from sudare.errors import ParameterError
from sudare.simulation.experiments import stream_errors
from sudare.simulation.ldp_ids import Lpa, Lpu
from sudare.simulation.scenarios import SCENARIOS, stream
from support.chance import ALPHA, two_samples

SURE = 30.0  # an ε at which nobody lies


def constant(*ones: int) -> np.ndarray:
    """A hundred people, so many of them in state 1, in each round."""
    return np.array([[100 - number, number] for number in ones])


@pytest.mark.parametrize("kind", SCENARIOS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_nobody_is_asked_twice(kind: str, epsilon: float) -> None:
    truth = stream(kind, 20, 1037, Seeded(1))
    uniform = Lpu.calibrate(20, epsilon).simulate_releases(truth, 10, Seeded(2))
    assert (uniform.asked == 51).all()
    absorbing = Lpa.calibrate(20, epsilon).simulate_releases(truth, 300, Seeded(2))
    assert (absorbing.asked.sum(axis=1) <= 1037).all()
    assert (absorbing.asked >= 25).all()
    assert (absorbing.asked[absorbing.published] >= 50).all()
    assert (absorbing.asked[~absorbing.published] == 25).all()
    # Until any round, no more people than the rounds so far have.
    assert (absorbing.asked.cumsum(axis=1) <= 50 * np.arange(1, 21)).all()


def test_absorption_follows_the_rules_where_nobody_lies() -> None:
    """Everybody in one state: what is seen is certain, and so is what happens."""
    truth = constant(0, 0, 0, 100, 0, 0, 0, 0, 0, 100)
    found = Lpa.calibrate(10, SURE).simulate_releases(truth, 1, Seeded(1))
    assert np.flatnonzero(found.published[0]).tolist() == [0, 3, 6, 9]
    # Round 4 takes the people of rounds 2 to 4, so rounds 5 and 6 have none.
    assert found.asked[0].tolist() == [10, 5, 5, 20, 5, 5, 10, 5, 5, 20]
    expected = [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]
    assert found.shares[0] == pytest.approx(expected, abs=1e-9)


def test_the_uniform_one_is_glance_with_fixed_groups(seed: int) -> None:
    truth = stream("seasonal", 20, 1000, Seeded(1))
    ours = stream_errors(Lpu.calibrate(20, 2.0), truth, 6000, Seeded(seed)).maximal

    def glance(epsilon: float, *, balanced: bool = True) -> np.ndarray:
        made = Glance.calibrate(20, epsilon)
        shares = made.simulate_shares(truth, 6000, Seeded(seed + 1), balanced=balanced)
        return np.asarray(np.nanmax(np.abs(shares - truth[:, 1] / 1000), axis=1))

    assert two_samples(ours, glance(2.0)) > ALPHA
    assert two_samples(ours, glance(2.3)) <= ALPHA


@pytest.mark.parametrize(("kind", "wins"), [("static", True), ("independent", False)])
def test_absorption_wins_where_nothing_happens_and_loses_where_much_does(
    kind: str, wins: bool, seed: int
) -> None:
    """By more than eight standard errors of the difference, at an ε whose noise is large."""
    truth = stream(kind, 50, 10_000, Seeded(1))
    means, errors = [], []
    for cls in (Lpu, Lpa):
        found = stream_errors(cls.calibrate(50, 1.0), truth, 1000, Seeded(seed)).squared
        means.append(found.mean())
        errors.append(found.std() / 1000**0.5)
    difference = means[0] - means[1] if wins else means[1] - means[0]
    assert difference > 8 * np.hypot(*errors)


def test_where_sampling_outweighs_noise_absorption_gains_nothing(seed: int) -> None:
    """Its rule knows the noise only, and takes the luck of a sample for a change."""
    truth = stream("static", 50, 10_000, Seeded(1))
    uniform, absorbing = (
        stream_errors(cls.calibrate(50, 8.0), truth, 500, Seeded(seed)).squared.mean()
        for cls in (Lpu, Lpa)
    )
    assert absorbing > 1.3 * uniform


@pytest.mark.parametrize(
    ("method", "people", "message"),
    [
        (Lpu.calibrate(10, 1.0), 9, "lpu divides people into 10 groups; there are 9 people"),
        (Lpa.calibrate(10, 1.0), 19, "lpa divides people into 20 groups; there are 19 people"),
    ],
)
def test_too_few_people_to_divide_are_refused(method: Lpu | Lpa, people: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        method.simulate_shares([[people, 0]] * 10, 5, Seeded(1))


def test_repetitions_and_rows_are_checked() -> None:
    with pytest.raises(ParameterError, match="repetitions must be at least 1, got 0"):
        Lpu.calibrate(2, 1.0).simulate_shares([[5, 5]] * 2, 0, Seeded(1))
    with pytest.raises(ParameterError, match="a population of 2 rounds"):
        Lpu.calibrate(2, 1.0).simulate_shares([[5, 5]] * 3, 1, Seeded(1))

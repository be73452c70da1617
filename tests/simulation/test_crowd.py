"""A crowd of devices: the reports of the mechanism, round by round, in bounded memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare import Borappor, Glance, Harmony, KShot, Seeded
from sudare.errors import InvalidAnswer, ParameterError
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.simulation.crowd import Crowd
from support.chance import assert_follows, rejects

MECHANISMS: list[ContinualMechanism] = [
    Glance.calibrate(7, 1.0),
    Glance.calibrate(300, 1.0),
    Harmony.calibrate(7, 1.0),
    Borappor.calibrate(7, 1.0),
    KShot.calibrate(7, 4.0, shots=3),
]


def streamed(crowd: Crowd, streams: NDArray[Any]) -> Records:
    rounds = range(1, crowd.mechanism.rounds + 1)
    return np.concatenate([crowd.observe(number, streams[:, number - 1]) for number in rounds])


def by_rounds(mechanism: ContinualMechanism, streams: NDArray[Any], seed: int) -> Records:
    reports = mechanism.randomize(streams, Seeded(seed))
    return reports[np.argsort(reports["round"], kind="stable")]


def random_streams(people: int, rounds: int, seed: int) -> NDArray[np.uint8]:
    return Seeded(seed).generator().integers(0, 2, (people, rounds), dtype=np.uint8)


@given(mechanism=st.sampled_from(MECHANISMS), people=st.integers(0, 50), seed=st.integers(0, 99))
def test_on_the_same_keystream_a_crowd_says_what_the_mechanism_does(
    mechanism: ContinualMechanism, people: int, seed: int
) -> None:
    streams = random_streams(people, mechanism.rounds, seed)
    said = streamed(Crowd(mechanism, people, Seeded(seed)), streams)
    assert said.tobytes() == by_rounds(mechanism, streams, seed).tobytes()


@pytest.mark.parametrize(
    ("mechanism", "people"),
    [(Glance.calibrate(3, 1.0), 600_000), (KShot.calibrate(20, 8.0, shots=16), 40_000)],
    ids=["glance", "kshot"],
)
def test_it_does_so_over_several_blocks(mechanism: ContinualMechanism, people: int) -> None:
    streams = random_streams(people, mechanism.rounds, 5)
    said = streamed(Crowd(mechanism, people, Seeded(6)), streams)
    assert said.tobytes() == by_rounds(mechanism, streams, 6).tobytes()


def test_fresh_crowds_follow_the_law(seed: int) -> None:
    """Without a keystream given, it is the system's: rounds alike, the truth with chance keep."""
    people, mechanism = 20_000, Glance(4, 0.75)
    crowd = Crowd(mechanism, people)
    held = random_streams(people, 4, seed)
    said = [crowd.observe(number, held[:, number - 1]) for number in range(1, 5)]
    fallen = {number: len(reports) for number, reports in enumerate(said)}
    assert_follows(fallen, dict.fromkeys(range(4), 0.25), people)
    assert rejects(fallen, {0: 0.3, 1: 0.2, 2: 0.25, 3: 0.25}, people)
    honest = sum(
        int((reports["bit"] == held[crowd.reporters(number), number - 1]).sum())
        for number, reports in enumerate(said, 1)
    )
    truths = {True: honest, False: people - honest}
    assert_follows(truths, {True: 0.75, False: 0.25}, people)
    assert rejects(truths, {True: 0.78, False: 0.22}, people)


def test_only_reporters_are_heard() -> None:
    crowd = Crowd(Glance.calibrate(5, 2.0), 100, Seeded(1))
    here = crowd.reporters(2)
    assert 0 < len(here) < 100
    states = np.zeros(100, np.uint8)
    turned = np.ones(100, np.uint8)
    turned[here] = 0
    assert crowd.observe(2, states).tobytes() == crowd.observe(2, turned).tobytes()
    turned[here] = 1
    assert (crowd.observe(2, states)["bit"] != crowd.observe(2, turned)["bit"]).all()


def test_the_reports_of_a_crowd_find_the_share(seed: int) -> None:
    """All rounds lie in a band that misses one with probability 10⁻⁹ at most."""
    mechanism, people = KShot.calibrate(20, 6.0, shots=3), 20_000
    crowd, total = Crowd(mechanism, people, Seeded(seed)), mechanism.zero
    for number in range(1, 21):
        ones = people * number // 25
        states = np.arange(people) < ones
        counted = mechanism.aggregate(crowd.observe(number, states))
        ((low,), (high,)) = mechanism.estimate(counted).simultaneous(1 - 1e-9)
        assert low <= ones / people <= high
        assert not low <= ones / people + 0.25 <= high
        total += counted
    assert total.n == 3 * people


def test_memory_is_that_of_the_plans() -> None:
    """A round more costs nothing: states of people × rounds are never there at once."""
    people, rounds = 100_000, 200
    mechanism = Glance.calibrate(rounds, 1.0)
    tracemalloc.start()
    crowd, total = Crowd(mechanism, people, Seeded(3)), mechanism.zero
    for number in range(1, rounds + 1):
        states = np.full(people, number % 2, np.uint8)
        total += mechanism.aggregate(crowd.observe(number, states))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * people  # 20 million states passed
    assert total.n == people


@pytest.mark.parametrize("cls", [list, np.array])
def test_states_are_a_row_of_zeros_and_ones(cls: Any) -> None:
    crowd = Crowd(Glance.calibrate(3, 1.0), 4, Seeded(1))
    for wrong, message in (
        ([0, 1, 1], r"a crowd of 4 people has as many states, got the shape \(3,\)"),
        ([[0, 1, 1, 0]], r"got the shape \(1, 4\)"),
        ([0, 1, 2, 0], "the state at position 2 is neither 0 nor 1"),
        ([0.0, 1.0, 1.0, 0.5], "states are 0 or 1, got kind 'f'"),
    ):
        with pytest.raises(InvalidAnswer, match=message):
            crowd.observe(1, cls(wrong))


def test_rounds_and_people_have_limits() -> None:
    mechanism = Glance.calibrate(3, 1.0)
    crowd = Crowd(mechanism, 4, Seeded(1))
    for number in (0, 4):
        with pytest.raises(ParameterError, match=f"rounds are numbered 1 to 3, got {number}"):
            crowd.observe(number, [0, 0, 0, 0])
    for people in (-1, 2**32 + 1):
        with pytest.raises(ParameterError, match=rf"between 0 and 2\^32, got {people}"):
            Crowd(mechanism, people)
    with pytest.raises(ParameterError, match="people must be a whole number"):
        Crowd(mechanism, 1.5)  # type: ignore[arg-type]

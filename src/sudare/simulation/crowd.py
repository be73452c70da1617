"""A crowd of simulated devices, round by round: for tests, examples and benchmarks.

Everybody's plan is drawn once and sorted by round, so that a round costs no more than looking at
the states of those whose round it is.
"""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.randomness import Randomness, System
from sudare.errors import InvalidAnswer, ParameterError
from sudare.formats.numbers import whole
from sudare.mechanisms.domain import check_states
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.continual import ContinualMechanism

_MOST_PEOPLE = 1 << 32


class Crowd:
    """Simulated devices, so many, that follow one mechanism over time.

    It holds 5 bytes per person and report. On the same keystream its reports are those of
    ``mechanism.randomize``, but by rounds.

    Attributes:
        mechanism: what the devices follow.
        people: how many there are.
    """

    def __init__(
        self, mechanism: ContinualMechanism, people: int, rng: Randomness | None = None
    ) -> None:
        self.mechanism = mechanism
        self.people = whole("people", people)
        if not 0 <= self.people <= _MOST_PEOPLE:
            raise ParameterError(f"people must be between 0 and 2^32, got {self.people}")
        rounds, coins = self._draw(rng or System())
        order = np.argsort(rounds, kind="stable")  # people of one round stay in order
        self._coins = coins[order]
        self._who = (order // mechanism.reports_each).astype(np.uint32)
        ends = np.cumsum(np.bincount(rounds, minlength=mechanism.rounds + 1))
        self._ends: list[int] = ends.tolist()

    def reporters(self, number: SupportsIndex) -> NDArray[np.uint32]:
        """Who reports in a round: their positions in the crowd, rising."""
        return self._who[self._in(number)]

    def observe(self, number: SupportsIndex, states: ArrayLike) -> Records:
        """The reports of those whose round it is, in the order of ``reporters``.

        Args:
            number: of the round.
            states: everybody's state in it, 0 or 1.
        """
        here = self._in(number)
        held = np.asarray(states)
        if held.shape != (self.people,):
            raise InvalidAnswer(
                f"a crowd of {self.people} people has as many states, got the shape {held.shape}"
            )
        states, coins = check_states(held)[self._who[here]], self._coins[here]
        one = np.uint8(1)
        return self.mechanism.report(int(number), states, coins >> one, coins & one)

    def _in(self, number: SupportsIndex) -> slice:
        number = self.mechanism.domain.check_round(number)
        return slice(self._ends[number - 1], self._ends[number])

    def _draw(self, rng: Randomness) -> tuple[NDArray[np.unsignedinteger], NDArray[np.uint8]]:
        """Everybody's rounds, and there ``2 · heard + noise``: block by block, as ``perturb``."""
        each = self.mechanism.reports_each
        rounds = np.empty((self.people, each), self.mechanism.report_dtype["round"])
        coins = np.empty((self.people, each), np.uint8)
        for block, plans in self.mechanism.draw_blocks(self.people, rng):
            rounds[block] = plans.rounds
            coins[block] = 2 * plans.heard + plans.noise
        return rounds.ravel(), coins.ravel()

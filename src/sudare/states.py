"""People's states over time, read from rows of labels or numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidAnswer, ParameterError

States = NDArray[np.uint8]

_UNKNOWN = np.int8(-1)


def check_labels(labels: Sequence[str]) -> None:
    """Refuse labels of which one could be taken for the other state's number."""
    if labels[0] == "1" or labels[1] == "0":
        raise ParameterError(
            "a state's label can't be the number of the other state: 0 and 1 stand for the "
            "first and the second"
        )


@dataclass(frozen=True)
class StateReader:
    """How the streams of a collection are written.

    Its errors say where a state stands, by the person's position and the round, never what it is.

    Attributes:
        collection: its name.
        rounds: how many states a person has.
        spellings: the texts that mean a state, each with its number.
    """

    collection: str
    rounds: int
    spellings: Mapping[str, int]

    def read(self, people: Sequence[Any] | NDArray[Any], first: int = 0) -> States:
        """Rows of labels, of texts 0 and 1, or of numbers, as a row of 0 and 1 per person.

        ``first`` is the position of the first person, where these are a part of many.
        """
        if isinstance(people, np.ndarray) and people.ndim == 2 and people.dtype.kind in "iub":
            if people.shape[1] != self.rounds:
                raise self.other_length(first, people.shape[1])
            ones = (people == 1).astype(np.int8)
            return self.known(np.where((people == 0) | (people == 1), ones, _UNKNOWN), first)
        states = np.empty((len(people), self.rounds), np.int8)
        for position, row in enumerate(people):
            told = 1 if isinstance(row, str) or not hasattr(row, "__len__") else len(row)
            if told != self.rounds or isinstance(row, str):
                raise self.other_length(first + position, told)
            states[position] = [self._state(cell) for cell in row]
        return self.known(states, first)

    def _state(self, cell: object) -> int:
        if isinstance(cell, str):
            return self.spellings.get(cell, int(_UNKNOWN))
        number = isinstance(cell, int | np.integer | np.bool_)
        return int(cell) if number and cell in (0, 1) else int(_UNKNOWN)

    def known(self, states: NDArray[np.int8], first: int = 0) -> States:
        """The states, a row per person, if each is one: -1 stands for none."""
        wrong = states == _UNKNOWN
        if wrong.any():
            person, number = np.argwhere(wrong)[0].tolist()
            raise InvalidAnswer(
                f"the state at position {first + person} and round {number + 1} is none of the 2 "
                f"of “{self.collection}” (`sudare collection show` lists them)"
            )
        return states.astype(np.uint8)

    def other_length(self, position: int, told: int) -> InvalidAnswer:
        """The error for a row of too few or too many states."""
        return InvalidAnswer(
            f"the stream at position {position} has {told} states; “{self.collection}” has "
            f"{self.rounds} rounds, one state each"
        )

"""The values that a person may answer.

A domain checks answers on the device, before anything is randomised or sent. Its errors
say where an answer stands, never what it says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import InvalidAnswer, ParameterError
from sudare.formats.numbers import whole


class Domain(Protocol):
    """A set of values that a mechanism can randomise."""

    @property
    def size(self) -> int:
        """How many answers a collection with this domain has labels for."""

    def check(self, values: ArrayLike) -> NDArray[Any]:
        """The values as an array a mechanism can trust; raises ``InvalidAnswer``."""

    def __iter__(self) -> Iterator[Any]:
        """Every value, for the exact enumeration of small mechanisms."""


@dataclass(frozen=True)
class Categories:
    """The domain of one answer of ``k``, numbered ``0 .. k - 1``."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        if not 2 <= self.k <= 2**32:
            raise ParameterError(f"k must be between 2 and 2^32, got {self.k}")

    @property
    def size(self) -> int:
        """How many answers a collection has labels for: ``k``."""
        return self.k

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.k))

    def check(self, values: ArrayLike) -> NDArray[np.integer[Any]]:
        """The values as a one-dimensional array of integers, all in ``0 .. k - 1``."""
        array = np.atleast_1d(np.asarray(values))
        if array.ndim != 1:
            raise InvalidAnswer(f"answers must be a flat list, got {array.ndim} dimensions")
        if array.size == 0:
            return np.empty(0, np.int64)
        if array.dtype.kind not in "iu":
            # Not the dtype itself: of texts it tells the longest one's length.
            raise InvalidAnswer(f"answers must be whole numbers, got kind {array.dtype.kind!r}")
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))  # as kernels want it
        # Seen as unsigned, a negative answer is a huge one: one pass finds both ends.
        unsigned = array.view(array.dtype.str.replace("i", "u"))
        if unsigned.max() >= self.k:
            where = int(np.argmax(unsigned >= self.k))
            raise InvalidAnswer(
                f"the answer at position {where} is not one of 0 to {self.k - 1} "
                f"(nothing was randomised)"
            )
        return array

    def population(self, counts: ArrayLike) -> NDArray[np.int64]:
        """How many people hold each answer: ``k`` whole numbers, none negative."""
        array = np.asarray(counts)
        if array.shape != (self.k,) or array.dtype.kind not in "iu" or array.min() < 0:
            raise ParameterError(f"a population of {self.k} answers is {self.k} counts of people")
        return array.astype(np.int64)


MOST_LISTED = 1 << 16  # answers of which several may be selected: a report has a bit for each


@dataclass(frozen=True)
class Selections:
    """The domain of selections: at most ``most`` answers of ``k``, and maybe none.

    A value is a row of ``k`` numbers, 1 for an answer that is selected and 0 for any other.
    """

    k: int
    most: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        object.__setattr__(self, "most", whole("most", self.most))
        if not 2 <= self.k <= MOST_LISTED:
            raise ParameterError(f"k must be between 2 and {MOST_LISTED}, got {self.k}")
        if not 1 <= self.most <= self.k:
            raise ParameterError(
                f"of {self.k} answers, a selection has at most 1 to {self.k}, got {self.most}"
            )

    @property
    def size(self) -> int:
        """How many answers a collection has labels for: ``k``."""
        return self.k

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Every selection, the larger ones later."""
        for size in range(self.most + 1):
            for selected in combinations(range(self.k), size):
                yield tuple(int(answer in selected) for answer in range(self.k))

    def check(self, values: ArrayLike) -> NDArray[np.uint8]:
        """The selections as an array that a mechanism can trust: a row per person, all 0 or 1."""
        try:
            array = np.asarray(values)
        except ValueError:  # rows of several lengths
            raise InvalidAnswer(f"selections are rows of {self.k} numbers, all alike") from None
        if array.ndim and not len(array):
            return np.empty((0, self.k), np.uint8)
        if array.ndim != 2 or array.shape[1] != self.k:
            raise InvalidAnswer(
                f"selections are rows of {self.k} numbers, one per person, got the shape "
                f"{array.shape}"
            )
        if array.dtype.kind not in "iub":
            raise InvalidAnswer(f"selections are of 0 and 1, got kind {array.dtype.kind!r}")
        self._refuse(((array != 0) & (array != 1)).any(axis=1), "is not of 0 and 1")
        selected = np.ascontiguousarray(array, np.uint8)
        # A sum of bytes comes round at 256; one of 64 bits doesn't.
        sizes = selected.sum(axis=1, dtype=np.int64)
        self._refuse(sizes > self.most, f"has more than {self.most} answers")
        return selected

    @staticmethod
    def _refuse(wrong: NDArray[np.bool_], why: str) -> None:
        if wrong.any():
            raise InvalidAnswer(
                f"the selection at position {int(np.argmax(wrong))} {why} (nothing was randomised)"
            )

    def groups(self, selections: ArrayLike, people: ArrayLike) -> "SelectionGroups":
        """Groups of so many people with each selection: a row per group."""
        return SelectionGroups(self.check(selections), _numbers_of_people(people))

    def population(self, truth: "SelectionGroups") -> "SelectionGroups":
        """Groups of people with selections from this list of answers."""
        if not isinstance(truth, SelectionGroups):
            raise ParameterError("a population of selections is groups of people, one for each")
        return self.groups(truth.selections, truth.people)


@dataclass(frozen=True, eq=False)
class SelectionGroups:
    """People who select the same answers as others, told apart no further.

    Attributes:
        selections: a row of 0 and 1 per group.
        people: how many people each group has.
    """

    selections: NDArray[np.uint8]
    people: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.selections) != len(self.people):
            raise ParameterError(
                f"there are {len(self.selections)} selections and {len(self.people)} groups"
            )


MOST_STEPS = 1 << 20  # of a range of numbers: finer than anything that is asked of people
MOST_BINS = 1 << 10  # of their distribution: more than there are things to see in one


@dataclass(frozen=True)
class Numbers:
    """The domain of a number in a range, as the steps it is above the least: ``0 .. steps``."""

    steps: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", whole("steps", self.steps))
        if not 1 <= self.steps <= MOST_STEPS:
            raise ParameterError(
                f"a range has between 1 and {MOST_STEPS:,} steps, got {self.steps:,}"
            )

    @property
    def size(self) -> int:
        """How many answers a collection has labels for: the two ends of the range."""
        return 2

    def __iter__(self) -> Iterator[int]:
        return iter(self._categories)

    def check(self, values: ArrayLike) -> NDArray[np.integer[Any]]:
        """The values as a one-dimensional array of integers, all in ``0 .. steps``."""
        return self._categories.check(values)

    def population(self, counts: ArrayLike) -> NDArray[np.int64]:
        """How many people hold each value: ``steps + 1`` whole numbers, none negative."""
        return self._categories.population(counts)

    @property
    def _categories(self) -> Categories:
        return Categories(self.steps + 1)


@dataclass(frozen=True)
class SpreadNumbers(Numbers):
    """The same numbers, where it is asked how they are distributed, and not for their mean.

    They lie in ``bins`` bins of the same width, as near as whole numbers can be.
    """

    bins: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bins", whole("bins", self.bins))
        if not 2 <= self.bins <= min(MOST_BINS, self.steps + 1):
            raise ParameterError(
                f"of {self.steps + 1:,} numbers there are between 2 and "
                f"{min(MOST_BINS, self.steps + 1):,} bins, got {self.bins:,}"
            )

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The least number of each bin, and the one after the last of all."""
        return -(-np.arange(self.bins + 1) * (self.steps + 1) // self.bins)

    @cached_property
    def bin_of(self) -> NDArray[np.uint16]:
        """The bin of each number."""
        return np.repeat(np.arange(self.bins, dtype=np.uint16), np.diff(self.edges))

    def held(self, counts: ArrayLike) -> NDArray[np.int64]:
        """How many people there are in each bin, from how many hold each value."""
        return np.add.reduceat(self.population(counts), self.edges[:-1])


MOST_QUESTIONS = 64  # that are asked at once


@dataclass(frozen=True)
class Questions:
    """The domain of one answer to each of several questions.

    A value is a row of answers' numbers, one for each question: below ``sizes[i]`` for the i-th.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        sizes = tuple(Categories(k).k for k in self.sizes)
        if not 2 <= len(sizes) <= MOST_QUESTIONS:
            raise ParameterError(
                f"there are 2 to {MOST_QUESTIONS} questions at once, got {len(sizes)}"
            )
        object.__setattr__(self, "sizes", sizes)

    @property
    def size(self) -> int:
        """How many answers a collection lists by itself: none, since each question has its own."""
        return 0

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return product(*map(range, self.sizes))

    def check(self, values: ArrayLike) -> NDArray[np.int64]:
        """The answers as an array that a mechanism can trust: a row of numbers per person."""
        each = f"rows of {len(self.sizes)} answers, one for each question"
        try:
            array = np.asarray(values)
        except ValueError:  # rows of several lengths
            raise InvalidAnswer(f"answers are {each}, all alike") from None
        if array.ndim and not len(array):
            return np.empty((0, len(self.sizes)), np.int64)
        if array.ndim != 2 or array.shape[1] != len(self.sizes):
            raise InvalidAnswer(f"answers are {each}, got the shape {array.shape}")
        if array.dtype.kind not in "iu":
            raise InvalidAnswer(f"answers must be whole numbers, got kind {array.dtype.kind!r}")
        wrong = (array < 0) | (array >= np.array(self.sizes))
        if wrong.any():
            person, question = np.argwhere(wrong)[0].tolist()
            raise InvalidAnswer(
                f"the answer at position {person} to question {question + 1} is not one of 0 to "
                f"{self.sizes[question] - 1} (nothing was randomised)"
            )
        return np.ascontiguousarray(array, np.int64)

    def groups(self, rows: ArrayLike, people: ArrayLike) -> "AnswerGroups":
        """Groups of so many people with each row of answers."""
        return AnswerGroups(self.check(rows), _numbers_of_people(people))

    def population(self, truth: "AnswerGroups") -> "AnswerGroups":
        """Groups of people with answers to these questions."""
        if not isinstance(truth, AnswerGroups):
            raise ParameterError(
                "a population of several questions is groups of people with the same answers"
            )
        return self.groups(truth.rows, truth.people)


@dataclass(frozen=True, eq=False)
class AnswerGroups:
    """People who give the same answers to all questions, told apart no further.

    Attributes:
        rows: a row of answers' numbers per group, one for each question.
        people: how many people each group has.
    """

    rows: NDArray[np.int64]
    people: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.people):
            raise ParameterError(
                f"there are {len(self.rows)} rows of answers and {len(self.people)} groups"
            )


MOST_ROUNDS = 1 << 20
MOST_PEOPLE = 10**12  # of a simulation


@dataclass(frozen=True)
class Streams:
    """The domain of streams: a state, 0 or 1, in each of the rounds ``1 .. rounds``."""

    rounds: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", whole("rounds", self.rounds))
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ParameterError(f"rounds must be between 1 and {MOST_ROUNDS}, got {self.rounds}")

    @property
    def size(self) -> int:
        """How many answers a collection has labels for: the two states."""
        return 2

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return product((0, 1), repeat=self.rounds)

    def check(self, values: ArrayLike) -> NDArray[np.uint8]:
        """The streams as an array that a mechanism can trust: a row per person, all 0 or 1."""
        try:
            array = np.asarray(values)
        except ValueError:  # rows of several lengths
            raise InvalidAnswer(f"streams are rows of {self.rounds} states, all alike") from None
        if array.ndim and not len(array):
            return np.empty((0, self.rounds), np.uint8)
        if array.ndim != 2 or array.shape[1] != self.rounds:
            raise InvalidAnswer(
                f"streams are rows of {self.rounds} states, one per person, got the shape "
                f"{array.shape}"
            )
        return check_states(array)

    def check_round(self, number: SupportsIndex) -> int:
        """A round's number as Python's own; one outside ``1 .. rounds`` is refused."""
        number = whole("a round", number)
        if not 1 <= number <= self.rounds:
            raise ParameterError(f"rounds are numbered 1 to {self.rounds}, got {number}")
        return number

    def population(self, truth: ArrayLike) -> NDArray[np.int64]:
        """How many people are in state 0 and in state 1, a row per round, all of one sum."""
        array = np.asarray(truth)
        if array.shape != (self.rounds, 2) or array.dtype.kind not in "iu" or array.min() < 0:
            raise ParameterError(
                f"a population of {self.rounds} rounds is {self.rounds} rows of 2 counts of people"
            )
        _check_people(array.max(keepdims=True).ravel())  # now no sum is beyond 64 bits
        if np.ptp(array.sum(axis=1)):
            raise ParameterError("a population has the same number of people in every round")
        _check_people(array[0])
        return array.astype(np.int64)

    def people(self, truth: "ArrayLike | Groups") -> "NDArray[np.int64] | Groups":
        """A population as a table, or as groups of people with streams of this length."""
        if not isinstance(truth, Groups):
            return self.population(truth)
        if truth.streams.shape[1] != self.rounds:
            raise ParameterError(
                f"a population of {self.rounds} rounds has streams of as many states, got "
                f"{truth.streams.shape[1]}"
            )
        return truth

    def groups(self, streams: ArrayLike, people: ArrayLike) -> "Groups":
        """Groups of so many people with each stream: a row of states per group."""
        return Groups(self.check(streams), np.asarray(people))


@dataclass(frozen=True, eq=False)
class Groups:
    """People who have the same stream as others, told apart no further.

    Attributes:
        streams: a row of states per group.
        people: how many people each group has.
    """

    streams: NDArray[np.uint8]
    people: NDArray[np.int64]

    def __post_init__(self) -> None:
        streams, people = np.asarray(self.streams), _numbers_of_people(self.people)
        if streams.ndim != 2:
            raise ParameterError(f"groups have a row of states each, got the shape {streams.shape}")
        if len(streams) != len(people):
            raise ParameterError(f"there are {len(streams)} streams and {len(people)} groups")
        object.__setattr__(self, "streams", check_states(streams))
        object.__setattr__(self, "people", people)

    @property
    def per_round(self) -> NDArray[np.int64]:
        """How many people are in state 0 and in state 1, a row per round."""
        ones = self.people @ self.streams.astype(np.int64)
        return np.column_stack([self.people.sum() - ones, ones])


def _numbers_of_people(people: ArrayLike) -> NDArray[np.int64]:
    """How many people each group has; what isn't such numbers is refused."""
    array = np.asarray(people)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise ParameterError("the people of each group are whole numbers, none negative")
    _check_people(array)
    return array.astype(np.int64)


def _check_people(people: NDArray[Any]) -> None:
    """In Python's integers: a sum of 64 bits may come round to any number."""
    if sum(people.tolist()) > MOST_PEOPLE:
        raise ParameterError("a population has at most 10^12 people")


def check_states(states: NDArray[Any]) -> NDArray[np.uint8]:
    """States as bytes, all 0 or 1; an error says where, never what."""
    if states.dtype.kind not in "iub":
        raise InvalidAnswer(f"states are 0 or 1, got kind {states.dtype.kind!r}")
    wrong = (states != 0) & (states != 1)
    if wrong.any():
        where = " and round ".join(
            str(int(i) + axis) for axis, i in enumerate(np.argwhere(wrong)[0])
        )
        raise InvalidAnswer(
            f"the state at position {where} is neither 0 nor 1 (nothing was randomised)"
        )
    return np.ascontiguousarray(states, np.uint8)

"""What may be asked of people whose answers are known, and in which ways: for comparisons.

A class for each kind of question has the people, the names of the ways that there are, and each of
them at an ε with its squared error. Beside the mechanisms of the kind stand those that somebody
without it would use.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.debias import debias
from sudare.estimation.distances import wasserstein
from sudare.estimation.estimate import Floats
from sudare.estimation.frequency_error import mean_squared_error, share_variance
from sudare.estimation.simplex import norm_sub
from sudare.estimation.smoothed import smoothed
from sudare.formats.numbers import counted
from sudare.mechanisms import CATEGORICAL, categorical
from sudare.mechanisms.domain import AnswerGroups, SelectionGroups
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.several import (
    MOST_COMBINATIONS,
    SampledQuestions,
    combinations_of,
)
from sudare.mechanisms.wave import SquareWave
from sudare.mechanisms.window import Window
from sudare.planning.mechanism_choice import MechanismOptions, choose, choose_several
from sudare.planning.several_questions import DESIGNS
from sudare.simulation.comparison import Way, listed_way

Counts = NDArray[np.int64]

MOST_LISTED_NUMBERS = 1 << 10
"""Numbers that are a list of answers to a mechanism for one of them: "where they are few"."""
LEAST_ASKED = 50
"""People for each of several questions: with fewer, one of them may be asked of nobody."""
_REACH = 12  # standard deviations of a number of people beyond which nothing is worth counting


class Alternatives(ABC):
    """The ways of asking people whose answers are known.

    Attributes:
        names: those that there are.
        question: what is asked, in words.
        error: what is measured, in words.
    """

    names: ClassVar[tuple[str, ...]]
    question: ClassVar[str]
    error: ClassVar[str]

    @property
    @abstractmethod
    def people(self) -> int:
        """How many there are."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The size of the question, for machines."""

    @property
    @abstractmethod
    def described(self) -> str:
        """The size of the question, in a few words."""

    @property
    def usual(self) -> tuple[str, ...]:
        """The names of those that are compared, unless others are named."""
        return self.names

    @abstractmethod
    def way(self, name: str, epsilon: float) -> Way:
        """The way of this name that spends at most ``epsilon``."""

    def ways(self, names: Iterable[str], epsilons: Sequence[float]) -> dict[str, list[Way]]:
        """Some of the ways at each ε, or the usual ones; names of other kinds are refused."""
        chosen = list(dict.fromkeys(names)) or list(self.usual)
        for name in chosen:
            self.check(name)
        return {name: [self.way(name, epsilon) for epsilon in epsilons] for name in chosen}

    def check(self, name: str) -> None:
        """Refuse the name of a way that isn't there for such a question."""
        if name not in self.names:
            raise ParameterError(
                f"of {self.question}, the mechanism is one of {', '.join(self.names)}, not {name}"
            )


@dataclass(frozen=True, eq=False)
class Counted(Alternatives):
    """People of whom each has a value: 0, 1, 2 and so on.

    Attributes:
        held: how many people have each value.
    """

    held: Counts

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.held.sum())


@dataclass(frozen=True, eq=False)
class OneOfList(Counted):
    """One answer of a list; its values are the answers."""

    names: ClassVar[tuple[str, ...]] = (*CATEGORICAL, Loloha.name, Rappor.name)
    question: ClassVar[str] = "one answer of a list"
    error: ClassVar[str] = "mean squared error of the shares"

    def facts(self) -> dict[str, Any]:
        """How many answers there are."""
        return {"k": self.held.size}

    @property
    def described(self) -> str:
        """How many answers there are."""
        return counted(self.held.size, "answer")

    @property
    def usual(self) -> tuple[str, ...]:
        """Those for people who are asked once."""
        return tuple(CATEGORICAL)

    def check(self, name: str) -> None:
        """Refuse names of ours for other kinds; one of an installed package is looked for."""
        if any(name in kind.names for kind in (SeveralOfList, Mean, Distribution, AtOnce)):
            super().check(name)
        elif name not in self.names:
            categorical(name)

    def way(self, name: str, epsilon: float) -> Way:
        """A mechanism as a new collection gets it, by the error of a single report of each."""
        made = choose(MechanismOptions(epsilon, name), self.held.size)
        return listed_way(cast("CategoricalMechanism | Rappor", made), self.held)


@dataclass(frozen=True, eq=False)
class SeveralOfList(Alternatives):
    """Several answers of a list, at most so many.

    Beside the set response stand a question for each answer, yes or no, among which the budget is
    divided; and one of the person's answers, drawn from as many as may be selected, where what
    isn't selected is one answer more (padding and sampling: Qin et al., CCS 2016).

    Attributes:
        groups: the people, by what they select.
        most: how many answers a person may select.
    """

    names: ClassVar[tuple[str, ...]] = ("set", "yes-no", "sampled-grr", "sampled-subset")
    question: ClassVar[str] = "several answers of a list"
    error: ClassVar[str] = "mean squared error of the shares of people who select each answer"

    groups: SelectionGroups
    most: int

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.groups.people.sum())

    @property
    def _k(self) -> int:
        return int(self.groups.selections.shape[1])

    def facts(self) -> dict[str, Any]:
        """How many answers there are, and may be selected."""
        return {"k": self._k, "most": self.most}

    @property
    def described(self) -> str:
        """How many answers there are, and may be selected."""
        return f"at most {self.most} of {counted(self._k, 'answer')}"

    def way(self, name: str, epsilon: float) -> Way:
        """Each by the chances that a person's report has an answer that is theirs, or isn't."""
        if name == "set":
            made = SetResponse.calibrate(self._k, self.most, epsilon)
            return self._by(
                made.holder,
                made.others,
                lambda rng: made.supported(made.simulate(self.groups, rng)),
            )
        if name == "yes-no":
            # Two people's selections differ in no more answers than this: their ε add up.
            coin = GRR.calibrate(2, epsilon / min(self._k, 2 * self.most))
            return self._by(coin.keep, 1 - coin.keep, lambda rng: self._said_yes(coin.keep, rng))
        part = CATEGORICAL[name.removeprefix("sampled-")].calibrate(self._k + 1, epsilon)
        return self._by(
            (part.holder + (self.most - 1) * part.others) / self.most,
            part.others,
            lambda rng: part.supported(part.simulate(self._drawn(rng), rng))[: self._k],
        )

    @property
    def _held(self) -> Counts:
        """How many people select each answer."""
        held: Counts = self.groups.people @ self.groups.selections.astype(np.int64)
        return held

    def _said_yes(self, keep: float, rng: Keystream) -> Counts:
        """How many people say yes to each answer, truly or not."""
        held, generator = self._held, rng.generator()
        lies: Counts = generator.binomial(self.people - held, 1 - keep)
        return generator.binomial(held, keep) + lies

    def _drawn(self, rng: Keystream) -> Counts:
        """How many people draw each of their answers, and what they don't select as the last."""
        selections = self.groups.selections
        missing = self.most - selections.sum(axis=1, dtype=np.int64)
        law = np.column_stack([selections, missing]) / self.most
        drawn: Counts = rng.generator().multinomial(self.groups.people, law).sum(axis=0)
        return drawn

    def _by(self, holder: float, others: float, supported: Callable[[Keystream], Counts]) -> Way:
        """A way in which a person's report has an answer with one of two chances."""
        shares = self._held / self.people

        def squared_error(rng: Keystream) -> float:
            found = debias(supported(rng), self.people, holder, others).values
            return float(np.square(found - shares).mean())

        return Way(squared_error, float(share_variance(holder, others, self.people, shares).mean()))


@dataclass(frozen=True, eq=False)
class Mean(Counted):
    """The mean of numbers.

    Beside the window mechanism stand those for one answer of a list, to which each number is an
    answer: the mean is then that of the numbers, by their unbiased shares. It is taken from the
    middle of the range, which matters where these don't sum to 1. Of such a mechanism it must be
    known how often a report supports two answers at once.

    Attributes:
        step: from one number to the next.
    """

    names: ClassVar[tuple[str, ...]] = (Window.name, "grr", "oue", "sue", "subset")
    question: ClassVar[str] = "the mean of numbers"
    error: ClassVar[str] = "mean squared error of the mean"

    step: float

    def facts(self) -> dict[str, Any]:
        """How many steps there are, and the length of one."""
        return {"steps": self.held.size - 1, "step": self.step}

    @property
    def described(self) -> str:
        """How many numbers there are."""
        return counted(self.held.size, "number")

    @property
    def usual(self) -> tuple[str, ...]:
        """All of them, where the numbers are few enough to be listed."""
        return self.names if self.held.size <= MOST_LISTED_NUMBERS else (Window.name,)

    def check(self, name: str) -> None:
        """Refuse names of other kinds, and lists of too many numbers."""
        super().check(name)
        if name not in self.usual:
            raise ParameterError(
                f"{name} takes the numbers for a list of answers, of which a comparison has at "
                f"most {MOST_LISTED_NUMBERS:,}, got {self.held.size:,}"
            )

    def way(self, name: str, epsilon: float) -> Way:
        """Each by the exact variance of what a person's report counts, at their number."""
        if name == Window.name:
            window = Window.calibrate(self.held.size - 1, epsilon)
            return self._by(
                lambda rng: float(window.estimate(window.simulate(self.held, rng)).values[0]),
                self._window_variances(window),
            )
        listed = CATEGORICAL[name].calibrate(self.held.size, epsilon)
        middle = (self.held.size - 1) / 2

        def mean(rng: Keystream) -> float:
            shares = listed.estimate(listed.simulate(self.held, rng)).values
            return middle + float(shares @ (self._numbers - middle))

        return self._by(mean, self._listed_variances(listed))

    @property
    def _numbers(self) -> Floats:
        return np.arange(self.held.size, dtype=np.float64)

    def _by(self, mean: Callable[[Keystream], float], variances: Floats) -> Way:
        """A way with an unbiased mean in steps, and the variance of each number's reports."""
        true = float(self.held @ self._numbers) / self.people
        theory = float(self.held @ variances) / self.people**2
        return Way(
            lambda rng: (self.step * (mean(rng) - true)) ** 2,
            self.step**2 * theory,
        )

    def _window_variances(self, window: Window) -> Floats:
        """Between two nodes the second moment of what a report counts is a line."""
        places = np.array([float(place) for place in window.node_numbers])
        variances = np.array([float(variance) for variance in window.node_variances])
        found: Floats = np.interp(self._numbers, places, variances + places**2) - self._numbers**2
        return found

    def _listed_variances(self, listed: CategoricalMechanism) -> Floats:
        """Of the sum of the numbers that a report supports, less the middle of the range.

        With p and q the chances that a report supports the number c that is held, and any one
        other; with h those of c and another together, and with o those of two others: the sum S of
        what is supported has the mean (p - q) c, since all numbers sum to 0, and
        E[S²] = (p - q) c² + q T - 2 h c² + o (2 c² - T), where T is the sum of all squares.
        """
        if listed.together is None:
            raise ParameterError(f"{listed.name} supports no two numbers with a chance of its own")
        p, q = listed.holder, listed.others
        both, neither = listed.together
        squares = (self._numbers - self._numbers.mean()) ** 2
        moments = squares * (p - q - 2 * both + 2 * neither) + squares.sum() * (q - neither)
        found: Floats = moments / (p - q) ** 2 - squares
        return found


@dataclass(frozen=True, eq=False)
class Distribution(Counted):
    """The distribution of numbers, over bins.

    Beside the square wave, with the smooth shares that are shown of it, stand histograms: a
    mechanism for one answer of a list, to which each bin is an answer, and its unbiased shares made
    such as could exist.

    Attributes:
        bins: how many there are; None for what a new collection has.
    """

    names: ClassVar[tuple[str, ...]] = (SquareWave.name, *CATEGORICAL)
    question: ClassVar[str] = "the distribution of numbers"
    error: ClassVar[str] = "mean squared Wasserstein distance from the truth, in parts of the range"

    bins: int | None = None

    def facts(self) -> dict[str, Any]:
        """How many steps there are, and bins, if that was asked for."""
        return {"steps": self.held.size - 1, "bins": self.bins}

    @property
    def described(self) -> str:
        """How many numbers there are."""
        return counted(self.held.size, "number")

    @property
    def usual(self) -> tuple[str, ...]:
        """The square wave, the best histogram and the usual one."""
        return (SquareWave.name, "subset", "oue")

    def way(self, name: str, epsilon: float) -> Way:
        """Each by the square of the distance, of which no theory is known."""
        wave = SquareWave.calibrate(self.held.size - 1, epsilon, self.bins)
        estimated = distribution_of(name, wave, epsilon)

        def squared_error(rng: Keystream) -> float:
            return wasserstein(estimated(self.held, rng), wave.domain.edges, self.held) ** 2

        return Way(squared_error)


def distribution_of(
    name: str, wave: SquareWave, epsilon: float
) -> Callable[[Counts, Keystream], Floats]:
    """Shares of a square wave's bins from how many people hold each number, by a mechanism.

    Args:
        name: ``wave``, or that of a mechanism for one answer of a list.
        wave: the square wave, which says what the bins are.
        epsilon: the most that a report by another mechanism may cost.
    """
    if name == wave.name:
        widths = np.diff(wave.domain.edges)
        return lambda held, rng: (
            smoothed(wave.simulate(held, rng).counts, wave.window_shares, widths).shares
        )
    bins = CATEGORICAL[name].calibrate(wave.bins, epsilon)
    return lambda held, rng: norm_sub(
        bins.estimate(bins.simulate(wave.domain.held(held), rng)).values
    )


@dataclass(frozen=True, eq=False)
class AtOnce(Alternatives):
    """Several questions at once, with one answer of a list each.

    Attributes:
        groups: the people, by what they answer.
        sizes: how many answers each question has.
    """

    names: ClassVar[tuple[str, ...]] = DESIGNS
    question: ClassVar[str] = "several questions at once"
    error: ClassVar[str] = "mean squared error of the shares of all answers to all questions"

    groups: AnswerGroups
    sizes: tuple[int, ...]

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.groups.people.sum())

    def facts(self) -> dict[str, Any]:
        """How many answers each question has."""
        return {"sizes": list(self.sizes)}

    @property
    def described(self) -> str:
        """How many questions there are, and answers in all."""
        return f"{counted(len(self.sizes), 'question')}, {counted(sum(self.sizes), 'answer')}"

    @property
    def usual(self) -> tuple[str, ...]:
        """All designs, where a joint table is small enough to be one."""
        fits = combinations_of(self.sizes) <= MOST_COMBINATIONS
        return self.names if fits else tuple(name for name in self.names if name != "joint")

    def way(self, name: str, epsilon: float) -> Way:
        """A design as a new collection gets it, by the mean over all answers of all questions."""
        if self.people < LEAST_ASKED * len(self.sizes):
            raise ParameterError(
                f"{len(self.sizes)} questions are compared on at least "
                f"{LEAST_ASKED * len(self.sizes)} people, got {self.people}"
            )
        made = choose_several(MechanismOptions(epsilon, design=name), self.sizes)
        shares = np.concatenate(self._shares())

        def squared_error(rng: Keystream) -> float:
            total = made.simulate(self.groups, rng)
            margins = (made.margin(total, at).estimate.values for at in range(len(self.sizes)))
            return float(np.square(np.concatenate(list(margins)) - shares).mean())

        if isinstance(made, SampledQuestions):
            return Way(squared_error, self._sampled_error(made))
        return Way(squared_error, made.error / self.people)  # the same for every population

    def _shares(self) -> list[Floats]:
        """The true shares of each question."""
        return [
            np.bincount(answers, self.groups.people, size) / self.people
            for answers, size in zip(self.groups.rows.T, self.sizes, strict=True)
        ]

    def _sampled_error(self, made: SampledQuestions) -> float:
        """The exact error where each person is asked one question, drawn by chance.

        If N of n people are asked a question, they are any N of them: the noise is that of N
        reports, and a share f among them is off by f (1 - f) (n / N - 1) / (n - 1) in the mean
        square.
        """
        n, inverse = self.people, _mean_inverse(self.people, 1 / len(self.sizes))
        total = 0.0
        for part, shares in zip(made.parts, self._shares(), strict=True):
            noise = part.k * mean_squared_error(part.holder, part.others, 1, part.k) * inverse
            spread = float((shares * (1 - shares)).sum())
            total += noise + spread * (n * inverse - 1) / (n - 1)
        return total / sum(self.sizes)


def _mean_inverse(n: int, chance: float) -> float:
    """The mean of 1 / N, where N of n people are chosen with this chance each, and some are."""
    from scipy.stats import binom  # heavy

    middle, spread = n * chance, math.sqrt(n * chance * (1 - chance))
    first, last = max(1.0, middle - _REACH * spread), min(float(n), middle + _REACH * spread)
    numbers = np.arange(math.floor(first), math.ceil(last) + 1)
    law = binom.pmf(numbers, n, chance)
    return float((law / numbers).sum() / law.sum())

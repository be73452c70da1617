"""One answer of a list, several of it, or answers to several questions: plans for shares."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate
from sudare.estimation.frequency_error import ShareNoise
from sudare.formats.numbers import whole, yes_or_no
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import (
    AnswerGroups,
    Categories,
    Questions,
    SelectionGroups,
    Selections,
)
from sudare.mechanisms.interface import Mechanism
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.several import JointQuestions, SampledQuestions, SeveralQuestions
from sudare.mechanisms.unary import Unary
from sudare.planning.kinds.interface import (
    QUESTION,
    Design,
    Kind,
    Make,
    each_visit,
    new_collection,
    part_of,
    spent,
    year_epsilon,
)
from sudare.planning.kinds.trials import Population, Told, Trial
from sudare.planning.measures import ShareMeasure
from sudare.planning.mechanism_choice import MechanismOptions, choose_several
from sudare.planning.search import first
from sudare.planning.several_questions import DESIGNS
from sudare.planning.wish import Goal, Wish

_FEWEST = 2  # answers of a list
_GUESS = 0.5  # who says ½ of a share is off by no more
_MOST_RAPPOR = 1 << 16  # bits
ANSWERS = "--answers-file ANSWERS.txt"


def most_frequent(answers: int) -> float:
    """The share of the most frequent answer, where shares fall as 1, 1/2, 1/3, …; ½ at most.

    As in most lists that people choose from. What can't even show that one shows nothing.
    """
    return min(_GUESS, 1 / _harmonic(answers))


def _harmonic(count: int) -> float:
    if count < 1 << 10:
        return math.fsum(1 / number for number in range(1, count + 1))
    return math.log(count) + 0.5772156649015329 + 1 / (2 * count)  # Euler's constant


def of_chances(
    mechanism: Mechanism,
    chances: tuple[float, float],
    wish: Wish,
    each: float,
    lifetime: float | None = None,
) -> Design:
    """The design of a mechanism in which holders support an answer with chance p, others with q."""
    p, q = chances
    return Design(
        ShareMeasure((ShareNoise.of(p, q, float(wish.population)),), wish),
        spends=spent(mechanism, wish),
        each=each,
        report_bytes=mechanism.report_dtype.itemsize,
        forger_gain=(1 - q) / (p - q),
        year_epsilon=year_epsilon(mechanism),
        mechanism=mechanism,
        fits=chances,
        lifetime=lifetime,
    )


Kept = Callable[[float, float | None], "Loloha | Rappor"]
"""A mechanism that keeps noise, from what a report and what all reports of an answer may cost."""


def _memoised(make: Kept, epsilon: float, wish: Wish) -> Design:
    """A mechanism that keeps noise, so that all visits cost at most ε.

    Each kept noise may cost its part of that, and each report half of the part, as ``collection
    new`` has it. A person comes to keep no more of them than there are, and the less each may cost
    the fewer there are.
    """

    def design(made: Loloha | Rappor, each: float, lifetime: float | None) -> Design:
        return of_chances(made, (made.holder, made.others), wish, each, lifetime)

    if wish.visits == 1:
        return design(make(epsilon, None), epsilon, None)

    def kept(noises: int) -> tuple[Loloha | Rappor, float, float]:
        lifetime = part_of(epsilon, noises)
        return make(lifetime / 2, lifetime), lifetime / 2, lifetime

    def enough(noises: int) -> bool:
        return noises >= (kept(noises)[0].most_kept or wish.kept)

    return design(*kept(first(enough, wish.kept) or wish.kept))


@dataclass(frozen=True, kw_only=True)
class Choice(Kind):
    """One answer of a list.

    Attributes:
        answers: how many the list has.
    """

    name: ClassVar[str] = "choice"
    answers: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", Categories(_answers(self.answers)).k)

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """Each mechanism for one answer of a list."""
        k = self.answers

        def fresh(name: str, epsilon: float) -> Design:
            each = each_visit(epsilon, wish)
            made = CATEGORICAL[name].calibrate(k, each)
            return of_chances(made, (made.holder, made.others), wish, each)

        def loloha(each: float, lifetime: float | None) -> Loloha:
            return Loloha.calibrate(k, each, lifetime=lifetime)

        def rappor(each: float, lifetime: float | None) -> Rappor:
            return Rappor.calibrate(each, form="basic", lifetime=lifetime, bits=k)

        families: dict[str, Make] = {name: partial(fresh, name) for name in CATEGORICAL}
        families[Loloha.name] = lambda epsilon: _memoised(loloha, epsilon, wish)
        if k <= _MOST_RAPPOR:
            families[Rappor.name] = lambda epsilon: _memoised(rappor, epsilon, wish)
        return families

    def guess(self, goal: Goal) -> float:
        """The share of the most frequent answer; no share or difference is above 1."""
        return most_frequent(self.answers) if goal == "error" else 1.0

    @property
    def guessing(self) -> str:
        """What such an error hides."""
        return hides(self.answers, self.guess("error"))

    @property
    def mergeable(self) -> tuple[str, int, int]:
        """Answers can be merged."""
        return "answers", self.answers, _FEWEST

    @property
    def counts_changed(self) -> float:
        """One count grows and another shrinks; of two answers one count says both."""
        return 1.0 if self.answers == 2 else 2.0

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """People who give an answer; all others give the same one, which changes no count's law."""
        made: Any = design.mechanism

        def truth(held: int) -> NDArray[np.int64]:
            return np.bincount([0, 1], [held, reports - held], self.answers).astype(np.int64)

        return trial.told(made, Population(value, truth, made.debiased), reports)

    @property
    def average_share(self) -> float:
        """Of all alike."""
        return 1 / self.answers

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        return new_collection(f"{QUESTION} {ANSWERS}", design, f"--mechanism {name}")


def _answers(number: int) -> int:
    """A number of listed answers, of which one can be given or another."""
    if whole("answers", number) < _FEWEST:
        raise ParameterError(f"a question needs at least {_FEWEST} answers, got {number}")
    return number


def hides(answers: int, share: float) -> str:
    """What an error as large as a guess hides, as a clause."""
    if share >= _GUESS:
        return "who asks nobody and says a half is off by no more"
    return (
        f"that hides even the most frequent of {answers:,} answers, {100 * share:.0f} % of people "
        f"where frequencies fall as 1, 1/2, 1/3, …"
    )


@dataclass(frozen=True, kw_only=True)
class Several(Kind):
    """Several answers of a list.

    Attributes:
        answers: how many the list has.
        most: how many of them a person may select.
    """

    name: ClassVar[str] = "several"
    answers: int
    most: int

    def __post_init__(self) -> None:
        checked = Selections(_answers(self.answers), self.most)
        object.__setattr__(self, "answers", checked.k)
        object.__setattr__(self, "most", checked.most)

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """Set response, the one mechanism for several answers."""

        def make(epsilon: float) -> Design:
            each = each_visit(epsilon, wish)
            made = SetResponse.calibrate(self.answers, self.most, each)
            return of_chances(made, (made.holder, made.others), wish, each)

        return {SetResponse.name: make}

    def guess(self, goal: Goal) -> float:
        """The share of the most frequent answer, of which each person selects some."""
        if goal != "error":
            return 1.0
        return min(_GUESS, self.most * most_frequent(self.answers))

    @property
    def guessing(self) -> str:
        """What such an error hides."""
        return hides(self.answers, self.guess("error"))

    @property
    def mergeable(self) -> tuple[str, int, int]:
        """Answers can be merged, down to those that a person may select."""
        return "answers", self.answers, max(_FEWEST, self.most)

    @property
    def counts_changed(self) -> float:
        """A person may select others, and none of those that they did."""
        return float(min(self.answers, 2 * self.most))

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """People who select one answer alone; all others select another one."""
        made: Any = design.mechanism
        rows = np.eye(2, self.answers, dtype=np.uint8)

        def truth(held: int) -> SelectionGroups:
            return SelectionGroups(rows, np.array([held, reports - held]))

        return trial.told(made, Population(value, truth, made.debiased), reports)

    @property
    def average_share(self) -> float:
        """Of a person who selects as many as they may."""
        return self.most / self.answers

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        del name
        return new_collection(f"{QUESTION} {ANSWERS}", design, f"--most {self.most}")


@dataclass(frozen=True, kw_only=True)
class SeveralAtOnce(Kind):
    """Answers to several questions, under one budget.

    Attributes:
        sizes: how many answers each has.
        associate: whether the relation of two of them is asked for.
    """

    name: ClassVar[str] = "questions"
    sizes: tuple[int, ...]
    associate: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, Iterable):
            raise ParameterError(
                f"sizes are the numbers of answers of each question, got {self.sizes!r}"
            )
        sizes = tuple(_answers(size) for size in self.sizes)
        object.__setattr__(self, "sizes", Questions(sizes).sizes)
        yes_or_no("associate", self.associate)

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """One question of each person, the budget divided, or a joint table."""
        families: dict[str, Make] = {}
        for design in DESIGNS:
            if design == "sample" and self.associate:
                continue

            def make(epsilon: float, design: str = design) -> Design:
                each = each_visit(epsilon, wish)
                options = MechanismOptions(each, design=design, associate=self.associate)
                return _of_questions(choose_several(options, self.sizes), wish, each)

            families[design] = make
        return families

    def guess(self, goal: Goal) -> float:
        """The share of the most frequent answer of the question with the most answers."""
        return most_frequent(max(self.sizes)) if goal == "error" else 1.0

    @property
    def guessing(self) -> str:
        """What such an error hides."""
        return hides(max(self.sizes), self.guess("error"))

    @property
    def counts_changed(self) -> float:
        """Two counts of each question."""
        return math.fsum(1 if size == 2 else 2 for size in self.sizes)

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """People with one answer to each question, told in the question of the largest error."""
        made: Any = design.mechanism
        measure: Any = design.measure
        variances = [noise.variance(value) for noise in measure.noises]
        worst, rows = variances.index(max(variances)), np.zeros((2, len(self.sizes)), np.int64)
        rows[1] = 1

        def truth(held: int) -> AnswerGroups:
            return AnswerGroups(rows, np.array([held, reports - held]))

        def read(aggregate: Aggregate) -> Estimate:
            margin = made.margin(aggregate, worst)
            estimate: Estimate = margin.estimate
            return estimate if measure.wish.population else estimate.of_all(margin.people)

        return trial.told(made, Population(value, truth, read), reports)

    @property
    def average_share(self) -> float:
        """Of the question with the most answers."""
        return 1 / max(self.sizes)

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        options = f"--design {name}" + " --associate" * self.associate
        return new_collection("--questions QUESTIONS.toml", design, options)


def _of_questions(mechanism: SeveralQuestions, wish: Wish, each: float) -> Design:
    """The design of several questions: of each the noise of an answer, and who is asked it."""
    noises, gains = zip(*_noises(mechanism, wish), strict=True)
    return Design(
        ShareMeasure(noises, wish),
        spends=spent(mechanism, wish),
        each=each,
        report_bytes=mechanism.report_dtype.itemsize,
        forger_gain=max(gains),
        year_epsilon=year_epsilon(mechanism),
        mechanism=mechanism,
    )


def _noises(mechanism: SeveralQuestions, wish: Wish) -> Iterator[tuple[ShareNoise, float]]:
    """The noise of an answer of each question, and how far a forger moves its share."""
    population = float(wish.population)
    if isinstance(mechanism, JointQuestions):
        table, gain = mechanism.table, mechanism.table.holder - mechanism.table.others
        supported = round(table.holder + (table.k - 1) * table.others)
        for k in mechanism.sizes:
            cells = table.k // k
            inside, outside = mechanism.sum_variances(cells)
            most = cells if isinstance(table, Unary) else min(cells, supported)
            noise = ShareNoise(inside / gain**2, outside / gain**2, population, gain)
            yield noise, (most - cells * table.others) / gain
        return
    parts: tuple[Any, ...] = getattr(mechanism, "parts", ())
    times = len(parts) if isinstance(mechanism, SampledQuestions) else 1
    for part in parts:
        own = ShareNoise.of(part.holder, part.others)
        sampled = times - 1 + population
        noise = ShareNoise(times * own.inside, times * own.outside, sampled, own.gain / times)
        yield noise, times * (1 - part.others) / (part.holder - part.others)

"""Several questions at once, under one ε: one of them drawn, the budget split, or a joint table.

Three designs of one report, made of mechanisms for one answer of k. Those are handed in, so that
any of them will do.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidDocument, InvalidReport, ParameterError
from sudare.estimation.estimate import Estimate, Floats
from sudare.estimation.frequency_error import count_spread, mean_squared_error
from sudare.estimation.likelihood import most_likely
from sudare.estimation.significance import presence, presence_of_sums
from sudare.formats.wire import Columns, Fields, fields_of
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import AnswerGroups, Questions
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism, Records

MOST_COMBINATIONS = 1 << 10
"""Combinations of answers that a joint table may have: "where that is small"."""
_ENUMERABLE = 16  # combinations: a walk down every path of chance for each
_FEW, _COUNTED = 4, 10**12  # questions, and combinations, that a sentence has numbers of

Parts = tuple[CategoricalMechanism, ...]


class Margin(NamedTuple):
    """One question's part of an aggregate, and what is known of its shares.

    Attributes:
        estimate: the unbiased shares of its answers, among the people whose reports are of it.
        people: how many took part, of whom these people were drawn.
        present: for each answer the p-value of "nobody gives it", not adjusted.
        spread: the standard deviation of each answer's count, in reports.
    """

    estimate: Estimate
    people: int
    present: Floats
    spread: Floats


@dataclass(frozen=True)
class SeveralQuestions(Mechanism):
    """One answer to each of several questions, in one report whose ε is for all of them together.

    Values are rows of answers' numbers. Where something has a number for each answer of all
    questions (``estimate``, ``weights``), those of the first question come first.
    """

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """How many answers each question has."""

    @property
    @abstractmethod
    def tells_pairs(self) -> bool:
        """Whether a report says something of two questions at once, and so of their relation."""

    @property
    @abstractmethod
    def errors(self) -> tuple[float, ...]:
        """The mean squared error of each question's shares, all alike, times how many people.

        It is that of many people: to be divided by their number.
        """

    @property
    @abstractmethod
    def pair_error(self) -> float:
        """The mean squared error of the shares of two questions' answers together.

        Of unbiased shares, all alike, over all pairs of answers of all pairs of questions, times
        how many people. Infinite where no report says anything of two questions.
        """

    @abstractmethod
    def reports_of(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many of the n reports behind such counts say something of each question."""

    def cells(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many reports each part of such counts is of that can be read by itself."""
        del counts
        return np.array([n])

    @abstractmethod
    def margin(self, aggregate: Aggregate, question: int) -> Margin:
        """What an aggregate of this mechanism says of one question, if it says anything."""

    @abstractmethod
    def likeliest(self, aggregate: Aggregate, question: int) -> Floats:
        """The most likely shares of one question."""

    @cached_property
    def domain(self) -> Questions:
        """A row of answers' numbers, one for each question."""
        return Questions(self.sizes)

    @property
    def error(self) -> float:
        """The mean squared error over all answers of all questions, times how many people."""
        weighed = sum(k * error for k, error in zip(self.sizes, self.errors, strict=True))
        return weighed / sum(self.sizes)

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The unbiased shares of all answers, those of the first question first."""
        return _joined([self.margin(aggregate, at).estimate for at in range(len(self.sizes))])

    def place(self, answer: int) -> tuple[int, int]:
        """The question of an answer that is numbered among all of them, and its number there."""
        for question, k in enumerate(self.sizes):
            if answer < k:
                return question, answer
            answer -= k
        raise ParameterError(f"there are {sum(self.sizes)} answers, numbered from 0")

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance, where it would take forever."""
        if math.prod(self.sizes) > _ENUMERABLE:
            return f"not at {math.prod(self.sizes):,} combinations (up to {_ENUMERABLE})"
        return None


@dataclass(frozen=True)
class PartedQuestions(SeveralQuestions):
    """Several questions with a mechanism each.

    Attributes:
        parts: how each question is answered, one mechanism for one answer of k per question.
    """

    parts: Parts

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            _check_part(part)
        Questions(self.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many answers each question has: ``k`` of its part."""
        return tuple(part.k for part in self.parts)

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: its parts' reasons come first."""
        reasons = (part.not_enumerable for part in self.parts)
        return next((reason for reason in reasons if reason), None) or super().not_enumerable

    @cached_property
    def _counted(self) -> tuple[int, ...]:
        """How many counts each part has."""
        return tuple(part.zero.counts.size for part in self.parts)

    @abstractmethod
    def part_of(self, aggregate: Aggregate, question: int) -> Aggregate:
        """The part's own aggregate of the reports that say something of a question."""

    def margin(self, aggregate: Aggregate, question: int) -> Margin:
        """What an aggregate says of one question: what its part says of it."""
        part, told = self.parts[question], self.part_of(aggregate, question)
        estimate = part.debiased(part.own(told))
        shares = np.clip(estimate.values, 0, 1)
        return Margin(
            estimate,
            told.n,
            presence(part.supported(told), told.n, part.others),
            count_spread(part.holder, part.others, told.n, shares),
        )

    def likeliest(self, aggregate: Aggregate, question: int) -> Floats:
        """The most likely shares of one question."""
        part = self.parts[question]
        return most_likely(part.evidence(self.part_of(aggregate, question))).shares

    def document(self) -> dict[str, Any]:
        """The mechanism as JSON values, its parts as documents of their own."""
        return {"name": self.name, "parts": [part.document() for part in self.parts]}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """The mechanism of a document; a part that isn't for one answer of k is refused."""
        parts = _given(cls.name, document, "parts")["parts"]
        if not isinstance(parts, list):
            raise InvalidDocument(f"the parameter parts of {cls.name} must be a list")
        return cls(tuple(_read_part(part) for part in parts))


@dataclass(frozen=True)
class SampledQuestions(PartedQuestions):
    """One question drawn for each person, whatever they answer, which has the whole ε.

    A report is the number of the question and the report of its part, in as many bytes as the
    longest one has, those at the end 0. What is counted has a row for each question: how many
    reports are of it, then its part's counts.
    """

    name: ClassVar[str] = "sample"

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: which question, and what its part says."""
        longest = max(part.report_dtype.itemsize for part in self.parts)
        return np.dtype([("question", "u1"), ("report", "u1", (longest,))])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: the worst of the parts', as the drawn question tells nothing."""
        return max(part.worst_ratio for part in self.parts)

    @property
    def tells_pairs(self) -> bool:
        """No report says something of two questions."""
        return False

    @property
    def pair_error(self) -> float:
        """Nothing is told of two questions."""
        return math.inf

    @property
    def odds(self) -> str:
        """How a device treats the answers, in plain words."""
        drawn = (
            f"A device draws one of {len(self.parts)} questions by chance, answers it alone, and "
            f"keeps the other answers to itself."
        )
        return " ".join([drawn, *_odds_of(self.parts)])

    @property
    def errors(self) -> tuple[float, ...]:
        """The error of a question that a share of the people are asked, drawn from all."""
        asked = len(self.parts)
        return tuple(
            asked * mean_squared_error(part.holder, part.others, 1, part.k)
            + (asked - 1) * (1 - 1 / part.k) / part.k
            for part in self.parts
        )

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: the questions of all people, then part by part."""
        reports = np.zeros(len(values), self.report_dtype)
        drawn = rng.below(len(self.parts), len(values))
        reports["question"] = drawn
        for number, part in enumerate(self.parts):
            who = np.flatnonzero(drawn == number)
            if who.size:
                made = part.perturb(values[who, number], rng)
                octets = made.view(np.uint8).reshape(len(made), -1)
                reports["report"][who, : octets.shape[1]] = octets
        return reports

    def _told(self, reports: Fields) -> Iterator[tuple[int, NDArray[np.intp], Records]]:
        """For each question, which reports are of it and what its part says in them."""
        asked, octets = reports["question"], reports["report"]
        for number, part in enumerate(self.parts):
            who = np.flatnonzero(asked == number)
            own = np.ascontiguousarray(octets[who, : part.report_dtype.itemsize])
            yield number, who, own.reshape(-1).view(part.report_dtype)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless each is of a question and one that its part can make."""
        wrong = reports["question"] >= len(self.parts)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InvalidReport(
                f"the report at position {at} is of question {reports['question'][at]}; "
                f"questions are numbered 0 to {len(self.parts) - 1}"
            )
        for number, who, own in self._told(reports):
            part = self.parts[number]
            part.check(own)
            if reports["report"][who, part.report_dtype.itemsize :].any():
                raise InvalidReport(
                    f"a report of question {number} has more than the "
                    f"{part.report_dtype.itemsize} bytes of {part.name}"
                )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports are of each question, and beside it its part's counts."""
        counts = np.zeros((len(self.parts), 1 + max(self._counted)), np.int64)
        for number, who, own in self._told(reports):
            told = self.parts[number].tally(own)
            counts[number, 0], counts[number, 1 : 1 + told.size] = who.size, told
        return counts

    def reports_of(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many reports are of each question."""
        del n
        reports: NDArray[np.int64] = counts[:, 0]
        return reports

    def cells(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many reports are of each question: nobody's is of two."""
        return self.reports_of(counts, n)

    def own(self, aggregate: Aggregate) -> Aggregate:
        """The aggregate, if it is this mechanism's, and each report is of one question."""
        owned = super().own(aggregate)
        if owned.counts[:, 0].sum() != owned.n:
            raise InvalidDocument(
                f"the aggregate's questions have {int(owned.counts[:, 0].sum())} reports in all, "
                f"not {owned.n}"
            )
        return owned

    def part_of(self, aggregate: Aggregate, question: int) -> Aggregate:
        """The part's own aggregate of the reports of a question."""
        part, row = self.parts[question], aggregate.counts[question]
        return Aggregate(part.key, int(row[0]), row[1 : 1 + self._counted[question]])

    def margin(self, aggregate: Aggregate, question: int) -> Margin:
        """What the reports of a question say, whose people were drawn from all.

        Of an aggregate from which other questions were left out, there were about as many people
        for each question as for this one.
        """
        asked = super().margin(aggregate, question)
        return asked._replace(people=max(aggregate.n, len(self.parts) * asked.estimate.n))

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The mean weight of all reports: unbiased even where a question has no report at all.

        A person's weight is that of the part, times the number of questions if it was asked. Its
        exact variance is linear in the share. ``margin`` has less error: it knows how many were
        asked.
        """
        n, asked = aggregate.n, len(self.parts)
        estimates = []
        for question, part in enumerate(self.parts):
            told = self.part_of(aggregate, question)
            yes = part.supported(told)
            if yes.min() < 0 or yes.max() > told.n:
                raise InvalidDocument(f"an answer is counted below 0 or above n = {told.n} times")
            gain = (part.holder - part.others) / asked
            one, none = (1 - part.others) / gain, -part.others / gain
            squares = yes * one * (one - 1) + (told.n - yes) * none * (none - 1)
            estimates.append(
                Estimate(
                    n=n,
                    values=(yes * one + (told.n - yes) * none) / n,
                    stderr=np.sqrt(squares) / n,
                    slope=np.full(part.k, ((1 - part.holder - part.others) / gain + asked - 1) / n),
                )
            )
        return _joined(estimates)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people who give an answer; 0 if not asked."""
        question, number = self.place(answer)
        weights = np.zeros(len(reports))
        for at, who, own in self._told(reports):
            if at == question:
                weights[who] = len(self.parts) * self.parts[at].weights(own, number)
        return weights

    def simulate(self, truth: AnswerGroups, rng: Keystream) -> Aggregate:
        """The aggregate of a population: who is asked what, then part by part."""
        groups = self.domain.population(truth)
        asked = len(self.parts)
        drawn = rng.generator().multinomial(groups.people, np.full(asked, 1 / asked))
        counts = np.zeros((asked, 1 + max(self._counted)), np.int64)
        for number, part in enumerate(self.parts):
            held = _held(groups.rows[:, number], drawn[:, number], part.k)
            told = part.simulate(held, rng).counts
            counts[number, 0], counts[number, 1 : 1 + told.size] = held.sum(), told
        return Aggregate(self.key, int(groups.people.sum()), counts)


@dataclass(frozen=True)
class SplitQuestions(PartedQuestions):
    """Every question answered, each with a part of the budget; the parts' ε add up, exactly.

    A report has the fields of all parts, each with the number of its question behind its name.
    What is counted are the parts' counts, one behind the other.
    """

    name: ClassVar[str] = "split"

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: the fields of all parts' reports."""
        return np.dtype(
            [
                (name, base, shape) if shape else (name, base)
                for number, part in enumerate(self.parts)
                for name, (base, shape) in self._named(number, part).items()
            ]
        )

    @staticmethod
    def _named(number: int, part: CategoricalMechanism) -> dict[str, Any]:
        """A part's fields by their names in the report of all."""
        return {f"{name}_{number + 1}": kind for name, kind in fields_of(part.report_dtype).items()}

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: all answers may differ, so the parts' ratios are multiplied."""
        return math.prod((part.worst_ratio for part in self.parts), start=Fraction(1))

    @property
    def tells_pairs(self) -> bool:
        """A report says something of every question."""
        return True

    @property
    def odds(self) -> str:
        """How a device treats the answers, in plain words."""
        answered = f"A device answers each of {len(self.parts)} questions with a part of the ε."
        return " ".join([answered, *_odds_of(self.parts)])

    @property
    def errors(self) -> tuple[float, ...]:
        """The error of each part."""
        return tuple(mean_squared_error(p.holder, p.others, 1, p.k) for p in self.parts)

    @property
    def pair_error(self) -> float:
        """The error of products: a person's part in a pair is that in the one times the other.

        The noise of two questions is independent, so that second moments multiply.
        """
        seconds = [(k, 1 / k + error) for k, error in zip(self.sizes, self.errors, strict=True)]
        pairs = list(combinations(seconds, 2))
        cells = sum(k * other for (k, _), (other, _) in pairs)
        return sum(k * other * one * two - 1 for (k, one), (other, two) in pairs) / cells

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: all people's to the first question, then to the next."""
        reports = np.empty(len(values), self.report_dtype)
        for number, part in enumerate(self.parts):
            made = part.perturb(np.ascontiguousarray(values[:, number]), rng)
            for name, named in zip(made.dtype.names or (), self._named(number, part), strict=True):
                reports[named] = made[name]
        return reports

    def told(self, reports: Fields, question: int) -> Columns:
        """What each report says of one question: its part's reports."""
        part = self.parts[question]
        names = part.report_dtype.names or ()
        columns = zip(names, self._named(question, part), strict=True)
        arrays = {name: np.ascontiguousarray(reports[named]) for name, named in columns}
        return Columns(part.report_dtype, arrays)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every part can make what is said of its question."""
        for number, part in enumerate(self.parts):
            part.check(self.told(reports, number))

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """The parts' counts, one behind the other."""
        return np.concatenate(
            [part.tally(self.told(reports, number)) for number, part in enumerate(self.parts)]
        )

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Where the counts of each part end."""
        return tuple(np.cumsum(self._counted).tolist())

    def reports_of(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many reports say something of each question: all."""
        del counts
        return np.full(len(self.parts), n)

    def part_of(self, aggregate: Aggregate, question: int) -> Aggregate:
        """The part's own aggregate of all reports."""
        part, end = self.parts[question], self._ends[question]
        counts = aggregate.counts[end - self._counted[question] : end]
        return Aggregate(part.key, aggregate.n, counts)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people who give an answer."""
        question, number = self.place(answer)
        return self.parts[question].weights(self.told(reports, question).records(), number)

    def simulate(self, truth: AnswerGroups, rng: Keystream) -> Aggregate:
        """The aggregate of a population: each part's, as answers are randomised on their own."""
        groups = self.domain.population(truth)
        counts = [
            part.simulate(_held(groups.rows[:, number], groups.people, part.k), rng).counts
            for number, part in enumerate(self.parts)
        ]
        return Aggregate(self.key, int(groups.people.sum()), np.concatenate(counts))


@dataclass(frozen=True)
class JointQuestions(SeveralQuestions):
    """All answers together as one answer of a table, which one mechanism randomises.

    The combinations are numbered so that the last question's answer changes fastest. A report
    and what is counted are those of the table; the share of an answer is the sum over all
    combinations that have it.

    Attributes:
        shape: how many answers each question has.
        table: the mechanism of all combinations.
    """

    name: ClassVar[str] = "joint"
    shape: tuple[int, ...]
    table: CategoricalMechanism

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", Questions(self.shape).sizes)
        _check_part(self.table)
        combinations = combinations_of(self.shape)
        if combinations > MOST_COMBINATIONS:
            raise too_many_combinations(self.shape)
        if self.table.k != combinations:
            raise ParameterError(
                f"{' times '.join(map(str, self.shape))} answers have {combinations:,} "
                f"combinations, the table is for {self.table.k:,}"
            )
        if self.table.together is None:
            raise ParameterError(
                f"a joint table needs a mechanism that says how often a report supports two "
                f"combinations at once; {self.table.name} doesn't"
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many answers each question has: the table's shape."""
        return self.shape

    @property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: the table's."""
        return self.table.report_dtype

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: the table's, whatever the combinations differ in."""
        return self.table.worst_ratio

    @property
    def tells_pairs(self) -> bool:
        """A report says something of every question."""
        return True

    @property
    def odds(self) -> str:
        """How a device treats the answers, in plain words."""
        return (
            f"All answers together are one of {self.table.k:,} combinations, which is answered as "
            f"one. {self.table.odds}"
        )

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance: the table's reason."""
        return self.table.not_enumerable

    @property
    def errors(self) -> tuple[float, ...]:
        """The error of sums over a table, each answer as frequent as every other."""
        found = []
        for k in self.shape:
            inside, outside = self.sum_variances(self.table.k // k)
            found.append((inside / k + outside * (1 - 1 / k)) / self._gain**2)
        return tuple(found)

    @property
    def pair_error(self) -> float:
        """The error of sums over the combinations that have two answers."""
        pairs = [one * other for one, other in combinations(self.shape, 2)]
        found = 0.0
        for cells in pairs:
            inside, outside = self.sum_variances(self.table.k // cells)
            found += inside + outside * (cells - 1)
        return found / (sum(pairs) * self._gain**2)

    @property
    def _gain(self) -> float:
        return self.table.holder - self.table.others

    def sum_variances(self, cells: int) -> tuple[float, float]:
        """The variance of how many of so many combinations a report supports.

        Of a person whose own is one of them, and of one whose own isn't.
        """
        held, others = self.table.together or (0.0, 0.0)  # the constructor takes no None
        p, q = self.table.holder, self.table.others
        alone = q * (1 - q) + (cells - 1) * (others - q**2)
        inside = p * (1 - p) + 2 * (cells - 1) * (held - p * q)
        inside += (cells - 1) * (q * (1 - q) + (cells - 2) * (others - q**2))
        return inside, cells * alone

    def covariance(self, shares: Floats) -> Floats:
        """The covariance of one person's part in unbiased sums over equally many combinations each.

        Of somebody drawn at random: the noise's, and that of who is drawn. The sums divide the
        table; ``shares`` are those of the people behind each.
        """
        cells = self.table.k // shares.size
        held, others = self.table.together or (0.0, 0.0)
        p, q = self.table.holder, self.table.others
        both = cells * (held + (cells - 1) * others)  # of two sums, of somebody in one of them
        neither = cells**2 * others
        pairs = shares[:, np.newaxis] + shares
        products = neither + pairs * (both - neither)
        own = p + (cells - 1) * (q + 2 * held + (cells - 2) * others)
        foreign = cells * (q + (cells - 1) * others)
        np.fill_diagonal(products, shares * own + (1 - shares) * foreign)
        means = cells * q + shares * self._gain
        return np.asarray((products - np.outer(means, means)) / self._gain**2, np.float64)

    def cells_of(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The numbers of combinations, from rows of answers."""
        return np.asarray(np.ravel_multi_index(tuple(values.T), self.shape), np.int64)

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: those of their combinations."""
        return self.table.perturb(self.cells_of(values), rng)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless the table's mechanism can make every report."""
        self.table.check(reports)

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """The table's counts."""
        return self.table.tally(reports)

    def reports_of(self, counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """How many reports say something of each question: all."""
        del counts
        return np.full(len(self.shape), n)

    def of_table(self, aggregate: Aggregate) -> Aggregate:
        """The same aggregate as the table's own."""
        return Aggregate(self.table.key, aggregate.n, aggregate.counts)

    def supports_of(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports support each combination: a table with an axis for each question."""
        return self.table.supported(self.of_table(aggregate)).reshape(self.shape)

    def estimate_of(self, aggregate: Aggregate, questions: Sequence[int]) -> Estimate:
        """The unbiased shares of combinations of some questions' answers, the last one fastest."""
        others = tuple(at for at in range(len(self.shape)) if at not in questions)
        sums = self.supports_of(aggregate).sum(axis=others)
        wanted = np.argsort(np.argsort(questions))  # the axes that are left are in order
        return self.of_sums(sums.transpose(wanted).ravel(), aggregate.n)

    def of_sums(self, sums: NDArray[np.int64], n: int) -> Estimate:
        """The unbiased shares behind sums over equally many combinations each."""
        cells = self.table.k // sums.size
        inside, outside = self.sum_variances(cells)
        values = np.asarray((sums - n * cells * self.table.others) / (n * self._gain), np.float64)
        slope = (inside - outside) / (n * self._gain**2)
        variance = outside / (n * self._gain**2) + values * slope
        stderr = np.sqrt(np.maximum(variance, 0))
        return Estimate(n, values, stderr, np.full(sums.size, slope))

    def margin(self, aggregate: Aggregate, question: int) -> Margin:
        """What an aggregate says of one question: sums over the combinations of the others."""
        estimate = self.estimate_of(aggregate, [question])
        others = tuple(at for at in range(len(self.shape)) if at != question)
        sums = self.supports_of(aggregate).sum(axis=others)
        n, cells = aggregate.n, self.table.k // sums.size
        inside, outside = self.sum_variances(cells)
        shares = np.clip(estimate.values, 0, 1)
        return Margin(
            estimate,
            n,
            presence_of_sums(sums, n * cells * self.table.others, n * outside),
            np.sqrt(n * (shares * inside + (1 - shares) * outside)),
        )

    def likeliest(self, aggregate: Aggregate, question: int) -> Floats:
        """The most likely shares of one question: those of the most likely table."""
        table = most_likely(self.table.evidence(self.of_table(aggregate))).shares
        others = tuple(at for at in range(len(self.shape)) if at != question)
        shares: Floats = table.reshape(self.shape).sum(axis=others)
        return shares

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people who give an answer."""
        question, number = self.place(answer)
        every = np.moveaxis(np.arange(self.table.k).reshape(self.shape), question, 0)
        weights = np.zeros(len(reports))
        for cell in every[number].ravel().tolist():
            weights += self.table.weights(reports, cell)
        return weights

    def simulate(self, truth: AnswerGroups, rng: Keystream) -> Aggregate:
        """The aggregate of a population: the table's, of its combinations."""
        groups = self.domain.population(truth)
        held = _held(self.cells_of(groups.rows), groups.people, self.table.k)
        made = self.table.simulate(held, rng)
        return Aggregate(self.key, made.n, made.counts)

    def document(self) -> dict[str, Any]:
        """The mechanism as JSON values, its table's as a document of its own."""
        return {"name": self.name, "shape": list(self.shape), "table": self.table.document()}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """The mechanism of a document; a table that isn't for one answer of k is refused."""
        given = _given(cls.name, document, "shape", "table")
        shape = given["shape"]
        if not isinstance(shape, list) or any(type(size) is not int for size in shape):
            raise InvalidDocument(
                f"the parameter shape of {cls.name} must be a list of whole numbers"
            )
        return cls(tuple(shape), _read_part(given["table"]))


def combinations_of(sizes: Sequence[int]) -> int:
    """How many combinations of answers there are."""
    return math.prod(sizes)


def too_many_combinations(sizes: Sequence[int]) -> ParameterError:
    """The refusal of a table with too many cells."""
    named = f"{len(sizes)} questions'"
    if len(sizes) <= _FEW:
        named = " times ".join(f"{size:,}" for size in sizes)
    combinations = combinations_of(sizes)
    many = f"{combinations:,}" if combinations < _COUNTED else f"more than {_COUNTED:,}"
    return ParameterError(
        f"{named} answers have {many} combinations; a joint table has at most {MOST_COMBINATIONS:,}"
    )


def _check_part(part: object) -> None:
    if not isinstance(part, CategoricalMechanism) or part.memoised:
        name = getattr(part, "name", type(part).__name__)
        raise ParameterError(
            f"each of several questions takes one answer of a list; {name} is for something else"
        )


def _read_part(document: object) -> CategoricalMechanism:
    """The mechanism for one answer of k that a document within a document describes."""
    from sudare.mechanisms import categorical, from_document  # which know this module, too

    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        raise InvalidDocument("each of several questions needs a mechanism with a name")
    categorical(document["name"])  # refuses what is for something else
    return cast("CategoricalMechanism", from_document(document))


def _given(name: str, document: dict[str, Any], *wanted: str) -> dict[str, Any]:
    """The parameters of a document, if they are those that are wanted."""
    if document.keys() != {"name", *wanted}:
        raise InvalidDocument(
            f"{name} takes the parameters {', '.join(wanted)}; the document has "
            f"{max(0, len(document) - 1)} that differ"
        )
    return document


def _odds_of(parts: Parts) -> Iterator[str]:
    """How each question's answer is treated."""
    for number, part in enumerate(parts, 1):
        yield f"Question {number}: {part.odds}"


def _held(values: NDArray[Any], people: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """How many people hold each of k values, from groups of people."""
    held = np.zeros(k, np.int64)
    np.add.at(held, values, people)
    return held


def _joined(estimates: Sequence[Estimate]) -> Estimate:
    """The estimates of several questions, of as many people, one behind the other."""
    return Estimate(
        n=max(estimate.n for estimate in estimates),
        values=np.concatenate([estimate.values for estimate in estimates]),
        stderr=np.concatenate([estimate.stderr for estimate in estimates]),
        slope=np.concatenate([np.broadcast_to(e.slope, e.values.shape) for e in estimates]),
    )

"""One of two states in each of several rounds: the share of people in the second, over time."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty
from sudare.answers.table import Layout
from sudare.chance.exact import text_up
from sudare.errors import InvalidAnswer, InvalidDocument, ParameterError, TooFewReports
from sudare.estimation.estimate import Estimate
from sudare.estimation.rounds import StreamEstimate
from sudare.formats.documents import Count, Shape
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.questions.interface import (
    DEVIATIONS,
    Agreed,
    KindBody,
    Population,
    Question,
    Result,
    ResultDocument,
    ResultOptions,
)

if TYPE_CHECKING:
    import pyarrow as pa

States = NDArray[np.uint8]

_UNKNOWN = np.int8(-1)
_STATES = 1 << 21  # read at a time


class RoundRow(Shape):
    """The share in one round; without numbers where it is open, or has too few reports."""

    round: int
    reports: Count | None
    share: float | None
    stderr: float | None
    low: float | None
    high: float | None
    band_low: float | None
    band_high: float | None
    withheld: bool
    window: int | msgspec.UnsetType = msgspec.UNSET


class RoundsDocument(ResultDocument):
    """The share in each round of a window, or of several in a row."""

    state: str
    rounds: int
    reports_each: int
    n: Count
    minimum_reports: int
    level: float
    estimates: list[RoundRow]
    windows: list[int] | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True)
class OverTime(Question):
    """A question that is answered in every round of a window, by one of two states.

    Its errors say where a state stands, by the person's position and the round, never what it is.
    """

    result_document: ClassVar[type[ResultDocument]] = RoundsDocument
    given: ClassVar[str] = "stream of states"
    every_report: ClassVar[str] = "All reports of a person together are"
    no_report: ClassVar[str] = "a person's reports, all together, are never"
    paid_for: ClassVar[str] = "all reports of a person"
    windows_add_up: ClassVar[bool] = False
    not_taken: ClassVar[Mapping[str, str]] = {
        "simultaneous": "over time the band for all rounds is always shown",
        "population": "over time intervals hold for the population anyway",
        "consistent": "the shares of rounds have no sum",
    }

    @cached_property
    def stream(self) -> ContinualMechanism:
        """The mechanism over time that the collection uses."""
        return cast("ContinualMechanism", self.agreed.mechanism)

    @property
    def rounds(self) -> int:
        """How many rounds a window has."""
        return self.stream.rounds

    def check_rules(self, *, invited: bool) -> None:
        """Refuse a label that is the other state's number, and invitations to several reports."""
        zero, one = self.agreed.answers
        if zero == "1" or one == "0":
            raise ParameterError(
                "a state's label can't be the number of the other state: 0 and 1 stand for the "
                "first and the second"
            )
        if invited:
            self.stream.check_invited()

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """The texts that mean a state, each with its number."""
        zero, one = self.agreed.answers
        return {zero: 0, one: 1, "0": 0, "1": 1}

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> States:
        """Streams of labels, of texts 0 and 1, or of numbers, as a row of 0 and 1 per person."""
        people, rounds = answers, self.rounds
        if isinstance(people, np.ndarray) and people.ndim == 2 and people.dtype.kind in "iub":
            if people.shape[1] != rounds:
                raise self._other_length(first, people.shape[1])
            ones = (people == 1).astype(np.int8)
            return self._known(np.where((people == 0) | (people == 1), ones, _UNKNOWN), first)
        states = np.empty((len(people), rounds), np.int8)
        for position, row in enumerate(people):
            told = 1 if isinstance(row, str) or not hasattr(row, "__len__") else len(row)
            if told != rounds or isinstance(row, str):
                raise self._other_length(first + position, told)
            states[position] = [self.state(cell) for cell in row]
        return self._known(states, first)

    def state(self, told: object) -> int:
        """The number of one state that was told by its label or as 0 or 1; -1 if it is none."""
        if isinstance(told, str):
            return self.spellings.get(told, int(_UNKNOWN))
        number = isinstance(told, int | np.integer | np.bool_)
        return int(told) if number and told in (0, 1) else int(_UNKNOWN)

    def _known(self, states: NDArray[np.int8], first: int) -> States:
        wrong = states == _UNKNOWN
        if wrong.any():
            person, number = np.argwhere(wrong)[0].tolist()
            raise InvalidAnswer(
                f"the state at position {first + person} and round {number + 1} "
                f"{self._none_of_them}"
            )
        return states.astype(np.uint8)

    @property
    def _none_of_them(self) -> str:
        return f"is none of the 2 of “{self.agreed.name}” (`sudare collection show` lists them)"

    def _other_length(self, position: int, told: int) -> InvalidAnswer:
        return InvalidAnswer(
            f"the stream at position {position} has {counted(told, 'state')}; "
            f"“{self.agreed.name}” has "
            f"{counted(self.rounds, 'round')}, one state each"
        )

    @property
    def rows_at_once(self) -> int:  # type: ignore[override]
        """How many people of a table are read together: their states fit in memory."""
        return max(1, _STATES // self.rounds)

    def layout(self, column: str | None) -> Layout:
        """The columns of the rounds: 1, 2, 3 …; else all, if as many and none is a number."""
        if column is not None:
            raise ParameterError("--column is for answers; over time each round has a column")
        rounds = self.rounds
        numbers = [str(number) for number in range(1, rounds + 1)]
        hint = f"every row is a person's {counted(rounds, 'state')}"
        return Layout(self._wanted, numbers, ",", quoted=True, hint=hint, truths=("0", "1"))

    def _wanted(self, names: list[str]) -> list[str]:
        rounds = self.rounds
        numbers = [str(number) for number in range(1, rounds + 1)]
        numbered = set(numbers) <= set(names)
        states = [name for name in names if name in self.spellings]
        if not numbered and any(name.isdecimal() for name in set(names).difference(states)):
            raise InvalidDocument(
                f"some columns are named by numbers, but not all of 1 to {rounds} are there: name "
                f"the columns of the rounds so, or use --format lines for a file without a header"
            )
        if not numbered and states:
            raise InvalidDocument(
                "the first line holds states where the columns' names should be: use "
                "--format lines for a file without a header"
            )
        chosen = numbers if numbered else names
        if len(chosen) != rounds:
            raise InvalidDocument(
                f"there are {counted(len(names), 'column')} and “{self.agreed.name}” "
                f"{counted(rounds, 'round')}: "
                f"have one column for each, or name those of the rounds 1 to {rounds}"
            )
        found = Counter(names)
        if any(found[name] > 1 for name in chosen):
            raise InvalidDocument("two columns have the same name: which round is which?")
        return chosen

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """Columns of states, one for each round, as a row of 0 and 1 per person."""
        states = self._states(columns)
        unknown = states == _UNKNOWN
        return Judged(np.where(unknown, 0, states).astype(np.uint8), unknown.any(axis=1))

    def _states(self, columns: "list[pa.Array]") -> NDArray[np.int8]:
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(self.spellings)
        numbers = np.array([*self.spellings.values(), _UNKNOWN], np.int8)
        which = pc.index_in(pa.concat_arrays(columns), value_set=known).fill_null(len(known))
        return np.ascontiguousarray(numbers[which.to_numpy()].reshape(self.rounds, -1).T)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """In which round a state is missing, or none of the two."""
        place = int(np.argmax(self._states(columns)[0] == _UNKNOWN))
        fault = "is missing" if is_empty(columns[place])[0] else self._none_of_them
        return f"the state of round {place + 1} {fault}"

    def blank_reports(self, count: int) -> Records:
        """Reports of the first round that devices might send, all alike and of nobody."""
        reports = super().blank_reports(count)
        reports["round"] = 1
        return reports

    def true_shares(self, values: Iterable[States]) -> dict[str, float]:
        """The share of people in the second state, round by round."""
        people, held = 0, np.zeros(self.rounds, np.int64)
        for chunk in values:
            people += len(chunk)
            held += chunk.sum(axis=0, dtype=np.int64)
        shares = (held / max(1, people)).tolist()
        return {str(number): share for number, share in enumerate(shares, 1)}

    def population(self, truth: Population) -> Population:
        """A population: how many people are in each state, a row per round, or ``Groups``."""
        if isinstance(truth, Mapping):
            raise ParameterError("over time, a population is a row of 2 counts for each round")
        return truth

    def released(self, aggregate: Aggregate) -> Aggregate:
        """The mechanism's own aggregate, of the rounds that have enough reports by themselves.

        An estimate of a round rests on its own reports: the counts of one that has too few are
        left out. What was released of a round never changes with a later one, and when a device
        reports has nothing to do with its states.
        """
        own = self.stream.own(super().released(aggregate))
        found = self._large_cells(own)
        if found is None:
            raise TooFewReports(
                f"no round has more than {counted(self.cells(own).max(), 'report')}; "
                f"“{self.agreed.name}” releases nothing of a round below "
                f"{self.agreed.minimum_reports}"
            )
        return found

    def too_few(self, found: str) -> TooFewReports:
        """The refusal to show any round, which doesn't say how many reports there are."""
        del found
        return TooFewReports(
            f"no closed round of “{self.agreed.name}” has the {self.agreed.minimum_reports} "
            f"reports below which nothing is released"
        )

    def late(self, reports: Records, closed: int) -> NDArray[np.bool_]:
        """Which reports are of one of the closed rounds, up to ``closed``."""
        late: NDArray[np.bool_] = reports["round"] <= closed
        return late

    def cells(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports each round has."""
        reports: NDArray[np.int64] = aggregate.counts.sum(axis=1)
        return reports

    def moved_on(self, held: Aggregate, released: Aggregate) -> None:
        """No running sum is ever released, but a round is when it is closed."""
        del held, released

    def shown(
        self, counts: NDArray[np.int64], closed: int, released: Aggregate | None
    ) -> Aggregate | None:
        """The sum of the closed rounds that have enough reports, which may be shown."""
        del released
        rounds = 1 + np.arange(self.rounds)[:, np.newaxis]
        return self._large_cells(
            Aggregate(self.agreed.key, 0, np.where(rounds <= closed, counts, 0))
        )

    def withheld(self, counts: NDArray[np.int64], closed: int) -> tuple[int, ...]:
        """The closed rounds that have reports, but too few to be shown."""
        reports = counts[:closed].sum(axis=1)
        few = (reports > 0) & (reports < self.agreed.minimum_reports)
        return tuple((1 + np.flatnonzero(few)).tolist())

    def labelled(self, estimate: Estimate) -> Estimate:
        """The mechanism's estimate as it is: rounds have numbers, and no labels."""
        return estimate

    def result(self, weighed: Aggregate, options: ResultOptions) -> "Rounds":
        """The share in every round that may be released, estimated."""
        self.check_options(options)
        estimate = self.stream.estimate(self.released(weighed))
        reports = weighed.counts.sum(axis=1)
        withheld = frozenset(self.withheld(weighed.counts, self.rounds))
        return Rounds(self.agreed, self.stream, estimate, reports, options.level, withheld)

    def series(self, windows: tuple[int, ...], results: Sequence[Any]) -> "Series":
        """The rounds of several windows as one result, counted on from window to window."""
        return Series(self.agreed, windows, tuple(results))

    @property
    def body(self) -> KindBody:
        """Over time, as the collector's JSON has it."""
        return KindBody(over_time=True, free_text=False)

    @property
    def described(self) -> str:
        """The answers in a few words: how many rounds, and reports per person."""
        return f"{counted(self.rounds, 'round')}, reports per person: {self.stream.reports_each:,}"

    def facts(self) -> dict[str, str]:
        """Facts about what taking part costs, term by term."""
        return {
            "rounds": f"{self.rounds:,}",
            "ε of a whole stream": text_up(self.stream.epsilon),
            "reports per person": f"{self.stream.reports_each:,}",
            "what a device does": self.stream.odds,
        }

    def cost_fields(self) -> dict[str, Any]:
        """The rounds that ε pays for, and in how many of them a person reports."""
        return {"rounds": self.rounds, "reports_each": self.stream.reports_each}

    def cost_of_many(self) -> str:
        """The ε of all reports of a person, in half a sentence."""
        return f"all reports of a person cost {self.stream.epsilon!r} together"

    def remarks(self) -> list[str]:
        """How often a device reports, and the true state."""
        return [self.stream.odds]

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of one round, where half of the people are in it."""
        reports = people * self.stream.reports_each / self.rounds
        slope, said = self.stream.holder - self.stream.others, self.stream.holder / 2
        said += self.stream.others / 2
        return DEVIATIONS * math.sqrt(said * (1 - said) / reports) / slope

    def minimum(self) -> str:
        """The least number of reports of a round that is released."""
        return f"{super().minimum()} (in a round)"

    def randomised(self, people: int, reports: int) -> str:
        """That the streams of so many people were randomised, and at which ε, in a sentence."""
        whose = "1 person's stream" if people == 1 else f"{people:,} people's streams"
        made = counted(reports, "report")
        epsilon = text_up(self.stream.epsilon)
        return f"{whose} randomised into {made}, at ε = {epsilon} for all rounds of a person"

    def where(self, aggregate: Aggregate) -> str:
        """In how many of the rounds there are reports, as a sentence ends."""
        heard = int(aggregate.counts.any(axis=1).sum())
        return f", in {heard:,} of {'1 round' if self.rounds == 1 else f'{self.rounds:,} rounds'}"

    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the answers, and the label of each state after its number."""
        return "states", [f"{number}: {name}" for number, name in enumerate(self.agreed.answers)]

    def spending(self) -> str:
        """The ε that a person spends on all rounds, in half a sentence."""
        each = self.stream.reports_each
        sent = "1 report" if each == 1 else f"{counted(each, 'report')} together"
        return (
            f"over {counted(self.rounds, 'round')} a person spends ε = "
            f"{text_up(self.stream.epsilon)} and not more, in {sent}"
        )

    def cost(self) -> str:
        """The ε that a person spends on all rounds, in a few words."""
        return f"ε = {text_up(self.stream.epsilon)} for a whole stream"


def stream_question(collection: Agreed) -> OverTime:
    """The question of a collection, if it is answered over time; any other is refused."""
    question = collection.kind
    if not isinstance(question, OverTime):
        raise ParameterError(
            f"“{collection.name}” asks for one answer, by {collection.mechanism.name}: it has no "
            f"rounds"
        )
    return question


@dataclass(frozen=True, eq=False)
class Rounds(Result):
    """The share of people in state 1 over time, with everything that is shown beside it.

    Attributes:
        collection: whose rounds.
        mechanism: the collection's.
        estimate: the shares of the rounds that may be released.
        reports: of every round, also of one that is withheld, unless it is unseen.
        level: of the intervals, and of the band around all rounds at once.
        withheld: the rounds with reports, but fewer than may be released.
        unseen: those of which nothing else is known.
    """

    row: ClassVar[type[Shape]] = RoundRow

    collection: Agreed
    mechanism: ContinualMechanism
    estimate: StreamEstimate
    reports: NDArray[np.int64]
    level: float
    withheld: frozenset[int]
    unseen: frozenset[int] = frozenset()
    truth: Mapping[str, float] | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types; the truth where it is known."""
        return super().columns | self.truth_columns

    @property
    def state(self) -> str:
        """The name of the state whose share is estimated."""
        return self.collection.answers[1]

    def withholding(self, rounds: Sequence[int]) -> "Rounds":
        """The result, if of some rounds it is only known that they have too few reports."""
        return replace(self, withheld=self.withheld.union(rounds), unseen=frozenset(rounds))

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        return {
            **self.heading(),
            "state": self.state,
            "rounds": self.mechanism.rounds,
            "reports_each": self.mechanism.reports_each,
            "n": int(self.reports.sum()),
            "minimum_reports": self.collection.minimum_reports,
            "level": self.level,
            "estimates": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row per round; only its number of reports where there is no estimate."""
        return [
            {
                **{name: _known(value) for name, value in row.items()},
                "reports": None if row["round"] in self.unseen else reports,
                "withheld": row["round"] in self.withheld,
                **self.truth_cells(row["round"], row["low"], row["high"]),
            }
            for row, reports in zip(
                self.estimate.rows(self.level), self.reports.tolist(), strict=True
            )
        ]


@dataclass(frozen=True, eq=False)
class Series(Result):
    """The rounds of several windows, one after the other, counted on from window to window.

    Attributes:
        collection: whose rounds.
        windows: their numbers, rising.
        parts: the rounds of each.
    """

    row: ClassVar[type[Shape]] = RoundRow

    collection: Agreed
    windows: tuple[int, ...]
    parts: tuple[Rounds, ...]

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types: the window's number, then a round's."""
        return {"window": "int64"} | super().columns

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        last = self.parts[-1].document()
        n = sum(int(part.reports.sum()) for part in self.parts)
        return {**last, "n": n, "windows": list(self.windows), "estimates": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row per round; a band holds for all rounds of its own window."""
        return [
            {"window": window, **row, "round": window * part.mechanism.rounds + row["round"]}
            for window, part in zip(self.windows, self.parts, strict=True)
            for row in part.rows()
        ]


def _known(value: float | None) -> float | None:
    """A single report has an infinite standard error, which JSON can't say."""
    return value if value is None or math.isfinite(value) else None

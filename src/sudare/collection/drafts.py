"""A new collection from what somebody wishes for, each refusal with the wish that it is about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

import msgspec

from sudare.collection.defaults import MINIMUM_REPORTS
from sudare.collection.document import Collection
from sudare.collection.windows import Windows, current_start
from sudare.errors import ParameterError, RefusedWish, SudareError
from sudare.formats.ranges import Range
from sudare.formats.strangers import refuse_unseen
from sudare.mechanisms.domain import Numbers, Selections, Streams
from sudare.mechanisms.interface import Mechanism
from sudare.planning.mechanism_choice import MechanismOptions, choose, choose_several
from sudare.questions.interface import Part

Asked = Literal["choice", "several", "questions", "number", "text", "states"]
FoundOut = Literal["mean", "distribution"]
Wanted = Literal[
    "least_error",
    "association",
    "small_reports",
    "permanent_noise",
    "changing_answers",
    "one_report",
]
_MECHANISMS: dict[tuple[Asked, Wanted], str] = {
    ("choice", "least_error"): "auto",
    ("choice", "small_reports"): "small",
    ("choice", "permanent_noise"): "rappor",
    ("choice", "changing_answers"): "loloha",
    ("several", "least_error"): "set",
    ("questions", "least_error"): "auto",
    ("questions", "association"): "auto",
    ("number", "least_error"): "auto",
    ("text", "permanent_noise"): "rappor",
    ("states", "least_error"): "auto",
    ("states", "one_report"): "glance",
}
"""The mechanism that each want stands for, of each kind of question."""


class QuestionWish(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One of several questions that are asked at once.

    Attributes:
        name: a short name, of a column in tables.
        question: what people are asked.
        answers: the answers' labels, of which a person gives one.
    """

    name: str
    question: str
    answers: tuple[str, ...]


class Words(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What people are asked, and by which rules reports are taken and released.

    Attributes:
        name: a short name, for files and tables.
        question: what people are asked.
        answers: the answers' labels; of a number, the two ends of its range, as decimals; over
            time, the names of the two states; none for texts and for several questions.
        questions: those that are asked at once, each with its answers; else none.
        window: how many seconds a window lasts, if it is asked again and again.
        minimum_reports: no estimate is given of fewer.
        keeps_reports: whether a collector keeps every report, or only their sum.
        invited: whether a report needs an invitation.
    """

    name: str
    question: str
    answers: tuple[str, ...] = ()
    questions: tuple[QuestionWish, ...] = ()
    window: int | None = None
    minimum_reports: int = MINIMUM_REPORTS
    keeps_reports: bool = False
    invited: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """The questions that are asked at once."""
        return tuple(Part(one.name, one.question, one.answers) for one in self.questions)


class Wishes(Words, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What somebody wishes a new collection to be.

    Attributes:
        asks: for one answer of a list, for several of it, for answers to several questions, for a
            number, for a text, or for one of two states in several rounds.
        most: of several answers, how many a person may select.
        step: of a number, its distance to the next, as a decimal.
        found_out: of a number, what is to be estimated; the mean, unless it says otherwise.
        rounds: over time, how many there are in a window.
        wants: the least error, the relation of two of several questions, the smallest reports,
            noise that stays where people are asked again and again, few such noises where their
            answers change, or one report of each person in a window, as invitations need.
        epsilon: the most that one report may cost; over time, all reports of a person together.
        lifetime: with noise that stays, the most that all reports of one answer cost together.
    """

    epsilon: float
    asks: Asked = "choice"
    most: int | None = None
    step: str | None = None
    found_out: FoundOut | None = None
    rounds: int | None = None
    wants: Wanted = "least_error"
    lifetime: float | None = None


def draft(wishes: Wishes, now: float) -> Collection:
    """The collection of some wishes, a ``RefusedWish`` if one of them can't be had.

    One wish after the other is added to a collection that was allowed without it, so that what is
    refused then is that wish. Windows begin with the day, in UTC, and the current one is the first.
    """
    check_words(wishes)
    return worded(wishes, _mechanism(wishes), now)


def check_words(words: Words) -> None:
    """Refuse words that nobody could read, or that read as others do."""
    with _wish("name"):
        refuse_unseen("a name", words.name)
    with _wish("question"):
        if not words.question:
            raise ParameterError("a question needs at least 1 character, got 0")
        refuse_unseen("a question", words.question)
    with _wish("answers"):
        for label in words.answers:
            refuse_unseen("an answer's label", label)
    with _wish("questions"):
        for part in words.parts:
            refuse_unseen("a question's name", part.name)
            refuse_unseen("a question", part.question)
            for label in part.answers:
                refuse_unseen("an answer's label", label)


def worded(words: Words, mechanism: Mechanism, now: float) -> Collection:
    """The collection of a mechanism in words that were checked, by their rules."""
    parts = words.parts
    with _wish("questions" if parts else "answers"):
        made = Collection("draft", words.question, words.answers, mechanism, parts=parts)
    with _wish("name"):
        made = replace(made, name=words.name)
    with _wish("minimum_reports"):
        made = replace(made, minimum_reports=words.minimum_reports)
    if words.window is not None:
        with _wish("window"):
            length = Windows(0, words.window).seconds
            made = replace(made, windows=Windows(current_start(now, length), length))
    with _wish("invited"):
        made = replace(made, invited=words.invited)
    return replace(made, keeps_reports=words.keeps_reports)


def _mechanism(wishes: Wishes) -> Mechanism:
    """The mechanism of some wishes, by the rule for every new collection."""
    with _wish("wants"):
        options = MechanismOptions(1.0, _named(wishes), own_words=wishes.asks == "text")
    with _wish("questions"):
        if bool(wishes.questions) is not (wishes.asks == "questions"):
            raise ParameterError("questions are for several at once, each with its answers")
    if wishes.questions:
        return _at_once(wishes, options)
    with _wish("most"):
        if (wishes.most is None) is (wishes.asks == "several"):
            raise ParameterError("most is for several answers, and a person may select at least 1")
        if wishes.most is not None:
            few = len(wishes.answers) < 2  # which is refused of the answers
            listed = max(2, wishes.most) if few else len(wishes.answers)
            options = replace(options, most=Selections(listed, wishes.most).most)
    options = _with_range(wishes, options)
    with _wish("rounds"):
        if (wishes.rounds is None) is (wishes.asks == "states"):
            raise ParameterError("rounds are for states over time, and there is at least 1")
        if wishes.rounds is not None:
            options = replace(options, rounds=Streams(wishes.rounds).rounds)
    with _wish("answers"):  # at an ε that does, nothing else is left to be wrong
        mechanism = choose(options, len(wishes.answers))
    with _wish("epsilon"):
        if wishes.epsilon != options.epsilon:
            options = replace(options, epsilon=wishes.epsilon)
            mechanism = choose(options, len(wishes.answers))
    if wishes.lifetime is not None:
        with _wish("lifetime"):
            if wishes.wants not in {"permanent_noise", "changing_answers"}:
                raise ParameterError("a lifetime's ε is for permanent noise alone")
            mechanism = choose(replace(options, lifetime=wishes.lifetime), len(wishes.answers))
    return mechanism


def _with_range(wishes: Wishes, options: MechanismOptions) -> MechanismOptions:
    """The options of a number's range, of which the ends are the answers."""
    with _wish("step"):
        if (wishes.step is None) is (wishes.asks == "number"):
            raise ParameterError("a step is for a number, and is above 0")
    with _wish("found_out"):
        if wishes.found_out is not None and wishes.asks != "number":
            raise ParameterError("of a number alone it is said what is to be found out")
    if wishes.asks != "number":
        return options
    with _wish("answers"):
        if len(wishes.answers) != 2:
            raise ParameterError(
                f"a number has the 2 ends of its range as answers, got {len(wishes.answers)}"
            )
        least, largest = wishes.answers
        Range.between((least, largest), 1)  # which any two ends have that can be
    with _wish("step"):
        Numbers(Range.in_steps_of(least, largest, str(wishes.step)).steps)
    found_out = replace(options, least=least, largest=largest, step=wishes.step)
    with _wish("found_out"):
        found_out = replace(found_out, found_out=wishes.found_out)
        choose(found_out, 2)
    return found_out


def _at_once(wishes: Wishes, options: MechanismOptions) -> Mechanism:
    """The mechanism of several questions."""
    options = replace(options, associate=wishes.wants == "association")
    sizes = [len(one.answers) for one in wishes.questions]
    for name, given in (
        ("most", wishes.most),
        ("rounds", wishes.rounds),
        ("step", wishes.step),
        ("found_out", wishes.found_out),
    ):
        with _wish(name):
            if given is not None:
                raise ParameterError(f"{name} is for a single question")
    with _wish("answers"):
        if wishes.answers:
            raise ParameterError("each of several questions has answers of its own")
    with _wish("lifetime"):
        if wishes.lifetime is not None:
            raise ParameterError("a lifetime's ε is for permanent noise alone")
    with _wish("questions"):
        mechanism = choose_several(options, sizes)
    with _wish("epsilon"):
        if wishes.epsilon != options.epsilon:
            mechanism = choose_several(replace(options, epsilon=wishes.epsilon), sizes)
    return mechanism


def _named(wishes: Wishes) -> str:
    """The name of the mechanism that is wanted."""
    found = _MECHANISMS.get((wishes.asks, wishes.wants))
    if found is None:
        allowed = ", ".join(wants for asks, wants in _MECHANISMS if asks == wishes.asks)
        raise ParameterError(f"a question of the kind {wishes.asks} can have {allowed}")
    return found


@contextmanager
def _wish(name: str) -> Iterator[None]:
    """Say of what is refused in the block that it is about this wish."""
    try:
        yield
    except SudareError as error:
        raise RefusedWish(name, str(error)) from error

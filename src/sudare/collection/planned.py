"""The collection that a plan recommends, with the words that people are asked in."""

from collections.abc import Sequence

from msgspec import structs

from sudare.collection.document import Collection
from sudare.collection.drafts import Words, check_words, worded
from sudare.errors import ParameterError
from sudare.mechanisms.interface import Mechanism
from sudare.planning.plans import Plan
from sudare.questions.interface import Part

UNNAMED = "What are people asked?"
"""The question of a collection for which nobody has said it yet."""


def collection_of(
    plan: Plan,
    name: str,
    question: str | None = None,
    labels: Sequence[str] = (),
    parts: Sequence[Part] = (),
) -> Collection:
    """The collection of a plan; answers that nobody named are numbered.

    Args:
        plan: what is recommended there.
        name: of the collection.
        question: what people are asked.
        labels: of the answers; of a number, none.
        parts: several questions at once.
    """
    own = plan.kind.wishes
    if plan.kind.name == "stream":
        labels = labels or ("no", "yes")
    elif plan.kind.name in {"choice", "several"}:
        labels = labels or _numbered("answer", own["answers"])
    elif plan.kind.name == "questions":
        parts = parts or [
            Part(f"question {number}", UNNAMED, _numbered("answer", size))
            for number, size in enumerate(own["sizes"], 1)
        ]
        question = question or f"{len(parts)} questions"
    answers = labels_of(plan, labels)
    made = mechanism_of(plan)
    return Collection(name, question or UNNAMED, answers, made, parts=tuple(parts))


def mechanism_of(plan: Plan) -> Mechanism:
    """The mechanism that a plan recommends."""
    mechanism = plan.recommended.design.mechanism
    if mechanism is None:
        raise ParameterError("two parties count without a collection: they agree on tables")
    return mechanism


def labels_of(plan: Plan, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels of a plan's answers: of a number, the ends of its range."""
    if plan.kind.name != "number":
        return tuple(labels)
    if labels:
        raise ParameterError("a number has no answers to be named: its range is the plan's")
    return plan.kind.wishes["least"], plan.kind.wishes["largest"]


def draft_of(plan: Plan, words: Words, now: float) -> Collection:
    """The collection of a plan in somebody's words, a ``RefusedWish`` if one can't be had."""
    mechanism, labels = mechanism_of(plan), labels_of(plan, words.answers)
    check_words(words)
    return worded(structs.replace(words, answers=labels), mechanism, now)


def placeholders(collection: Collection, labels: Sequence[str], parts: Sequence[Part]) -> list[str]:
    """What somebody still has to say in a collection of a plan, a sentence each."""
    missing = []
    if collection.question == UNNAMED:
        missing.append("the question is still to be said: --question")
    if collection.parts and not parts:
        missing.append("the questions are still to be said: --questions with a file")
    numbered = collection.answers[:1] == ("answer 1",)
    if numbered and not labels:
        missing.append("the answers are only numbered: --answers-file or --answer names them")
    return missing


def _numbered(what: str, count: int) -> tuple[str, ...]:
    return tuple(f"{what} {number}" for number in range(1, count + 1))

"""The collection that a plan recommends, with the words that people are asked in."""

from collections.abc import Sequence

from sudare.collection.document import Collection
from sudare.errors import ParameterError
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
    mechanism, kind = plan.recommended.design.mechanism, plan.kind.name
    if mechanism is None:
        raise ParameterError("two parties count without a collection: they agree on tables")
    own = plan.kind.wishes
    if kind == "number":
        labels = (own["least"], own["largest"])
    elif kind == "stream":
        labels = ("no", "yes")
    elif kind in {"choice", "several"}:
        labels = labels or _numbered("answer", own["answers"])
    elif kind == "questions":
        parts = parts or [
            Part(f"question {number}", UNNAMED, _numbered("answer", size))
            for number, size in enumerate(own["sizes"], 1)
        ]
        question = question or f"{len(parts)} questions"
    return Collection(name, question or UNNAMED, tuple(labels), mechanism, parts=tuple(parts))


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

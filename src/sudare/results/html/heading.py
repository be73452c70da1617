"""The beginning of a page about one collection, and the sentences that explain it."""

from sudare.chance.exact import text_up
from sudare.formats.strangers import isolated
from sudare.questions.interface import Agreed, Question
from sudare.results.html.document import shown
from sudare.results.wording import at_most

ONE_REPORT = (
    "Every answer was randomised before it left its device, so a single report may well be "
    "untrue. The odds are public, and over all {n:,} reports together they can be undone: that "
    "is the estimate."
)


def header(collection: Agreed, facts: dict[str, str]) -> str:
    """The head of a collection's page: its question, these facts, its privacy and what it means."""
    mechanism = collection.mechanism
    paid_for = collection.kind.paid_for
    facts = {**facts, f"Privacy of {paid_for}": f"ε = {text_up(mechanism.epsilon)}"}
    if mechanism.bounded_for_life:
        facts["Of all reports of an answer"] = f"ε = {text_up(mechanism.lifetime_epsilon)}"
    facts["Key"] = collection.key
    privacy = likelihood_sentence(collection.kind, "e<sup>ε</sup> = ")
    return (
        f'<header>\n<h1>{shown(isolated(collection.name))}</h1>\n<p class="question">'
        f"{shown(isolated(collection.question))}</p>\n{definitions(facts, 'facts')}\n"
        f'<p class="privacy">{privacy} {shown(mechanism.odds)}</p>\n</header>'
    )


def likelihood_sentence(question: Question, symbol: str = "") -> str:
    """The promise of ε: how much likelier a report can be under one answer than under another."""
    ratio = at_most(question.agreed.mechanism.worst_ratio)
    return (
        f"{question.every_report} at most {symbol}{ratio} times likelier under one "
        f"{question.given} than under another."
    )


def definitions(entries: dict[str, str], style: str) -> str:
    """A list of terms and what they mean, in HTML."""
    items = "\n".join(
        f"<div><dt>{shown(term)}</dt><dd>{shown(text)}</dd></div>" for term, text in entries.items()
    )
    return f'<dl class="{style}">\n{items}\n</dl>'

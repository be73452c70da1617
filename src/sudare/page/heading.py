"""What a page about one collection begins with, and how it explains itself."""

import math
from html import escape

from sudare.collection import Collection
from sudare.continual import ContinualMechanism
from sudare.exact import text_up
from sudare.mechanism import Mechanism, MemoisedMechanism
from sudare.page.wording import at_most

ONE_REPORT = (
    "Every answer was randomised before it left its device, so a single report may well be "
    "untrue. The odds are public, and over all {n:,} reports together they can be undone: that "
    "is the estimate."
)


def header(collection: Collection, facts: dict[str, str]) -> str:
    """Name and question, these facts and those of privacy, and what the privacy means."""
    mechanism = collection.mechanism
    whole = isinstance(mechanism, ContinualMechanism)
    what = "all reports of a person" if whole else "a report"
    facts = {**facts, f"Privacy of {what}": f"ε = {text_up(mechanism.epsilon)}"}
    if isinstance(mechanism, MemoisedMechanism) and math.isfinite(mechanism.lifetime_epsilon):
        facts["Of all reports of an answer"] = f"ε = {text_up(mechanism.lifetime_epsilon)}"
    facts["Key"] = collection.key
    privacy = likelihood_sentence(mechanism, "e<sup>ε</sup> = ")
    return (
        f'<header>\n<h1>{escape(collection.name)}</h1>\n<p class="question">'
        f"{escape(collection.question)}</p>\n{definitions(facts, 'facts')}\n"
        f'<p class="privacy">{privacy} {escape(mechanism.odds)}</p>\n</header>'
    )


def likelihood_sentence(mechanism: Mechanism, symbol: str = "") -> str:
    """What ε promises: how much likelier a report can be under one answer than under another."""
    subject, given = ("Any report is", "answer")
    if isinstance(mechanism, ContinualMechanism):
        subject, given = ("All reports of a person together are", "stream of states")
    ratio = at_most(mechanism.worst_ratio)
    return f"{subject} at most {symbol}{ratio} times likelier under one {given} than under another."


def definitions(entries: dict[str, str], style: str) -> str:
    """Terms with what they mean."""
    items = "\n".join(
        f"<div><dt>{escape(term)}</dt><dd>{escape(text)}</dd></div>"
        for term, text in entries.items()
    )
    return f'<dl class="{style}">\n{items}\n</dl>'

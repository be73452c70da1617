"""The page of one collection's estimate."""

from collections.abc import Sequence

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate, Interval
from sudare.formats.strangers import isolated
from sudare.questions.interface import Agreed
from sudare.results.html.bars import Bars
from sudare.results.html.document import document, remarks, section, table
from sudare.results.html.heading import ONE_REPORT, definitions, header
from sudare.results.html.scale import Floats
from sudare.results.wording import decimals_for, fixed, p_value, percent, percent_range, percents


def estimate_page(  # noqa: PLR0913 - what is known beside the estimate, each by name
    collection: Agreed,
    estimate: Estimate,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    consistent: Floats | None = None,
    p_values: Floats | None = None,
    truth: Floats | None = None,
    notes: Sequence[str] = (),
) -> str:
    """A collection's estimate as one HTML file: chart, table and how to read them.

    Args:
        collection: what was asked, and how answers were randomised.
        estimate: the shares, in the order of the collection's answers.
        level: that of the intervals.
        simultaneous: whether they hold for all answers at once.
        consistent: the shares after a consistency step.
        p_values: for each answer, of the test that nobody holds it, adjusted for their number.
        truth: the true shares, where a simulation or a trial knows them.
        notes: paragraphs to add, as plain text.
    """
    interval = estimate.simultaneous(level) if simultaneous else estimate.interval(level)
    return document(
        collection.name,
        _header(collection, estimate.n),
        *estimate_sections(
            collection,
            estimate,
            interval,
            level=level,
            simultaneous=simultaneous,
            consistent=consistent,
            p_values=p_values,
            truth=truth,
        ),
        remarks(notes),
        section(
            "How to read this",
            definitions(
                reading(
                    *(len(collection.answers), level, estimate.n),
                    simultaneous=simultaneous,
                    consistent=consistent is not None,
                    tested=p_values is not None,
                    inside=None if truth is None else truths_inside(interval, truth),
                ),
                "reading",
            ),
        ),
    )


def truths_inside(interval: Interval, truth: Floats) -> int:
    """How many of the true shares lie inside their intervals."""
    return int(np.sum((interval.low <= truth) & (truth <= interval.high)))


def estimate_sections(  # noqa: PLR0913 - what is known beside the estimate, each by name
    collection: Agreed,
    estimate: Estimate,
    interval: Interval,
    *,
    level: float,
    simultaneous: bool,
    consistent: Floats | None,
    p_values: Floats | None,
    truth: Floats | None,
    heading: str = "Estimated shares",
    number: int = 1,
) -> list[str]:
    """The chart and the table of one question's shares, each a section."""
    k = len(collection.answers)
    for name, values in {
        "the estimate": estimate.values,
        "consistent": consistent,
        "p_values": p_values,
        "truth": truth,
    }.items():
        if values is not None and values.shape != (k,):
            raise ParameterError(f"{name} has the shape {values.shape}; there are {k} answers")

    low, high = interval
    sure = f"{'simultaneous ' * simultaneous}{percent(level)}"
    decimals = decimals_for(100 * float(np.median(estimate.stderr)))
    columns = {
        "Answer": [isolated(answer) for answer in collection.answers],
        "Share": percents(estimate.values, decimals),
        "Standard error": [f"± {error}" for error in percents(estimate.stderr, decimals)],
        f"{sure} interval": [
            percent_range(start, end, decimals) for start, end in zip(low, high, strict=True)
        ],
    }
    if consistent is not None:
        columns["Consistent"] = percents(consistent, decimals)
    if p_values is not None:
        columns["Present? (p-value)"] = [p_value(p) for p in p_values]
    columns[f"People (of\N{NO-BREAK SPACE}{estimate.n:,})"] = [
        fixed(v, 0) for v in estimate.values * estimate.n
    ]
    if truth is not None:
        columns["Truth"] = percents(truth, decimals)
    bars = Bars(collection.answers, estimate.values, low, high, sure, consistent, truth)
    return [
        section(heading, bars.figure(decimals, number)),
        section("All the numbers", table(f"Every answer of {isolated(collection.name)}", columns)),
    ]


def _header(collection: Agreed, n: int) -> str:
    mechanism = collection.mechanism
    facts = {
        "Reports": f"{n:,}",
        "Mechanism": f"{mechanism.name.upper()}, {len(collection.answers):,} answers",
    }
    return header(collection, facts)


_CONSISTENT = (
    "The estimates after a step that turns them into shares that could exist, with none below 0. "
    "They read more easily but are no longer unbiased: compare answers by the estimates and "
    "their intervals."
)
_PRESENT = (
    "How often noise alone would give an estimate at least this high if nobody held the answer, "
    "adjusted for asking about every answer. "
    "A small p-value says that somebody does; a large one says nothing."
)


def reading(  # noqa: PLR0913 - what is shown beside the intervals, each by name
    k: int,
    level: float,
    n: int,
    *,
    simultaneous: bool,
    consistent: bool,
    tested: bool,
    inside: int | None,
) -> dict[str, str]:
    """How to read a page of so many shares, term by term."""
    misses = k * (1 - level)
    expected = f": with {k:,} answers, expect about {fixed(misses, 0)} to miss" * (misses >= 1.5)
    hold = (
        f"all {k:,} intervals together would hold the true shares {percent(level)} of the time"
        if simultaneous
        else f"such an interval would hold the true share {percent(level)} of the time{expected}"
    )
    found = {
        "One report": ONE_REPORT.format(n=n),
        "The interval": (
            f"Were everything randomised anew, {hold}. It knows the noise; it does not know who "
            "chose not to answer. The standard error is the typical distance from the truth."
        ),
        "Below 0": (
            "Values below 0 are normal. Undoing the noise overshoots as often as it falls short, "
            "so an answer that nobody gave comes out below 0 half of the time. Read it as "
            "“too few to see”. Cutting it off at 0 would make rare answers look more common "
            "than they are."
        ),
    }
    if consistent:
        found["Consistent values"] = _CONSISTENT
    if tested:
        found["Present?"] = _PRESENT
    if inside is not None:
        found["The truth"] = (
            "The true shares of these people are known here, as no survey knows them. "
            f"{inside:,} of the {k:,} intervals contain them."
        )
    return found

"""The page of several questions that were asked at once."""

from collections.abc import Sequence

from sudare.formats.strangers import isolated
from sudare.questions.several import SeveralShares
from sudare.results.html.document import document, remarks, section
from sudare.results.html.estimates import estimate_sections, reading
from sudare.results.html.heading import definitions, header
from sudare.results.html.scale import Floats


def several_page(
    result: SeveralShares, truths: Sequence[Floats | None], notes: Sequence[str]
) -> str:
    """The shares of every question's answers as one HTML file: a chart and a table each.

    Args:
        result: the shares.
        truths: of each question that is shown the true ones, where they are known.
        notes: paragraphs to add, as plain text.
    """
    collection = result.collection
    facts = {
        "Reports": f"{result.n:,}",
        "Mechanism": f"{collection.mechanism.name.upper()}, {collection.kind.described}",
    }
    parts: list[str] = []
    for number, (shares, truth) in enumerate(zip(result.shown, truths, strict=True), 1):
        parts += estimate_sections(
            shares.collection,
            shares.estimate,
            shares.interval,
            level=result.level,
            simultaneous=result.simultaneous,
            consistent=shares.consistent,
            p_values=shares.p_values,
            truth=truth,
            heading=isolated(shares.collection.question),
            number=number,
        )
    known = any(truth is not None for truth in truths)
    terms = reading(
        *(sum(shares.estimate.values.size for shares in result.shown), result.level, result.n),
        simultaneous=result.simultaneous,
        consistent=any(shares.consistent is not None for shares in result.shown),
        tested=True,
        inside=result.truths_held()[0] if known else None,
    )
    return document(
        collection.name,
        header(collection, facts),
        *parts,
        remarks(notes),
        section("How to read this", definitions(terms, "reading")),
    )

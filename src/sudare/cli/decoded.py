"""What ``sudare decode`` shows of the candidates: a table, sentences, JSON, CSV and plots."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

import rich_click as click

from sudare.cli.bar import Bar
from sudare.cli.cells import text_cell

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.estimate import Estimate, Interval
    from sudare.text_analysis import Discoveries


def show(discoveries: "Discoveries", form: str, target: IO[str] | None = None) -> None:
    """As JSON, CSV or table, to a text file or to stdout."""
    if form == "json":
        import msgspec

        document = msgspec.json.encode(discoveries.document())
        click.echo(msgspec.json.format(document, indent=2).decode(), file=target)
    elif form == "csv":
        click.echo(discoveries.csv(), nl=False, file=target)
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(file=target)
        if discoveries.shown:
            console.print(texts_table(discoveries))
        for sentence in discoveries.sentences():
            console.print(Text(sentence))


def texts_table(discoveries: "Discoveries", truth: Mapping[str, float] | None = None) -> "Table":
    """The rows for people, with bars; the truth beside them where a simulation knows it."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from sudare.page.wording import decimals_for, fixed, p_value, percent

    rows = discoveries.shown
    decimals = decimals_for(100 * float(np.median([row["stderr"] for row in rows])))
    table = Table(title=Text(discoveries.collection.question), title_justify="left")
    table.add_column("candidate")  # gives way, with the bars, where a terminal is narrow
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column(f"{100 * discoveries.decoded.confidence:.6g} % interval", no_wrap=True)
    if truth is not None:
        table.add_column("truth", justify="right", no_wrap=True, style="dim")
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column()
    axis = min(0.0, *(row["low"] for row in rows)), max(row["high"] for row in rows)
    for row in rows:
        true = [] if truth is None else [percent(truth[row["candidate"]], decimals)]
        table.add_row(
            text_cell(row["candidate"]),
            percent(row["estimate"], decimals),
            f"{fixed(100 * row['low'], decimals)} to {percent(row['high'], decimals)}",
            *true,
            p_value(row["adjusted"]),
            Bar(row["low"], row["estimate"], row["high"], axis),
            style="" if row["adjusted"] <= discoveries.decoded.level else "dim",
        )
    return table


def save(discoveries: "Discoveries", path: Path) -> None:
    """The listed shares and what they leave unexplained, as a picture or as a page."""
    found, interval = _listed(discoveries)
    whole = _whole(discoveries)
    level = discoveries.decoded.confidence
    if path.suffix.lower() == ".html":
        import numpy as np

        from sudare.files import write_whole
        from sudare.page import decoded_page

        page = decoded_page(
            discoveries.collection,
            found,
            interval,
            whole,
            candidates=len(discoveries.decoded.candidates),
            discoveries=discoveries.count,
            p_values=np.array([row["adjusted"] for row in discoveries.found]),
            level=level,
            notes=discoveries.sentences(),
        )
        write_whole(path, page.encode())
        return
    from sudare.plots import decoded_figure, save

    of = discoveries.count if whole is not None else len(discoveries.decoded.candidates)
    title = discoveries.collection.question
    save(decoded_figure(found, interval, whole, of=of, level=level, title=title), path)


def _listed(discoveries: "Discoveries") -> tuple["Estimate", "Interval"]:
    """The rows' shares, errors and intervals."""
    import numpy as np

    from sudare.estimate import Estimate, Interval

    rows = discoveries.found
    values, stderr, low, high = (
        np.array([row[name] for row in rows]) for name in ("estimate", "stderr", "low", "high")
    )
    labels = tuple(row["candidate"] for row in rows)
    # A slope of 0: the errors of a decoded share are hardly its own noise.
    return Estimate(discoveries.decoded.n, values, stderr, 0 * stderr, labels), Interval(low, high)


def _whole(discoveries: "Discoveries") -> "Estimate | None":
    """The share of all those found beside the rest, unless there is no rest."""
    import numpy as np

    from sudare.estimate import Estimate

    decoded = discoveries.decoded
    if decoded.complete is not None:
        return None
    together = np.array([decoded.findings.explained, decoded.unexplained])
    error = np.full(2, decoded.findings.explained_stderr)
    names = ("those found, together", "everything else")
    return Estimate(decoded.n, together, error, np.zeros(2), names)

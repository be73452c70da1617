"""What ``estimate`` shows of states over time: a table with bars, JSON, CSV and plots."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.amounts import counted
from sudare.cli.bar import Bar
from sudare.cli.options import echo_json

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.aggregate import Aggregate
    from sudare.collection import Collection
    from sudare.stream_analysis import Rounds

_LONGEST = 1000  # rounds in a table
_NO_ESTIMATE = "no estimate"


def rounds_table(found: "Rounds") -> "Table":
    """The rows for people, with bars."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    low, high = found.estimate.interval(found.level)
    decimals = min(9, max(0, 1 - math.floor(math.log10(25 * float(np.median(high - low))))))
    table = Table(title=Text(found.collection.question), title_justify="left")
    for heading in ("round", "reports", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    sure = f"{100 * found.level:.6g} %"
    table.add_column(f"{sure} interval", no_wrap=True)
    table.add_column(f"{sure} band", no_wrap=True)
    table.add_column()
    axis = min(0.0, float(low.min())), float(high.max())
    rows = found.rows()
    for row in rows[:_LONGEST]:
        start = [f"{row['round']:,}", f"{row['reports']:,}"]
        if row["estimate"] is None:
            table.add_row(*start, "", "withheld" if row["withheld"] else _NO_ESTIMATE)
            continue
        table.add_row(
            *start,
            f"{100 * row['estimate']:.{decimals}f} %",
            _ends(row["low"], row["high"], decimals),
            _ends(row["band_low"], row["band_high"], decimals),
            Bar(row["low"], row["estimate"], row["high"], axis),
        )
    notes = [f"The share of people in the state “{found.state}”.", *found.notes()]
    if len(rows) > _LONGEST:
        notes.append(f"The first {_LONGEST:,} of {len(rows):,} rounds; --csv has all.")
    table.caption = Text("\n".join(notes))
    return table


def show_rounds(
    collection: "Collection",
    aggregate: "Aggregate",
    level: float,
    *,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
) -> None:
    """Print the estimates of all rounds, and save them as a picture or a page."""
    from sudare.exact import text_up
    from sudare.stream_analysis import analyse_rounds

    found = analyse_rounds(collection, aggregate, level)
    if plot is not None:
        _save_plot(found, plot)
    if as_json:
        echo_json(found.document())
    elif as_csv:
        click.echo(found.csv(), nl=False)
    else:
        from rich.console import Console

        Console().print(rounds_table(found))
        click.echo(
            f"{counted(int(found.reports.sum()), 'report')}, ε = {text_up(collection.epsilon)} for "
            f"all reports of a person"
        )


def _save_plot(found: "Rounds", path: Path) -> None:
    if path.suffix.lower() == ".html":
        from sudare.files import write_whole
        from sudare.page import stream_page

        page = stream_page(found.collection, found.estimate, level=found.level, notes=found.notes())
        write_whole(path, page.encode())
        return
    from sudare.plots import rounds_figure, save

    title, label = found.collection.question, f"share of people in the state “{found.state}”"
    save(rounds_figure(found.estimate, level=found.level, title=title, y_label=label), path)


def _ends(low: float, high: float, decimals: int) -> str:
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"

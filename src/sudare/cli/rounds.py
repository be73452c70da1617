"""What ``estimate`` says about states over time, as rows, table, JSON, CSV and plots."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rich_click as click
from numpy.typing import NDArray

from sudare.cli.bar import Bar
from sudare.cli.cells import csv_text
from sudare.cli.options import echo_json
from sudare.cli.reports import counted
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.estimation.rounds import StreamEstimate

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.aggregate import Aggregate
    from sudare.collection import Collection

_LONGEST = 1000  # rounds in a table
_NO_ESTIMATE = "no estimate"


@dataclass(frozen=True, eq=False)
class Rounds:
    """The share of people in state 1 over time, with everything that is shown beside it."""

    collection: "Collection"
    mechanism: ContinualMechanism
    estimate: StreamEstimate
    reports: NDArray[np.int64]  # of every round, also of one that is withheld
    level: float

    @property
    def state(self) -> str:
        """The name of the state whose share is estimated."""
        return self.collection.answers[1]

    @property
    def withheld(self) -> NDArray[np.int64]:
        """The rounds with reports, but fewer than may be released."""
        heard = 1 + np.flatnonzero(self.reports)
        return heard[~np.isin(heard, self.estimate.rounds)]

    def document(self) -> dict[str, Any]:
        """Everything, for machines."""
        return {
            "collection": self.collection.name,
            "key": self.collection.key,
            "mechanism": self.mechanism.name,
            "epsilon": self.collection.epsilon,
            "state": self.state,
            "rounds": self.mechanism.rounds,
            "reports_each": self.mechanism.reports_each,
            "n": int(self.reports.sum()),
            "minimum_reports": self.collection.minimum_reports,
            "level": self.level,
            "estimates": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per round; nothing but its number of reports where there is no estimate."""
        withheld = set(self.withheld.tolist())
        return [
            {
                **{name: _known(value) for name, value in row.items()},
                "reports": reports,
                "withheld": row["round"] in withheld,
            }
            for row, reports in zip(
                self.estimate.rows(self.level), self.reports.tolist(), strict=True
            )
        ]

    def csv(self) -> str:
        """The rows as CSV, empty where there is no estimate."""
        rows = self.rows()
        return csv_text(rows, list(rows[0]))

    def notes(self) -> list[str]:
        """What must be said beside the numbers."""
        silent, withheld = int((self.reports == 0).sum()), len(self.withheld)
        minimum = counted(self.collection.minimum_reports, "report")
        said = {
            f"{counted(silent, 'round')} without a report: no estimate.": silent,
            f"{counted(withheld, 'round')} with fewer than {minimum}: withheld.": withheld,
        }
        return [note for note, applies in said.items() if applies]

    def table(self) -> "Table":
        """The rows for people, with bars."""
        from rich.table import Table
        from rich.text import Text

        low, high = self.estimate.interval(self.level)
        decimals = min(9, max(0, 1 - math.floor(math.log10(25 * float(np.median(high - low))))))
        table = Table(title=Text(self.collection.question), title_justify="left")
        for heading in ("round", "reports", "share"):
            table.add_column(heading, justify="right", no_wrap=True)
        sure = f"{100 * self.level:.6g} %"
        table.add_column(f"{sure} interval", no_wrap=True)
        table.add_column(f"{sure} band", no_wrap=True)
        table.add_column()
        axis = min(0.0, float(low.min())), float(high.max())
        rows = self.rows()
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
        notes = [f"The share of people in the state “{self.state}”.", *self.notes()]
        if len(rows) > _LONGEST:
            notes.append(f"The first {_LONGEST:,} of {len(rows):,} rounds; --csv has all.")
        table.caption = Text("\n".join(notes))
        return table


def analyse_rounds(collection: "Collection", aggregate: "Aggregate", level: float) -> Rounds:
    """Estimate every round of an aggregate that may be released."""
    mechanism, estimate = collection.mechanism, collection.estimate(aggregate)
    if not isinstance(mechanism, ContinualMechanism) or not isinstance(estimate, StreamEstimate):
        raise ParameterError(f"“{collection.name}” is asked once, not over time")
    return Rounds(collection, mechanism, estimate, aggregate.counts.sum(axis=1), level)


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

    found = analyse_rounds(collection, aggregate, level)
    if plot is not None:
        _save_plot(found, plot)
    if as_json:
        echo_json(found.document())
    elif as_csv:
        click.echo(found.csv(), nl=False)
    else:
        from rich.console import Console

        Console().print(found.table())
        click.echo(
            f"{counted(int(found.reports.sum()), 'report')}, ε = {text_up(collection.epsilon)} for "
            f"all reports of a person"
        )


def _save_plot(found: Rounds, path: Path) -> None:
    if path.suffix.lower() == ".html":
        from sudare.files import write_whole
        from sudare.page import stream_page

        page = stream_page(found.collection, found.estimate, level=found.level, notes=found.notes())
        write_whole(path, page.encode())
        return
    from sudare.plots import rounds_figure, save

    title, label = found.collection.question, f"share of people in the state “{found.state}”"
    save(rounds_figure(found.estimate, level=found.level, title=title, y_label=label), path)


def _known(value: float | None) -> float | None:
    """A single report has an infinite standard error, which JSON can't say."""
    return value if value is None or math.isfinite(value) else None


def _ends(low: float, high: float, decimals: int) -> str:
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"

"""What ``sudare decode`` says about the candidates: rows, table, sentences, JSON, CSV and plots."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.bar import Bar
from sudare.cli.cells import csv_text, text_cell

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.collection import Collection
    from sudare.decoding import Decoded
    from sudare.estimate import Estimate

_FIELDS = ("candidate", "estimate", "stderr", "low", "high", "p_value", "adjusted")
_HIDDEN = 1.25  # times the noise of randomising: more can't be explained by rare texts alone


@dataclass(frozen=True)
class Discoveries:
    """What was decoded, and how much of it is shown.

    Attributes:
        collection: whose reports these are.
        decoded: all that is known.
        everyone: whether candidates that were not found are shown too.
        top: how many are shown at most.
    """

    collection: "Collection"
    decoded: "Decoded"
    everyone: bool
    top: int | None

    @cached_property
    def found(self) -> list[dict[str, Any]]:
        """The rows of those found, the largest share first."""
        return self.decoded.rows()[: self.top]

    @cached_property
    def shown(self) -> list[dict[str, Any]]:
        """The rows to be listed."""
        return self.decoded.rows(everyone=True)[: self.top] if self.everyone else self.found

    @property
    def count(self) -> int:
        """How many were found."""
        return len(self.decoded.findings.found)

    def print(self, form: str, target: IO[str] | None = None) -> None:
        """As JSON, CSV or table, to a text file or to stdout."""
        if form == "json":
            import msgspec

            document = msgspec.json.encode(self.document())
            click.echo(msgspec.json.format(document, indent=2).decode(), file=target)
        elif form == "csv":
            fields = (*_FIELDS, "found") if self.everyone else _FIELDS
            click.echo(csv_text(self.shown, fields), nl=False, file=target)
        else:
            from rich.console import Console
            from rich.text import Text

            console = Console(file=target)
            if self.shown:
                console.print(self._table())
            for sentence in self.sentences():
                console.print(Text(sentence))

    def document(self) -> dict[str, Any]:
        """Everything, for machines; what is unexplained may lie below 0 or above 1."""
        decoded = self.decoded
        document = {
            "collection": self.collection.name,
            "key": self.collection.key,
            "mechanism": self.collection.mechanism.name,
            "epsilon": self.collection.epsilon,
            "n": decoded.n,
            "candidates": len(decoded.candidates),
            "level": decoded.level,
            "correction": decoded.correction,
            "confidence": decoded.confidence,
            "smallest_detectable": decoded.smallest,
            "excess_noise": decoded.findings.excess,
            "discoveries": self.count,
            "found": self.found,
            "unexplained": {
                "estimate": decoded.unexplained,
                "stderr": decoded.findings.explained_stderr,
            },
        }
        return {**document, "all": self.shown} if self.everyone else document

    def tally(self) -> str:
        """How many were found, in a few words."""
        return f"{self.count:,} of {len(self.decoded.candidates):,} candidates found"

    def sentences(self) -> list[str]:
        """What must be known beside the rows, for people."""
        from sudare.exact import text_up
        from sudare.page.wording import decimals_for, percent

        decoded = self.decoded
        most = len(decoded.candidates) if self.everyone else self.count
        listed = f"; the {len(self.shown):,} largest are listed" * (len(self.shown) < most)
        said = [f"{self.tally()}{listed}."]
        error = decoded.findings.explained_stderr
        decimals = decimals_for(100 * error) if self.count else 0
        rest = min(max(decoded.unexplained, 0), 1)
        if self.count:
            said.append(
                f"Those found are the answers of {percent(1 - rest, decimals)} of people (less the "
                f"luck of being found); the other {percent(rest, decimals)} ± "
                f"{percent(error, decimals)} answered something else (“other”)."
            )
            said.append(self._meaning())
        else:
            said.append("For all that is known, everybody answered something else (“other”).")
        smallest = percent(decoded.smallest, decimals_for(100 * decoded.smallest))
        said.append(
            f"A text that {smallest} of people answered is found with an even chance: that is "
            "about the smallest share that so many reports can show."
        )
        excess = decoded.findings.excess
        if excess is not None and excess > _HIDDEN:
            said.append(
                f"The noise is {excess:.1f} times what randomising makes: something that many "
                "people answered is missing from the candidates, and may hide rarer texts."
            )
        said.append(f"{decoded.n:,} reports, ε = {text_up(self.collection.epsilon)} each.")
        return said

    def _meaning(self) -> str:
        """What the level says of those found."""
        level = f"{100 * self.decoded.level:.4g} %"
        if self.decoded.correction == "benjamini-hochberg":
            return f"At most about {level} of those found are there by chance."
        if self.decoded.correction == "bonferroni":
            return f"The chance that any of those found is there by chance is at most {level}."
        tested = len(self.decoded.candidates)
        chance = self.decoded.level * tested
        return (
            f"The p-values are not adjusted: of {tested:,} texts that nobody answered, about "
            f"{chance:,.{0 if chance >= 10 else 2}f} would be found by chance."
        )

    def _table(self) -> "Table":
        import numpy as np
        from rich.table import Table
        from rich.text import Text

        from sudare.page.wording import decimals_for, fixed, p_value, percent

        rows = self.shown
        decimals = decimals_for(100 * float(np.median([row["stderr"] for row in rows])))
        table = Table(title=Text(self.collection.question), title_justify="left")
        table.add_column("candidate")  # gives way, with the bars, where a terminal is narrow
        table.add_column("share", justify="right", no_wrap=True)
        table.add_column(f"{100 * self.decoded.confidence:.6g} % interval", no_wrap=True)
        table.add_column("p", justify="right", no_wrap=True)
        table.add_column()
        axis = min(0.0, *(row["low"] for row in rows)), max(row["high"] for row in rows)
        for row in rows:
            table.add_row(
                text_cell(row["candidate"]),
                percent(row["estimate"], decimals),
                f"{fixed(100 * row['low'], decimals)} to {percent(row['high'], decimals)}",
                p_value(row["adjusted"]),
                Bar(row["low"], row["estimate"], row["high"], axis),
                style="" if row["adjusted"] <= self.decoded.level else "dim",
            )
        return table

    def save(self, path: Path) -> None:
        """Those found and what they leave unexplained, as a picture or as a page."""
        found, whole = self._estimates()
        level = self.decoded.confidence
        if path.suffix.lower() == ".html":
            import numpy as np

            from sudare.files import write_whole
            from sudare.page import decoded_page

            page = decoded_page(
                self.collection,
                found,
                whole,
                candidates=len(self.decoded.candidates),
                discoveries=self.count,
                p_values=np.array([row["adjusted"] for row in self.found]),
                level=level,
                notes=self.sentences(),
            )
            write_whole(path, page.encode())
            return
        from sudare.plots import decoded_figure, save

        title = self.collection.question
        figure = decoded_figure(found, whole, discoveries=self.count, level=level, title=title)
        save(figure, path)

    def _estimates(self) -> tuple["Estimate", "Estimate"]:
        """The shares of those found, and the share of all of them beside the rest.

        With a slope of 0 their intervals are those of the rows: the errors of a decoded share
        are hardly its own noise.
        """
        import numpy as np

        from sudare.estimate import Estimate

        decoded = self.decoded
        numbers = decoded.findings.found[: self.top]
        shares, stderr = (
            part[numbers] for part in (decoded.findings.shares, decoded.findings.stderr)
        )
        labels = tuple(row["candidate"] for row in self.found)
        found = Estimate(decoded.n, shares, stderr, np.zeros(len(numbers)), labels)
        together = np.array([decoded.findings.explained, decoded.unexplained])
        error = np.full(2, decoded.findings.explained_stderr)
        names = ("those found, together", "everything else")
        return found, Estimate(decoded.n, together, error, np.zeros(2), names)

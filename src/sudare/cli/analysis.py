"""The shares of answers for people: a table with bars."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from sudare.cli.bar import Bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from sudare.analysis import Analysis


def answers_table(analysis: "Analysis", truth: "NDArray[np.float64] | None" = None) -> "Table":
    """The rows for people, with bars."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    percent = _percent(float(np.median(analysis.estimate.stderr)))
    table = Table(title=Text(analysis.collection.question), title_justify="left")
    table.add_column("answer")
    table.add_column("share", justify="right")
    table.add_column(f"{analysis.level:.4%}".rstrip("0%").rstrip(".") + " % interval", no_wrap=True)
    if analysis.consistent is not None:
        table.add_column("consistent", justify="right")
    if truth is not None:
        table.add_column("truth", justify="right", style="dim")
    table.add_column("p", justify="right")
    table.add_column()
    table.caption = "\n".join(analysis.notes()) or None
    axis = min(0.0, float(analysis.interval.low.min())), float(analysis.interval.high.max())
    for index, row in enumerate(analysis.rows()):
        cells: list[str | Text | Bar] = [
            Text(row["answer"]),  # a label is not markup
            percent(row["share"]),
            f"{percent(row['low'])[:-2]} to {percent(row['high'])}",
        ]
        if analysis.consistent is not None:
            cells.append(percent(row["consistent"]))
        if truth is not None:
            cells.append(percent(truth[index]))
        bar = Bar(row["low"], row["share"], row["high"], axis)
        table.add_row(*cells, _p_value(row["p_value"]), bar)
    return table


def _percent(stderr: float) -> Callable[[float], str]:
    """Percentages to two digits of a typical standard error."""
    decimals = min(9, max(0, 1 - math.floor(math.log10(100 * stderr))))
    return lambda share: f"{100 * share:.{decimals}f} %"


def _p_value(p: float) -> str:
    return "<1e-9" if p < 1e-9 else f"{p:.2g}"

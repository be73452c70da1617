"""The figures: what was simulated beside what was foreseen, of all plans."""

from collections.abc import Callable, Sequence
from pathlib import Path

from came_true import NEAR, OFTEN, Row, powers, ratio
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def errors(rows: Sequence[Row], path: Path) -> None:
    """The simulated error over the one foreseen, against the latter."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    panel = figure.subplots()
    panel.axhspan(1 - NEAR, 1 + NEAR, color="0.92")
    panel.axhline(1, color="black", linewidth=0.8)

    def point(row: Row) -> list[tuple[float, float]]:
        return [(row["foreseen"], ratio(row))]

    _scattered(panel, rows, point)
    panel.set_xscale("log")
    panel.set_xlabel("error foreseen (of a share, or in steps of a number)")
    panel.set_ylabel("simulated / foreseen")
    figure.savefig(path, dpi=120)


def _chances(row: Row) -> list[tuple[float, float]]:
    """How far off each chance to see something is, against the number of reports."""
    return [(row["reports"], 100 * (seen - foreseen)) for foreseen, seen in powers(row)]


def chances(rows: Sequence[Row], path: Path) -> None:
    """The chances to see a share or difference, less those foreseen."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    panel = figure.subplots()
    panel.axhspan(-100 * OFTEN, 100 * OFTEN, color="0.92")
    panel.axhline(0, color="black", linewidth=0.8)
    _scattered(panel, rows, _chances)
    panel.set_xscale("log")
    panel.set_xlabel("reports")
    panel.set_ylabel("seen − foreseen, in points")
    figure.savefig(path, dpi=120)


def _scattered(
    panel: Axes, rows: Sequence[Row], points: Callable[[Row], list[tuple[float, float]]]
) -> None:
    """Points of each kind in a colour of its own, hollow where the plan says that it is rough."""
    for colour, kind in enumerate(dict.fromkeys(row["kind"] for row in rows)):
        for rough in (False, True):
            own = [row for row in rows if (row["kind"], row["rough"]) == (kind, rough)]
            found = [point for row in own for point in points(row)]
            if found:
                across, up = zip(*found, strict=True)
                panel.scatter(
                    across,
                    up,
                    s=16,
                    edgecolors=f"C{colour}",
                    facecolors="none" if rough else f"C{colour}",
                    label=f"{kind}, rough" if rough else kind,
                )
    panel.legend(fontsize=8, ncols=2)

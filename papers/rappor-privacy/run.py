"""RAPPOR's privacy: the document's formulas against the exact law of the code that ships.

    python papers/rappor-privacy/run.py

writes result.json and figures/ beside this file (or into --out) and prints what the document
says, what we find, and the verdict. Nothing here is drawn at random.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import formulas
import numpy as np
import product
import record
import repeated
from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sudare import Rappor, SudareError
from sudare.results import figures as plots

HERE = Path(__file__).resolve().parent
SECTIONS = (
    formulas.permanent_rows,
    product.product_rows,
    formulas.report_rows,
    formulas.bound_rows,
    formulas.dominance_rows,
    repeated.repeated_rows,
)
REPORTS = range(1, 31)


@dataclass(frozen=True, eq=False)
class Line:
    """A curve for ``sudare.results.figures.error_figure``."""

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    stderr: None = None
    theory: NDArray[np.float64] | None = None


def main() -> int:
    """Check every claim and draw what repeated reports cost."""
    arguments = _arguments()
    try:
        rows = redo()
        figures: Path = arguments.out / "figures"
        figures.mkdir(parents=True, exist_ok=True)
        draw(figures)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    record.write(rows, arguments.out / "result.json")
    record.show(rows)
    print(f"Written: {arguments.out / 'result.json'} and {arguments.out / 'figures'}")
    return 0


def redo() -> list[record.Row]:
    """Every claim, in the order of the document."""
    rows = []
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as progress:
        for section in progress.track(SECTIONS, description="every path of the code"):
            rows += section()
    return rows


def draw(figures: Path) -> None:
    """The exact ε of k reports, from ε₁ up to ε∞."""
    mechanisms = {
        "h = 2, f = ½, p = ½, q = ¾": formulas.REPORT,
        "h = 2, f = ½, p = ¼, q = ¾": Rappor(4, 2, 1, 0.5, 0.25, 0.75),
        "h = 1, f = ¼, p = ½, q = ¾": Rappor(4, 1, 1, 0.25, 0.5, 0.75),
    }
    x = np.array(REPORTS, np.float64)
    lines = [
        Line(label, x, np.array(repeated.exact_epsilons(mechanism, REPORTS)))
        for label, mechanism in mechanisms.items()
    ]
    figure = plots.error_figure(
        lines,
        title="The exact ε of k reports of one memoised answer; dashed: ε∞, dotted: k ε₁",
        x_label="reports k",
        y_label="ε",
    )
    axes = figure.axes[0]
    for mechanism in mechanisms.values():
        axes.axhline(mechanism.lifetime_epsilon, color="#999999", linewidth=0.8, linestyle="--")
        composed = np.minimum(x * mechanism.epsilon, mechanism.lifetime_epsilon)
        axes.plot(x, composed, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_yscale("linear")
    axes.set_ylim(0, 5)
    plots.save(figure, figures / "repeated.png")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on RAPPOR's privacy.")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

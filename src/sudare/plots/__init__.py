"""Estimates and errors as figures, for PNG, SVG and PDF. The only importer of matplotlib.

The figures are plain ``Figure`` values: no window, no global state. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; lines differ in their markers as well.
"""

from sudare.plots.curves import cost_figure, error_figure
from sudare.plots.figures import save
from sudare.plots.shares import decoded_figure, estimate_figure
from sudare.plots.streams import stream_error_figure, stream_figure

__all__ = [
    "cost_figure",
    "decoded_figure",
    "error_figure",
    "estimate_figure",
    "save",
    "stream_error_figure",
    "stream_figure",
]

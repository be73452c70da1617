"""Estimates and errors as figures, for PNG, SVG and PDF.

The figures are plain ``Figure`` values: no window, no global state. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; lines differ in their markers as well.

``frame``: fonts that can draw a figure's texts, a frame, a legend, a file.
``shares``: shares as bars with their intervals.
``means``: a mean of numbers on the axis of their range.
``histograms``: a distribution of numbers.
``rounds``: shares over time, with the band that holds for all rounds at once.
``streams``: simulated streams: one run, and errors against ε.
``curves``: errors as curves on a logarithmic axis.
"""

from sudare.results.figures.curves import cost_figure, error_figure
from sudare.results.figures.frame import save
from sudare.results.figures.histograms import histogram_figure
from sudare.results.figures.means import mean_figure
from sudare.results.figures.rounds import rounds_figure
from sudare.results.figures.shares import decoded_figure, estimate_figure, estimates_figure
from sudare.results.figures.streams import stream_error_figure, stream_figure

__all__ = [
    "cost_figure",
    "decoded_figure",
    "error_figure",
    "estimate_figure",
    "estimates_figure",
    "histogram_figure",
    "mean_figure",
    "rounds_figure",
    "save",
    "stream_error_figure",
    "stream_figure",
]

"""What a figure shows, taken back out of it."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D


def names_of(figure: Figure) -> list[str]:
    """The names along the first panel's vertical axis."""
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.axes[0].get_yticklabels()]


def line_of(figure: Figure, label: str) -> Line2D:
    """The first panel's one line of this name in the legend."""
    (line,) = (line for line in figure.axes[0].lines if line.get_label() == label)
    return line


def ends_of(bars: ErrorbarContainer) -> np.ndarray:
    (lines,) = bars.lines[2]
    assert isinstance(lines, LineCollection)
    return np.array(lines.get_segments())

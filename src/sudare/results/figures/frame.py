"""The parts that every figure has: fonts that can draw its texts, a frame, a legend, a file."""

from bisect import bisect_left
from functools import cache
from itertools import accumulate
from pathlib import Path
from unicodedata import east_asian_width

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure

from sudare.errors import ParameterError
from sudare.formats.files import replacing
from sudare.formats.strangers import visible_lines

BLUE, VERMILION, INK = "#0072B2", "#D55E00", "#333333"

# Fonts with Japanese on the usual systems; matplotlib's own comes first and has none.
_JAPANESE = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "MS Gothic",
    "TakaoGothic",
    "VL Gothic",
)
# What each format would write of its own accord, and differently from run to run: left out.
_FORMATS = {".png": "Software", ".svg": "Date", ".pdf": "CreationDate"}


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the suffix names: all of the file or none of it.

    The same figure gives the same bytes: no date, no random identifiers.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise ParameterError(
            f"a figure is saved as {', '.join(_FORMATS)}; got the file name {path.name!r}"
        )
    metadata = {_FORMATS[suffix]: None}
    with replacing(path) as temporary, mpl.rc_context({"svg.hashsalt": "sudare"}):
        figure.savefig(temporary, format=suffix[1:], dpi=120, metadata=metadata)


def titled_figure(title: str, width: float, height: float) -> Figure:
    """An empty figure of so many inches; above it its title, unless that is empty."""
    figure = Figure(figsize=(width, height), layout="constrained")
    if title:
        figure.suptitle(readable(title, "?"), fontsize=11, parse_math=False, family=family())
    return figure


def open_frame(axes: Axes) -> Axes:
    """Take the lines above and to the right from axes; put their grid behind what is drawn."""
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def add_legend(figure: Figure) -> None:
    """Put the legend of the first axes below the figure."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    entries = sorted(  # bars before bare lines and points
        zip(handles, labels, strict=True), key=lambda entry: not isinstance(entry[0], Container)
    )
    legend = figure.legend(
        [handle for handle, _ in entries],
        [label for _, label in entries],
        loc="outside lower center",
        ncols=min(4, max(1, len(handles))),
        frameon=False,
        prop={"family": family(), "size": 9},
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def cut(text: str, width: int) -> str:
    """A text, or its beginning if it is wider than so many narrow letters."""
    ends = list(accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in text))
    if not ends or ends[-1] <= width:
        return text
    return text[: bisect_left(ends, width)].rstrip() + "…"


def readable(text: str, instead: str | None) -> str:
    """A visible text that the fonts can draw: with ``instead`` for what they can't, or empty."""
    text = visible_lines(text)
    missing = {letter for letter in text if not _drawable(letter)}
    if missing and instead is None:
        return ""
    return "".join(instead or "" if letter in missing else letter for letter in text)


@cache
def family() -> list[str]:
    """The fonts of figures: Matplotlib's own, then one with Japanese if the system has it."""
    present = set(font_manager.get_font_names())
    return ["DejaVu Sans", *[name for name in _JAPANESE if name in present][:1]]


@cache
def _drawable(letter: str) -> bool:
    if letter == "\n":
        return True
    return any(
        font_manager.get_font(
            font_manager.findfont(font_manager.FontProperties(family=[name]))
        ).get_char_index(ord(letter))
        for name in family()
    )

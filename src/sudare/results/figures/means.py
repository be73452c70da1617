"""The mean of numbers on the axis of their range."""

from matplotlib.figure import Figure

from sudare.results.figures.frame import BLUE, INK, add_legend, open_frame, titled_figure


def mean_figure(
    mean: tuple[float, float, float],
    span: tuple[float, float],
    *,
    caption: str,
    title: str = "",
    truth: float | None = None,
) -> Figure:
    """A mean as a point with its interval.

    Args:
        mean: the interval's lower end, the mean, the upper end.
        span: the least and the largest number that may be answered.
        caption: what is drawn.
        title: above the figure.
        truth: the true mean, where it is known.
    """
    low, middle, high = mean
    figure = titled_figure(title, 7, 1.9)
    axes = open_frame(figure.add_subplot())
    axes.errorbar(
        [middle],
        [0],
        xerr=[[middle - low], [high - middle]],
        fmt="o",
        color=BLUE,
        elinewidth=1.6,
        capsize=4,
        label=caption,
    )
    if truth is not None:
        axes.plot(
            [truth], [0], "d", markerfacecolor="white", markeredgecolor=INK, label="truth", zorder=3
        )
    ends = (min(low, span[0]), max(high, span[1]))
    room = 0.03 * (ends[1] - ends[0])
    axes.set_xlim(ends[0] - room, ends[1] + room)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    add_legend(figure)
    return figure

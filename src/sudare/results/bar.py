"""A bar with its uncertainty, as wide as the terminal allows."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text


@dataclass(frozen=True)
class Interval:
    """A line from the interval's low end to its high end, with a point at the estimate."""

    low: float
    value: float
    high: float
    axis: tuple[float, float]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The widths that Rich may give the line: from a stub to a comfortable one."""
        return Measurement(8, min(40, options.max_width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left, right = self.axis
        width = min(40, options.max_width)

        def cell(number: float) -> int:
            return min(width - 1, max(0, int((number - left) / (right - left) * width)))

        line = Text("·" * width, "dim")
        first, last = cell(self.low), cell(self.high)
        line.stylize("not dim yellow", first, last + 1)
        drawn = list("·" * first + "─" * (last + 1 - first) + "·" * (width - 1 - last))
        drawn[cell(self.value)] = "●"
        line.plain = "".join(drawn)
        yield line


@dataclass(frozen=True)
class Bar:
    """A bar in a terminal: solid to the interval's low end, shaded to the estimate, then a line."""

    low: float
    value: float
    high: float
    axis: tuple[float, float]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The widths that Rich may give the bar: from a stub to a comfortable one."""
        return Measurement(8, min(40, options.max_width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left, right = self.axis
        width = min(40, options.max_width)
        bar = Text()
        for cell in range(width):
            at = left + (cell + 0.5) * (right - left) / width
            if 0 <= at < min(self.low, self.value):
                bar.append("█", "cyan")
            elif 0 <= at < self.value:
                bar.append("▓", "cyan")
            elif self.low <= at < self.high:
                bar.append("─", "yellow")
            else:
                bar.append(" ")
        yield bar

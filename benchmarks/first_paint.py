"""How soon does a survey show something on a slow line? ``--help`` for options.

A real collector and Chromium, whose network is slowed by itself (the DevTools protocol), with an
empty cache each time. Two moments after the address was opened: the first words, which stand in the
page itself, and the question with its answers, which needs the program.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.analysts import at_port
from support.browsing import TEA, Stage, browsing

PAINTED = """() => new Promise((done) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === "first-contentful-paint") done(startTime);
  }).observe({ type: "paint", buffered: true });
})"""


@dataclass(frozen=True)
class Line:
    """A network: bytes a second in both directions, and milliseconds until an answer begins."""

    rate: int
    latency: int


@contextmanager
def collector() -> Iterator[str]:
    """The address of a survey on a collector of this machine."""
    with tempfile.TemporaryDirectory() as folder, Stage(Path(folder)) as stage:
        stage.hold(TEA, public=True)
        with at_port(stage) as url:
            yield f"{url}/s/{TEA.key}"


def opened(browser: Browser, address: str, line: Line, language: str) -> tuple[float, float]:
    """Seconds until the first words, and until the question can be answered."""
    context = browser.new_context(locale=language)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    slow = {"latency": line.latency, "downloadThroughput": line.rate, "uploadThroughput": line.rate}
    session.send("Network.emulateNetworkConditions", {"offline": False, **slow})
    page.goto(address, wait_until="commit")
    painted = page.evaluate(PAINTED)
    page.get_by_role("radio").first.wait_for(timeout=60_000)
    asked = page.evaluate("performance.now()")
    context.close()
    return painted / 1000, asked / 1000


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=20_000, help="bytes a second (20000)")
    parser.add_argument("--latency", type=int, default=100, help="milliseconds (100)")
    parser.add_argument("--runs", type=int, default=5, help="of which the median is shown (5)")
    options = parser.parse_args()
    line = Line(options.rate, options.latency)
    table = Table(title=f"{line.rate:,} bytes a second, {line.latency} ms: median of seconds")
    for column in ("language", "first words", "question"):
        table.add_column(column, justify="right")
    with collector() as address, browsing() as browser:
        for language in ("en-GB", "ja-JP"):
            runs = [opened(browser, address, line, language) for _ in range(options.runs)]
            medians = [f"{statistics.median(times):.2f}" for times in zip(*runs, strict=True)]
            table.add_row(language, *medians)
    Console().print(table)


if __name__ == "__main__":
    main()

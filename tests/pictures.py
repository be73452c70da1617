"""The pictures of the README, of what people see: ``make pictures``.

Runs ``sudare demo``, waits until its people have answered, and looks at it in Chromium: the
dashboard in light and dark, and the survey page after an answer.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from support.browsing import browsing

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PEOPLE = 20_000
PACE = 1000  # people a second: the demonstration's own would take 80 seconds
SEED = 7  # of what is true of people, so that pictures differ only by their noise
WIDE = {"width": 1180, "height": 860}


@contextmanager
def demonstration() -> Iterator[str]:
    """The address of a demonstration, until the pictures are made."""
    command = [sys.executable, "-m", "sudare", "demo", "--port", "0", "--people", str(PEOPLE)]
    command += ["--pace", str(PACE), "--seed", str(SEED)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            lines = (line.strip() for line in running.stdout)
            yield next(line for line in lines if line.startswith("http://"))
        finally:
            running.terminate()


def _collections(address: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{address}/collections") as answer:  # noqa: S310 - our own
        found: list[dict[str, Any]] = json.load(answer)["collections"]
        return found


def _key(address: str, name: str, rounds: int = 0) -> str:
    """The key of a collection, once everybody has answered it, and so many rounds have been."""
    while True:
        for one in _collections(address):
            if one["name"] == name and one["reports"] >= PEOPLE and (one["round"] or 0) >= rounds:
                return str(one["key"])
        time.sleep(1)


def _page(browser: Browser, address: str, size: dict[str, int], theme: str) -> Page:
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if theme == "dark" else "light",
        device_scale_factor=1.5,
        locale="en",
    )
    page = context.new_page()
    page.goto(address)
    return page


def main() -> None:
    """Make every picture anew."""
    with demonstration() as address, browsing() as browser:
        tea, online = _key(address, "tea"), _key(address, "online now", rounds=30)
        for theme, key in (("light", tea), ("dark", online)):
            page = _page(browser, f"{address}/#{key}", WIDE, theme)
            page.get_by_label("truth").check()
            page.wait_for_timeout(2500)  # for the truth, and a round more
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=IMAGES / f"dashboard-{theme}.png")
        page = _page(browser, f"{address}/s/{tea}", WIDE, "light")
        page.get_by_role("radio").first.check()
        page.get_by_role("button").first.click()
        page.wait_for_timeout(2500)
        page.screenshot(path=IMAGES / "survey-sent.png")


if __name__ == "__main__":
    main()

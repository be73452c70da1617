"""A real collector on a real port, and a real browser in front of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from sudare import GRR, OUE, Collection, Glance, Part, Rappor, SetResponse, SplitQuestions, Window
from sudare.collection.windows import Windows
from sudare.collector.stores.open import open_store
from support.analysts import Collector
from support.node import WEB
from support.tools import CHROMIUM

TEAS = ("green", "black", "oolong", "hojicha")
TEA = Collection("tea", "Which tea do you like best?", TEAS, GRR.calibrate(4, 1.5), 100)
COLOURS = Collection(
    "colours", "Which colour?", ("red", "green", "blue"), OUE.calibrate(3, 2.0), 100
)
HOBBIES = Collection(
    "hobbies",
    "Which do you do?",
    ("reading", "singing; alone", "cooking", "chess"),
    SetResponse.calibrate(4, 2, 2.0),
    100,
)
STUDY = Collection(
    "study",
    "A short study",
    (),
    SplitQuestions((GRR.calibrate(3, 1.0), OUE.calibrate(2, 1.0), GRR.calibrate(2, 1.0))),
    100,
    parts=(
        Part("tea", "Which tea do you drink?", ("green", "black", "none; at all")),
        Part("town", "Where do you live?", ("Tokyo", "Kyoto")),
        Part("pet", "Have you a pet?", ("yes", "no")),
    ),
)
AGE = Collection("age", "How old are you?", ("18", "99"), Window.calibrate(81, 2.0), 100)
WORDS = Collection("home page", "Which page do you open first?", (), Rappor.calibrate(4.0), 10)
INVITED = Collection("board", "Yes or no?", ("yes", "no"), GRR(2, 0.75), 10, invited=True)
ROUNDS, ROUND_SECONDS = 40, 2


def online(start: int) -> Collection:
    """Windows of 40 rounds of two seconds, the first at ``start``."""
    windows = Windows(start, ROUNDS * ROUND_SECONDS)
    mechanism = Glance.calibrate(ROUNDS, 2.0)
    return Collection(
        "online", "Are you online now?", ("offline", "online"), mechanism, 20, windows
    )


class Stage(Collector):
    """A collector on a SQLite store, by the clock on the wall."""

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(open_store(str(folder / "sudare.db")), **options)
        self.service.clock = time.time

    def stream(self, collection: Collection, people: int, rounds: int) -> dict[str, float]:
        """Count so many people's reports of the first rounds; the truth of each round."""
        rng = np.random.default_rng(1)
        truth = 0.35 + 0.25 * np.sin(np.arange(ROUNDS) / 6)
        states = (rng.random((people, ROUNDS)) < truth).astype(np.uint8)
        reports = collection.mechanism.randomize(states)
        self.count(collection, reports[reports["round"] <= rounds])
        return {str(place + 1): float(share) for place, share in enumerate(truth)}


ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM.path(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page, everything that it complained about, and everything that it has posted."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    posted: list[Request] = field(default_factory=list)


def visit(context: BrowserContext, address: str) -> Visit:
    """Open an address; errors, and what the policy forbids, are noted."""
    made = Visit(context.new_page())
    made.page.on("console", lambda said: _note(made, said.type, said.text))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.on("request", lambda request: _keep(made, request))
    made.page.goto(address)
    return made


def _note(made: Visit, kind: str, text: str) -> None:
    if kind in {"error", "warning"}:
        made.complaints.append(text)


def _keep(made: Visit, request: Request) -> None:
    if request.method != "GET":
        made.posted.append(request)


def violations(page: Page, *, serious: bool = False) -> list[str]:
    """What axe finds wrong with a page as it stands, if the page lets its script in.

    The list of collections, whose links axe takes for ways within the page, is held to what is
    ``serious`` alone.
    """
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=WEB / "node_modules/axe-core/axe.min.js")
    found: list[str] = page.evaluate(
        """async (serious) => (await axe.run()).violations
          .filter(({ impact }) => !serious || ["serious", "critical"].includes(impact))
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)""",
        serious,
    )
    return found

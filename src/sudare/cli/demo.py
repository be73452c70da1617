"""``sudare demo``: the real collector on this machine, and simulated people who send to it."""

import signal
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.browser import open_in_browser
from sudare.cli.shared.options import json_option, port_option, progress_bar
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.errors import ParameterError
from sudare.results.wording import truths_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from sudare.collector.serving.server import Listening
    from sudare.demo.people import People
    from sudare.demo.running import Found
    from sudare.demo.studies import Plan
    from sudare.questions.interface import Result

_LEVEL = 0.95


@click.command()
@click.option("--people", type=int, default=20_000, show_default=True, help="Who take part.")
@click.option(
    "--epsilon",
    type=float,
    default=2.0,
    show_default=True,
    help="Of each report; over time, of all reports in a window.",
)
@click.option(
    "--pace",
    type=float,
    help="How many people a second answer.  [default: 250; with --once, all in 12 seconds]",
)
@click.option("--seed", type=int, help="Of what is true of people. The noise is always fresh.")
@port_option
@click.option("--open", "opening", is_flag=True, help="Open the dashboard in a browser.")
@click.option("--once", is_flag=True, help="End when all have answered, and show what was found.")
@json_option
def demo(
    people: int,
    epsilon: float,
    pace: float | None,
    seed: int | None,
    port: int,
    opening: bool,
    once: bool,
    as_json: bool,
) -> None:
    """Start a collector on this machine, with three studies and simulated people.

    They say which tea they like best (GRR), which page their browser opens first (RAPPOR), and
    their devices tell over time whether they are online (Glance). Every report is made as on a
    real device and sent through HTTP. The dashboard shows what is found as it comes in, beside
    the truth, which only a simulation knows.

    It runs until Ctrl-C; nothing is left behind. With --once it ends by itself.

    \b
    Examples:
      sudare demo --open
      sudare demo --once
      sudare demo --people 100000 --pace 2000 --epsilon 1
    """
    if as_json and not once:
        raise ParameterError("--json shows what was found at the end: add --once")
    from sudare.collector.serving.server import listen
    from sudare.demo.studies import Plan

    plan = Plan(people, epsilon, pace, seed, once)
    plan.collections(0)  # refuses an ε that can't be before there is anything to clean up
    asked_to_stop = threading.Event()

    def stop(*_: object) -> None:
        asked_to_stop.set()
        signal.raise_signal(signal.SIGINT)

    with listen("127.0.0.1", port) as listening:
        for name in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(name) is signal.SIG_DFL:  # a closed terminal ends it as Ctrl-C does
                signal.signal(name, stop)
        if sys.stderr.isatty():
            say("Starting the collector …", err=True)
        found = _run(plan, listening, asked_to_stop, quiet=as_json, opening=opening)
    if not once:
        say("Stopped. Nothing was left behind.")
    elif not found:
        raise click.Abort
    elif as_json:
        say_json({"studies": [_document(each) for each in found]})
    else:
        show(found)


def _run(
    plan: "Plan",
    listening: "Listening",
    asked_to_stop: threading.Event,
    *,
    quiet: bool,
    opening: bool,
) -> "list[Found]":
    from sudare.demo.running import run

    bars: list[Progress] = []
    tasks: dict[TaskID, People] = {}
    with ExitStack() as stack:

        def ready(url: str, studies: "list[People]") -> None:
            if (
                asked_to_stop.is_set()
            ):  # while a library was loaded that takes any error for its own
                signal.raise_signal(signal.SIGINT)
            if not quiet:
                _greet(plan, url, studies)
            if opening:
                open_in_browser(url)
            progress = stack.enter_context(progress_bar())  # from now on, stdout is its own
            for each in studies:
                tasks[progress.add_task(each.collection.name, total=each.progress[1])] = each
            bars.append(progress)

        def ticked() -> None:
            for task, each in tasks.items():
                bars[0].update(task, completed=each.progress[0])

        return run(plan, listening, ready, ticked)


def _greet(plan: "Plan", url: str, studies: "list[People]") -> None:
    from sudare.chance.exact import text_up
    from sudare.collector.http.pages import STATIC

    say(f"A collector with three studies, and {plan.people:,} simulated people in each:")
    say()
    say(f"  {url}")
    say()
    for each in studies:
        agreed = each.collection
        cost = f"{agreed.mechanism.name}, ε = {text_up(agreed.epsilon)}"
        say(f"  {agreed.name:<11} {agreed.question:<42} {cost}")
    say()
    if not (STATIC / "index.html").is_file():
        say("The web pages are not built (make web); data are at /collections.")
    if not plan.once:
        say("Press Ctrl-C to stop.")


def _document(found: "Found") -> dict[str, Any]:
    """What was found, and the truth."""
    return {**_result(found).document(), "truth": found.truth}


def _result(found: "Found") -> "Result":
    from sudare.demo.studies import CANDIDATES
    from sudare.questions.interface import ResultOptions

    question = found.people.collection.kind
    weighed = question.weigh(found.aggregate, CANDIDATES)
    return question.result(weighed, ResultOptions(_LEVEL))


def show(studies: "list[Found]") -> None:
    """Print each study's table beside the truth, and how often its intervals hold the truth."""
    from sudare.results.renderers import RENDERERS

    for found in studies:
        result = _result(found).with_truth(found.truth)
        renderer = RENDERERS[type(result)]
        if not result.rows():
            sentences = (result.collection.question, *renderer.sentences(result), "")
            for sentence in sentences:
                say(sentence)
            continue
        put_table(renderer.table(result))
        say(truths_text(*result.truths_held(), _LEVEL))
        say()
    say("A simulation: the truth is known here, and only here. Nothing was left behind.")

"""``sudare plan``: what to expect before anybody is asked."""

from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.errors import ParameterError
from sudare.formats.numbers import as_given
from sudare.results.wording import counted

if TYPE_CHECKING:
    from sudare.planning.streams import StreamPlan


@click.group()
def plan() -> None:
    """Plan a collection: what error to expect, how many people or which ε it takes.

    \b
    Example:
      sudare plan stream --rounds 50 --epsilon 4 --people 10000
    """


@plan.command()
@click.option("--rounds", type=int, required=True, help="How many rounds are counted.")
@click.option("--epsilon", type=float, help="The budget of a person's whole stream.")
@click.option("--people", type=int, help="How many people take part.")
@click.option("--error", type=float, help="The error wanted in the worst round, such as 0.05.")
@click.option(
    "--low",
    type=float,
    default=0.0,
    show_default=True,
    help="What the share of people in the state is expected to be at least.",
)
@click.option("--high", type=float, default=1.0, show_default=True, help="And at most.")
@json_option
def stream(
    rounds: int,
    epsilon: float | None,
    people: int | None,
    error: float | None,
    low: float,
    high: float,
    as_json: bool,
) -> None:
    """Plan counting over time: the share of people in a state, in every round.

    Of EPSILON, PEOPLE and ERROR give two, and the third is found; give all three, and it is said
    whether they fit. A range of shares (--low, --high) makes for a better plan in that range;
    outside it the estimates stay unbiased.

    \b
    Examples:
      sudare plan stream --rounds 50 --epsilon 4 --people 10000
      sudare plan stream --rounds 50 --epsilon 4 --error 0.05 --low 0.4 --high 0.6
      sudare plan stream --rounds 50 --people 10000 --error 0.05 --low 0.4 --high 0.6 --json
    """
    from sudare.planning.streams import best_stream, check_error

    if epsilon is None or people is None:
        found = best_stream(rounds, epsilon, people, error=error, low=low, high=high)
        needed = None
    else:
        wanted = None if error is None else check_error(error)
        found = best_stream(rounds, epsilon, people, low=low, high=high)
        needed = _needed(found, wanted or found.error / 2)
    if as_json:
        say_json(_document(found, needed))
        return
    _show(found)
    if needed is not None:
        _show_needed(found, needed, asked=error is not None)
    say(f"  next        {_command(found)}")


def _needed(found: "StreamPlan", error: float) -> dict[str, Any]:
    """How many people would reach an error at this ε, and which ε with these people, if any."""
    by_people = _reaching(found, error, epsilon=found.epsilon)
    by_budget = _reaching(found, error, people=found.people)
    return {
        "error": error,
        "people": None if by_people is None else by_people.people,
        "epsilon": None if by_budget is None else by_budget.epsilon,
    }


def _reaching(
    found: "StreamPlan", error: float, epsilon: float | None = None, people: int | None = None
) -> "StreamPlan | None":
    from sudare.planning.streams import best_stream

    rounds, low, high = found.mechanism.rounds, found.low, found.high
    try:
        return best_stream(rounds, epsilon, people, error=error, low=low, high=high)
    except ParameterError:
        return None


def _document(found: "StreamPlan", needed: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "mechanism": found.mechanism.document(),
        "epsilon": found.epsilon,
        "people": found.people,
        "low": found.low,
        "high": found.high,
        "share": found.share,
        "error": found.error,
        "likely_error": found.likely_error,
        "error_anywhere": found.error_anywhere,
        "round_stderr": found.round_stderr,
        "reports_per_round": found.reports,
        "silent_round": found.silent,
        "needed": needed,
        "command": _command(found),
    }


def _command(found: "StreamPlan") -> str:
    """What makes this collection."""
    parts = [
        'sudare collection new NAME --question "QUESTION"',
        f"--mechanism {found.mechanism.name} --rounds {found.mechanism.rounds}",
        f"--epsilon {as_given(found.epsilon)}",
    ]
    if found.mechanism.name == "kshot" and (found.low, found.high) != (0, 1):
        parts.append(f"--low {as_given(found.low)} --high {as_given(found.high)}")
    return " ".join([*parts, "-o NAME.json"])


def _show(found: "StreamPlan") -> None:
    from sudare.chance.exact import chance_text

    mechanism = found.mechanism
    say(
        f"{mechanism.name} for {counted(found.people, 'person', 'people')} over "
        f"{counted(mechanism.rounds, 'round')}, ε = {as_given(found.epsilon)} for a whole stream"
    )
    say(f"  device      {mechanism.odds}")
    say(f"  a round     {found.reports:,.4g} reports, standard error {found.round_stderr:.3g}")
    say(
        f"  worst round off by {found.error:.3g} on average, by more than {found.likely_error:.3g} "
        f"in one stream of 20 (at a share of {found.share:g})"
    )
    if found.error_anywhere > found.error:
        say(f"  elsewhere   off by {found.error_anywhere:.3g}, if the share goes to 0.5")
    if 0 < found.guess_error < found.error:
        say(
            f"  beware      who always says {(found.low + found.high) / 2:g} is off by at most "
            f"{found.guess_error:.3g}, if the range is right"
        )
    if found.silent > 1e-6:
        say(
            f"  silence     a round without reports has a chance of at most "
            f"{chance_text(found.silent)}"
        )


def _show_needed(found: "StreamPlan", needed: dict[str, Any], *, asked: bool) -> None:
    from sudare.mechanisms.domain import MOST_PEOPLE

    error = needed["error"]
    if asked and found.error <= error:
        say(f"  enough      for {error:g} in the worst round")
    wanted = f"{error:.3g}" if asked else f"half of it, {error:.3g},"
    these = counted(found.people, "person", "people")
    epsilon = needed["epsilon"]
    budget = f"or ε = {as_given(epsilon)} with {these}" if epsilon else f"no ε with {these}"
    if epsilon is None and (found.low, found.high) == (0, 1):
        budget += " (perhaps, if --low and --high told where the share stays)"
    people = (
        f"no number of people up to {MOST_PEOPLE:,}"
        if needed["people"] is None
        else counted(needed["people"], "person", "people")
    )
    say(f"  it takes    {people} for {wanted} at this ε, {budget}")

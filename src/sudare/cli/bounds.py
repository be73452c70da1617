"""``sudare bounds``: how far off any round of a continual count can be, and for how many people."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import OVER_TIME, json_option, progress_bar
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.errors import ParameterError
from sudare.formats.numbers import as_given
from sudare.results.wording import ABSENT, counted

if TYPE_CHECKING:
    from sudare.mechanisms.over_time.continual import ContinualMechanism
    from sudare.planning.bounds.continual import Reading, Setting


@click.command()
@click.option("--rounds", type=int, required=True, help="How many rounds a stream has.")
@click.option("--people", type=int, help="How many people take part.")
@click.option("--epsilon", type=float, required=True, help="The budget of the whole stream.")
@click.option("--share", type=float, help="The share of people in state 1, in every round.")
@click.option("--low", type=float, help="What the share is at least.  [default: 0]")
@click.option("--high", type=float, help="What it is at most.  [default: 1]")
@click.option(
    "--beta", type=float, default=0.1, show_default=True, help="The chance that a bound may fail."
)
@click.option(
    "--mechanism",
    "names",
    multiple=True,
    default=OVER_TIME,
    show_default=True,
    type=click.Choice(OVER_TIME),
    help="Repeat it for several.",
)
@click.option("--shots", type=int, help="In how many rounds a person reports, with kshot.")
@click.option("--flips", type=int, help="How many lies are few, with kshot and --shots.")
@click.option("--error", "wanted", type=float, help="Also say how many people it takes for this.")
@json_option
def bounds(
    rounds: int,
    people: int | None,
    epsilon: float,
    share: float | None,
    low: float | None,
    high: float | None,
    beta: float,
    names: tuple[str, ...],
    shots: int | None,
    flips: int | None,
    wanted: float | None,
    as_json: bool,
) -> None:
    """Tell how far off any round can be, with which probability, and how many people that takes.

    For each mechanism: a bound on every stream whose shares stay in the range (`bound`), the
    same if people are split into groups of fixed size (`fixed_groups`), the exact error if the
    share is constant and people change places (`exact`), and with --error the fewest people for
    whom `bound` is as small as that (`people_needed`).

    Under `document`, what the document on continual counting says of Glance and Harmony, as
    corrected, for both readings of its θ: the root of its condition (`solved`), and twice that
    (`printed`). Its condition (2) is of one share, so give --share for it. What can't be said is
    null, and `reasons` tells why.

    \b
    Examples:
      sudare bounds --rounds 50 --people 10000 --epsilon 4
      sudare bounds --rounds 50 --people 10000 --epsilon 4 --share 0.9995 --json
      sudare bounds --rounds 24 --epsilon 2 --error 0.05 --mechanism glance --mechanism kshot
      sudare bounds --rounds 50 --people 10000 --epsilon 6 --low 0.4 --high 0.6 \\
        --mechanism kshot --shots 6 --flips 1
    """
    from sudare.planning.bounds.continual import Setting, check_error

    if people is None and wanted is None:
        raise ParameterError("give --people, or --error to be told how many people it takes")
    if wanted is not None:
        check_error(wanted)
    setting = Setting(rounds, 1 if people is None else people, epsilon, beta)
    asked = _Asked(setting, people, wanted, *_range(share, low, high))
    designs = {name: _design(name, asked, shots, flips) for name in dict.fromkeys(names)}
    if (shots is not None or flips is not None) and "kshot" not in designs:
        raise ParameterError("--shots and --flips are for kshot: add --mechanism kshot")
    with progress_bar() as progress:
        task = progress.add_task("computing", total=len(designs))
        each = []
        for mechanism in designs.values():
            each.append(_told(asked, mechanism))
            progress.advance(task)
    document = asked.document() | {"mechanisms": each, "document": _theory(asked)}
    if as_json:
        say_json(document)
    else:
        _show(document)


@dataclass(frozen=True)
class _Asked:
    """What a person wants to know."""

    setting: "Setting"
    people: int | None
    wanted: float | None
    low: float
    high: float

    def document(self) -> dict[str, Any]:
        return {
            "rounds": self.setting.rounds,
            "people": self.people,
            "epsilon": self.setting.epsilon,
            "beta": self.setting.beta,
            "low": self.low,
            "high": self.high,
            "wanted_error": self.wanted,
        }


def _range(share: float | None, low: float | None, high: float | None) -> tuple[float, float]:
    if share is not None and (low is not None or high is not None):
        raise ParameterError("give either --share or --low and --high")
    if share is not None:
        low = high = share
    least, most = 0.0 if low is None else low, 1.0 if high is None else high
    if not 0 <= least <= most <= 1:
        raise ParameterError(f"shares lie in 0 to 1, got {least} to {most}")
    return least, most


def _design(name: str, asked: _Asked, shots: int | None, flips: int | None) -> "ContinualMechanism":
    from sudare.mechanisms import CONTINUAL
    from sudare.mechanisms.over_time.kshot import KShot

    rounds, epsilon = asked.setting.rounds, asked.setting.epsilon
    if name == KShot.name:
        if shots is None and flips is not None:
            raise ParameterError("--flips needs --shots")
        shares = {"low": asked.low, "high": asked.high}
        return KShot.calibrate(rounds, epsilon, **shares, shots=shots, flips=flips or 0)
    return CONTINUAL[name].calibrate(rounds, epsilon)


class _Answers(dict[str, Any]):
    """What can be said, and why the rest can't."""

    def __init__(self, **known: Any) -> None:  # noqa: ANN401 - JSON
        super().__init__(known, reasons={})

    def add(self, name: str, compute: Callable[[], Any]) -> None:
        try:
            self[name] = compute()
        except ParameterError as reason:
            self[name] = None
            self["reasons"][name] = str(reason)


def _told(asked: _Asked, mechanism: "ContinualMechanism") -> _Answers:
    """Everything about one mechanism."""
    from sudare.planning.bounds.chernoff import (
        fixed_groups_bound,
        maximal_error_bound,
        people_needed,
    )

    beta, shares = asked.setting.beta, (asked.low, asked.high)
    told = _Answers(
        mechanism=mechanism.name,
        design=mechanism.document(),
        reports_each=mechanism.reports_each,
        epsilon=mechanism.epsilon,
    )
    if (people := asked.people) is not None:
        told.add("bound", lambda: maximal_error_bound(mechanism, people, beta, *shares))
        if mechanism.sampled:
            told.add("fixed_groups", lambda: fixed_groups_bound(mechanism, people, beta, *shares))
        told.add("exact", lambda: _exact(asked, mechanism, people))
    if (wanted := asked.wanted) is not None:
        told.add("people_needed", lambda: people_needed(mechanism, wanted, beta, *shares))
    return told


def _exact(asked: _Asked, mechanism: "ContinualMechanism", people: int) -> dict[str, float]:
    """The law of the maximal error where reports are most alike a fair coin."""
    import numpy as np

    from sudare.planning.bounds.maximal import maximum_of

    slope = mechanism.holder - mechanism.others
    share = min(max(asked.low, (0.5 - mechanism.others) / slope), asked.high)
    ones = round(share * people)
    law = maximum_of(mechanism, people, np.full(mechanism.rounds, ones))
    quantile = law.quantile(1 - asked.setting.beta)
    return {"share": ones / people, "quantile": quantile, "mean": law.mean}


def _theory(asked: _Asked) -> _Answers:
    """What the document says, for both readings of θ."""
    from sudare.planning.bounds.continual import (
        harmony_lower_bound,
        printed_theta,
        sampling_bound,
        solved_theta,
    )

    told = _Answers(
        least_people=asked.setting.least_people,
        solved=_reading(asked, solved_theta),
        printed=_reading(asked, printed_theta),
    )
    if asked.people is not None:
        told.add("sampling", lambda: sampling_bound(asked.setting))
        told.add("harmony_lower", lambda: harmony_lower_bound(asked.setting))
    return told


def _reading(asked: _Asked, reading: "Reading") -> _Answers:
    from sudare.planning.bounds.continual import (
        dense_bound,
        dense_or_sparse,
        general_bound,
        general_people,
    )

    setting, share, told = asked.setting, asked.low, _Answers()
    if asked.people is not None:
        told.add("theta", lambda: reading(setting))
        told.add("general", lambda: general_bound(setting, reading))
        if asked.low == asked.high:
            told.add("condition", lambda: dense_or_sparse(setting, share, reading))
            told.add("dense", lambda: dense_bound(setting, share, reading))
    if (wanted := asked.wanted) is not None:
        told.add("people_needed", lambda: general_people(setting, wanted, reading))
    return told


def _show(document: dict[str, Any]) -> None:
    """Print the errors of each mechanism, and the people that a wanted one takes."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.mechanisms.over_time.glance import Glance
    from sudare.mechanisms.over_time.harmony import Harmony

    low, high = document["low"], document["high"]
    shares = f"{low:g} in every round" if low == high else f"anywhere from {low:g} to {high:g}"
    setting = [counted(document["rounds"], "round")]
    if document["people"] is not None:
        setting.append(counted(document["people"], "person", "people"))
    say(f"{', '.join(setting)}, ε = {as_given(document['epsilon'])} for all rounds")
    say(f"The share of people in state 1 is {shares}.")
    fails = f"but for a chance of {document['beta']:g}"
    if document["people"] is not None:
        table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
        table.add_column("mechanism", no_wrap=True)
        table.add_column("error", justify="right", no_wrap=True)
        table.add_column(f"no round is further off, {fails}")
        for told in document["mechanisms"]:
            theory = document["document"]
            lines = _of_mechanism(told)
            lines += _of_glance(theory) if told["mechanism"] == Glance.name else []
            lines += _of_harmony(theory, document) if told["mechanism"] == Harmony.name else []
            for index, (error, meaning) in enumerate(lines):
                table.add_row("" if index else told["mechanism"], error, meaning)
        put_table(table)
    if document["wanted_error"] is not None:
        say(f"For no round to be off by {document['wanted_error']:g}, {fails}, it takes")
        for told in document["mechanisms"]:
            say(f"  {told['mechanism']:<10}{_people(told)}")
            if told["mechanism"] == Glance.name:
                general = _people(document["document"]["solved"])
                say(f"  {'':<10}{general} by the document's general bound")


def _people(told: dict[str, Any]) -> str:
    needed = told["people_needed"]
    if needed is None:
        return str(told["reasons"]["people_needed"])
    return counted(needed, "person", "people")


def _line(told: dict[str, Any], name: str, meaning: str) -> tuple[str, str]:
    """An error and what it means, or why there is none."""
    if told[name] is None:
        return ABSENT, told["reasons"][name]
    return _rounded(told[name]), meaning


def _rounded(error: float) -> str:
    from sudare.chance.exact import text_up

    return text_up(error, 4)


def _of_mechanism(told: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [_line(told, "bound", "on any stream with such shares (Chernoff's bound)")]
    if "fixed_groups" in told:
        lines.append(_line(told, "fixed_groups", "the same, with groups of fixed size"))
    if (exact := told["exact"]) is None:
        return [*lines, (ABSENT, told["reasons"]["exact"])]
    meaning = (
        f"exactly, if the share is {exact['share']:g} in every round and people change places "
        f"(rounds without reports left out); on average {exact['mean']:.4g}"
    )
    return [*lines, (_rounded(exact["quantile"]), meaning)]


def _of_glance(theory: dict[str, Any]) -> list[tuple[str, str]]:
    solved, printed = theory["solved"], theory["printed"]
    if solved["general"] is None:
        return [(ABSENT, f"the document: {solved['reasons']['general']}")]
    as_printed = f"{_rounded(printed['general'])} with θ as printed"
    lines = [(_rounded(solved["general"]), f"the document's general bound ({as_printed})")]
    for name, told in (("as solved", solved), ("as printed", printed)):
        if "dense" in told:
            error, meaning = _line(told, "dense", "its bound 2θ, as condition (2) holds")
            lines.append((error, f"{meaning} (θ {name})"))
    return lines


def _of_harmony(theory: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, str]]:
    from sudare.chance.exact import text_down

    if theory["harmony_lower"] is None:
        return []
    meaning = (
        f"is *exceeded* with probability at least {document['beta']:.3g} if all are in state 1 "
        f"(the document's Theorem 4, corrected)"
    )
    return [(text_down(theory["harmony_lower"], 4), meaning)]

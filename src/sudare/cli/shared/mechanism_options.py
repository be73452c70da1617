"""Which mechanism a new collection gets: its options on the command line, and what they ask for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import MECHANISMS, OVER_TIME
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.mechanisms.continual import ContinualMechanism
    from sudare.mechanisms.interface import CategoricalMechanism, Mechanism

FORMS = ("full", "one-time", "instant")  # of RAPPOR; "basic" is what listed answers make of it

_SHOTS = ("shots", "flips", "low", "high")
_RAPPOR = ("form", "lifetime", "bits", "hashes", "cohorts")
_OPTIONS = (
    click.option(
        "--epsilon",
        type=float,
        required=True,
        help="The most one report may cost; over time, all reports of a person together.",
    ),
    click.option(
        "--mechanism",
        type=click.Choice(["auto", *MECHANISMS, "rappor", *OVER_TIME]),
        default="auto",
        show_default=True,
        help="auto takes the one with the least error for a single report; with --rounds, kshot.",
    ),
    click.option(
        "--free-text", "own_words", is_flag=True, help="People answer in their own words (RAPPOR)."
    ),
    click.option(
        "--form",
        type=click.Choice(FORMS),
        help="Of RAPPOR. full, the default: permanent noise below that of each report bounds what "
        "all reports of one answer cost, and costs no accuracy; instant: fresh noise alone, for "
        "people who report once; one-time: permanent noise alone, every report of an answer is the "
        "same.",
    ),
    click.option(
        "--lifetime",
        type=float,
        help="The most that all reports of one answer may cost together (full form; by default "
        "twice EPSILON).",
    ),
    click.option(
        "--bits", type=int, help="Of a free text's filter, a power of two; 128 by default."
    ),
    click.option("--hashes", type=int, help="Bits that a text sets; 1, the default, is best."),
    click.option("--cohorts", type=int, help="Hash families that people are divided among; 64."),
    click.option(
        "--rounds",
        type=int,
        help="Count over time: in so many rounds each person is in one of two states, named by two "
        "--answer (no and yes unless given; the share of the second is estimated).",
    ),
    click.option("--low", type=float, help="Of kshot: the share is expected to be at least this."),
    click.option("--high", type=float, help="Of kshot: and at most this; the closer, the better."),
    click.option(
        "--shots", type=int, help="Of kshot: rounds a person reports in; chosen by itself."
    ),
    click.option("--flips", type=int, help="Of kshot: how many lies are few, with --shots; 0."),
)


@dataclass(frozen=True)
class MechanismOptions:
    """The options of ``sudare collection new``; None is what nobody asked for."""

    epsilon: float
    mechanism: str
    own_words: bool
    form: str | None
    lifetime: float | None
    bits: int | None
    hashes: int | None
    cohorts: int | None
    rounds: int | None
    shots: int | None
    flips: int | None
    low: float | None
    high: float | None

    @property
    def has_rounds(self) -> bool:
        """Whether the options ask for states over time."""
        return self.rounds is not None or self.mechanism in OVER_TIME

    @property
    def labels(self) -> list[str]:
        """The labels of the answers where none are named."""
        return ["no", "yes"] if self.has_rounds else []

    def refuse(self, options: Iterable[str], unless: str) -> None:
        """Refuse options that were given but need something else, which ``unless`` names."""
        given = [name for name in options if getattr(self, name) is not None]
        if given:
            raise ParameterError(f"--{given[0].replace('_', '-')} needs {unless}")


def mechanism_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a new collection's mechanism, which reach the command as ``options``."""

    @wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 - whatever the command's options are
        own = {field.name: given.pop(field.name) for field in fields(MechanismOptions)}
        command(options=MechanismOptions(**own), **given)

    for option in reversed(_OPTIONS):  # the last is applied first, and so stands first
        gathered = option(gathered)
    return gathered


def choose(options: MechanismOptions, answers: int) -> "Mechanism":
    """The mechanism that the options ask for, of a collection with so many listed answers."""
    if options.has_rounds:
        return _continual(options, answers)
    options.refuse(_SHOTS, "--mechanism kshot and --rounds")
    asked = {"bits": options.bits, "hashes": options.hashes, "cohorts": options.cohorts}
    shape = {name: value for name, value in asked.items() if value is not None}
    if options.own_words:
        if answers:
            raise ParameterError(f"free text has no list of answers, got {answers}")
        if options.mechanism not in {"auto", "rappor"}:
            raise ParameterError(f"free text is randomised by rappor, not by {options.mechanism}")
        return _rappor(options, basic=False, shape=shape)
    if answers < 2:
        raise ParameterError(f"a question needs at least 2 answers, got {answers}")
    if shape:
        raise ParameterError(f"--{next(iter(shape))} is for --free-text: listed answers need none")
    if options.mechanism == "rappor":
        return _rappor(options, basic=True, shape={"bits": answers})
    options.refuse(("form", "lifetime"), "--mechanism rappor or --free-text")
    return _categorical(options, answers)


def _rappor(options: MechanismOptions, *, basic: bool, shape: dict[str, int]) -> "Mechanism":
    from sudare.mechanisms.rappor import Rappor

    steps = options.form or "full"  # its permanent noise costs no accuracy
    form: Any = steps  # one of the names that calibrate knows
    if basic:
        form = "basic" if steps == "full" else f"basic {steps}"
    return Rappor.calibrate(options.epsilon, form=form, lifetime=options.lifetime, **shape)


def _categorical(options: MechanismOptions, answers: int) -> "CategoricalMechanism":
    from sudare.estimation.frequency_error import mean_squared_error
    from sudare.mechanisms import CATEGORICAL

    if options.mechanism != "auto":
        return CATEGORICAL[options.mechanism].calibrate(answers, options.epsilon)
    choices = [cls.calibrate(answers, options.epsilon) for cls in CATEGORICAL.values()]
    return min(choices, key=lambda m: mean_squared_error(m.holder, m.others, 1, answers))


def _continual(options: MechanismOptions, answers: int) -> "ContinualMechanism":
    from sudare.mechanisms import CONTINUAL
    from sudare.mechanisms.kshot import KShot

    if options.mechanism not in {"auto", *OVER_TIME}:
        raise ParameterError(f"--rounds is for {', '.join(OVER_TIME)}, not for {options.mechanism}")
    if options.own_words:
        raise ParameterError("--free-text needs a question without --rounds")
    options.refuse(_RAPPOR, "a question without --rounds")
    if options.rounds is None:
        raise ParameterError(f"{options.mechanism} needs --rounds: how many rounds are there?")
    if answers != 2:
        raise ParameterError(f"over time there are 2 states, each with its name, got {answers}")
    if options.mechanism not in {"auto", "kshot"}:
        options.refuse(_SHOTS, "--mechanism kshot")
        return CONTINUAL[options.mechanism].calibrate(options.rounds, options.epsilon)
    if options.shots is None:
        options.refuse(("flips",), "--shots")
        low, high = options.low or 0.0, 1.0 if options.high is None else options.high
        return KShot.calibrate(options.rounds, options.epsilon, low=low, high=high)
    if (options.low, options.high) != (None, None):
        raise ParameterError("--shots says what --low and --high would choose: give one of them")
    flips = options.flips or 0
    return KShot.calibrate(options.rounds, options.epsilon, shots=options.shots, flips=flips)

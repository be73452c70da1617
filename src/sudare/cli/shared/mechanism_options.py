"""Which mechanism a new collection gets, from what the command line asks for."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.cli.shared.options import OVER_TIME
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.mechanisms.continual import ContinualMechanism
    from sudare.mechanisms.interface import CategoricalMechanism, Mechanism

FORMS = ("full", "one-time", "instant")  # of RAPPOR; "basic" is what listed answers make of it

_SHOTS = ("shots", "flips", "low", "high")
_RAPPOR = ("form", "lifetime", "bits", "hashes", "cohorts")


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

    def refuse(self, options: Iterable[str], unless: str) -> None:
        """Refuse options that were given but need something else, which ``unless`` names."""
        given = [name for name in options if getattr(self, name) is not None]
        if given:
            raise ParameterError(f"--{given[0].replace('_', '-')} needs {unless}")


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

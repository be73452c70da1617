"""Which mechanism a new collection gets, from what the command line asks for."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.cli.options import OVER_TIME
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.continual import ContinualMechanism
    from sudare.mechanism import CategoricalMechanism, Mechanism

FORMS = ("full", "one-time", "instant")  # of RAPPOR; "basic" is what listed answers make of it

_SHOTS = ("shots", "flips", "low", "high")
_RAPPOR = ("free_text", "form", "lifetime", "bits", "hashes", "cohorts")


@dataclass(frozen=True)
class Wish:
    """The options of ``sudare collection new``; None is what nobody asked for."""

    epsilon: float
    mechanism: str
    free_text: bool
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
    def over_time(self) -> bool:
        """Whether states over time are meant."""
        return self.rounds is not None or self.mechanism in OVER_TIME

    def refuse(self, options: Iterable[str], unless: str) -> None:
        """Refuse options that make no sense here."""
        nothing = (None, False)
        given = [name for name in options if not any(getattr(self, name) is no for no in nothing)]
        if given:
            raise ParameterError(f"--{given[0].replace('_', '-')} needs {unless}")


def choose(wish: Wish, answers: int) -> "Mechanism":
    """The mechanism for so many listed answers, for free text, or for states over time."""
    if wish.over_time:
        return _continual(wish, answers)
    wish.refuse(_SHOTS, "--mechanism kshot and --rounds")
    asked = {"bits": wish.bits, "hashes": wish.hashes, "cohorts": wish.cohorts}
    shape = {name: value for name, value in asked.items() if value is not None}
    if wish.free_text:
        if answers:
            raise ParameterError(f"free text has no list of answers, got {answers}")
        if wish.mechanism not in {"auto", "rappor"}:
            raise ParameterError(f"free text is randomised by rappor, not by {wish.mechanism}")
        return _rappor(wish, basic=False, shape=shape)
    if answers < 2:
        raise ParameterError(f"a question needs at least 2 answers, got {answers}")
    if shape:
        raise ParameterError(f"--{next(iter(shape))} is for --free-text: listed answers need none")
    if wish.mechanism == "rappor":
        return _rappor(wish, basic=True, shape={"bits": answers})
    wish.refuse(("form", "lifetime"), "--mechanism rappor or --free-text")
    return _categorical(wish, answers)


def _rappor(wish: Wish, *, basic: bool, shape: dict[str, int]) -> "Mechanism":
    from sudare.mechanisms.rappor import Rappor

    steps = wish.form or "full"  # its permanent noise costs no accuracy
    form: Any = steps  # one of the names that calibrate knows
    if basic:
        form = "basic" if steps == "full" else f"basic {steps}"
    return Rappor.calibrate(wish.epsilon, form=form, lifetime=wish.lifetime, **shape)


def _categorical(wish: Wish, answers: int) -> "CategoricalMechanism":
    from sudare.bounds.frequency import mean_squared_error
    from sudare.mechanisms import CATEGORICAL

    if wish.mechanism != "auto":
        return CATEGORICAL[wish.mechanism].calibrate(answers, wish.epsilon)
    choices = [cls.calibrate(answers, wish.epsilon) for cls in CATEGORICAL.values()]
    return min(choices, key=lambda m: mean_squared_error(m.holder, m.others, 1, answers))


def _continual(wish: Wish, answers: int) -> "ContinualMechanism":
    from sudare.mechanisms import CONTINUAL
    from sudare.mechanisms.kshot import KShot

    if wish.mechanism not in {"auto", *OVER_TIME}:
        raise ParameterError(f"--rounds is for {', '.join(OVER_TIME)}, not for {wish.mechanism}")
    wish.refuse(_RAPPOR, "a question without --rounds")
    if wish.rounds is None:
        raise ParameterError(f"{wish.mechanism} needs --rounds: how many rounds are there?")
    if answers != 2:
        raise ParameterError(f"over time there are 2 states, each with its name, got {answers}")
    if wish.mechanism not in {"auto", "kshot"}:
        wish.refuse(_SHOTS, "--mechanism kshot")
        return CONTINUAL[wish.mechanism].calibrate(wish.rounds, wish.epsilon)
    if wish.shots is None:
        wish.refuse(("flips",), "--shots")
        low, high = wish.low or 0.0, 1.0 if wish.high is None else wish.high
        return KShot.calibrate(wish.rounds, wish.epsilon, low=low, high=high)
    if (wish.low, wish.high) != (None, None):
        raise ParameterError("--shots says what --low and --high would choose: give one of them")
    flips = wish.flips or 0
    return KShot.calibrate(wish.rounds, wish.epsilon, shots=wish.shots, flips=flips)

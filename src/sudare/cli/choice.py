"""Which mechanism a new collection gets, from what the command line asks for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.mechanism import CategoricalMechanism, Mechanism

FORMS = ("full", "one-time", "instant")  # of RAPPOR; "basic" is what listed answers make of it


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


def choose(wish: Wish, answers: int) -> "Mechanism":
    """The mechanism for so many listed answers, or for free text."""
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
    for option in ("form", "lifetime"):
        if getattr(wish, option) is not None:
            raise ParameterError(f"--{option} needs --mechanism rappor or --free-text")
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

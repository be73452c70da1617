"""Which mechanism a new collection gets, from what is asked of it: one rule for all who ask.

The names in its refusals are those of the options of ``sudare collection new``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sudare.chance.keystream import packed_words
from sudare.errors import ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.formats.ranges import Range
from sudare.mechanisms import CATEGORICAL, CONTINUAL, calibrated
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.kshot import KShot
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.several import SeveralQuestions
from sudare.mechanisms.wave import SquareWave
from sudare.mechanisms.window import Window
from sudare.planning.several_questions import design_of

_WRITTEN = {"least": "from", "largest": "to", "found_out": "estimate"}  # --from is no name
_SHOTS = ("shots", "flips", "low", "high")
_SETS, _NUMBERS = ("grr", "subset"), ("grr", "projective", "hadamard")
_SMALL = 128  # bytes that a report may have, if nobody asks for a mechanism that takes more
SMALLEST = 4
"""Bytes that a report may have, where ``small`` is asked for."""
_EQUAL = 1 + 1e-9  # two errors that differ by less are as good: chances are multiples of 2^-53
_RANGE = ("least", "largest", "step")
OF_NUMBERS = (*_RANGE, "found_out", "bins")
"""The options that only a number takes."""
_FOUND_OUT = {"mean": Window.name, "distribution": SquareWave.name}
"""The mechanism that finds out of numbers what is asked; their mean, if nobody says what else."""
_OF_ONE = (SetResponse.name, Loloha.name, "rappor")
"""Mechanisms of listed answers that aren't for one of several questions at once."""
_RAPPOR = ("form", "lifetime", "bits", "hashes", "cohorts")


@dataclass(frozen=True)
class MechanismOptions:
    """What is asked of a new collection's mechanism; None is what nobody asked for.

    Attributes:
        epsilon: the most that one report may cost; over time, all reports of a person together.
        mechanism: its name, or ``auto``: of those whose report has at most 128 bytes the one with
            the least error for a single report, and of two as good that with the shorter one; over
            time, kshot. ``small`` is the same among those that report a number of at most 4 bytes.
        own_words: whether people answer in their own words.
        design: of several questions at once, which report people send: ``sample``, ``split``,
            ``joint``, or ``auto`` for the one with the least error.
        associate: whether the relation of two of these questions is asked for.
        most: how many of the listed answers a person may select; None for exactly one.
        least: of numbers, the least that may be answered, as a decimal in text.
        largest: of numbers, the largest.
        step: of numbers, the distance of one to the next.
        found_out: of numbers, what is to be estimated: their mean, or their distribution.
        bins: of a distribution, how many there are.
        form: of RAPPOR; ``full`` unless it says otherwise.
        lifetime: the most that all reports of one answer may cost together, where noise is kept.
        bits: of a free text's filter.
        hashes: how many bits a text sets.
        cohorts: how many hash families people are divided among.
        rounds: in how many rounds people are in one of two states.
        shots: of kshot, in how many rounds a person reports.
        flips: of kshot, how many lies are few.
        low: of kshot, what the share is expected to be at least.
        high: of kshot, what the share is expected to be at most.
    """

    epsilon: float
    mechanism: str = "auto"
    own_words: bool = False
    design: str | None = None
    associate: bool | None = None
    most: int | None = None
    least: str | None = None
    largest: str | None = None
    step: str | None = None
    found_out: str | None = None
    bins: int | None = None
    form: str | None = None
    lifetime: float | None = None
    bits: int | None = None
    hashes: int | None = None
    cohorts: int | None = None
    rounds: int | None = None
    shots: int | None = None
    flips: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def has_rounds(self) -> bool:
        """Whether the options ask for states over time."""
        return self.rounds is not None or self.mechanism in CONTINUAL

    @property
    def has_range(self) -> bool:
        """Whether the options ask for a number."""
        numeric = any(getattr(self, name) is not None for name in OF_NUMBERS)
        return numeric or self.mechanism in _FOUND_OUT.values()

    @property
    def labels(self) -> list[str]:
        """The labels of the answers where none are named."""
        if self.least is not None and self.largest is not None:
            return [self.least, self.largest]
        return ["no", "yes"] if self.has_rounds else []

    def refuse(self, options: Iterable[str], unless: str) -> None:
        """Refuse options that were given but need something else, which ``unless`` names."""
        given = [name for name in options if getattr(self, name) is not None]
        if given:
            option = _WRITTEN.get(given[0], given[0].replace("_", "-"))
            raise ParameterError(f"--{option} needs {unless}")


def choose(options: MechanismOptions, answers: int) -> Mechanism:
    """The mechanism that the options ask for, of a collection with so many listed answers."""
    options.refuse(("design", "associate"), "--questions, several at once")
    if options.has_range:
        return _number(options, answers)
    if options.has_rounds:
        return _continual(options, answers)
    options.refuse(_SHOTS, "--mechanism kshot and --rounds")
    asked = {"bits": options.bits, "hashes": options.hashes, "cohorts": options.cohorts}
    shape = {name: value for name, value in asked.items() if value is not None}
    if options.own_words:
        options.refuse(("most",), "a list of answers")
        if answers:
            raise ParameterError(f"free text has no list of answers, got {answers}")
        if options.mechanism not in {"auto", "rappor"}:
            raise ParameterError(f"free text is randomised by rappor, not by {options.mechanism}")
        return _rappor(options, basic=False, shape=shape)
    if shape and answers >= 2:
        raise ParameterError(f"--{next(iter(shape))} is for --free-text: listed answers need none")
    return _listed(options, answers)


def _listed(options: MechanismOptions, answers: int) -> Mechanism:
    if answers < 2:
        raise ParameterError(f"a question needs at least 2 answers, got {answers}")
    if options.most is not None or options.mechanism == SetResponse.name:
        return _several(options, answers)
    if options.mechanism == "rappor":
        return _rappor(options, basic=True, shape={"bits": answers})
    options.refuse(("form",), "--mechanism rappor or --free-text")
    if options.mechanism == Loloha.name:
        return Loloha.calibrate(answers, options.epsilon, lifetime=options.lifetime)
    options.refuse(("lifetime",), "--mechanism loloha, --mechanism rappor or --free-text")
    return _categorical(options, answers)


def _number(options: MechanismOptions, answers: int) -> Window | SquareWave:
    named = {name: found_out for found_out, name in _FOUND_OUT.items()}
    found_out = options.found_out or named.get(options.mechanism, "mean")
    if options.mechanism not in {"auto", _FOUND_OUT[found_out]}:
        raise ParameterError(
            f"the {found_out} of numbers is told by {_FOUND_OUT[found_out]}, not by "
            f"{options.mechanism}"
        )
    if found_out == "mean":
        options.refuse(("bins",), "--estimate distribution")
    if options.own_words:
        raise ParameterError("--free-text needs a question without --from and --to")
    options.refuse((*_RAPPOR, *_SHOTS, "rounds", "most"), "a question without --from and --to")
    ends = [options.least, options.largest, options.step]
    missing = [
        f"--{_WRITTEN.get(name, name)}"
        for name, end in zip(_RANGE, ends, strict=True)
        if end is None
    ]
    if missing:
        raise ParameterError(
            f"a number has a range, --from and --to, and a --step; there is no {missing[0]}"
        )
    if answers != 2:
        raise ParameterError(f"a number has the 2 ends of its range, and no answers, got {answers}")
    least, largest, step = (str(end) for end in ends)
    steps = Range.in_steps_of(least, largest, step).steps
    if found_out == "mean":
        return Window.calibrate(steps, options.epsilon)
    return SquareWave.calibrate(steps, options.epsilon, options.bins)


def choose_several(options: MechanismOptions, sizes: Sequence[int]) -> SeveralQuestions:
    """The mechanism of several questions at once, each with so many listed answers."""
    single = (*_RAPPOR, "most", "rounds", *_SHOTS, *OF_NUMBERS)
    options.refuse(single, "one question, without --questions")
    if options.mechanism == "small":
        raise ParameterError(
            "--mechanism small is for a single question: a report of several says something of each"
        )
    if options.own_words:
        raise ParameterError(
            "several questions at once have listed answers each: --free-text needs one question"
        )
    named = options.mechanism != "auto"
    if options.mechanism in {*_FOUND_OUT.values(), *_OF_ONE, *CONTINUAL}:
        raise ParameterError(
            f"several questions at once have mechanisms for one answer of a list, not "
            f"{options.mechanism}; --design says how they go together"
        )

    def best(k: int, epsilon: float) -> CategoricalMechanism:
        return _categorical(replace(options, epsilon=epsilon), k)

    associate = bool(options.associate)
    design, table = options.design or "auto", best if named else None
    return design_of(sizes, options.epsilon, best, design, associate=associate, table=table)


def _rappor(options: MechanismOptions, *, basic: bool, shape: dict[str, int]) -> Mechanism:
    steps = options.form or "full"  # its permanent noise costs no accuracy
    form: Any = steps  # one of the names that calibrate knows
    if basic:
        form = "basic" if steps == "full" else f"basic {steps}"
    return Rappor.calibrate(options.epsilon, form=form, lifetime=options.lifetime, **shape)


def _several(options: MechanismOptions, answers: int) -> SetResponse:
    if options.mechanism not in {"auto", SetResponse.name}:
        raise ParameterError(f"several answers are randomised by set, not by {options.mechanism}")
    options.refuse(("form", "lifetime"), "--mechanism rappor or --free-text")
    if options.most is None:
        raise ParameterError("set needs --most: how many answers may a person select?")
    return SetResponse.calibrate(answers, options.most, options.epsilon)


def _categorical(options: MechanismOptions, answers: int) -> CategoricalMechanism:
    if options.mechanism not in {"auto", "small"}:
        return calibrated(options.mechanism, answers, options.epsilon)
    # Sets have the least error that there is. Only GRR may have as little, in a shorter report;
    # where a set is too long, a number stands for one.
    small = options.mechanism == "small"
    names = _NUMBERS if small or 8 * packed_words(answers) > _SMALL else _SETS
    choices = [CATEGORICAL[name].calibrate(answers, options.epsilon) for name in names]
    if small:  # as GRR's is, however many answers there are
        choices = [made for made in choices if made.report_dtype.itemsize <= SMALLEST]
    least = min(map(_error, choices))
    good = [made for made in choices if _error(made) <= _EQUAL * least]
    return min(good, key=lambda made: made.report_dtype.itemsize)


def _error(mechanism: CategoricalMechanism) -> float:
    """The mean squared error of the shares, of one person."""
    return mean_squared_error(mechanism.holder, mechanism.others, 1, mechanism.k)


def _continual(options: MechanismOptions, answers: int) -> ContinualMechanism:
    if options.mechanism not in {"auto", *CONTINUAL}:
        raise ParameterError(f"--rounds is for {', '.join(CONTINUAL)}, not for {options.mechanism}")
    if options.own_words:
        raise ParameterError("--free-text needs a question without --rounds")
    options.refuse((*_RAPPOR, "most"), "a question without --rounds")
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

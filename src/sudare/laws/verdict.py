"""All laws on the small instances of one class of mechanisms, and what was found of each."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sudare.chance.randomness import Seeded
from sudare.errors import LawBroken, NotEnumerable, ParameterError, SudareError
from sudare.installed import told
from sudare.laws import mechanism_laws as laws
from sudare.laws.enumeration import random_values
from sudare.mechanisms import REGISTRY
from sudare.mechanisms.interface import CategoricalMechanism

ANSWERS, EPSILONS = (2, 3, 4), (0.5, 1.0, 2.0)
_LARGE = 43  # answers, where nothing is enumerated
_MOST_EXAMPLES, _MOST_ANSWERS = 100, 100  # of a class's own: more take hours
_PEOPLE = 3000  # of whom compiled and plain code are compared
_BUDGETS = [(k, e) for k in (2, 3, 10, 100, 1000) for e in (0.05, 0.1, 0.5, 1.0, 3.0, 8.0)]
_SEED = 17

Instance = CategoricalMechanism


@dataclass(frozen=True)
class Law:
    """A law by its short name, what it says in words, and how it is tried on an instance."""

    name: str
    says: str
    obey: Callable[[Instance], None]


def _private(mechanism: Instance) -> None:
    laws.ratio_is_declared(mechanism)
    laws.costs_follow_from_the_ratio(mechanism)
    laws.devices_follow_the_law(mechanism)


def _unbiased(mechanism: Instance) -> None:
    for truth in laws.unbiased_truths(mechanism):
        laws.estimate_is_unbiased(mechanism, truth)
    laws.evidence_is_unbiased(mechanism, next(laws.unbiased_truths(mechanism)))


def _repeated(mechanism: Instance) -> None:
    people = random_values(mechanism, _PEOPLE, Seeded(_SEED + 1))
    for count in (1, _PEOPLE):
        laws.kernels_repeat_the_plain_path(mechanism, people[:count], _SEED)


def _documents(mechanism: Instance) -> None:
    laws.document_reads_back(mechanism)
    laws.wrong_parameters_are_refused(mechanism)


def _words(mechanism: Instance) -> None:
    if not isinstance(mechanism.odds, str) or not mechanism.odds.strip():
        raise LawBroken("odds says nothing to the people who are asked", mechanism=mechanism)


LAWS = (
    Law("privacy", "the enumerated ε is the stated one, as fractions", _private),
    Law("whole", "some report leaves, with chance 1", laws.laws_sum_to_one),
    Law("apart", "people's reports are independent", laws.people_are_independent),
    Law(
        "discreet",
        "what is asked of chance doesn't depend on the answer",
        lambda mechanism: laws.chance_is_asked_alike(mechanism, _SEED),
    ),
    Law("unbiased", "estimate and stated error are right in the mean, exactly", _unbiased),
    Law(
        "additive",
        "aggregates add like their reports",
        lambda mechanism: laws.aggregates_are_a_monoid(mechanism, _SEED),
    ),
    Law(
        "strict",
        "reports that no device makes are refused, all others counted",
        laws.check_accepts_only_possible_reports,
    ),
    Law(
        "simulated",
        "simulate draws from the law of perturb",
        lambda mechanism: laws.simulate_follows_the_law(mechanism, None, _SEED),
    ),
    Law("repeated", "compiled code gives the reports of plain code", _repeated),
    Law(
        "weighted",
        "the weights of reports add up to the estimate",
        lambda mechanism: laws.weights_add_up(mechanism, _SEED),
    ),
    Law("documented", "documents read back, wrong parameters are refused", _documents),
    Law(
        "travelling",
        "reports survive files",
        lambda mechanism: laws.reports_travel(mechanism, _SEED),
    ),
    Law("told", "people are told how answers are treated", _words),
)
BUDGET = "budget"
"""The name of the law that isn't one of an instance: ``calibrate`` never overspends."""


@dataclass(frozen=True)
class Finding:
    """What was found of one law.

    Attributes:
        law: its short name.
        says: what it says, in words.
        sentence: what is broken, or None if it holds.
        case: the smallest case found that shows it: parameters, values, reports, chances.
    """

    law: str
    says: str
    sentence: str | None = None
    case: dict[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether nothing was found against it."""
        return self.sentence is None


def check_class(found: object, named: str) -> type[CategoricalMechanism]:
    """What was named, if it is a whole class of mechanisms for one answer of k."""
    if not (inspect.isclass(found) and issubclass(found, CategoricalMechanism)):
        raise ParameterError(
            f"{named} is no subclass of sudare.mechanisms.interface.CategoricalMechanism"
        )
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise ParameterError(f"{named} lacks {', '.join(missing)}")
    name = getattr(found, "name", None)
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{named} has no name, by which documents could call it")
    if REGISTRY.get(name, found) is not found:
        raise ParameterError(
            f"{named} is called “{name}”, which is a name of ours: give it its own"
        )
    parameters = getattr(found, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise ParameterError(f"{named} is no frozen dataclass")
    return found


def instances_of(
    family: type[CategoricalMechanism], answers: Sequence[int], epsilons: Sequence[float]
) -> list[Instance]:
    """The class's own ``examples()``, or those calibrated for so many answers and such budgets.

    From few answers to many, so that the first that breaks a law is the smallest.
    """
    own: Callable[[], Iterable[Instance]] | None = getattr(family, "examples", None)
    if own is not None:
        with_name = f"{family.__name__}.examples()"
        made = _called(with_name, lambda: list(islice(own(), _MOST_EXAMPLES + 1)))
        if not made or not all(isinstance(one, family) for one in made):
            raise ParameterError(f"{with_name} must give mechanisms of its class, at least one")
        if len(made) > _MOST_EXAMPLES:
            raise ParameterError(f"{with_name} gives more than {_MOST_EXAMPLES} mechanisms")
        most = max(one.k for one in made)
        if most > _MOST_ANSWERS:
            raise ParameterError(
                f"{with_name} gives one for {most:,} answers, of which laws are tried on at most "
                f"{_MOST_ANSWERS}: every path of chance is walked"
            )
    else:
        made = [_calibrated(family, k, e) for k in sorted(answers) for e in sorted(epsilons)]
    return sorted(made, key=lambda mechanism: mechanism.k)


def _calibrated(family: type[CategoricalMechanism], k: int, epsilon: float) -> Instance:
    named = f"{family.__name__}.calibrate({k}, {epsilon})"
    made = _called(named, lambda: family.calibrate(k, epsilon))
    if not isinstance(made, family):
        raise ParameterError(f"{named} gives no {family.__name__}")
    return made


def _called(named: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever it gives
    """What code of others gives; any error of it is one sentence that names the call."""
    try:
        return call()
    except SudareError as error:
        raise ParameterError(f"{named} is refused: {error}") from None
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{named} fails: {told(error)}") from error


def judge(
    family: type[CategoricalMechanism],
    instances: Sequence[Instance],
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """Every law in turn, on every instance until one breaks it.

    Args:
        family: whose ``calibrate`` is tried, too.
        instances: small ones, from few answers to many.
        progress: is called with the name of each law before it is tried.
    """
    for law in LAWS:
        progress(law.name)
        tried = [*instances, *_large(family)] if law.name == "repeated" else instances
        yield _found(law.name, law.says, (_trial(law, mechanism) for mechanism in tried))
    progress(BUDGET)
    says = "calibrate never spends more than it was given"
    yield _found(BUDGET, says, (_budget(family, *given) for given in _BUDGETS))


Trial = tuple[object, Callable[[], None]]


def _trial(law: Law, mechanism: Instance) -> Trial:
    return mechanism, lambda: law.obey(mechanism)


def _found(name: str, says: str, trials: Iterable[Trial]) -> Finding:
    """What was found of a law: the first trial that fails, in whatever way."""
    for mechanism, trial in trials:
        try:
            trial()
        except LawBroken as broken:
            return Finding(name, says, str(broken), broken.case)
        except NotEnumerable as error:  # no fault, but no proof that it holds either
            raise NotEnumerable(f"{mechanism} can't be tried: {error}") from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others may raise anything
            case = {"mechanism": str(mechanism), "where": _place(error)}
            return Finding(name, says, f"the code fails: {told(error)}", case)
    return Finding(name, says)


def _place(error: BaseException) -> str:
    """The innermost line outside this package, or inside it if there is none."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if "sudare" not in frame.filename] or frames
    return f"{others[-1].name}, line {others[-1].lineno}" if others else "unknown"


def _large(family: type[CategoricalMechanism]) -> list[Instance]:
    try:
        return [family.calibrate(_LARGE, 1.0)]
    except SudareError:  # a mechanism may be for few answers alone
        return []


def _budget(family: type[CategoricalMechanism], k: int, epsilon: float) -> Trial:
    def tried() -> None:
        try:
            mechanism = family.calibrate(k, epsilon)
        except SudareError:  # nothing is spent
            return
        if mechanism.k != k:
            raise LawBroken(
                f"calibrated for {k} answers, it has {mechanism.k}", mechanism=mechanism
            )
        laws.stated_at_most(mechanism, epsilon)

    return f"calibrate({k}, {epsilon})", tried

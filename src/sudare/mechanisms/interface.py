"""The one interface of every mechanism: a frozen value that device and collector share."""

import hashlib
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.channel import Channel
from sudare.chance.exact import exact_law, log_up
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness, System
from sudare.errors import InvalidDocument, InvalidReport, MixedCollections, ParameterError
from sudare.estimation.debias import debias, report_weights
from sudare.estimation.estimate import Estimate, Floats
from sudare.estimation.likelihood import Evidence
from sudare.formats.documents import canonical
from sudare.formats.numbers import counted, whole
from sudare.formats.wire import Columns, Fields
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories, Domain

Records = NDArray[np.void]

_EXACT_REPORTS = 1000  # of whom fractions stay quick: they have 53 bits per report

_ENUMERABLE = 8  # answers: twice the paths for each one more of a unary mechanism

_FRACTION = re.compile(r"([0-9]{1,16})(?:/([1-9][0-9]{0,15}))?", re.ASCII)  # 2^53 has 16 digits


@dataclass(frozen=True)
class Mechanism(ABC):
    """How one person's value becomes a report, and many reports an estimate.

    A subclass declares its parameters as dataclass fields (integers, and probabilities as
    multiples of 2⁻⁵³), its ``domain``, ``report_dtype`` and ``worst_ratio``, and the steps
    below. It holds no state and does no I/O.
    """

    name: ClassVar[str]
    memoised: ClassVar[bool] = False
    """Whether a device keeps noise of its own for an answer that it gives again."""
    kept_for: ClassVar[str] = "answer"
    """What such noise is kept for, in a word."""

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The values that a person may answer."""

    @property
    @abstractmethod
    def report_dtype(self) -> np.dtype[np.void]:
        """The fixed-width record that leaves the device."""

    @property
    @abstractmethod
    def worst_ratio(self) -> Fraction:
        """The largest ratio of the chances of one report under two values: e^ε, exactly."""

    @property
    @abstractmethod
    def odds(self) -> str:
        """How a device treats an answer, in plain words."""

    @abstractmethod
    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked values: the only step that sees the truth."""

    @abstractmethod
    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every record is one that ``perturb`` can make."""

    @abstractmethod
    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """The additive counts of checked reports."""

    @abstractmethod
    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The unbiased estimate of an aggregate known to be this mechanism's."""

    @abstractmethod
    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each checked report in the unbiased number of people with an answer."""

    @abstractmethod
    def simulate(self, truth: Any, rng: Keystream) -> Aggregate:  # noqa: ANN401 - any domain's
        """The aggregate of a whole population, drawn from its exact law without the people.

        ``truth`` says how many people hold each value, as the domain's ``population`` takes it.
        """

    # What follows is given to every mechanism.

    @property
    def epsilon(self) -> float:
        """The privacy of one report: ln(``worst_ratio``), rounded up."""
        return log_up(self.worst_ratio)

    @property
    def lifetime_epsilon(self) -> float:
        """The privacy of any number of reports of one value; infinite where nothing is kept."""
        return math.inf

    @property
    def bounded_for_life(self) -> bool:
        """Whether any number of reports of one value cost no more than some ε."""
        return math.isfinite(self.lifetime_epsilon)

    def epsilon_of(self, reports: int) -> float:
        """The privacy of so many reports of one value by one device, rounded up.

        Where nothing is kept each costs anew: k reports cost k times one.
        """
        count = _positive(reports)
        return self.epsilon if count == 1 else math.nextafter(count * self.epsilon, math.inf)

    @property
    def most_kept(self) -> int | None:
        """How many noises a device can come to keep, however its answer changes; None if unknown.

        The reports that rest on one of them cost ``lifetime_epsilon`` at most, all together so many
        times that.
        """
        return self.domain.size or None

    def epsilon_of_kept(self, noises: int) -> float:
        """The privacy of any number of reports that rest on so many kept noises, rounded up.

        Each costs ``lifetime_epsilon`` for itself. It holds between histories of answers that come
        to what noise is kept for, and return to it, at the same times.
        """
        count = _positive(noises)
        for_life = self.lifetime_epsilon
        return for_life if count == 1 else math.nextafter(count * for_life, math.inf)

    def change_shows(self, reports: int | None = None) -> float | None:
        """How well so many reports before and after show a changed answer; None where not known.

        Without a number of reports, however many.
        """
        del reports
        return None

    def remembers(self, values: NDArray[Any], kept: Callable[[bytes, bytes], Randomness]) -> bytes:
        """What a device keeps noise for, if it keeps any: where it is the same, noise is shared.

        Args:
            values: the checked value of its person.
            kept: as for ``report_again``.
        """
        del kept
        return values.tobytes()

    def report_again(
        self, values: NDArray[Any], kept: Callable[[bytes, bytes], Randomness], rng: Randomness
    ) -> Records:
        """The report of a device that may have reported before.

        Args:
            values: the checked value of its person.
            kept: chance that is the same each time, for a purpose and a value: what a device draws
                once and for all.
            rng: chance that is new each time.
        """
        del kept
        return self.perturb(values, rng)

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance, where it would take forever."""
        if not self.domain.size:
            return "not for free text, whose answers can't be listed"
        if self.domain.size > _ENUMERABLE:
            return f"not at {counted(self.domain.size, 'answer')} (up to {_ENUMERABLE})"
        return None

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical document: the mechanism's identity."""
        return hashlib.sha256(canonical(self.document())).hexdigest()

    @property
    def zero(self) -> Aggregate:
        """The aggregate of nobody: neutral under ``+``."""
        nobody = np.empty(0, self.report_dtype)
        return Aggregate(self.key, 0, self.tally(nobody))

    def randomize(self, values: ArrayLike, rng: Randomness | None = None) -> Records:
        """Check the values and randomise each: the reports that may leave the devices.

        Args:
            values: one value per person; a value outside the domain raises ``InvalidAnswer``.
            rng: the system's cryptographic randomness unless an experiment says otherwise.
        """
        return self.perturb(self.domain.check(values), rng or System())

    def aggregate(self, reports: Records | Columns) -> Aggregate:
        """Check the reports and count them."""
        if reports.dtype != self.report_dtype or reports.ndim != 1:
            raise InvalidReport(
                f"reports of {self.name} are records of {self.report_dtype}, got {reports.dtype}"
            )
        self.check(reports)
        return Aggregate(self.key, len(reports), self.tally(reports))

    def estimate(self, aggregate: Aggregate) -> Estimate:
        """The unbiased estimate of an aggregate, with its standard errors."""
        return self.debiased(self.own(aggregate))

    def own(self, aggregate: Aggregate) -> Aggregate:
        """The aggregate, if it is this mechanism's and of somebody; raises otherwise."""
        if aggregate.key != self.key:
            raise MixedCollections(
                f"the aggregate belongs to {aggregate.key[:12]}…, not to this {self.name} "
                f"({self.key[:12]}…)"
            )
        if aggregate.counts.shape != self.zero.counts.shape:
            raise InvalidDocument(
                f"the aggregate has counts of shape {aggregate.counts.shape}, "
                f"{self.name} has {self.zero.counts.shape}"
            )
        if aggregate.n < 1:
            raise ParameterError("there are 0 reports: an estimate needs at least 1")
        return aggregate

    def channel(self, values: Iterable[Any] | None = None) -> Channel:
        """The exact law of a report under each value, by enumerating this code: for small cases."""
        chosen = self.domain if values is None else values
        return Channel({value: self._law(value) for value in chosen})

    def _law(self, value: Any) -> dict[Hashable, Fraction]:  # noqa: ANN401 - any domain's value
        return exact_law(lambda rng: self.randomize([value], rng).tobytes())

    def document(self) -> dict[str, Any]:
        """The mechanism as JSON values, probabilities as exact fractions such as ``"3/4"``."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            "name": self.name,
            **{
                name: str(Fraction(value)) if isinstance(value, float) else int(value)
                for name, value in parameters.items()
            },
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """The mechanism of a document; a missing, extra or ill-typed parameter is refused."""
        given = {name: value for name, value in document.items() if name != "name"}
        wanted = {field.name: field.type for field in fields(cls)}
        if given.keys() != wanted.keys():
            raise InvalidDocument(
                f"{cls.name} takes the parameters {', '.join(sorted(wanted))}; "
                f"the document has {len(given)} that differ"
            )
        return cls(**{name: _parameter(name, value, wanted[name]) for name, value in given.items()})


@dataclass(frozen=True)
class CategoricalMechanism(Mechanism):
    """A mechanism for one answer of ``k``, each supported by a report or not.

    The people who hold an answer support it with chance ``holder``, all others with chance
    ``others``; both follow from the parameters.
    """

    k: int

    @property
    @abstractmethod
    def holder(self) -> float:
        """The chance that a person's report supports the answer they hold."""

    @property
    @abstractmethod
    def others(self) -> float:
        """The chance that a person's report supports any one answer that they don't hold."""

    @abstractmethod
    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which of the checked reports support an answer; ``supported`` says how many."""

    @abstractmethod
    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of an aggregate about the shares, for the likelihood."""

    @classmethod
    @abstractmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate mechanism that spends at most ``epsilon``."""

    @cached_property
    def domain(self) -> Categories:
        """The ``k`` answers, numbered from 0."""
        return Categories(self.k)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports support each answer: what is counted, unless a mechanism says more."""
        return aggregate.counts

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The unbiased share of each answer, (c/n - others) / (holder - others)."""
        return debias(self.supported(aggregate), aggregate.n, self.holder, self.others)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people who hold an answer."""
        return report_weights(self.supports(reports, answer), self.holder, self.others)


@dataclass(frozen=True)
class MemoisedMechanism(Mechanism):
    """A mechanism with a permanent step, which a device takes once and repeats.

    It is taken once for each answer, or for what answers share of them (``remembered``).

    What is assigned to a device (a cohort) doesn't depend on its answer. Each report is then
    a fresh ``instant`` randomisation of the ``permanent`` one, so that many reports of one
    answer never tell more than the permanent step does.
    """

    memoised: ClassVar[bool] = True

    @abstractmethod
    def assign(self, count: int, rng: Randomness) -> NDArray[np.int64]:
        """A number for each of so many devices, drawn once and for all, whatever its answers."""

    def remembered(self, values: NDArray[Any], assigned: NDArray[np.int64]) -> NDArray[Any]:
        """What the permanent step depends on: the values, unless a mechanism says less."""
        del assigned
        return values

    @abstractmethod
    def permanent(
        self, values: NDArray[Any], assigned: NDArray[np.int64], rng: Randomness
    ) -> NDArray[Any]:
        """The randomisation that a device keeps for a value."""

    @abstractmethod
    def instant(self, kept: NDArray[Any], assigned: NDArray[np.int64], rng: Randomness) -> Records:
        """Reports, one each, of the randomisations that devices kept."""

    @abstractmethod
    def ratio_of(self, reports: int) -> Fraction:
        """The worst ratio of so many reports of one value by one device: e^ε_k, exactly."""

    @property
    @abstractmethod
    def lifetime_ratio(self) -> Fraction | None:
        """The bound that ``ratio_of`` never exceeds, or None if it grows without end."""

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked values, by devices that have never reported before."""
        assigned = self.assign(len(values), rng)
        return self.instant(self.permanent(values, assigned, rng), assigned, rng)

    def report_again(
        self, values: NDArray[Any], kept: Callable[[bytes, bytes], Randomness], rng: Randomness
    ) -> Records:
        """The report of a device: what is permanent is drawn from chance that it keeps."""
        assigned = self.assign(len(values), kept(b"assign", b""))
        about = self.remembered(values, assigned).tobytes()
        permanent = self.permanent(values, assigned, kept(b"permanent", about))
        return self.instant(permanent, assigned, rng)

    def remembers(self, values: NDArray[Any], kept: Callable[[bytes, bytes], Randomness]) -> bytes:
        """What a device keeps noise for: that of its value which the permanent step depends on."""
        return self.remembered(values, self.assign(len(values), kept(b"assign", b""))).tobytes()

    @property
    def worst_ratio(self) -> Fraction:
        """The worst ratio of a single report: e^ε, exactly."""
        return self.ratio_of(1)

    @property
    def lifetime_epsilon(self) -> float:
        """The privacy of any number of reports of one value, rounded up; maybe infinite."""
        ratio = self.lifetime_ratio
        return math.inf if ratio is None else log_up(ratio)

    def epsilon_of(self, reports: int) -> float:
        """The privacy of so many reports of one value, rounded up."""
        reports = _positive(reports)
        if reports <= _EXACT_REPORTS:
            return log_up(self.ratio_of(reports))
        # Neither is below the truth: k reports cost no more than k times one, or than all.
        return min(math.nextafter(reports * self.epsilon, math.inf), self.lifetime_epsilon)


def _positive(reports: int) -> int:
    reports = whole("the number of reports", reports)
    if reports < 1:
        raise ParameterError(f"the number of reports must be at least 1, got {reports}")
    return reports


def _parameter(name: str, value: object, kind: object) -> int | float:
    if kind is int and type(value) is int:
        return value
    if kind is float and isinstance(value, str) and (parts := _FRACTION.fullmatch(value)):
        exact = Fraction(int(parts[1]), int(parts[2] or 1))
        # str(exact) == value: one way to write a number, so one key for one mechanism
        if exact <= 1 and Fraction(float(exact)) == exact and str(exact) == value:
            return float(exact)
    expected = "a whole number" if kind is int else 'a reduced binary fraction such as "3/4"'
    raise InvalidDocument(
        f"the parameter {name} must be {expected}, got another {type(value).__name__}"
    )

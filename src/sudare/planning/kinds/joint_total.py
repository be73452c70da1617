"""A total of two parties, with noise that nobody knows: plans by the tables that are shipped."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from sudare.chance.exact import float_up
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.formats.numbers import as_given, real, whole
from sudare.planning.kinds.interface import WEEKS, Design, Kind, Make
from sudare.planning.kinds.trials import Told, Trial
from sudare.planning.measures import TotalMeasure
from sudare.planning.wish import Goal, Wish
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.scheme import USUAL_ENTRIES
from sudare.twoparty.noise.shipped_tables import shipped_documents
from sudare.twoparty.noise.table_document import TableDocument

USUAL_DELTA = 1e-6
_GUESS = 0.5  # of what all people together may have


@dataclass(frozen=True, kw_only=True)
class JointTotal(Kind):
    """A total over people who each have 0, or up to some number.

    Attributes:
        most: that a person has.
        delta: the chance with which ε may be exceeded.
    """

    name: ClassVar[str] = "joint"
    most: int = 1
    delta: float = USUAL_DELTA

    def __post_init__(self) -> None:
        if whole("most", self.most) < 1:
            raise ParameterError(f"a person has at most 1 or more, got {self.most}")
        if not 0 < real("delta", self.delta) < 0.5:
            raise ParameterError(f"delta must lie between 0 and 0.5, got {self.delta}")

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """Tables that are shipped and keep the guarantee, each at its own ε."""
        if wish.population or wish.share:
            raise ParameterError(
                "the noise of a total is the same whatever people have, and of the people asked: "
                "leave out share and population"
            )
        tables = self._tables()
        if not tables:
            raise ParameterError(
                f"no tables are shipped for people who have up to {self.most:,} each at δ = "
                f"{as_given(self.delta)}; `sudare table --epsilon … --delta … --sensitivity "
                f"{self.most} --search` finds some"
            )
        return {name: partial(self._design, table, wish) for name, table in tables.items()}

    def _tables(self) -> dict[str, TableDocument]:
        """Of the shipped tables that keep δ for such people, the ones of least noise at each ε."""
        best: dict[str, TableDocument] = {}
        for document in shipped_documents():
            guarantee = document.guarantee
            if guarantee.sensitivity < self.most or guarantee.delta > self.delta:
                continue
            if document.scheme.entries > USUAL_ENTRIES:
                continue  # parties take those only if they are told to
            name = f"tables at ε = {as_given(guarantee.epsilon)}"
            if name not in best or _noise(document) < _noise(best[name]):
                best[name] = document
        return best

    def _design(self, document: TableDocument, wish: Wish, epsilon: float) -> Design | None:
        from sudare.twoparty.ciphers.elgamal import PAIR  # loads its library

        own = document.guarantee
        if Fraction(own.epsilon) * wish.visits > Fraction(epsilon):
            return None
        if Fraction(own.delta) * wish.visits > Fraction(self.delta):
            return None
        return Design(
            TotalMeasure.of_law(chances_of(document), wish),
            spends=float_up(Fraction(own.epsilon) * wish.visits),
            each=own.epsilon,
            report_bytes=PAIR,
            forger_gain=1.0 if self.most == 1 else None,  # bits can be proved, numbers can't
            year_epsilon=float_up(Fraction(own.epsilon) * WEEKS),
        )

    def guess(self, goal: Goal) -> float:
        """Half of what people may have; no share or difference is above all of it."""
        return self.most * (_GUESS if goal == "error" else 1.0)

    @property
    def guessing(self) -> str:
        """What such a guess is."""
        return "who asks nobody and says half of what there may be is off by no more"

    @property
    def estimated(self) -> str:  # type: ignore[override]
        """A share of people, or a mean of numbers."""
        return "the share of people" if self.most == 1 else "the mean"

    @property
    def unit(self) -> Literal["share", "number"]:  # type: ignore[override]
        """A share of people, or a mean of numbers."""
        return "share" if self.most == 1 else "number"

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """Totals with noise drawn from its law."""
        measure: Any = design.measure
        far = len(measure.chances) // 2
        noise = trial.rng.generator().choice(
            np.arange(-far, far + 1), trial.collections, p=measure.chances / measure.chances.sum()
        )
        trial.progress(trial.collections)
        total, reach = trial.whole(value * reports), measure.sure
        truth, values = total / reports, (total + noise) / reports
        stderr = math.sqrt(float(measure.chances @ np.arange(-far, far + 1) ** 2)) / reports
        return _within(reports, truth, values, stderr, reach / reports)

    def apart(self, design: Design, one: Told, other: Told, wish: Wish) -> Told:
        """Differences of the means of two groups, of whom the smaller has as much noise."""
        del wish
        measure: Any = design.measure
        reach = measure.sure_apart / min(one.reports, other.reports)
        truth, values = one.truth - other.truth, one.values - other.values
        stderr = math.hypot(one.stderr[0], other.stderr[0])
        return _within(one.reports + other.reports, truth, values, stderr, reach)

    def off(self, told: Told, wish: Wish) -> float:
        """So many of their standard deviations as half an interval has of those of the law."""
        del wish
        return told.half_width * float(np.sqrt(np.mean(told.errors**2))) / float(told.stderr[0])

    def command(self, name: str, design: Design) -> str:
        """The command that makes the count."""
        own = self._tables()[name].guarantee
        proofs = "--proofs" if self.most == 1 else f"--most {self.most}"
        return (
            f"sudare joint-count new NAME --epsilon {as_given(design.each)} --delta "
            f"{as_given(own.delta)} --sensitivity {own.sensitivity} {proofs} -o NAME.json "
            f"--secret SECRET.json"
        )

    def tables(self, name: str) -> TableDocument:
        """The shipped tables of that name."""
        return self._tables()[name]


def _within(reports: int, truth: Floats, values: Floats, stderr: float, reach: float) -> Told:
    """What is told of values that are within so much of what they seem."""
    every = np.full(values.shape, stderr)
    return Told(reports, truth, values, every, values - reach, values + reach)


def chances_of(document: TableDocument) -> Floats:
    """The chances of the noise of some tables, from the farthest below 0 to that above it."""
    law = noise_law(document.scheme).chances
    far = max(map(abs, law))
    return np.array([float(law.get(value, 0)) for value in range(-far, far + 1)])


def _noise(document: TableDocument) -> Fraction:
    return noise_law(document.scheme).mean_size


def shipped_measure(epsilon: float, wish: Wish) -> TotalMeasure | None:
    """What a count by shipped tables is worth, at exactly this ε; None if there are none."""
    for document in shipped_documents():
        own = document.guarantee
        if (own.epsilon, own.delta, own.sensitivity) == (epsilon, USUAL_DELTA, 1):
            return TotalMeasure.of_law(chances_of(document), wish)
    return None

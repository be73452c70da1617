"""Are two questions related? The joint table of two answers that the same people reported.

After Fanti, Pihur and Erlingsson 2016, "Building a RAPPOR with the unknown": each person's two
reports are randomised on their own, and the joint table is the one that makes the pairs most
likely. Reports must be aligned: the i-th of both is the same person's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import log_up
from sudare.decoding.joint import (
    Independence,
    Pairs,
    among_pairings,
    likelihood_ratio,
    score_test,
    table_test,
)
from sudare.decoding.likelihoods import PAIRS, ReportLikelihoods, likelihoods
from sudare.decoding.mixture import Mixture, most_likely_mixture, stderr_of
from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.mechanisms.several import JointQuestions, SplitQuestions
from sudare.questions.interface import Agreed
from sudare.questions.several import Several

Labels = tuple[str | None, ...]

_CLEAR = 1e-6  # the p-value of a relation between cohorts


@dataclass(frozen=True, eq=False)
class PairTable:
    """The joint table of two questions, with its uncertainty, and whether they are related.

    Attributes:
        n: the number of people.
        first: the answers of the rows; None, the last, is any text that is no candidate.
        second: the answers of the columns; None, the last, as in the rows.
        table: the share of people with each pair of answers.
        stderr: their standard errors, as of the noise; of a share of 0 what it would be if free.
        margins: the shares of each question by itself.
        score: the score test of independence: its level holds in large samples, also when a
            frequent text is no candidate.
        caveats: sentences about what does not hold for reports like these; mostly none.
        epsilon: what the reports of a person cost together: two, or one that is of both questions.
    """

    n: int
    first: Labels
    second: Labels
    table: NDArray[np.float64]
    stderr: NDArray[np.float64]
    margins: tuple[NDArray[np.float64], NDArray[np.float64]]
    score: Independence
    caveats: tuple[str, ...]
    epsilon: float

    def rows(self) -> list[dict[str, Any]]:
        """The joint table, a row per pair of answers: its share, and that under independence."""
        product = np.outer(*self.margins)
        return [
            {
                "first": one,
                "second": two,
                "share": float(self.table[i, j]),
                "stderr": float(self.stderr[i, j]),
                "independent": float(product[i, j]),
            }
            for i, one in enumerate(self.first)
            for j, two in enumerate(self.second)
        ]


@dataclass(frozen=True, eq=False)
class Association(PairTable):
    """The most likely joint table, whose shares sum to 1, with a certificate.

    Attributes:
        ratio: the likelihood ratio test of independence: valid but for its caveat, and timid in
            large tables.
        gap: the certificate: no table is likelier by more than this, in log-likelihood.
    """

    ratio: Independence
    gap: float


def associate(  # noqa: PLR0913, PLR0917 - two of everything
    first_collection: Agreed,
    first_reports: Records | Iterable[Records],
    second_collection: Agreed,
    second_reports: Records | Iterable[Records],
    first_candidates: Iterable[str] | None = None,
    second_candidates: Iterable[str] | None = None,
    *,
    pairs: int = PAIRS,
    progress: Callable[[str, float], object] | None = None,
) -> Association:
    """The joint table of two questions that the same people answered.

    Args:
        first_collection: the question of the rows.
        first_reports: one report per person, as an array or several.
        second_collection: the question of the columns.
        second_reports: the reports of the same people in the same order.
        first_candidates: for free text, what people may have answered; a question with a list of
            answers has those.
        second_candidates: for free text, what people may have answered to the second question.
        pairs: the most people times cells of the table to compute.
        progress: hears, for each of three fits, how much log-likelihood may be left to gain.
    """
    sides = [
        first_collection.kind.alternatives(first_candidates),
        second_collection.kind.alternatives(second_candidates),
    ]
    cells = len(sides[0][0]) * len(sides[1][0])
    told = [
        collection.kind.gather(reports, cells, pairs, "cells of the table")
        for collection, reports in (
            (first_collection, first_reports),
            (second_collection, second_reports),
        )
    ]
    if len(told[0]) != len(told[1]):
        raise ParameterError(
            f"“{first_collection.name}” has {counted(len(told[0]), 'report')} and "
            f"“{second_collection.name}” {len(told[1])}; every person must have one of each"
        )
    mechanisms = first_collection.mechanism, second_collection.mechanism
    one, two = (
        likelihoods(mechanism, reports, hashed).kept()
        for mechanism, reports, (_, hashed) in zip(mechanisms, told, sides, strict=True)
    )
    shared = _shared_cohorts(*told)
    return _associated(
        (sides[0][0], sides[1][0]),
        (one, two),
        progress,
        shared=shared,
        caveats=tuple(_caveats(first_collection, second_collection, shared)),
        epsilon=log_up(mechanisms[0].worst_ratio * mechanisms[1].worst_ratio),
    )


def associate_at_once(
    collection: Agreed,
    told: Aggregate | Records | Iterable[Records],
    questions: tuple[str, str],
    *,
    pairs: int = PAIRS,
    progress: Callable[[str, float], object] | None = None,
) -> PairTable:
    """The joint table of two of the questions that a collection asks at once.

    Where every question is answered with a part of the budget, it is the most likely table of the
    pairs of single reports (an ``Association``), as ``associate`` finds it. Of a joint table its
    shares are unbiased sums, which an aggregate is enough for.

    Args:
        collection: one that asks several questions.
        told: its reports, as an array or several; or, of a joint table, their aggregate.
        questions: the names of those of the rows and of the columns.
        pairs: the most people times cells of the table to compute.
        progress: hears, for each of three fits, how much log-likelihood may be left to gain.
    """
    kind = collection.kind
    if not isinstance(kind, Several):
        raise ParameterError(
            f"“{collection.name}” asks one question: to relate it to another one, name both "
            f"collections and the reports of each"
        )
    first, second = kind.numbers_of(questions)
    mechanism = kind.questions
    sides = kind.parts[first].answers, kind.parts[second].answers
    if isinstance(mechanism, JointQuestions):
        return _of_table(kind, mechanism, told, (first, second))
    if not isinstance(mechanism, SplitQuestions):
        raise ParameterError(
            f"in “{collection.name}” each person answers one question, drawn by chance: no report "
            f"says anything of two (--associate, for a new collection, takes a design that does)"
        )
    reports = kind.gather(
        cast("Records", told), len(sides[0]) * len(sides[1]), pairs, "cells of the table"
    )
    one, two = (
        likelihoods(mechanism.parts[at], mechanism.told(reports, at).records()).kept()
        for at in (first, second)
    )
    return _associated(sides, (one, two), progress, epsilon=mechanism.epsilon)


def _of_table(
    kind: Several,
    mechanism: JointQuestions,
    told: Aggregate | Records | Iterable[Records],
    places: tuple[int, int],
) -> PairTable:
    """The pairs of a joint table, from the sum of its reports."""
    if not isinstance(told, Aggregate):
        gathered = kind.gather(told, 1, PAIRS, "reports")
        told = replace(mechanism.aggregate(gathered), key=kind.agreed.key)
    released = kind.released(told)
    first, second = (kind.parts[at].answers for at in places)
    shape = len(first), len(second)
    pairs = mechanism.estimate_of(released, places)
    margins = [mechanism.margin(released, at).estimate.values for at in places]
    table = pairs.values.reshape(shape)
    return PairTable(
        n=released.n,
        first=first,
        second=second,
        table=table,
        stderr=pairs.stderr.reshape(shape),
        margins=(margins[0], margins[1]),
        score=table_test(table, mechanism.covariance, released.n),
        caveats=("the shares are unbiased: one below 0 is too small to see",)
        if (table < 0).any()
        else (),
        epsilon=mechanism.epsilon,
    )


def _associated(  # noqa: PLR0913 - what is known beside the likelihoods, each by name
    sides: tuple[Labels, Labels],
    told: tuple[ReportLikelihoods, ReportLikelihoods],
    progress: Callable[[str, float], object] | None,
    *,
    shared: NDArray[np.intp] | None = None,
    caveats: tuple[str, ...] = (),
    epsilon: float,
) -> Association:
    """The association of two questions, from the likelihoods of each person's two reports."""
    one, two = told
    both = Pairs(one, two)
    fits = _fitted(one, two, both, progress)
    shape = one.size, two.size
    return Association(
        n=both.n,
        first=sides[0],
        second=sides[1],
        table=fits[2].shares.reshape(shape),
        stderr=stderr_of(both, fits[2]).reshape(shape),
        margins=(fits[0].shares, fits[1].shares),
        score=score_test(both, fits[0], fits[1], shared),
        ratio=likelihood_ratio(fits[2], fits[0], fits[1]),
        caveats=caveats,
        gap=fits[2].gap,
        epsilon=epsilon,
    )


def _shared_cohorts(first: Records, second: Records) -> NDArray[np.intp] | None:
    """The cohort of each person, of the question that has fewer, if the two cohorts are related.

    A frequent text that is no candidate has bits of its own in each cohort, where the model
    expects any bits. What it errs by in a cohort of one question has nothing to do with a cohort
    of the other, unless the cohorts have (one device in two windows of a collection).

    Whether they are related is tested as answers are, by Pearson's statistic of their table. A
    relation that this doesn't see moves the score by less than its own noise.
    """
    if not all("cohort" in (reports.dtype.names or ()) for reports in (first, second)):
        return None
    (one, ones), (two, twos) = (
        np.unique(reports["cohort"], return_inverse=True, return_counts=True)[1:]
        for reports in (first, second)
    )
    met, counts = np.unique(one * twos.size + two, return_counts=True)
    trace = float((counts**2 / (ones[met // twos.size] * twos[met % twos.size])).sum()) - 1
    ours, theirs = (1 / sizes - 1 / len(first) for sizes in (ones[one], twos[two]))
    if among_pairings(trace, ours, theirs, np.zeros_like(one)).p_value > _CLEAR:
        return None
    return one if ones.size <= twos.size else two


def _caveats(first: Agreed, second: Agreed, shared: NDArray[np.intp] | None) -> Iterator[str]:
    """What does not hold for two such collections, whose cohorts are shared or not."""
    if shared is not None:
        yield (
            "people's cohorts in the two questions are related: the score test compares people "
            "of one cohort, but the likelihood ratio test rejects too often if a frequent text "
            "is no candidate"
        )
    if first.key == second.key and first.mechanism.bounded_for_life:
        yield (
            "both are reports of one collection with permanent noise: if devices made them, "
            "whoever gave the same answer twice also kept its noise, and neither the table nor "
            "the tests hold"
        )


def _fitted(
    one: ReportLikelihoods,
    two: ReportLikelihoods,
    both: Pairs,
    progress: Callable[[str, float], object] | None,
) -> tuple[Mixture, Mixture, Mixture]:
    """Both margins, and the joint table."""

    def heard(name: str) -> Callable[[float], object] | None:
        return None if progress is None else lambda gap: progress(name, gap)

    return (
        most_likely_mixture(one, heard("first question")),
        most_likely_mixture(two, heard("second question")),
        most_likely_mixture(both, heard("both together")),
    )

"""Several questions under one ε: which design has the least error, and who gets how much of it.

Every error is exact, of shares that are all alike, and over all answers of all questions.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from heapq import heapify, heapreplace

from sudare.chance.exact import affordable, check_epsilon, too_small
from sudare.errors import ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.domain import Questions
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.mechanisms.several import (
    MOST_COMBINATIONS,
    JointQuestions,
    SampledQuestions,
    SeveralQuestions,
    SplitQuestions,
    combinations_of,
    too_many_combinations,
)

Best = Callable[[int, float], CategoricalMechanism]
"""The best mechanism for one answer of k that spends at most some ε."""

DESIGNS = ("sample", "split", "joint")
_SMALL = 128  # bytes that a report of a joint table may have
_UNITS = 16  # per question: how finely the budget is divided in search of the best division
_TRIES = 64  # steps of a float by which the last part may have to do with less


def design_of(  # noqa: PLR0913 - what may be asked of a design
    sizes: Sequence[int],
    epsilon: float,
    best: Best,
    design: str = "auto",
    *,
    associate: bool = False,
    table: Best | None = None,
) -> SeveralQuestions:
    """The mechanism of several questions with the least error, or that of a design.

    Args:
        sizes: how many answers each question has.
        epsilon: the most that a report may cost, for all questions together.
        best: the mechanism of a single question.
        design: ``sample``, ``split`` or ``joint``; ``auto`` for the one with the least error.
        associate: whether the relation of two questions is asked for. Then the error is that of
            the shares of two answers together, of which ``sample`` says nothing.
        table: the mechanism of a joint table; that with the least error, unless it is given.
    """
    sizes, epsilon = Questions(tuple(sizes)).sizes, check_epsilon(epsilon)
    if design not in {"auto", *DESIGNS}:
        raise ParameterError(f"the design is one of auto, {', '.join(DESIGNS)}, got {design!r}")
    if associate and design == "sample":
        raise ParameterError(
            "with the design sample each person answers one question, so that no report says "
            "anything of two: --associate needs split or joint"
        )
    best = cache(best)
    if design == "sample":
        return sampled(sizes, epsilon, best)
    if design == "split":
        return divided(sizes, epsilon, best)
    if design == "joint":
        return joint(sizes, epsilon, table)
    found: list[SeveralQuestions] = [divided(sizes, epsilon, best)]
    if not associate:
        found.append(sampled(sizes, epsilon, best))
    if combinations_of(sizes) <= MOST_COMBINATIONS and (
        table is None or table(combinations_of(sizes), epsilon).together is not None
    ):
        found.append(joint(sizes, epsilon, table))
    return min(found, key=lambda made: made.pair_error if associate else made.error)


def sampled(sizes: Sequence[int], epsilon: float, best: Best) -> SampledQuestions:
    """One question drawn for each person, which has the whole ε."""
    return SampledQuestions(tuple(best(k, epsilon) for k in sizes))


def joint(sizes: Sequence[int], epsilon: float, table: Best | None = None) -> JointQuestions:
    """The joint table by a mechanism, or by the one with the least error of its sums."""
    combinations = combinations_of(sizes)
    if combinations > MOST_COMBINATIONS:
        raise too_many_combinations(sizes)
    if table is not None:
        return JointQuestions(tuple(sizes), table(combinations, epsilon))
    tables = [made.calibrate(combinations, epsilon) for made in CATEGORICAL.values()]
    fitting = [
        JointQuestions(tuple(sizes), table)
        for table in tables
        if table.together is not None and table.report_dtype.itemsize <= _SMALL
    ]
    return min(fitting, key=lambda made: made.error)


def divided(sizes: Sequence[int], epsilon: float, best: Best) -> SplitQuestions:
    """Every question answered, the budget divided so that the error over all answers is least.

    The division is searched in equal units, each given to the question whose error it lessens
    most; questions of one size have the same. What is spent is then exact: the last part takes
    what the others leave, and all ratios multiplied never cost more than ``epsilon``.
    """
    units = _divided(sizes, epsilon, best)
    order = sorted(range(len(sizes)), key=lambda at: units[at])  # the largest part last
    parts: dict[int, CategoricalMechanism] = {}
    spent = Fraction(1)
    for at in order[:-1]:
        parts[at] = best(sizes[at], epsilon * units[at] / sum(units))
        spent *= parts[at].worst_ratio
    last = order[-1]
    left = epsilon - math.fsum(parts[at].epsilon for at in order[:-1])
    for _ in range(_TRIES):
        if left <= 0:
            break
        part = best(sizes[last], left)
        if affordable(spent * part.worst_ratio, epsilon):
            return SplitQuestions(tuple((parts | {last: part})[at] for at in range(len(sizes))))
        left = math.nextafter(left, 0)
    raise too_small(epsilon)


def _divided(sizes: Sequence[int], epsilon: float, best: Best) -> list[int]:
    """How many equal units of the budget each question gets."""
    unit = epsilon / (_UNITS * len(sizes))

    @cache
    def error(k: int, units: int) -> float:
        made = best(k, unit * units)
        return k * mean_squared_error(made.holder, made.others, 1, k)

    alike: dict[int, int] = {}  # how many questions have so many answers: they get the same
    for k in sizes:
        alike[k] = alike.get(k, 0) + 1
    given = dict.fromkeys(alike, 1)
    left = _UNITS * len(sizes) - len(sizes)

    def gain(k: int) -> float:
        return error(k, given[k] + 1) - error(k, given[k])

    heap = [(gain(k), k) for k in alike]
    heapify(heap)
    while left >= min(alike.values()):
        _, k = heap[0]
        if alike[k] > left:  # too many are alike for what is left: the others share it
            heap = [(least, other) for least, other in heap if alike[other] <= left]
            heapify(heap)
            continue
        given[k] += 1
        left -= alike[k]
        heapreplace(heap, (gain(k), k))
    return [given[k] for k in sizes]

"""How far a forged report moves a result: every report that there can be is counted once."""

from typing import Any

import numpy as np
import pytest

from sudare.errors import SudareError
from sudare.estimation.estimate import Floats
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.aggregate import Aggregate
from sudare.planning.plans import plan

EPSILONS = (0.3, 1.0, 3.0)


def every_report(made: Any) -> list[Aggregate]:
    """An aggregate of each possible report, from every path of chance of every answer."""
    reports = {report for law in made.channel().laws.values() for report in law}
    records = [np.frombuffer(report, made.report_dtype) for report in reports]
    return [Aggregate(made.key, 1, made.tally(record)) for record in records]


def parts(made: Any) -> Floats:
    """What each report makes of each answer: so much of a share is one of so many reports."""
    return np.array([made.debiased(aggregate).values for aggregate in every_report(made)])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("answers", [2, 3, 5])
def test_one_answer(answers: int, epsilon: float) -> None:
    """A share that nobody has is moved by as much as the report counts most for."""
    found = plan("choice", answers=answers, people=10**8, epsilon=epsilon, most_bytes=10**6)
    small = [row for row in found.rows if row.name in {*CATEGORICAL, "rappor"}]
    assert len(small) > len(CATEGORICAL)
    for row in small:
        made: Any = row.design.mechanism
        if made.not_enumerable is None:
            assert row.design.forger_gain == pytest.approx(parts(made).max(), rel=1e-9)


@pytest.mark.parametrize(("answers", "most"), [(4, 2), (5, 3)])
def test_several_answers(answers: int, most: int) -> None:
    best = plan("several", answers=answers, most=most, people=10**6, epsilon=2).recommended
    assert best.design.forger_gain == pytest.approx(parts(best.design.mechanism).max(), rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sizes", [(2, 3), (2, 2, 2), (4, 2)])
def test_several_questions(sizes: tuple[int, ...], epsilon: float) -> None:
    """Of a question that few are asked a report counts for all the others as well."""
    for row in plan("questions", sizes=sizes, people=10**8, epsilon=epsilon).rows:
        made: Any = row.design.mechanism
        most = 0.0
        for aggregate in every_report(made):
            for question in range(len(sizes)):
                try:
                    margin = made.margin(aggregate, question)
                except SudareError:  # this report is to another question
                    continue
                most = max(most, margin.estimate.values.max())
        asked = len(sizes) if row.name == "sample" else 1
        assert row.design.forger_gain == pytest.approx(asked * most, rel=1e-9)


@pytest.mark.parametrize("steps", [2, 3])
def test_a_mean_is_moved_either_way(steps: int) -> None:
    """By who has one end as their number, and says what counts for most beyond the other."""
    best = plan("number", least=0, largest=steps, step=1, people=10**6, epsilon=1).recommended
    made = parts(best.design.mechanism)
    moved = max(made.max(), steps - made.min()) / steps
    assert best.design.forger_gain == pytest.approx(moved, rel=1e-9)


def test_a_bin() -> None:
    wished = {"least": 0, "largest": 6, "step": 1, "found_out": "distribution"}
    best = plan("number", **wished, people=10**6, epsilon=1).recommended
    assert best.design.forger_gain == pytest.approx(parts(best.design.mechanism).max(), rel=1e-9)

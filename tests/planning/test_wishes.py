"""Wishes as a caller may get them wrong: each is refused in a sentence, whatever its type."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sudare.errors import NoSuchPlan, ParameterError
from sudare.planning.kinds import KINDS
from sudare.planning.plans import plan

OWN: dict[str, dict[str, Any]] = {
    "choice": {"answers": 5},
    "several": {"answers": 5, "most": 2},
    "number": {"least": 0, "largest": 10, "step": 1},
    "questions": {"sizes": (2, 3)},
    "text": {"candidates": 100, "false_discoveries": 0.05},
    "stream": {"rounds": 5, "low": 0.2, "high": 0.8},
    "joint": {"most": 1, "delta": 1e-6},
}
WRONG = ["5", b"5", [], [5], (), {}, 1j, object(), math.nan, math.inf, -math.inf, -1, True, 10**400]
RIGHT = [["population", True], ["most_bytes", 10**400], ["least", -1]]
RIGHT += [[name, "5"] for name in ("least", "largest", "step")]
COMMON = ("people", "epsilon", "error", "level", "power", "response_rate", "share", "compare")


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_is_no_such_number_is_refused_in_a_sentence(kind: str) -> None:
    given = {**OWN[kind], "people": 50_000, "epsilon": 4.0}
    plan(kind, **given)
    for name in (*OWN[kind], *COMMON, "visits", "changes", "population", "most_bytes"):
        fixed = {"people": None} if name == "error" else {}
        for wrong in WRONG:
            if [name, wrong] in RIGHT:
                continue
            with pytest.raises(ParameterError) as refused:
                plan(kind, **{**given, **fixed, name: wrong})
            assert "\n" not in str(refused.value)


def test_a_kind_or_a_design_of_another_type_is_refused() -> None:
    for kind in ("", "choices", 5, None, [], ["choice"]):
        with pytest.raises(ParameterError, match="a plan is for one of choice, several"):
            plan(kind, people=5, epsilon=1)  # type: ignore[arg-type]  # what a caller may get wrong
    wishes = {"people": 50_000, "epsilon": 4.0}
    with pytest.raises(ParameterError, match="associate must be true or false, got 1"):
        plan("questions", sizes=(2, 3), associate=1, **wishes)
    with pytest.raises(ParameterError, match="sizes are the numbers of answers of each question"):
        plan("questions", sizes=5, **wishes)
    with pytest.raises(ParameterError, match="the mean or the distribution is estimated, got"):
        plan("number", least=0, largest=9, step=1, found_out=["mean"], **wishes)


def test_numbers_of_any_width_are_pythons_own() -> None:
    """And exact ones are taken."""
    narrow = plan("choice", answers=np.int8(5), people=np.int64(50_000), epsilon=np.float32(1))
    assert type(narrow.people) is int
    assert type(narrow.epsilon) is float
    exact = plan("choice", answers=5, people=50_000, epsilon=Fraction(1), level=Decimal("0.95"))
    assert exact.document() == narrow.document()


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"level": 0.4}, "a level must be at least 0.5 in a plan, got 0.4"),
        ({"level": 95}, "a level must be between 0 and 1, got 95.0: 95 % is 0.95"),
        ({"compare": 1e-9}, "need somebody in each, and 1e-09 of 50,000 reports is nobody"),
        ({"epsilon": None, "difference": 0.8, "share": 0.3}, "must be at most 0.7 beside a share"),
        ({"people": 1, "epsilon": None, "difference": 0.3}, "0.5 of 1 report is nobody"),
    ],
)
def test_what_no_plan_can_have_is_refused(wishes: dict[str, Any], sentence: str) -> None:
    given = {"answers": 5, "people": 50_000, "epsilon": 1.0, **wishes}
    with pytest.raises(ParameterError, match=sentence):
        plan("choice", **given)


def test_a_mean_has_no_share() -> None:
    with pytest.raises(ParameterError, match="a mean is of all numbers, of no share"):
        plan("number", least=0, largest=9, step=1, people=1000, epsilon=1, share=0.3)


def test_a_level_next_to_1_has_an_interval() -> None:
    near = plan("choice", answers=5, people=50_000, epsilon=1, level=1 - 2**-53)
    far = plan("choice", answers=5, people=50_000, epsilon=1, level=0.9999)
    assert 2 * far.error < near.error < 3 * far.error  # 8.2 standard errors, and 3.9


def test_a_mechanism_that_cannot_be_had_is_absent() -> None:
    """A joint table of so many answers; a geometry of so many points; a bit for each answer."""
    asked = plan("questions", sizes=(30, 50, 20), people=50_000, error=0.05)
    assert {row.name for row in asked.rows} == {"sample", "split"}
    related = plan("questions", sizes=(30, 50, 20), associate=True, people=50_000, epsilon=4)
    assert {row.name for row in related.rows} == {"split"}
    listed = plan("choice", answers=2**32, epsilon=8, error=0.001, most_bytes=2**40)
    assert "grr" in {row.name for row in listed.rows}
    assert "projective" not in {row.name for row in listed.rows}
    over_time = plan("stream", rounds=20_000, epsilon=20, people=10**10)
    assert "borappor" not in {row.name for row in over_time.rows}


def test_where_no_mechanism_can_be_had_the_sentence_says_why() -> None:
    with pytest.raises(ParameterError, match="between 1 and 1,048,576 steps, got 10,000,000"):
        plan("number", least=0, largest=10**7, step=1, people=5000, epsilon=1)
    with pytest.raises(ParameterError, match="between 2 and 11 bins, got 1,000"):
        plan(
            *("number",), least=0, largest=10, step=1, found_out="distribution", bins=1000,
            people=5000, epsilon=1,
        )  # fmt: skip


def test_a_text_that_nobody_could_find_is_white_noise() -> None:
    with pytest.raises(NoSuchPlan, match="only a text that half of the people give") as refused:
        plan("text", people=30, error=0.45)
    assert refused.value.reason == "white_noise"

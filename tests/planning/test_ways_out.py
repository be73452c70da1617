"""What a refusal says can be done instead, done: as values, and as the sentence says it."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import NoSuchPlan, ParameterError
from sudare.planning.plans import Plan, plan
from sudare.planning.wish import GOALS

_EPSILONS = st.sampled_from([0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0])
_PEOPLE = st.sampled_from([1, 7, 40, 200, 1000, 20_000, 10**6, 10**9, 10**12])
_VALUES = st.sampled_from([1e-7, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.4, 0.7])
KINDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "choice": {"answers": st.sampled_from([2, 3, 5, 43, 300, 2000])},
    "several": {"answers": st.sampled_from([5, 20, 200]), "most": st.sampled_from([1, 3, 5])},
    "number": {
        "least": st.just(0),
        "largest": st.sampled_from([1, 10]),
        "step": st.just(1),
        "found_out": st.sampled_from(["mean", "distribution"]),
    },
    "questions": {"sizes": st.sampled_from([(2, 2), (3, 5, 2), (30, 50, 20)])},
    "text": {"candidates": st.sampled_from([10, 10**6])},
    "stream": {"rounds": st.sampled_from([1, 5, 50])},
    "joint": {"most": st.sampled_from([1, 2])},
}
_SHARES = {"choice", "several", "questions"}


@st.composite
def wishes(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """Two of people, ε and a goal, of a question of this kind, and maybe others."""
    own = {name: draw(values) for name, values in KINDS[kind].items()}
    goal = draw(st.sampled_from(GOALS if kind in _SHARES else GOALS[:1]))
    three = [("people", _PEOPLE), ("epsilon", _EPSILONS), (goal, _VALUES)]
    left_out = draw(st.integers(0, 2))
    own |= {name: draw(values) for at, (name, values) in enumerate(three) if at != left_out}
    others: dict[str, st.SearchStrategy[Any]] = {"response_rate": st.sampled_from([0.4, 1.0])}
    if kind in _SHARES:
        others |= {
            "share": st.sampled_from([0.0, 0.3]),
            "compare": st.sampled_from([None, 0.2]),
            "visits": st.sampled_from([1, 3, 52]),
            "most_bytes": st.sampled_from([1, 4, 128]),
        }
    return own | {name: draw(values) for name, values in others.items()}


def refusal_of(kind: str, wished: dict[str, Any]) -> NoSuchPlan | None:
    """The refusal of a wish that could be had otherwise; else the plan is checked."""
    try:
        found = plan(kind, **wished)
    except NoSuchPlan as refused:
        return refused
    except ParameterError:  # such as an error above any guess
        return None
    check(found)
    return None


def check(found: Plan) -> None:
    """That a plan keeps what was wished, that no row beats its best one, and it is no noise."""
    wish, best = found.wish, found.recommended
    for row in found.rows:
        if wish.found == "people":
            assert best.people <= row.people
        elif wish.found == "epsilon":
            assert best.epsilon <= row.epsilon
        else:
            assert best.error <= row.error * (1 + 1e-8)
        if wish.value is not None:
            assert row.reached[wish.goal] <= wish.value
        assert row.design.spends <= row.epsilon
        assert row.reports == wish.reports(row.people) >= 1
        assert row.design.report_bytes <= wish.most_bytes
    assert best.reached[found.kind.judged] < found.kind.guess(found.kind.judged)


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_out_is_accepted_and_the_best_row_is_beaten_by_none(kind: str) -> None:
    @settings(max_examples=5 if kind == "number" else 15)  # of which each design takes a while
    @given(wishes(kind))
    def tried(wished: dict[str, Any]) -> None:
        refused = refusal_of(kind, wished)
        if refused is None:
            return
        assert read_ways(str(refused)) == list(refused.ways_out)
        for way in refused.ways_out:
            ((name, value),) = way.items()
            assert value != wished.get(name)
            if name in {"people", "epsilon", "most_bytes"}:
                assert value > wished.get(name, 0)
            check(plan(kind, **{**wished, **way}))

    tried()


def read_ways(sentence: str) -> list[dict[str, int | float]]:
    """The wishes that a refusal's sentence says would do."""
    _, _, said = sentence.partition("; what would do: ")
    ways: list[dict[str, int | float]] = []
    for clause in re.split(r", (?!\d{3})| or ", said) if said else []:
        if more := re.fullmatch(r"([\d,]+) more people \(([\d,]+) in all\)", clause):
            ways.append({"people": whole(more[2])})
        elif fewer := re.fullmatch(r"answers merged to ([\d,]+)", clause):
            ways.append({"answers": whole(fewer[1])})
        elif other := re.fullmatch(r"(ε =|[a-z ]+) ([\d.e-]+) instead of [\d.e-]+", clause):
            name = "epsilon" if other[1] == "ε =" else other[1].replace(" ", "_")
            ways.append({name: float(other[2])})
        else:
            raise AssertionError(clause)
    return ways


def whole(text: str) -> int:
    """A whole number with commas."""
    return int(text.replace(",", ""))


def test_more_people_are_counted_from_those_that_were_given() -> None:
    with pytest.raises(NoSuchPlan) as refused:
        plan("choice", answers=43, epsilon=0.5, people=200)
    more = re.search(r"([\d,]+) more people \(([\d,]+) in all\)", str(refused.value))
    assert more is not None
    assert whole(more[1]) + 200 == whole(more[2]) == refused.value.ways_out[0]["people"]


@pytest.mark.parametrize(
    ("wished", "ways"),
    [
        ({"answers": 2000, "most": 3, "most_bytes": 8}, {"answers", "most_bytes"}),
        ({"answers": 65536, "most": 5, "epsilon": 0.01, "people": 10**6}, set()),
    ],
)
def test_a_report_that_is_too_long_may_be_longer_if_that_is_no_noise(
    wished: dict[str, Any], ways: set[str]
) -> None:
    given = {"people": 50_000, "epsilon": 2.0, **wished}
    with pytest.raises(NoSuchPlan, match="no mechanism's report is as short") as refused:
        plan("several", **given)
    assert refused.value.reason == "too_long"
    assert {name for way in refused.value.ways_out for name in way} == ways
    for way in refused.value.ways_out:
        check(plan("several", **{**given, **way}))


def test_a_share_so_large_that_the_plan_is_noise_may_be_smaller_by_little() -> None:
    """More people are no way out of a wish that takes so few."""
    with pytest.raises(NoSuchPlan, match="give white noise") as refused:
        plan("choice", answers=43, epsilon=1.0, smallest_share=0.9)
    ways = {name: value for way in refused.value.ways_out for name, value in way.items()}
    assert set(ways) == {"smallest_share"}
    assert 0.2 < ways["smallest_share"] < 0.4
    check(plan("choice", answers=43, epsilon=1.0, smallest_share=ways["smallest_share"]))


@pytest.mark.parametrize(
    ("kind", "wished", "sentence"),
    [
        ("joint", {"people": 3, "epsilon": 0.001}, "no mechanism spends as little as ε = 0.001;"),
        ("joint", {"epsilon": 0.001, "error": 0.01}, "no mechanism spends as little as ε = 0.001;"),
        ("stream", {"rounds": 5, "people": 9, "epsilon": 1e-17}, "as little as ε = 1e-17 for 5 r"),
        ("stream", {"rounds": 5, "people": 1, "epsilon": 4.0}, "1 person at ε = 4 for 5 rounds g"),
    ],
)
def test_a_refusal_says_what_is_so(kind: str, wished: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NoSuchPlan, match=sentence) as refused:
        plan(kind, **wished)
    for way in refused.value.ways_out:
        check(plan(kind, **{**wished, **way}))
    assert refused.value.ways_out

"""Streams are what their kind says, and comparisons measure what they state."""

import math

import numpy as np
import pytest

from sudare import Glance, KShot, Seeded
from sudare.errors import ParameterError
from sudare.simulation.experiments import (
    METHODS,
    compare_streams,
    error_series,
    fixed_groups,
    run_once,
    stream_errors,
)
from sudare.simulation.scenarios import SCENARIOS, counted, stream, true_shares


@pytest.mark.parametrize("kind", SCENARIOS)
@pytest.mark.parametrize("rounds", [1, 2, 7, 50])
def test_a_stream_has_the_same_people_in_every_round(kind: str, rounds: int) -> None:
    table = stream(kind, rounds, 1234, Seeded(5))
    assert table.shape == (rounds, 2)
    assert (table.sum(axis=1) == 1234).all()
    assert table.min() >= 0
    assert np.array_equal(table, stream(kind, rounds, 1234, Seeded(5)))


def shares(kind: str, **how: float) -> np.ndarray:
    return true_shares(stream(kind, 100, 100_000, Seeded(8), **how))


def test_each_kind_is_what_its_name_says() -> None:
    assert set(shares("static", share=0.25)) == {0.25}
    wave = shares("seasonal", share=0.4, swing=0.2)
    assert wave[:50] == pytest.approx(wave[50:])
    assert (wave.min(), wave.max()) == pytest.approx((0.2, 0.6), abs=1e-3)
    assert shares("step", share=0.4, swing=0.3).tolist() == [0.1] * 50 + [0.7] * 50
    walk = shares("random-walk", share=0.5, swing=0.2)
    assert 0.01 < np.diff(walk).std() < 0.04  # 0.2 / √100, within a factor of 2
    apart = shares("independent", share=0.5, swing=0.5)
    assert 0 <= apart.min() < 0.1
    assert 0.9 < apart.max() <= 1
    assert abs(np.corrcoef(apart[1:], apart[:-1])[0, 1]) < 0.5


def test_a_random_walk_is_thrown_back_at_the_edges() -> None:
    walk = shares("random-walk", share=1.0, swing=3.0)
    assert (walk >= 0).all()
    assert (walk <= 1).all()
    assert walk.std() > 0.2


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"kind": "chaos"}, "a stream is one of static, random-walk"),
        ({"people": 0}, "a stream needs at least 1 person, got 0"),
        ({"rounds": 0}, "rounds must be between 1 and 1048576, got 0"),
        ({"share": 1.5}, "a share lies in 0 to 1"),
        ({"swing": -0.1}, "a swing is finite and isn't negative"),
        ({"swing": math.nan}, "a swing is finite"),
        ({"swing": math.inf, "kind": "random-walk"}, "a swing is finite"),
        ({"kind": "step", "share": 0.2}, "a step stream around 0.2 can't swing by 0.3"),
    ],
)
def test_streams_that_cannot_be_are_refused(how: dict[str, object], message: str) -> None:
    given = {"kind": "static", "rounds": 5, "people": 10, "rng": Seeded(1), **how}
    with pytest.raises(ParameterError, match=message):
        stream(**given)  # type: ignore[arg-type]


def test_shares_of_nobody_are_refused() -> None:
    with pytest.raises(ParameterError, match="a stream of nobody"):
        true_shares(np.zeros((3, 2), np.int64))


def test_outcomes_summarise_their_errors() -> None:
    streams = {kind: stream(kind, 10, 500, Seeded(1)) for kind in ("static", "step")}
    heard: list[int] = []
    methods = {"glance": Glance.calibrate, "lpa": METHODS["lpa"]}
    outcomes = compare_streams(streams, methods, [1.0, 3.0], 50, Seeded(2), progress=heard.append)
    assert sum(heard) == 2 * 2 * 2 * 50
    assert [(one.stream, one.method, one.epsilon) for one in outcomes[:3]] == [
        ("static", "glance", 1.0),
        ("static", "glance", 3.0),
        ("static", "lpa", 1.0),
    ]
    errors = stream_errors(Glance.calibrate(10, 1.0), streams["static"], 50, Seeded(2))
    first = outcomes[0]
    assert first.maximal == pytest.approx(errors.maximal.mean())
    assert first.stderr == pytest.approx(errors.maximal.std(ddof=1) / 50**0.5)
    assert first.quantiles[1] == pytest.approx(np.median(errors.maximal))
    assert first.squared == pytest.approx(errors.squared.mean())
    assert first.missing == errors.missing.mean()
    curves = error_series(outcomes)
    assert [curve.label for curve in curves] == [
        "glance, static",
        "lpa, static",
        "glance, step",
        "lpa, step",
    ]
    assert curves[0].x.tolist() == [1.0, 3.0]
    assert curves[0].y.tolist() == [outcomes[0].maximal, outcomes[1].maximal]
    assert [curve.label for curve in error_series(outcomes[:4])] == ["glance", "lpa"]


def test_two_repetitions_are_needed() -> None:
    with pytest.raises(ParameterError, match="at least 2 repetitions, got 1"):
        compare_streams({}, METHODS, [1.0], 1, Seeded(1))


@pytest.mark.parametrize("name", METHODS)
def test_one_run_is_told_round_by_round(name: str) -> None:
    truth = stream("seasonal", 12, 600, Seeded(1))
    run = run_once(name, METHODS[name](12, 4.0), truth, Seeded(3))
    rows = run.rows()
    assert [row["round"] for row in rows] == list(range(1, 13))
    assert [row["truth"] for row in rows] == true_shares(truth).tolist()
    found = [row["share"] for row in rows]
    assert found == pytest.approx(run.shares.tolist())
    assert run.maximal_error == max(abs(row["share"] - row["truth"]) for row in rows)
    assert run.missing == 0
    assert (run.estimate is None) == (name in {"lpu", "lpa"})


def test_a_run_says_where_nobody_reported() -> None:
    truth = counted([0.5] * 30, 15)
    run = run_once("glance", Glance.calibrate(30, 4.0), truth, Seeded(3))
    assert run.missing >= 15
    assert sum(row["share"] is None for row in run.rows()) == run.missing
    assert np.isfinite(run.maximal_error)


def test_fixed_groups_are_for_those_who_have_groups() -> None:
    truth = counted([0.5] * 10, 100)
    fixed = fixed_groups(KShot.calibrate)(10, 4.0)
    run = run_once("kshot", fixed, truth, Seeded(1))
    assert run.estimate is not None
    assert len(set(run.estimate.reports.tolist())) == 1
    for name in ("harmony", "borappor", "lpu", "lpa"):
        with pytest.raises(ParameterError, match="for glance and kshot"):
            fixed_groups(METHODS[name])(10, 4.0)

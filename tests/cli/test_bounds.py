"""``sudare bounds``: what it says is what the functions say, in JSON and in words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare import Glance, KShot
from sudare.planning.bounds.chernoff import fixed_groups_bound, maximal_error_bound, people_needed
from sudare.planning.bounds.continual import (
    Setting,
    general_bound,
    general_people,
    harmony_lower_bound,
    printed_theta,
)
from sudare.planning.bounds.maximal import glance_maximum
from support.commands import refused, run, succeed

BASE = ("bounds", "--rounds", 50, "--people", 10_000, "--epsilon", 4)


def told(folder: Path, *arguments: object) -> Any:
    return succeed(folder, *arguments, "--json").json()


def test_json_repeats_the_functions(tmp_path: Path) -> None:
    document = told(tmp_path, *BASE, "--share", 0.9995, "--error", 0.05)
    assert [each["mechanism"] for each in document["mechanisms"]] == [
        "glance",
        "harmony",
        "borappor",
        "kshot",
    ]
    glance, mechanism = document["mechanisms"][0], Glance.calibrate(50, 4.0)
    shares = (0.9995, 0.9995)
    assert glance["design"] == mechanism.document()
    assert glance["epsilon"] == mechanism.epsilon <= 4
    assert glance["bound"] == maximal_error_bound(mechanism, 10_000, 0.1, *shares)
    assert glance["fixed_groups"] == fixed_groups_bound(mechanism, 10_000, 0.1, *shares)
    assert glance["people_needed"] == people_needed(mechanism, 0.05, 0.1, *shares)
    law = glance_maximum(mechanism.keep, 10_000, np.full(50, 9995))
    assert glance["exact"] == {"share": 0.9995, "quantile": law.quantile(0.9), "mean": law.mean}
    theory, setting = document["document"], Setting(50, 10_000, 4.0, 0.1)
    assert theory["printed"]["theta"] == 2 * theory["solved"]["theta"] == printed_theta(setting)
    assert theory["solved"]["general"] == general_bound(setting)
    assert theory["solved"]["people_needed"] == general_people(setting, 0.05)
    assert theory["solved"]["condition"] is theory["printed"]["condition"] is True
    assert theory["solved"]["dense"] == 2 * theory["solved"]["theta"]
    assert theory["harmony_lower"] is None
    assert "beta below" in theory["reasons"]["harmony_lower"]


def test_a_range_of_shares_and_a_design_of_shots(tmp_path: Path) -> None:
    options = ("--low", 0.4, "--high", 0.6, "--mechanism", "kshot", "--shots", 4, "--flips", 1)
    document = told(tmp_path, *BASE, *options)
    (kshot,) = document["mechanisms"]
    mechanism = KShot.calibrate(50, 4.0, shots=4, flips=1)
    assert kshot["design"] == mechanism.document()
    assert kshot["bound"] == maximal_error_bound(mechanism, 10_000, 0.1, 0.4, 0.6)
    assert kshot["exact"] is None
    assert "only its bound" in kshot["reasons"]["exact"]
    assert "condition" not in document["document"]["solved"]


def test_one_shot_has_glance_s_exact_law(tmp_path: Path) -> None:
    names = ("--mechanism", "glance", "--mechanism", "kshot", "--shots", 1)
    glance, kshot = told(tmp_path, *BASE, *names)["mechanisms"]
    assert kshot["exact"] == pytest.approx(glance["exact"])


def test_one_is_singular(tmp_path: Path) -> None:
    one = ("--rounds", 1, "--people", 1, "--epsilon", 4, "--mechanism", "glance")
    assert succeed(tmp_path, "bounds", *one).out.startswith("1 round, 1 person, ε = 4 for")
    needed = ("--rounds", 1, "--epsilon", 30, "--error", 0.9, "--share", 1, *one[-2:])
    assert "  glance    1 person\n" in succeed(tmp_path, "bounds", *needed).out


def test_the_exact_share_is_the_least_favourable_one(tmp_path: Path) -> None:
    names = ("--mechanism", "glance", "--mechanism", "harmony")
    for high, shares in ((1.0, [0.5, 1.0]), (0.2, [0.2, 0.2])):
        document = told(tmp_path, *BASE, *names, "--high", high)
        assert [each["exact"]["share"] for each in document["mechanisms"]] == shares


def test_what_can_not_be_said_has_its_reason(tmp_path: Path) -> None:
    document = told(tmp_path, "bounds", "--rounds", 50, "--people", 300, "--epsilon", 4)
    glance = document["mechanisms"][0]
    assert glance["bound"] is None
    assert glance["reasons"]["bound"].endswith("needs at least 342 people, got 300")
    assert glance["fixed_groups"] > 0
    assert document["document"]["solved"]["general"] is None
    assert document["document"]["least_people"] == 381
    shown = " ".join(succeed(tmp_path, *BASE[:4], 300, "--epsilon", 4).out.split())
    assert "needs at least 342 people, got 300" in shown
    assert "need at least 381 people" in shown


def test_words_say_the_same(tmp_path: Path) -> None:
    shown = " ".join(succeed(tmp_path, *BASE, "--share", 0.5, "--error", 0.05).out.split())
    assert "50 rounds, 10,000 people, ε = 4 for all rounds" in shown
    assert "no round is further off, but for a chance of 0.1" in shown
    assert "glance 0.1367 on any stream with such shares" in shown
    assert "0.193 the document's general bound (0.2467 with θ as printed)" in shown
    assert "it does up to epsilon = 1.951 (θ as solved)" in shown
    assert "glance 74,383 people 129,241 people by the document's general bound" in shown
    dense = " ".join(succeed(tmp_path, *BASE, "--share", 0.9995).out.split())
    assert "0.1075 its bound 2θ, as condition (2) holds (θ as solved)" in dense


def test_people_alone_are_enough_to_ask_for(tmp_path: Path) -> None:
    asked = ("bounds", "--rounds", 24, "--epsilon", 2, "--error", 0.05, "--mechanism", "glance")
    document = told(tmp_path, *asked)
    assert document["people"] is None
    assert "bound" not in document["mechanisms"][0]
    needed = people_needed(Glance.calibrate(24, 2.0), 0.05, 0.1)
    assert document["mechanisms"][0]["people_needed"] == needed
    assert f"glance {needed:,} people" in " ".join(succeed(tmp_path, *asked).out.split())


def test_harmony_s_lower_bound_is_said_with_its_own_probability(tmp_path: Path) -> None:
    options = ("--beta", 1e-12, "--mechanism", "harmony")
    document = told(tmp_path, *BASE, *options)
    expected = harmony_lower_bound(Setting(50, 10_000, 4.0, 1e-12))
    assert document["document"]["harmony_lower"] == expected
    shown = " ".join(succeed(tmp_path, *BASE, *options).out.split())
    assert "is *exceeded* with probability at least 1e-12" in shown
    assert "right to 1e-09" in shown  # no exact law so far out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rounds", 0, "--people", 10, "--epsilon", 1), "rounds must be between 1 and"),
        (("--rounds", 5, "--people", 0, "--epsilon", 1), "people must be between 1 and"),
        (("--rounds", 5, "--people", 10, "--epsilon", 0), "epsilon must be above 0"),
        (("--rounds", 5, "--people", 10, "--epsilon", "nan"), "epsilon must be above 0"),
        (("--rounds", 5, "--epsilon", 1), "give --people, or --error"),
        (("--rounds", 5, "--epsilon", 1, "--error", 0), "a wanted error must be above 0"),
        ((*BASE[1:], "--beta", 1), "beta must be between 0 and 1, got 1.0"),
        ((*BASE[1:], "--share", 1.5), "shares lie in 0 to 1, got 1.5 to 1.5"),
        ((*BASE[1:], "--low", 0.7, "--high", 0.2), "shares lie in 0 to 1, got 0.7 to 0.2"),
        ((*BASE[1:], "--share", 0.5, "--low", 0.2), "give either --share or --low and --high"),
        ((*BASE[1:], "--flips", 1), "--flips needs --shots"),
        ((*BASE[1:], "--shots", 2, "--mechanism", "glance"), "--shots and --flips are for kshot"),
        ((*BASE[1:], "--shots", 99), "shots must be between 1 and 16, got 99"),
        ((*BASE[1:], "--shots", 4, "--flips", 9), "flips must be between 0 and 3, got 9"),
        ((*BASE[1:], "--shots", 0), "shots must be between 1 and 16, got 0"),
        ((*BASE[1:], "--shots", 4, "--flips", -1), "flips must be between 0 and 3, got -1"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[object, ...], message: str, tmp_path: Path
) -> None:
    assert message in refused(tmp_path, "bounds", *arguments)


@pytest.mark.parametrize("arguments", [("--rounds", 5), (*BASE[1:], "--mechanism", "grr")])
def test_what_the_command_does_not_know_is_refused(
    arguments: tuple[object, ...], tmp_path: Path
) -> None:
    result = run(tmp_path, "bounds", *arguments)
    assert result.code == 2
    assert result.stdout == b""


def test_an_error_out_of_reach_is_said_for_each_mechanism(tmp_path: Path) -> None:
    asked = ("bounds", "--rounds", 5, "--epsilon", 1, "--error", 1e-9)
    reasons = [each["reasons"]["people_needed"] for each in told(tmp_path, *asked)["mechanisms"]]
    assert len(reasons) == 4
    assert all("no number of people up to" in reason for reason in reasons)
    assert "no number of people up to" in succeed(tmp_path, *asked).out

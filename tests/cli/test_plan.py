"""``sudare plan stream``: what it says, and every way to get it wrong."""

import shlex
from pathlib import Path

import pytest

from sudare import Glance, KShot
from sudare.mechanisms import from_document
from sudare.planning.streams import best_stream
from support.commands import refused, run, succeed

PLAN = ("plan", "stream", "--rounds", 50)


def test_what_to_expect_of_people_and_a_budget(tmp_path: Path) -> None:
    said = succeed(tmp_path, *PLAN, "--epsilon", 4, "--people", 10_000).out
    found = best_stream(50, 4.0, 10_000)
    assert "kshot for 10,000 people over 50 rounds, ε = 4 for a whole stream" in said
    assert f"off by {found.error:.3g} on average, by more than {found.likely_error:.3g}" in said
    assert "A device reports in 2 of 50 rounds" in said
    needed = best_stream(50, 4.0, error=found.error / 2).people
    assert f"{needed:,} people for half of it, {found.error / 2:.3g}, at this ε" in said
    assert "no ε with 10,000 people (perhaps, if --low and --high" in said
    for line in ("elsewhere", "beware", "silence", "enough"):
        assert line not in said


def test_a_budget_is_repeated_to_the_last_digit(tmp_path: Path) -> None:
    said = succeed(tmp_path, *PLAN, "--epsilon", 4.0000001, "--people", 10_000).out
    assert "ε = 4.0000001 for a whole stream" in said
    assert "--epsilon 4.0000001 " in said


def test_the_document_has_every_number_and_names_the_mechanism(tmp_path: Path) -> None:
    options = ("--epsilon", 4, "--people", 10_000, "--low", 0.4, "--high", 0.6, "--error", 0.05)
    document = succeed(tmp_path, *PLAN, *options, "--json").json()
    found = best_stream(50, 4.0, 10_000, low=0.4, high=0.6)
    assert from_document(document["mechanism"]) == found.mechanism
    assert document["error"] == found.error
    assert document["likely_error"] == found.likely_error
    assert document["reports_per_round"] == 800
    needed = document["needed"]
    assert needed["error"] == 0.05
    for epsilon, people in ((4.0, needed["people"]), (needed["epsilon"], 10_000)):
        assert best_stream(50, epsilon, people, low=0.4, high=0.6).error <= 0.05
    said = succeed(tmp_path, *PLAN, *options).out
    assert f"{needed['people']:,} people for 0.05 at this ε, or ε = {needed['epsilon']:g}" in said


@pytest.mark.parametrize(
    ("options", "mechanism"),
    [
        ("--epsilon 4 --people 10000", KShot.calibrate(50, 4.0)),
        ("--epsilon 1 --people 10000 --low .4", Glance.calibrate(50, 1.0)),
        ("--epsilon 4 --error 0.1 --high .7", KShot.calibrate(50, 4.0, high=0.7)),
    ],
)
def test_the_line_to_run_next_makes_that_mechanism(
    tmp_path: Path, options: str, mechanism: Glance | KShot
) -> None:
    document = succeed(tmp_path, *PLAN, *options.split(), "--json").json()
    line = document["command"]
    assert succeed(tmp_path, *PLAN, *options.split()).out.rstrip().endswith(line)
    words = shlex.split(line)
    assert words[:4] == ["sudare", "collection", "new", "NAME"]
    told = dict(zip(words[4::2], words[5::2], strict=True))
    assert told.pop("-o") == "NAME.json"
    assert told.pop("--question") == "QUESTION"
    assert told.pop("--mechanism") == mechanism.name
    rounds, epsilon = int(told.pop("--rounds")), float(told.pop("--epsilon"))
    low, high = float(told.pop("--low", 0)), float(told.pop("--high", 1))
    assert not told
    if mechanism.name == "glance":
        assert (low, high) == (0, 1)
        assert Glance.calibrate(rounds, epsilon) == mechanism
    else:
        assert KShot.calibrate(rounds, epsilon, low=low, high=high) == mechanism
    assert from_document(document["mechanism"]) == mechanism


def test_the_fewest_people_and_the_smallest_budget(tmp_path: Path) -> None:
    people = succeed(tmp_path, *PLAN, "--epsilon", 4, "--error", 0.05, "--json").json()
    assert people["people"] == best_stream(50, 4.0, error=0.05).people
    assert people["needed"] is None
    budget = succeed(tmp_path, *PLAN, "--people", 30_000, "--error", 0.05, "--json").json()
    assert budget["epsilon"] == best_stream(50, None, 30_000, error=0.05).epsilon
    assert "it takes" not in succeed(tmp_path, *PLAN, "--epsilon", 4, "--error", 0.05).out


def test_it_says_so_where_no_number_of_people_is_enough(tmp_path: Path) -> None:
    said = succeed(tmp_path, *PLAN, "--epsilon", 1, "--people", 500_000_000_000).out
    assert "no number of people up to 1,000,000,000,000 for half of it" in said


def test_without_noise_and_chance_there_is_no_error(tmp_path: Path) -> None:
    options = ("--people", 10_000, "--epsilon", 30, "--low", 1, "--high", 1)
    assert succeed(tmp_path, *PLAN, *options, "--json").json()["error"] < 1e-10


def test_one_is_singular(tmp_path: Path) -> None:
    said = succeed(tmp_path, "plan", "stream", "--rounds", 1, "--epsilon", 4, "--people", 1).out
    assert said.startswith("glance for 1 person over 1 round, ε = 4")
    assert "1 people" not in said


def test_it_says_where_a_plan_is_weak(tmp_path: Path) -> None:
    narrow = ("--epsilon", 8, "--people", 250, "--low", 0, "--high", 0.001)
    said = succeed(tmp_path, *PLAN, *narrow).out
    assert "if the share goes to 0.5" in said
    assert "who always says 0.0005 is off by at most 0.0005, if the range is right" in said
    assert "a round without reports has a chance of at most" in said
    assert "no ε with 250 people\n" in said
    enough = succeed(tmp_path, *PLAN, "--epsilon", 4, "--people", 10_000, "--error", 0.1).out
    assert "enough      for 0.1 in the worst round" in enough


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--epsilon 0.1 --people 200", "white noise"),
        ("--epsilon 8 --people 10", "leave most rounds without a report"),
        ("--epsilon 4", "a plan needs two of epsilon, people and error, and finds the third"),
        ("--epsilon 4 --people 0", "1 to 1,000,000,000,000 people, got 0"),
        ("--epsilon 0 --people 100", "epsilon must be above 0 and finite, got 0"),
        ("--epsilon nan --people 100", "epsilon must be above 0 and finite, got nan"),
        ("--epsilon 4 --people 10000 --error 0", "must be above 0 and below 0.5, got 0"),
        ("--epsilon 4 --people 10000 --error nan", "must be above 0 and below 0.5, got nan"),
        ("--epsilon 4 --error 0.7", "must be above 0 and below 0.5, got 0.7"),
        ("--people 1000 --error 0.01", "can't reach an error of 0.01: even at ε = "),
        ("--epsilon 4 --people 10000 --low 0.6 --high 0.4", "lies in 0 to 1, got 0.6 to 0.4"),
        ("--epsilon 4 --people 10000 --high nan", "lies in 0 to 1, got 0.0 to nan"),
        ("--epsilon 4 --people 10000 --rounds 0", "rounds must be between 1 and 1048576, got 0"),
    ],
)
def test_bad_plans_are_refused_in_one_sentence(tmp_path: Path, options: str, sentence: str) -> None:
    assert sentence in refused(tmp_path, *PLAN, *options.split())


def test_what_is_no_number_is_a_usage_error(tmp_path: Path) -> None:
    for options in (("--people", "many"), ("--epsilon", "x", "--people", 5)):
        result = run(tmp_path, *PLAN, *options)
        assert result.code == 2
        assert "is not a valid" in result.err
    assert run(tmp_path, "plan", "stream", "--epsilon", 4, "--people", 10).code == 2


def test_help_has_examples(tmp_path: Path) -> None:
    said = succeed(tmp_path, "plan", "stream", "--help").out
    assert "sudare plan stream --rounds 50 --epsilon 4 --people 10000" in said

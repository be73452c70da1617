"""``sudare plan``: what it says of every kind, and every way to get it wrong."""

import json
import math
import shlex
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import sudare
from sudare import GRR, Collection, Glance, KShot, SubsetSelection
from sudare.mechanisms import CATEGORICAL, CONTINUAL, from_document
from support.commands import refused, run, succeed

CHOICE = ("plan", "choice", "--answers", 43)
STREAM = ("plan", "stream", "--rounds", 50)
Z = NormalDist().inv_cdf(0.975)

KINDS = [
    "choice --answers 43 --epsilon 1 --error 0.01",
    "choice --answers 43 --people 50000 --error 0.01",
    "choice --answers 43 --people 50000 --epsilon 1",
    "choice --answers 5 --smallest-share 0.02 --epsilon 1 --response-rate 0.4",
    "choice --answers 2 --difference 0.02 --share 0.3 --epsilon 2 --compare 0.3",
    "choice --answers 5 --people 50000 --epsilon 4 --visits 52",
    "several --answers 20 --most 3 --epsilon 2 --error 0.02",
    "number --from 18 --to 99 --step 1 --epsilon 1 --error 0.5",
    "number --from 0 --to 24 --step 0.5 --estimate distribution --people 50000 --epsilon 2",
    "questions --sizes 3,5,2 --people 20000 --epsilon 2 --visits 4",
    "text --epsilon 2 --smallest-share 0.01",
    "stream --rounds 50 --epsilon 4 --people 10000",
    "joint --epsilon 1 --error 0.001",
]


@pytest.mark.parametrize("words", KINDS)
def test_every_kind_has_a_sentence_a_table_and_a_document(tmp_path: Path, words: str) -> None:
    said = succeed(tmp_path, "plan", *words.split()).out
    document = succeed(tmp_path, "plan", *words.split(), "--json").json()
    best = document["recommended"]
    assert said.startswith(f"Ask {best['people']:,} people with {best['mechanism']}")
    assert f"{best['mechanism']} ←" in said
    assert f"next: {document['command']}" in said
    assert "a bet is right at most" in said
    assert document["mechanisms"][0] == best
    for row in document["mechanisms"]:
        assert {"mechanism", "people", "epsilon", "error", "bytes", "forger_gain"} <= set(row)
        assert row["spends"] <= row["epsilon"]
    assert json.loads(json.dumps(document)) == document
    if document["models"]:
        assert "who must be trusted" in said


def test_the_error_is_the_half_width_for_an_answer_that_hardly_anybody_gives(
    tmp_path: Path,
) -> None:
    """By the formula of a score interval, written out; in people, in ε, and in the error."""
    document = succeed(tmp_path, *CHOICE, "--epsilon", 1, "--error", 0.01, "--json").json()
    names = {row["mechanism"] for row in document["mechanisms"]}
    assert names == {*CATEGORICAL, "loloha", "rappor"}
    for row in document["mechanisms"]:
        if row["mechanism"] not in CATEGORICAL:
            continue
        made = CATEGORICAL[row["mechanism"]].calibrate(43, 1.0)
        p, q, n = made.holder, made.others, row["people"]
        bend = Z**2 * (1 - p - q) / ((p - q) * 2 * n)
        half = math.hypot(bend, Z * math.sqrt(q * (1 - q) / n) / (p - q))
        assert row["error"] == pytest.approx(half, rel=1e-9)
        assert half <= 0.01 < half * math.sqrt(n / (n - 1))  # one person fewer is too few
        assert row["forger_gain"] == pytest.approx((1 - q) / (p - q))
    fewest = min(row["people"] for row in document["mechanisms"])
    assert document["recommended"]["people"] == fewest
    back = succeed(tmp_path, *CHOICE, "--epsilon", 1, "--people", fewest, "--json").json()
    assert back["recommended"]["error"] <= 0.01
    budget = succeed(tmp_path, *CHOICE, "--people", fewest, "--error", 0.01, "--json").json()
    assert budget["recommended"]["epsilon"] <= 1


def test_what_it_recommends_can_be_made_at_once(tmp_path: Path) -> None:
    options = ("--answer", "green", "--answer", "black", "--epsilon", 1, "--people", 1000)
    result = succeed(
        tmp_path, "plan", "choice", *options, "--question", "Which tea?", "-o", "tea.json"
    )
    assert "tea.json: grr at ε = 1" in result.err
    assert "Note:" not in result.err
    made = Collection.from_json((tmp_path / "tea.json").read_bytes())
    assert (made.name, made.answers) == ("tea", ("green", "black"))
    assert made.mechanism == GRR.calibrate(2, 1.0)
    unnamed = succeed(tmp_path, *CHOICE, "--epsilon", 1, "--people", 50_000, "-o", "p.json")
    assert "the answers are only numbered" in unnamed.err
    assert "the question is still to be said" in unnamed.err
    found = Collection.from_json((tmp_path / "p.json").read_bytes())
    assert found.mechanism == SubsetSelection.calibrate(43, 1.0)
    for words in KINDS[6:12]:
        succeed(tmp_path, "plan", *words.split(), "-o", "made.json", "--force")
        succeed(tmp_path, "collection", "check", "made.json")
    succeed(tmp_path, "plan", *KINDS[12].split(), "-o", "tables.json")
    assert "verdict     proved" in succeed(tmp_path, "table", "check", "tables.json").out


@pytest.mark.parametrize("words", KINDS[:5] + KINDS[6:11])
def test_the_command_makes_the_mechanism_that_is_recommended(tmp_path: Path, words: str) -> None:
    (tmp_path / "QUESTIONS.toml").write_text(
        "".join(
            f'[[questions]]\nname = "q{size}"\nquestion = "?"\n'
            f"answers = {[f'a{number}' for number in range(size)]}\n"
            for size in (3, 5, 2)
        )
    )
    document = succeed(tmp_path, "plan", *words.split(), "--json").json()
    answers = document["wishes"].get("answers", 0)
    lines = "\n".join(f"a{number}" for number in range(answers))
    (tmp_path / "ANSWERS.txt").write_text(lines)
    typed = shlex.split(document["command"])
    assert typed[:3] == ["sudare", "collection", "new"]
    succeed(tmp_path, *typed[1:])
    made = Collection.from_json((tmp_path / "NAME.json").read_bytes())
    assert made.mechanism == from_document(document["collection"])


def test_a_new_collection_finds_its_budget(tmp_path: Path) -> None:
    aim = ("--people", 50_000, "--error", 0.01)
    words = ("--question", "?", "--answer", "a", "--answer", "b", "--answer", "c")
    result = succeed(tmp_path, "collection", "new", "abc", *words, *aim, "-o", "abc.json")
    found = sudare.plan("choice", answers=3, people=50_000, error=0.01)
    assert f"at ε = {found.epsilon}" in result.err
    made = Collection.from_json((tmp_path / "abc.json").read_bytes())
    assert made.mechanism == found.recommended.design.mechanism
    worse = (*aim, "--mechanism", "hadamard", "-o", "h.json")
    succeed(tmp_path, "collection", "new", "h", *words, *worse)
    slow = Collection.from_json((tmp_path / "h.json").read_bytes())
    assert slow.mechanism.name == "hadamard"
    assert slow.epsilon > made.epsilon
    for options in (("--people", 50_000), ("--error", 0.1), (*aim, "--epsilon", 1), ()):
        sentence = refused(tmp_path, "collection", "new", "x", *words, *options, "-o", "x.json")
        assert "say --epsilon, or --people and --error" in sentence


@pytest.mark.parametrize(
    ("options", "mechanism"),
    [
        ("--epsilon 4 --people 10000", KShot.calibrate(50, 4.0)),
        ("--epsilon 1 --people 10000 --low .4", Glance.calibrate(50, 1.0)),
        ("--epsilon 4 --error 0.1 --high .7", KShot.calibrate(50, 4.0, high=0.7)),
    ],
)
def test_a_streams_command_makes_that_mechanism(
    tmp_path: Path, options: str, mechanism: Glance | KShot
) -> None:
    document = succeed(tmp_path, *STREAM, *options.split(), "--json").json()
    assert from_document(document["collection"]) == mechanism
    succeed(tmp_path, *shlex.split(document["command"])[1:])
    assert Collection.from_json((tmp_path / "NAME.json").read_bytes()).mechanism == mechanism
    assert document["recommended"]["reports_per_round"] > 0
    assert {row["mechanism"] for row in document["mechanisms"]} <= set(CONTINUAL)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("choice --answers 43 --epsilon 1", "a plan takes two of people, epsilon and an error"),
        ("choice --answers 43 --epsilon 1 --error 0.01 --people 5", "and finds the third, got"),
        ("choice --answers 43 --epsilon 0 --error 0.01", "epsilon must be above 0 and finite"),
        ("choice --answers 43 --epsilon -1 --error 0.01", "epsilon must be above 0 and finite"),
        ("choice --answers 43 --epsilon nan --error 0.01", "epsilon must be above 0 and finite"),
        ("choice --answers 43 --epsilon 99 --error 0.01", "epsilon must be at most 20 in a plan"),
        ("choice --answers 1 --epsilon 1 --error 0.01", "at least 2 answers, got 1"),
        ("choice --answers 43 --epsilon 1 --people 0", "1 to 1,000,000,000,000 people, got 0"),
        ("choice --answers 43 --epsilon 1 --error 0", "error must be above 0 and finite, got 0"),
        (
            "choice --answers 43 --epsilon 1 --error nan",
            "error must be above 0 and finite, got nan",
        ),
        ("choice --answers 2 --epsilon 1 --error 0.5", "error must be below 0.5, got 0.5: who"),
        ("choice --answers 43 --epsilon 1 --error 0.3", "hides even the most frequent of 43"),
        ("choice --answers 43 --epsilon 1 --smallest-share 1.5", "smallest share must be below 1"),
        (
            "choice --answers 43 --epsilon 1 --error 0.1 --difference 0.1",
            "a plan aims at one of error, smallest share or difference, got error and difference",
        ),
        ("choice --epsilon 1 --error 0.1", "say --answers, how many there are"),
        ("choice --answers 3 --answer a --epsilon 1 --error 0.1", "--answers says 3, and 1 are"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --response-rate 0", "response rate must be"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --response-rate 1.1", "response rate must"),
        ("choice --answers 3 --epsilon 1 --people 9 --response-rate 0.1", "nobody answers"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --share 1", "share must be at least 0 and"),
        (
            "choice --answers 3 --epsilon 1 --error 0.1 --compare 1",
            "compare, the share of people in",
        ),
        ("choice --answers 3 --epsilon 1 --error 0.1 --level 95", "a level must be between 0"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --power 0.2", "power must be at least 0.5"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --visits 0", "visits must be 1 to 10,000"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --changes 1", "changes must be 0 to 0"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --name x", "--name has no effect without -o"),
        ("choice --answers 3 --epsilon 1 --error 0.1 --seed 1", "--seed has no effect without"),
        ("choice --answers 43 --people 200 --epsilon 0.5", "white noise"),
        ("choice --answers 43 --epsilon 1 --error 0.01 --most-bytes 0", "at least 1 byte, got 0"),
        ("several --answers 3 --most 4 --epsilon 1 --error 0.1", "most"),
        ("number --from 9 --to 1 --step 1 --epsilon 1 --error 0.1", "a range goes up"),
        ("number --from 0 --to 9 --step 1 --epsilon 1 --error 4.5", "error must be below 4.5"),
        ("number --from 0 --to 9 --step 1 --epsilon 1 --error 1 --share 0.1", "has no effect"),
        (
            "questions --sizes 3 --epsilon 1 --error 0.1",
            "--sizes is a list of 2 or more whole numbers",
        ),
        ("questions --sizes 3,x --epsilon 1 --error 0.1", "--sizes is a list of 2 or more"),
        ("questions --epsilon 1 --error 0.1", "say --sizes, or --questions with a file"),
        ("text --epsilon 1 --people 100 --texts 0", "at least 1 candidate, and at most"),
        ("stream --rounds 0 --epsilon 4 --people 100", "rounds must be between 1 and 1048576"),
        ("stream --rounds 50 --epsilon 0.1 --people 200", "white noise"),
        ("stream --rounds 50 --epsilon 8 --people 10", "white noise"),
        ("stream --rounds 50 --people 1000 --error 0.01", "can't reach an error of 0.01, even at"),
        ("stream --rounds 5 --epsilon 4 --people 99 --low 0.6 --high 0.4", "lies in 0 to 1, got"),
        ("joint --epsilon 1 --error 0.01 --delta 0", "delta must lie between 0 and 0.5"),
        ("joint --epsilon 1 --error 0.01 --most 50", "no tables are shipped for"),
    ],
)
def test_bad_plans_are_refused_in_one_sentence(tmp_path: Path, words: str, sentence: str) -> None:
    assert sentence in refused(tmp_path, "plan", *words.split())


def test_a_refusal_names_ways_out_and_they_are_ways_out(tmp_path: Path) -> None:
    words = ("--epsilon", 0.5, "--people", 200)
    sentence = refused(tmp_path, *CHOICE, *words)
    with pytest.raises(sudare.SudareError) as caught:
        sudare.plan("choice", answers=43, epsilon=0.5, people=200)
    ways: tuple[dict[str, Any], ...] = caught.value.ways_out  # type: ignore[attr-defined]
    assert {name for way in ways for name in way} == {"people", "epsilon", "answers"}
    wishes: dict[str, Any] = {"answers": 43, "epsilon": 0.5, "people": 200}
    for way in ways:
        (value,) = way.values()
        assert f"{value:,}" in sentence
        changed = {**wishes, **way}
        typed = [word for name, value in changed.items() for word in (f"--{name}", value)]
        succeed(tmp_path, "plan", "choice", *typed)


def test_plots_and_pages(tmp_path: Path) -> None:
    words = ("--epsilon", 1, "--error", 0.01)
    for name in ("plan.png", "plan.svg", "plan.html"):
        succeed(tmp_path, *CHOICE, *words, "--plot", name)
        assert (tmp_path / name).stat().st_size > 5_000


def test_what_is_no_number_is_a_usage_error(tmp_path: Path) -> None:
    for options in (("--people", "many"), ("--epsilon", "x", "--people", 5)):
        result = run(tmp_path, *STREAM, *options)
        assert result.code == 2
        assert "is not a valid" in result.err
    assert run(tmp_path, "plan", "stream", "--epsilon", 4, "--people", 10).code == 2


NEW = ("collection", "new", "x", "--people", 50_000, "--error", 0.05, "-o", "x.json", "--force")
TEA = "--question ? --answer a --answer b"


@pytest.mark.parametrize(
    ("words", "kind", "wishes"),
    [
        (TEA, "choice", {"answers": 2}),
        (f"{TEA} --mechanism oue", "choice", {"answers": 2}),
        (f"{TEA} --mechanism rappor", "choice", {"answers": 2}),
        (f"{TEA} --mechanism loloha", "choice", {"answers": 2}),
        (f"{TEA} --answer c --most 2", "several", {"answers": 3, "most": 2}),
        ("--question ? --from 0 --to 9 --step 1", "number", {"least": 0, "largest": 9, "step": 1}),
        (
            "--question ? --from 0 --to 9 --step 1 --estimate distribution",
            "number",
            {"least": 0, "largest": 9, "step": 1, "found_out": "distribution"},
        ),
        ("--questions q.toml", "questions", {"sizes": (3, 2)}),
        ("--questions q.toml --design split", "questions", {"sizes": (3, 2)}),
        ("--questions q.toml --associate", "questions", {"sizes": (3, 2), "associate": True}),
        ("--question ? --rounds 5", "stream", {"rounds": 5}),
        ("--question ? --rounds 5 --low .4 --high .6", "stream", {"rounds": 5, "low": 0.4}),
        ("--question ? --free-text --form instant", "text", {}),
    ],
)
def test_a_new_collection_has_the_epsilon_and_the_mechanism_of_the_plan(
    tmp_path: Path, words: str, kind: str, wishes: dict[str, Any]
) -> None:
    lines = "".join(
        f'[[questions]]\nname = "q{size}"\nquestion = "?"\nanswers = {list("abc"[:size])}\n'
        for size in (3, 2)
    )
    (tmp_path / "q.toml").write_text(lines)
    if wishes.get("low"):
        wishes = {**wishes, "high": 0.6}
    goal = "smallest_share" if kind == "text" else "error"
    found = sudare.plan(kind, people=50_000, **{goal: 0.05}, **wishes)
    named = words.rsplit(maxsplit=1)[-1]
    row = next((row for row in found.rows if row.name == named), found.recommended)
    said = succeed(tmp_path, *NEW, *words.split()).err
    assert said.startswith(f"Ask 50,000 people with {row.name} at ε = {row.epsilon:g}: ")
    made = Collection.from_json((tmp_path / "x.json").read_bytes())
    assert made.mechanism == row.design.mechanism


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (f"{TEA} --lifetime 4", "--lifetime needs --mechanism loloha"),
        (f"{TEA} --design split", "a plan of choice knows grr, oue"),
        (f"{TEA} --shots 2", "a plan finds --shots by itself"),
        ("--question ? --free-text --bits 64", "a plan finds --bits by itself"),
        ("--question ? --rounds 5 --mechanism oue", "a plan of stream knows glance, harmony"),
        ("--question ? --from 0 --to 9 --step 1 --bins 3", "bins are of a distribution"),
        ("--question ? --answer a", "a question needs at least 2 answers, got 1"),
    ],
)
def test_what_a_plan_cannot_have_is_refused_in_one_sentence(
    tmp_path: Path, words: str, sentence: str
) -> None:
    assert sentence in refused(tmp_path, *NEW, *words.split())


def test_a_mechanism_that_is_named_may_have_long_reports_and_may_not_reach_the_error(
    tmp_path: Path,
) -> None:
    (tmp_path / "many.txt").write_text("\n".join(f"answer {number}" for number in range(2000)))
    many = ("--question", "?", "--answers-file", "many.txt", "--mechanism", "oue")
    assert "with oue at ε" in succeed(tmp_path, *NEW, *many).err
    words = ("collection", "new", "x", "--people", 30, "--error", 0.005, "-o", "y.json")
    sentence = refused(tmp_path, *words, *TEA.split(), "--mechanism", "oue")
    assert "30 people can't reach that error with oue; `sudare plan choice` says" in sentence

"""Wishes become a collection by the command line's own rule, or one of them is refused by name."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sudare import Collection
from sudare.collection.defaults import MINIMUM_REPORTS
from sudare.collection.drafts import QuestionWish, Wishes, draft
from sudare.collection.windows import Windows
from sudare.errors import RefusedWish
from support.commands import run

NOW = 1_900_000_000.0
TEA: dict[str, Any] = {"name": "tea", "question": "Which tea?", "epsilon": 1.5}
TEAS = ("green", "black", "oolong", "hojicha", "mugi", "soba", "white", "pu-erh")
OPTIONS = ["--epsilon", "1.5", "--question", "Which tea?"]
ANSWERS = [part for tea in TEAS for part in ("--answer", tea)]
STATES = ["--answer", "off", "--answer", "on", "--rounds", "24", "--window", "1d"]
STUDY = (
    QuestionWish("tea", "Which tea?", ("green", "black")),
    QuestionWish("town", "Where?", ("Tokyo", "Kyoto", "Osaka")),
)
SAME: dict[str, tuple[dict[str, Any], list[str]]] = {
    "least error": ({"answers": TEAS}, ANSWERS),
    "least error of two": ({"answers": TEAS[:2]}, ANSWERS[:4]),
    "small reports": (
        {"answers": TEAS, "wants": "small_reports"},
        [*ANSWERS, "--mechanism", "small"],
    ),
    "asked again": (
        {"answers": TEAS, "wants": "permanent_noise", "window": 86_400},
        [*ANSWERS, "--mechanism", "rappor", "--window", "1d"],
    ),
    "for life": (
        {"answers": TEAS, "wants": "permanent_noise", "lifetime": 2.5},
        [*ANSWERS, "--mechanism", "rappor", "--lifetime", "2.5"],
    ),
    "several": ({"answers": TEAS, "asks": "several", "most": 3}, [*ANSWERS, "--most", "3"]),
    "questions": ({"asks": "questions", "questions": STUDY}, ["--questions", "questions.json"]),
    "questions to relate": (
        {"asks": "questions", "questions": STUDY, "wants": "association"},
        ["--questions", "questions.json", "--associate"],
    ),
    "a number": (
        {"asks": "number", "answers": ("-5", "40.5"), "step": "0.5"},
        ["--from", "-5", "--to", "40.5", "--step", "0.5"],
    ),
    "answers that change": (
        {"answers": TEAS, "wants": "changing_answers"},
        [*ANSWERS, "--mechanism", "loloha"],
    ),
    "answers that change, for life": (
        {"answers": TEAS, "wants": "changing_answers", "lifetime": 2.5},
        [*ANSWERS, "--mechanism", "loloha", "--lifetime", "2.5"],
    ),
    "free text": ({"asks": "text", "wants": "permanent_noise"}, ["--free-text"]),
    "states": (
        {"asks": "states", "answers": ("off", "on"), "rounds": 24, "window": 86_400},
        STATES,
    ),
    "one report of each": (
        {"asks": "states", "answers": ("off", "on"), "rounds": 24, "window": 86_400}
        | {"wants": "one_report"},
        [*STATES, "--mechanism", "glance"],
    ),
    "its rules": (
        {"answers": TEAS, "invited": True, "keeps_reports": True, "minimum_reports": 7},
        [*ANSWERS, "--invited", "--keep-reports", "--minimum-reports", "7"],
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_a_draft_is_what_the_command_line_makes(name: str, tmp_path: Path) -> None:
    wishes, options = SAME[name]
    path = tmp_path / "made.json"
    questions = {"questions": [msgspec.to_builtins(one) for one in STUDY]}
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    assert run(tmp_path, "collection", "new", "tea", *OPTIONS, *options, "-o", path).code == 0
    made = Collection.from_json(path.read_bytes())
    then = float(made.windows.start) if made.windows else NOW  # the same day
    assert draft(Wishes(**TEA, **wishes), then) == made


def test_what_nobody_wishes_for_is_what_the_command_line_has(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    assert run(tmp_path, "collection", "new", "tea", *OPTIONS, *ANSWERS, "-o", path).code == 0
    assert json.loads(path.read_text("utf-8"))["minimum_reports"] == MINIMUM_REPORTS
    assert draft(Wishes(**TEA, answers=TEAS), NOW).minimum_reports == MINIMUM_REPORTS


def test_the_first_window_is_the_current_one() -> None:
    made = draft(Wishes(**TEA, answers=TEAS, window=3600), NOW)
    assert made.windows == Windows(int(NOW) // 3600 * 3600, 3600)


STATE: dict[str, Any] = {"asks": "states", "answers": ("off", "on"), "rounds": 24, "window": 86_400}
ASKED: dict[str, Any] = {"asks": "questions", "questions": STUDY, "answers": ()}
REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "questions": [
        ({"questions": STUDY}, "several at once"),
        ({**ASKED, "questions": ()}, "several at once"),
        ({**ASKED, "questions": STUDY[:1]}, "2 to 64 questions at once, got 1"),
        ({**ASKED, "questions": (STUDY[0], STUDY[0])}, "the same name"),
        ({**ASKED, "questions": (STUDY[0], QuestionWish("x", "?", ("a",)))}, "k must be between 2"),
        ({**ASKED, "questions": (STUDY[0], QuestionWish("x", "?", ("a", "a")))}, "the same label"),
        ({**ASKED, "questions": (STUDY[0], QuestionWish("x", "a\nb", ("a", "b")))}, "U+000A"),
        ({**ASKED, "questions": (STUDY[0], QuestionWish("", "?", ("a", "b")))}, "one character"),
    ],
    "name": [({"name": ""}, "at least one character"), ({"name": "t\u202ea"}, "U+202E")],
    "question": [({"question": ""}, "at least 1 character"), ({"question": "a\nb"}, "U+000A")],
    "answers": [
        ({"answers": ()}, "at least 2 answers, got 0"),
        ({**ASKED, "answers": TEAS}, "has answers of its own"),
        ({"answers": ("one",)}, "at least 2 answers, got 1"),
        ({"answers": ("a", "a")}, "the same label"),
        ({"answers": ("a", "")}, "at least one character"),
        ({"answers": ("a", "b\x1b")}, "U+001B"),
        ({"asks": "several", "most": 3, "answers": ()}, "at least 2 answers, got 0"),
        ({"asks": "text", "wants": "permanent_noise"}, "no list of answers, got 8"),
        ({"asks": "number", "step": "1", "answers": ("5", "1")}, "can't begin at 5 and end at 1"),
        ({"asks": "number", "step": "1", "answers": ("a", "1")}, "got 'a'"),
        ({"asks": "number", "step": "1", "answers": ("1",)}, "the 2 ends of its range"),
        ({**STATE, "answers": TEAS[:3]}, "2 states, each with its name, got 3"),
        ({**STATE, "answers": ("1", "0")}, "the number of the other state"),
    ],
    "wants": [
        ({**ASKED, "wants": "small_reports"}, "can have least_error, association"),
        ({"asks": "text"}, "of the kind text can have permanent_noise"),
        ({**STATE, "wants": "small_reports"}, "can have least_error, one_report"),
    ],
    "most": [
        ({"most": 3}, "for several answers"),
        ({**ASKED, "most": 3}, "for a single question"),
        ({"asks": "several"}, "for several answers"),
        ({"asks": "several", "most": 9}, "of 8 answers, a selection has at most 1 to 8, got 9"),
        ({"asks": "several", "most": 0}, "got 0"),
    ],
    "step": [
        ({"step": "1"}, "a step is for a number"),
        ({"asks": "number", "answers": ("1", "5")}, "a step is for a number"),
        ({"asks": "number", "answers": ("1", "5"), "step": "3"}, "but to 4 or 7"),
        ({"asks": "number", "answers": ("0", "1"), "step": "0.0000001"}, "got 10,000,000"),
        ({"asks": "number", "answers": ("0", "1"), "step": "x"}, "got 'x'"),
    ],
    "found_out": [
        ({"found_out": "mean"}, "of a number alone"),
    ],
    "rounds": [
        ({"rounds": 3}, "for states over time"),
        ({**ASKED, "rounds": 3}, "for a single question"),
        ({**STATE, "rounds": None}, "for states over time"),
        ({**STATE, "rounds": 0}, "got 0"),
    ],
    "epsilon": [
        ({"epsilon": 0.0}, "above 0"),
        ({**ASKED, "epsilon": 0.0}, "above 0"),
        ({"epsilon": -1.0}, "above 0"),
        ({"epsilon": 1e-300}, "too small"),
        ({"asks": "text", "answers": (), "wants": "permanent_noise", "epsilon": 0.0}, "above 0"),
        ({**STATE, "epsilon": 0.0}, "above 0"),
    ],
    "lifetime": [
        ({"lifetime": 3.0}, "for permanent noise alone"),
        ({**ASKED, "lifetime": 3.0}, "for permanent noise alone"),
        ({"wants": "permanent_noise", "lifetime": 1.0}, "1.0"),
        ({"wants": "changing_answers", "lifetime": 1.0}, "1.0"),
    ],
    "window": [
        ({"window": 0}, "got 0"),
        ({**STATE, "window": 100}, "got 100 seconds"),
    ],
    "minimum_reports": [({"minimum_reports": 0}, "at least 1, got 0")],
    "invited": [({**STATE, "epsilon": 12.0, "invited": True}, "one report in each window")],
}


@pytest.mark.parametrize(
    ("wish", "changed", "said"),
    [(wish, *case) for wish, cases in REFUSED.items() for case in cases],
)
def test_a_wish_that_cannot_be_had_is_named(wish: str, changed: dict[str, Any], said: str) -> None:
    wishes = Wishes(**{**TEA, "answers": TEAS, **changed})
    with pytest.raises(RefusedWish, match=said.replace("+", r"\+")) as refused:
        draft(wishes, NOW)
    assert refused.value.wish == wish


def test_every_wish_but_a_yes_or_a_kind_can_be_refused() -> None:
    every = {field.name for field in msgspec.structs.fields(Wishes)}
    assert every - REFUSED.keys() == {"asks", "keeps_reports"}
    assert {field.name for field in fields(Collection)} >= {"invited", "keeps_reports", "name"}

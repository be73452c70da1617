"""``sudare discover``: from the plan to the words, and every way to get it wrong."""

from pathlib import Path

import pytest

from sudare import Discovery
from sudare.discovery.spelling import OTHER
from support.commands import UNTOLD, contents, refused, succeed


def plan(folder: Path, *options: object, name: str = "drinks") -> str:
    file = f"{name}.json"
    command = ("discover", "new", name, "--question", "Which drink?", "--epsilon", 6)
    succeed(folder, *command, "--length", 6, "--minimum-reports", 1, "-o", file, *options)
    return file


def answers(folder: Path) -> str:
    rows = ["Tea", "coffee", "café"] * 1500
    (folder / "answers.csv").write_text("\n".join(["drink", *rows]) + "\n", "utf-8")
    return "answers.csv"


@pytest.mark.parametrize("asks", ["either", "both"])
def test_words_are_found_from_two_folders_of_reports(tmp_path: Path, asks: str) -> None:
    made = plan(tmp_path, "--asks", asks)
    file = answers(tmp_path)
    for day in ("monday", "tuesday"):
        command = ("discover", "randomize", made, file, "--column", "drink", "-o", day)
        done = succeed(tmp_path, *command, "--insecure-seed", len(day))
        assert done.err == "4,500 answers randomised at ε = 6 each (from a seed: no privacy)\n"
    parts = ["characters-1-3", "characters-3-5", "characters-4-6", "whole"]
    assert sorted(path.stem for path in (tmp_path / "monday").iterdir()) == parts
    decode = ("discover", "decode", made, "monday", "tuesday", "--false-discoveries", 1e-6)
    document = succeed(tmp_path, *decode, "--json").json()
    shares = {row["candidate"]: row["share"] for row in document["found"]}
    assert shares == {
        text: pytest.approx(1 / 3, abs=0.1) for text in ("tea", "coffee", f"caf{OTHER}")
    }
    assert sum(document["reports"].values()) == 9000 * (2 if asks == "both" else 1)
    assert document["epsilon"] <= 6
    assert not document["capped"]
    shown = succeed(tmp_path, *decode).out
    assert "coffee" in shown
    assert "3 found among" in shown
    assert {path.name for path in tmp_path.iterdir()} == {made, file, "monday", "tuesday"}


def test_a_plan_goes_to_stdout_or_to_a_file(tmp_path: Path) -> None:
    made = plan(tmp_path, "--lifetime", 9, "--stride", 3, "--alphabet", "abc")
    read = Discovery.from_json((tmp_path / made).read_bytes())
    assert read.lifetime_epsilon == pytest.approx(9)
    assert read.spelling.places == (0, 3)
    command = ("discover", "new", "x", "--question", "?", "--epsilon", 1)
    assert Discovery.from_json(succeed(tmp_path, *command).stdout).epsilon <= 1


def test_bad_plans_are_refused(tmp_path: Path) -> None:
    new = ("discover", "new", "x", "--question", "?", "--epsilon")
    assert "epsilon must be above 0" in refused(tmp_path, *new, 0, "-o", "x.json")
    assert "65" in refused(tmp_path, *new, 1, "--length", 65, "-o", "x.json")
    assert "a letter twice" in refused(tmp_path, *new, 1, "--alphabet", "aa", "-o", "x.json")
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "no.json").write_bytes(b"{}")
    for file, sentence in (
        ("empty.json", "empty.json is empty"),
        ("no.json", "no.json is a JSON document of something else; the plan of"),
        ("missing.json", "missing.json isn't there"),
    ):
        assert sentence in refused(tmp_path, "discover", "decode", file, "monday")


def test_bad_answers_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    made = plan(tmp_path)
    (tmp_path / "there").mkdir()
    randomize = ("discover", "randomize", made, "--format", "lines", "--output")
    text = f"{UNTOLD}\n\n".encode()
    assert "line 2 of standard input: the answer is missing" in refused(
        tmp_path, *randomize, "new", stdin=text
    )
    assert "standard input is empty" in refused(tmp_path, *randomize, "new")
    assert "there already" in refused(tmp_path, *randomize, "there", stdin=text)
    assert "a/b can't be made: a is no folder" in refused(tmp_path, *randomize, "a/b", stdin=text)
    header = ("discover", "randomize", made, "--output", "new")
    assert "0 answers" in refused(tmp_path, *header, stdin=b"answer\n")
    assert {path.name for path in tmp_path.iterdir()} == {made, "there"}


def test_lost_mixed_and_doubled_reports_are_refused(tmp_path: Path) -> None:
    made, other = plan(tmp_path), plan(tmp_path, name="other")
    text = b"tea\ncoffee\n" * 20
    randomize = ("discover", "randomize", made, "--format", "lines", "-o", "monday")
    succeed(tmp_path, *randomize, stdin=text)
    decode = ("discover", "decode")
    assert "named twice" in refused(tmp_path, *decode, made, "monday", "monday")
    assert "belong to the collection" in refused(tmp_path, *decode, other, "monday")
    assert "tuesday isn't there" in refused(tmp_path, *decode, made, "tuesday")
    whole = tmp_path / "monday" / "whole.arrow"
    kept = whole.read_bytes()
    whole.write_bytes(kept[:-100])
    assert "is damaged after" in refused(tmp_path, *decode, made, "monday")
    whole.unlink()
    assert "has no whole.arrow" in refused(tmp_path, *decode, made, "monday")
    assert "monday/whole.arrow" not in contents(tmp_path)

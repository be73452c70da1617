"""Several questions at once, from the file that lists them to the result and a relation."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sudare import Collection, Device
from sudare.errors import InvalidAnswer
from sudare.questions.several import SeveralDocument
from support.commands import refused, succeed

TEA = {"name": "tea", "question": "Which tea?", "answers": ["green", "black", "none, at all"]}
TOWN = {"name": "town", "question": "Where?", "answers": ["Tokyo", "Kyoto"]}
TOML = """
[[questions]]
name = "tea"
question = "Which tea?"
answers = ["green", "black", "none, at all"]

[[questions]]
name = "town"
question = "Where?"
answers = ["Tokyo", "Kyoto"]
"""
ROWS = ["green,Tokyo"] * 900 + ["black,Kyoto"] * 600 + ['"none, at all",Tokyo'] * 500


def new(folder: Path, design: str = "auto", *options: object) -> Collection:
    (folder / "questions.toml").write_text(TOML, "utf-8")
    made = ("--questions", "questions.toml", "--epsilon", 3, "--design", design, *options)
    succeed(folder, "collection", "new", "study", *made, "-o", "study.json", "--force")
    return Collection.from_json((folder / "study.json").read_bytes())


def counted(folder: Path, rows: list[str] = ROWS, header: str = "tea,town") -> None:
    (folder / "answers.csv").write_text("\n".join([header, *rows]) + "\n", "utf-8")
    seeded = ("--insecure-seed", 5, "-o", "reports.arrow", "--force")
    succeed(folder, "randomize", "study.json", "answers.csv", *seeded)
    succeed(folder, "aggregate", "study.json", "reports.arrow", "-o", "total.json", "--force")


@pytest.mark.parametrize("design", ["sample", "split", "joint"])
def test_from_questions_to_shares(design: str, tmp_path: Path) -> None:
    made = new(tmp_path, design)
    assert made.mechanism.name == design
    assert made.epsilon <= 3
    assert [part.name for part in made.parts] == ["tea", "town"]
    counted(tmp_path)
    asked = ("estimate", "study.json", "total.json")
    document = succeed(tmp_path, *asked, "--json").json()
    msgspec.convert(document, SeveralDocument)
    assert [question["name"] for question in document["questions"]] == ["tea", "town"]
    total = sum(question["n"] for question in document["questions"])
    assert total == (2000 if design == "sample" else 4000)
    for question in document["questions"]:
        assert sum(row["share"] for row in question["answers"]) == pytest.approx(1, abs=0.2)
    rows = succeed(tmp_path, *asked, "--csv").out.splitlines()
    assert rows[0].startswith("question,answer,share,stderr,low,high")
    assert len(rows) == 1 + 5
    shown = succeed(tmp_path, *asked, "--truth", "answers.csv").out
    assert "of 5 truths lie inside their 95 % intervals" in shown
    assert "2,000 reports, ε = 3 each, for all questions together" in shown
    for name in ("page.html", "figure.svg"):
        succeed(tmp_path, *asked, "--plot", name)
    assert "Where?" in (tmp_path / "page.html").read_text("utf-8")


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    new(tmp_path)
    counted(tmp_path, ["Tokyo,7,green", "Kyoto,8,black"] * 200, "town,who,tea")
    first = (tmp_path / "total.json").read_bytes()
    counted(tmp_path, ["green,Tokyo", "black,Kyoto"] * 200)
    assert (tmp_path / "total.json").read_bytes() == first
    (tmp_path / "lines.txt").write_text("green,Tokyo\nblack,Kyoto\n" * 200)
    lines = ("lines.txt", "--format", "lines", "--insecure-seed", 5, "-o", "lines.arrow")
    succeed(tmp_path, "randomize", "study.json", *lines)
    succeed(tmp_path, "aggregate", "study.json", "lines.arrow", "-o", "lines.json")
    assert (tmp_path / "lines.json").read_bytes() == first


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("tea,town\ngreen,Tokyo\ngreen,\n", "line 3 of standard input: the answer in the column "),
        ("tea,town\ngreen,secretly\n", "the column “town” is not one of its 2 answers"),
        ("tea,town\nsecretly,Tokyo\n", "the column “tea” is not one of its 3 answers"),
        (
            "tea,city\ngreen,Tokyo\n",
            "there is no column 'town'; each question has one, by its name",
        ),
        ("tea,Town\ngreen,Tokyo\n", "no column 'town', but there is 'Town': rename it"),
    ],
)
def test_a_wrong_row_is_named_by_its_column_and_never_told(
    table: str, said: str, tmp_path: Path
) -> None:
    new(tmp_path)
    found = refused(tmp_path, "randomize", "study.json", "-o", "x.arrow", stdin=table.encode())
    assert said in found
    assert "secretly" not in found


def test_rows_without_an_answer_to_one_question_can_be_left_out(tmp_path: Path) -> None:
    new(tmp_path)
    table = b"tea,town\ngreen,Tokyo\ngreen,\n,Kyoto\nblack,elsewhere\n"
    options = ("-o", "x.arrow", "--skip-missing", "--skip-bad")
    said = succeed(tmp_path, "randomize", "study.json", *options, stdin=table).err
    assert "1 person's answers to 2 questions randomised at ε = 3" in said
    assert "2 rows without an answer" in said
    assert "1 row with none of the answers" in said
    wrong = ("randomize", "study.json", "-o", "y.arrow", "--column", "tea")
    assert "--column is for one question" in refused(tmp_path, *wrong, stdin=table)


def test_what_a_survey_says_of_its_questions(tmp_path: Path) -> None:
    made = new(tmp_path)
    assert made.kind.described == "2 questions of 3 and 2 answers"
    table = b"tea,town\ngreen,Tokyo\n"
    told = refused(tmp_path, "randomize", "study.json", "--separator", ",", stdin=table)
    assert "--separator is for several answers in one cell; each question of “study”" in told
    with pytest.raises(InvalidAnswer, match=r"not one label for each of the 2 questions .*';'"):
        made.encode(["green, Tokyo"])


def test_two_questions_are_related(tmp_path: Path) -> None:
    for design in ("split", "joint"):
        new(tmp_path, design)
        counted(tmp_path)
        related = ("associate", "study.json", "reports.arrow", "--pair", "tea", "town")
        found = succeed(tmp_path, *related, "--json").json()
        assert (found["first"], found["second"], len(found["pairs"])) == ("tea", "town", 6)
        assert found["score_test"]["p_value"] < 1e-6
        assert (found["likelihood_ratio_test"] is None) is (design == "joint")
        assert found["epsilon"] <= 3
        assert "independent? p-value < 0.0001" in succeed(tmp_path, *related).out
    of_sum = ("associate", "study.json", "total.json", "--pair", "tea", "town", "--json")
    assert succeed(tmp_path, *of_sum).json() == found
    new(tmp_path, "sample")
    counted(tmp_path)
    assert "each person answers one question, drawn by chance" in refused(tmp_path, *related)
    assert "--associate needs split or joint" in refused(
        tmp_path,
        *("collection", "new", "x", "--questions", "questions.toml", "--epsilon", 1),
        *("--design", "sample", "--associate", "-o", "x.json"),
    )
    assert new(tmp_path, "auto", "--associate").mechanism.name == "joint"
    idle = ("associate", "study.json", "reports.arrow", "study.json", "reports.arrow")
    assert "has no effect beside --pair" in refused(tmp_path, *idle, "--pair", "tea", "town")


MANY = [str(number) for number in range(40)]


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([TEA], "has 1 question: several at once are 2 or more"),
        ([TEA, TEA], "questions 1 and 2 of wrong.json have the same name, 'tea'"),
        ([TEA, TOWN | {"answers": ["one"]}], "question 2 of wrong.json needs at least 2 answers"),
        ([TEA, TOWN | {"answers": ["a", "a"]}], "two answers of question 2 of wrong.json are the"),
        (
            [TEA, TOWN | {"answers": "abc"}],
            "the answers of question 2 of wrong.json are not a list",
        ),
        ([TEA, TOWN | {"most": 2}], "question 2 of wrong.json has 'most': it takes name, question"),
        ([TEA, {"name": "x", "answers": ["a", "b"]}], "question 2 of wrong.json has no question"),
        ([TEA, TOWN | {"name": 5}], "of question 2 of wrong.json are not all texts"),
        ([TEA, TOWN | {"name": ""}], "of question 2 of wrong.json need at least one character"),
        ([TEA, 5], "question 2 of wrong.json is not a name, a question and answers"),
        (5, "wrong.json has no list of questions"),
        (
            [TEA | {"answers": MANY}, TOWN | {"answers": MANY}],
            "40 times 40 answers have 1,600 combinations; a joint table has at most 1,024",
        ),
        ([TEA | {"name": f"q{number}"} for number in range(65)], "2 to 64 questions at once"),
    ],
)
def test_what_cant_be_asked_is_refused(questions: object, said: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text(json.dumps({"questions": questions}))
    design = "split" if isinstance(questions, list) and len(questions) > 60 else "joint"
    asked = ("--questions", "wrong.json", "--epsilon", 1, "--design", design, "-o", "x.json")
    assert said in refused(tmp_path, "collection", "new", "x", *asked)


def test_other_files_and_options_are_refused(tmp_path: Path) -> None:
    new(tmp_path)
    for text, said in (
        ("[[questions]\n", "is neither TOML nor JSON"),
        ("title = 1\n", "has 'title' where there is only a list of questions"),
    ):
        (tmp_path / "wrong.toml").write_text(text)
        wrong = ("--questions", "wrong.toml", "--epsilon", 1, "-o", "x.json")
        assert said in refused(tmp_path, "collection", "new", "x", *wrong)
    asked = ("collection", "new", "x", "--questions", "questions.toml", "--epsilon", 1)
    for options, said in (
        (("--answer", "a"), "leave out --answer"),
        (("--most", 2), "--most needs one question"),
        (("--rounds", 2), "--rounds needs one question"),
        (("--free-text",), "--free-text needs one question"),
        (("--mechanism", "rappor"), "--design says how they go together"),
    ):
        assert said in refused(tmp_path, *asked, *options, "-o", "x.json")
    single = ("collection", "new", "x", "--answer", "a", "--answer", "b", "--epsilon", 1)
    assert "nothing is asked" in refused(tmp_path, *single, "-o", "x.json")
    one = (*single, "--question", "?", "--design", "split", "-o", "x.json")
    assert "--design needs --questions" in refused(tmp_path, *one)


def test_a_device_answers_all_questions_in_one_report(tmp_path: Path) -> None:
    made = new(tmp_path, "split")
    forms: list[Any] = [["green", "Kyoto"], "green; Kyoto", {"tea": "green", "town": "Kyoto"}]
    for answer in forms:
        report = Device(bytes(32)).report(made, answer)
        assert made.aggregate(report).n == 1
        assert report.nbytes == made.report_dtype.itemsize == 2
    shown = succeed(tmp_path, "collection", "show", "study.json").out
    assert "tea: Which tea? (green, black, none, at all)" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", 1), "--from needs one question, without --questions"),
        (("--estimate", "mean"), "--estimate needs one question, without --questions"),
        (("--bins", 4), "--bins needs one question, without --questions"),
        (("--mechanism", "loloha"), "have mechanisms for one answer of a list, not loloha"),
        (("--mechanism", "window"), "have mechanisms for one answer of a list, not window"),
        (("--design", "joint", "--mechanism", "olh"), "olh doesn't"),
    ],
)
def test_what_several_questions_do_not_take_is_refused(
    options: tuple[Any, ...], said: str, tmp_path: Path
) -> None:
    new(tmp_path)
    asked = ("collection", "new", "x", "--questions", "questions.toml", "--epsilon", 1)
    assert said in refused(tmp_path, *asked, "-o", "x.json", *options)

"""Several answers of a list, from the question to the result."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare import Collection, Device, Seeded, SetResponse
from sudare.errors import InvalidAnswer, ParameterError
from sudare.questions.interface import ResultOptions
from sudare.results.selection import mean_text
from support.commands import UNTOLD, refused, succeed

if TYPE_CHECKING:
    from sudare.questions.selection import SelectedShares

COLOURS = ("red", "green", "blue", "dark, or black")
CELLS = ["red;blue"] * 900 + ["green"] * 600 + [";"] * 500


@pytest.fixture
def colours(tmp_path: Path) -> str:
    answers = [part for label in COLOURS for part in ("--answer", label)]
    made = ("--question", "Which?", *answers, "--most", 2, "--epsilon", 1, "-o", "colours.json")
    succeed(tmp_path, "collection", "new", "colours", *made)
    return "colours.json"


def agreed(folder: Path) -> Collection:
    return Collection.from_json((folder / "colours.json").read_bytes())


def reports_of(folder: Path, text: str, *options: object) -> bytes:
    seeded = ("--insecure-seed", 5, "-o", "reports.arrow", "--force", *options)
    succeed(folder, "randomize", "colours.json", *seeded, stdin=text.encode())
    succeed(folder, "aggregate", "colours.json", "reports.arrow", "-o", "total.json")
    return (folder / "total.json").read_bytes()


def counted(folder: Path, rows: list[list[int]]) -> bytes:
    made = agreed(folder)
    return made.aggregate(made.mechanism.randomize(rows, Seeded(5))).to_json()


ROWS = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('answer\nred;blue\n;\n"dark, or black"\ngreen\n', ()),
        ('answer\n blue ; red;\n ; \n"dark, or black;"\n;green\n', ()),
        ("answer\nred|blue\n|\ndark, or black\ngreen\n", ("--separator", "|", "--delimiter", "~")),
        ("red;blue\n;\ndark, or black\ngreen\n", ("--format", "lines")),
        ('who,"dark, or black",blue,green,red\n7,0,1,0,1\n8,0,0,0,0\n9,1,0,0,0\n1,0,0,1,0\n', ()),
        (
            'blue,"dark, or black",green,red\ntrue,false,FALSE,True\n0,0,0,0\n0,1,0,0\n0,0,1,0\n',
            (),
        ),
    ],
    ids=["one column", "spaces", "another sign", "lines", "a column each", "truths"],
)
def test_tables_of_selections(
    colours: str, text: str, options: tuple[object, ...], tmp_path: Path
) -> None:
    assert colours
    assert reports_of(tmp_path, text, *options) == counted(tmp_path, ROWS)


def test_every_form_of_the_result_says_the_same(colours: str, tmp_path: Path) -> None:
    text = "\n".join(["answer", *CELLS]) + "\n"
    (tmp_path / "truth.csv").write_text(text)
    reports_of(tmp_path, text)
    asked = ("estimate", colours, "total.json")
    document = succeed(tmp_path, *asked, "--json").json()
    assert document["most"] == 2
    mean = document["selected"]
    assert mean["low"] < mean["mean"] < mean["high"]
    assert mean["mean"] == pytest.approx(sum(row["share"] for row in document["answers"]))
    assert mean["rough"] is False
    shown = succeed(tmp_path, *asked, "--truth", "truth.csv").out
    assert "People select" in shown
    assert "too few reports" not in shown
    assert "of 4 truths lie inside" in shown
    rows = succeed(tmp_path, *asked, "--csv").out.splitlines()
    assert rows[0].startswith("answer,share,stderr,low,high")
    assert len(rows) == 5
    succeed(tmp_path, *asked, "--plot", "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "t sum to 100" in page
    assert "answers in the mean" in page
    few = agreed(tmp_path).analyse(agreed(tmp_path).simulate({"red": 100}, Seeded(1)))
    assert "which is rough: too few reports" in mean_text(cast("SelectedShares", few))
    result = agreed(tmp_path).analyse(
        agreed(tmp_path).simulate({"red;blue": 900, ";": 100}, Seeded(1))
    )
    (tmp_path / "rows.parquet").write_bytes(result.parquet())
    assert pq.read_table(tmp_path / "rows.parquet").num_rows == 4


def test_a_population_that_was_sampled_has_a_wider_mean(colours: str, tmp_path: Path) -> None:
    assert colours
    made = agreed(tmp_path)
    total = made.simulate({("red", "blue"): 5000, (): 5000}, Seeded(1))
    fixed, sampled = (
        made.analyse(total, ResultOptions(population=population)).document()["selected"]
        for population in (False, True)
    )
    assert sampled["mean"] == fixed["mean"]
    assert sampled["stderr"] ** 2 - fixed["stderr"] ** 2 == pytest.approx(1 / 9999, rel=0.2)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (f"red;{UNTOLD}", "line 3 .*: the answer has a part that is not one of the 4 answers"),
        ("red;red", "line 3 .*: the answer has the same answer twice; --skip-bad"),
        ("red;green;blue", "line 3 .*: the answer has more than 2 answers; --skip-bad"),
        ('""', "line 3 .*: the answer is missing; --skip-missing leaves"),
        ('" "', "line 3 .*: the answer is blank .a selection of nothing is written as ';'"),
    ],
)
def test_what_is_no_selection_is_refused_by_its_line(
    colours: str, cell: str, said: str, tmp_path: Path
) -> None:
    text = f"answer\nred\n{cell}\n".encode()
    told = refused(tmp_path, "randomize", colours, "-o", "reports.arrow", stdin=text)
    assert np.char.find(told, UNTOLD) < 0
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(told)


def test_a_flag_that_is_none_and_one_that_is_missing(colours: str, tmp_path: Path) -> None:
    head = 'red,green,blue,"dark, or black"\n'
    other = refused(tmp_path, "randomize", colours, stdin=f"{head}1,0,2,0\n".encode())
    assert "the answer is not of 0 and 1, one for each answer" in other
    missing = refused(tmp_path, "randomize", colours, stdin=f"{head}1,0,,0\n".encode())
    assert "the answer is missing" in missing
    many = refused(tmp_path, "randomize", colours, stdin=f"{head}1,1,1,0\n".encode())
    assert "the answer has more than 2 answers" in many


def labelled(folder: Path, *labels: str) -> Collection:
    answers = [part for label in labels for part in ("--answer", label)]
    made = ("--question", "Which?", *answers, "--most", 2, "--epsilon", 1, "-o", "colours.json")
    succeed(folder, "collection", "new", "colours", *made, "--force")
    return agreed(folder)


def test_an_answer_that_would_pass_for_several_is_refused_not_misread(tmp_path: Path) -> None:
    """Of “tea”, “milk” and “tea;milk” a cell “tea;milk” may be either of two selections."""
    made = labelled(tmp_path, "tea", "milk", "tea;milk")
    said = "the answer 'tea;milk' can't be told from several with ';' between them"
    cell = b"answer\ntea;milk\n"
    assert said in refused(tmp_path, "randomize", "colours.json", stdin=cell)
    for text in ("tea;milk", "tea; milk ", ";tea;milk"):
        with pytest.raises(InvalidAnswer, match="position 0 may be read in two ways"):
            made.encode([text])
    assert made.encode(["tea", "milk;tea"]).tolist() == [[1, 0, 0], [1, 1, 0]]
    assert made.encode([["tea;milk"], ["tea", "milk"]]).tolist() == [[0, 0, 1], [1, 1, 0]]
    options = ("--separator", "|", "--delimiter", "~")
    assert reports_of(tmp_path, "answer\ntea;milk\ntea|milk\n", *options) == counted(
        tmp_path, [[0, 0, 1], [1, 1, 0]]
    )
    each = "tea,milk,tea;milk\n0,0,1\n"
    assert reports_of(tmp_path, each) == counted(tmp_path, [[0, 0, 1]])


def test_spaces_around_a_label_dont_keep_it_from_being_answered(tmp_path: Path) -> None:
    made = labelled(tmp_path, " red", "green ", "blue")
    rows = [[1, 1, 0], [0, 0, 1]]
    assert made.encode(["red; green", "blue "]).tolist() == rows
    assert reports_of(tmp_path, "answer\n red;green\nblue\n") == counted(tmp_path, rows)
    alike = labelled(tmp_path, "red", "red ", "blue")
    with pytest.raises(InvalidAnswer, match="position 0 may be read in two ways"):
        alike.encode(["red"])
    told = refused(tmp_path, "randomize", "colours.json", stdin=b"answer\nred\n")
    assert "the answers 'red' and 'red ' are alike but for spaces" in told
    assert alike.encode([["red "]]).tolist() == [[0, 1, 0]]


def test_the_answers_of_a_table_are_those_between_its_separators(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text("answer\n" + "red;blue\n;\nblue ; green\n" * 200 + "red\n")
    asked = ("--question", "?", "--answers-from", "cells.csv", "--epsilon", 1, "-o", "colours.json")
    made = ("collection", "new", "found", *asked, "--force")
    said = succeed(tmp_path, *made, "--most", 2, "--minimum-reports", 201).err
    assert agreed(tmp_path).answers == ("blue", "green", "red")
    assert "1 answer of the list is given by fewer than 201 rows" in said
    fewer = succeed(tmp_path, *made, "--most", 2, "--at-least", 201).err
    assert agreed(tmp_path).answers == ("blue", "red")
    assert "2 answers of 3 listed" in fewer
    succeed(tmp_path, *made, "--most", 2, "--separator", "|")
    assert agreed(tmp_path).answers == (";", "blue ; green", "red", "red;blue")
    assert "the answer has more than 1 answer" in refused(tmp_path, *made, "--most", 1)
    assert "--separator has no effect without --most" in refused(
        tmp_path, *made, "--separator", "|"
    )
    rest = ("--most", 2, "--at-least", 9, "--other", "any other")
    assert "--other has no effect beside --most" in refused(tmp_path, *made, *rest)


def test_columns_for_some_answers_only_and_cells_of_lists(colours: str, tmp_path: Path) -> None:
    some = refused(tmp_path, "randomize", colours, stdin=b"red,blue\n1,1\n")
    assert "there are columns for some of the 4 answers, but not one for each" in some
    assert "red" not in some
    said = "cells, where each is one text or number; several answers of a person are one text, such"
    lists = b'{"answer": ["red", "blue"]}\n'
    assert said in refused(tmp_path, "randomize", colours, stdin=lists)
    pq.write_table(pa.table({"answer": [["red", "blue"], []]}), tmp_path / "lists.parquet")
    assert said in refused(tmp_path, "randomize", colours, "lists.parquet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--most", 5), "of 4 answers, a selection has at most 1 to 4, got 5"),
        (("--most", 0), "of 4 answers, a selection has at most 1 to 4, got 0"),
        (("--mechanism", "set"), "set needs --most: how many answers may a person select?"),
        (("--most", 2, "--mechanism", "oue"), "randomised by set, not by oue"),
        (("--most", 2, "--lifetime", 4), "--lifetime needs --mechanism rappor or --free-text"),
        (("--most", 2, "--rounds", 4), "--most needs a question without --rounds"),
        (("--most", 2, "--free-text"), "--most needs a list of answers"),
    ],
)
def test_options_that_dont_go_together(
    options: tuple[object, ...], said: str, tmp_path: Path
) -> None:
    answers = [part for label in COLOURS for part in ("--answer", label)]
    made = ("--question", "?", *answers, "--epsilon", 1, "-o", "made.json")
    assert said in refused(tmp_path, "collection", "new", "made", *made, *options)


def test_what_selections_dont_take(colours: str, tmp_path: Path) -> None:
    reports_of(tmp_path, "\n".join(["answer", *CELLS]) + "\n")
    step = refused(tmp_path, "estimate", colours, "total.json", "--consistent", "norm-sub")
    assert "consistent is clip where several answers are selected" in step
    succeed(tmp_path, "estimate", colours, "total.json", "--consistent", "clip")
    other = refused(tmp_path, "randomize", colours, "--other", "red", stdin=b"answer\nx\n")
    assert "--other is one of a list of answers" in other
    sign = refused(tmp_path, "randomize", colours, "--separator", " ", stdin=b"answer\nx\n")
    assert "--separator needs a sign that isn't a space" in sign
    one = ("--question", "?", "--answer", "a", "--answer", "b", "--epsilon", 1, "-o", "one.json")
    succeed(tmp_path, "collection", "new", "one", *one)
    told = refused(tmp_path, "randomize", "one.json", "--separator", ",", stdin=b"answer\na\n")
    assert "--separator is for several answers; “one” (2 answers) takes one" in told


def test_epsilon_is_walked_where_it_is_small(colours: str, tmp_path: Path) -> None:
    told = succeed(tmp_path, "epsilon", colours, "--json").json()
    assert told["epsilon"] <= 1
    shown = succeed(tmp_path, "collection", "show", colours).out
    assert "SetResponse(k=4, most=2" in shown


def test_a_device_reports_a_list_or_a_text(colours: str, tmp_path: Path) -> None:
    assert colours
    made = agreed(tmp_path)
    for answer in (["red", "blue"], "red;blue", [], ";"):
        report = Device.new().report(made, answer)
        assert made.aggregate(report).n == 1


def test_a_population_is_numbers_of_people_by_selection() -> None:
    mechanism = SetResponse.calibrate(4, 2, 1.0)
    made = Collection("colours", "Which?", COLOURS, mechanism)
    with pytest.raises(ParameterError, match="a number of people for each answer's label"):
        made.simulate([1, 2], Seeded(1))
    groups = mechanism.domain.groups([[1, 0, 0, 0]], [10])
    assert made.simulate(groups, Seeded(1)) == made.simulate({"red": 10}, Seeded(1))
    assert msgspec.json.decode(made.to_json())["mechanism"]["most"] == 2

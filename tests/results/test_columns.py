"""One name for each column: in tables, CSV, JSON, and on the page that explains them."""

import csv
import io
import re
from pathlib import Path

import pytest

from sudare.formats.tables import arrow_types
from sudare.questions.choice import AnswerRow
from sudare.questions.states import RoundRow
from sudare.questions.text import TextRow
from sudare.results.columns import COLUMNS
from support.commands import csv_of, succeed, tea

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "results.md"
STREAM = ("simulate", "stream", "--rounds", 4, "--people", 200)
COMMANDS = {
    "estimate": ("estimate", "tea.json", "total.json", "--consistent", "clip"),
    "states": ("estimate", "on.json", "on-total.json"),
    "decode": ("decode", "words.json", "words.arrow", "--candidates", "list.txt", "--all"),
    "associate": ("associate", "tea.json", "tea.arrow", "tea.json", "again.arrow"),
    "compare": ("compare", "answers.csv", "--repetitions", 2),
    "a run": STREAM,
    "many runs": ("simulate", "stream", "--rounds", 30, "--people", 20, "--repetitions", 3),
}


UNSHOWN = {"a run": {"stderr", "mechanism", "reports"}, "many runs": set[str]()}
"""Columns that a table leaves out: an interval says what an error would."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the commands above read."""
    folder = tmp_path_factory.mktemp("columns")
    (folder / "answers.csv").write_text(csv_of({"green": 3000, "black": 1000}))
    (folder / "list.txt").write_text("green\nblack\nwhite\n")
    (folder / "states.csv").write_text("1,2\n" + "0,1\n" * 500)
    new = ("collection", "new", "it", "--question", "?", "--epsilon", 4, "--minimum-reports", 1)
    tea(folder)
    succeed(folder, *new, "--free-text", "-o", "words.json")
    succeed(folder, *new, "--rounds", 2, "-o", "on.json")
    for collection, reports in (("tea", "tea"), ("tea", "again"), ("words", "words")):
        made = ("randomize", f"{collection}.json", "answers.csv")
        succeed(folder, *made, "--insecure-seed", 1, "-o", f"{reports}.arrow")
    succeed(folder, "randomize", "on.json", "states.csv", "-o", "on.arrow")
    succeed(folder, "aggregate", "tea.json", "tea.arrow", "-o", "total.json")
    succeed(folder, "aggregate", "on.json", "on.arrow", "-o", "on-total.json")
    return folder


def in_json(document: object) -> set[str]:
    """The fields of every row in a document: of objects in lists."""
    if isinstance(document, list):
        inner = [each for each in document if isinstance(each, dict)]
        fields = {name for each in inner if "rows" not in each for name in each}
        return fields.union(*(in_json(each) for each in inner))
    if isinstance(document, dict):
        return set().union(*(in_json(value) for value in document.values()))
    return set()


@pytest.mark.parametrize("command", COMMANDS)
def test_csv_json_and_tables_have_the_same_names(command: str, folder: Path) -> None:
    arguments = COMMANDS[command]
    header = next(csv.reader(io.StringIO(succeed(folder, *arguments, "--csv").out)))
    assert set(header) <= COLUMNS.keys()
    in_rows = in_json(succeed(folder, *arguments, "--json").json())
    assert in_rows - {"mechanism"} == set(header) - {"mechanism"}
    if command in {"associate", "compare"}:
        return  # these cross two columns: answers, or mechanisms, stand above
    table = succeed(folder, *arguments).out
    shown = {name for name in header if COLUMNS[name].heading} - UNSHOWN.get(command, {"stderr"})
    for name in shown:
        assert COLUMNS[name].heading.removeprefix("95 % ") in table, name


@pytest.mark.parametrize("row", [AnswerRow, RoundRow, TextRow])
def test_a_collector_serves_the_same_names(row: type) -> None:
    assert set(arrow_types(row)) <= COLUMNS.keys()


def test_the_page_has_every_column() -> None:
    lines = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    assert {name: (heading, meaning) for name, heading, meaning in lines} == {
        name: tuple(column) for name, column in COLUMNS.items()
    }

"""Commands that could lose or tell something, and must not."""

import gzip
from pathlib import Path

import pytest

from support.commands import UNTOLD, refused, succeed, tea


@pytest.fixture
def survey(tmp_path: Path) -> str:
    return tea(tmp_path)


@pytest.mark.parametrize("output", ["answers.csv", "tea.json"])
def test_an_input_is_not_overwritten(survey: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("answer\ngreen\n")
    before = (tmp_path / output).read_bytes()
    sentence = refused(tmp_path, "randomize", survey, "answers.csv", "-o", output)
    assert "is one of the inputs" in sentence
    assert (tmp_path / output).read_bytes() == before


def test_reports_have_a_suffix_we_write(survey: str, tmp_path: Path) -> None:
    rows = b"answer\ngreen\n"
    sentence = refused(tmp_path, "randomize", survey, "-o", "reports.csv", stdin=rows)
    assert "written as .arrow or .parquet, got 'reports.csv'" in sentence


def test_newlines_inside_quotes_are_no_rows(survey: str, tmp_path: Path) -> None:
    """Whichever side of a block of the parser they fall on."""
    rows = "answer,note\n" + 'green,"a\nblack,b"\n' * 300_000  # more than one block
    (tmp_path / "answers.csv").write_text(rows)
    assert len(rows) > 1 << 22
    options = ("--insecure-seed", 1, "-o", "reports.arrow")
    told = succeed(tmp_path, "randomize", survey, "answers.csv", *options).err
    assert told.startswith("300,000 answers")


def test_an_unclosed_quote_swallows_nobody(survey: str, tmp_path: Path) -> None:
    rows = "answer,note\n" + "green,x\n" * 5 + 'green,"x\n' + f"{UNTOLD},x\n" * 5
    sentence = refused(tmp_path, "randomize", survey, "-o", "r.arrow", stdin=rows.encode())
    assert "line 7 of standard input: a quote is opened and never closed" in sentence


def test_a_bad_answer_in_a_compressed_file_is_named_by_its_line(
    survey: str, tmp_path: Path
) -> None:
    rows = gzip.compress(f"answer\n{UNTOLD}\n".encode())
    sentence = refused(tmp_path, "randomize", survey, "-o", "r.arrow", stdin=rows)
    assert sentence.startswith("line 2 of standard input: the answer is not one of the 3 answers")


@pytest.mark.parametrize(
    "document",
    [
        f'{{"sudare": "{UNTOLD}"}}',
        f'{{"{UNTOLD}": "positive"}}',
        f'"{UNTOLD}"',
        f'{{"sudare": "collection", "format": 1, "name": 3, "question": "{UNTOLD}"}}',
        "[" * 100_000,
        UNTOLD,
    ],
)
@pytest.mark.parametrize("command", ["collection check", "aggregate tea.json"])
def test_a_wrong_document_is_not_quoted(
    survey: str, command: str, document: str, tmp_path: Path
) -> None:
    assert survey == "tea.json"
    (tmp_path / "answers.json").write_text(document)
    refused(tmp_path, *command.split(), "answers.json")


def test_labels_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_bytes("green\r\nblack tea\r\n".encode("utf-8-sig"))
    options = ("--question", "?", "--answers-file", "labels.txt", "--epsilon", 1)
    made = succeed(tmp_path, "collection", "new", "x", *options).json()
    assert made["answers"] == ["green", "black tea"]


def test_rough_and_sampled_intervals_are_said_everywhere(survey: str, tmp_path: Path) -> None:
    rows = b"answer\n" + b"green\n" * 100
    succeed(tmp_path, "randomize", survey, "--insecure-seed", 1, "-o", "r.arrow", stdin=rows)
    succeed(tmp_path, "aggregate", survey, "r.arrow", "-o", "total.json")
    shown = succeed(
        tmp_path, "estimate", survey, "total.json", "--population", "--plot", "page.html"
    ).out
    page = (tmp_path / "page.html").read_text()
    for text in ("their intervals are rough", "sampled from"):
        assert text in shown
        assert text in page
    rows_told = succeed(tmp_path, "estimate", survey, "total.json", "--json").json()["answers"]
    assert all(row["rough"] for row in rows_told)

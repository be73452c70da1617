"""Reports, aggregates and parameters that can't be right: one sentence, exit code 2, no file."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from sudare.collection.document import Collection
from sudare.formats.report_files import report_file
from sudare.mechanisms.aggregate import Aggregate
from support.commands import contents, csv_of, refused, run, succeed, tea

OUTPUT = ("-o", "new.json")
suffixes = pytest.mark.parametrize("suffix", ["arrow", "parquet"])


@pytest.fixture
def survey(tmp_path: Path) -> str:
    """tea.json, reports.arrow, reports.parquet and total.json."""
    file = tea(tmp_path)
    for suffix in ("arrow", "parquet"):
        output = f"reports.{suffix}"
        succeed(tmp_path, "randomize", file, "-o", output, stdin=csv_of({"green": 500}).encode())
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    return file


@pytest.fixture
def agreed(survey: str, tmp_path: Path) -> Collection:
    return Collection.from_json((tmp_path / survey).read_bytes())


# Reports


@suffixes
@pytest.mark.parametrize("mechanism", ["grr", "oue", "sue"])
def test_a_report_outside_the_range(mechanism: str, suffix: str, tmp_path: Path) -> None:
    """A file whose form is right, with a record that no device could have made."""
    file = tea(tmp_path, "--mechanism", mechanism)
    agreed = Collection.from_json((tmp_path / file).read_bytes())
    reports = agreed.randomize(["green"] * 10)
    reports.view(np.uint8)[4 * reports.itemsize] |= 0x08  # of three answers, number 8 or bit 3
    with report_file(tmp_path / f"r.{suffix}", agreed.report_dtype, agreed.key) as sink:
        sink.write(reports)
    sentence = refused(tmp_path, "aggregate", file, f"r.{suffix}", *OUTPUT)
    assert "the report at position 4" in sentence


@suffixes
def test_a_cut_file(survey: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"reports.{suffix}"
    whole = path.read_bytes()
    for size in (0, 1, 4, 100, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:size])
        refused(tmp_path, "aggregate", survey, path.name, *OUTPUT)
        refused(tmp_path, "aggregate", survey, *OUTPUT, stdin=whole[:size])


@suffixes
def test_a_changed_file(survey: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"reports.{suffix}"
    whole = bytearray(path.read_bytes())
    # Among the 500 reports: of Parquet, whose foot is longer than they are, before their end.
    place = pq.read_metadata(path).row_group(0).column(0) if suffix == "parquet" else None
    middle = len(whole) // 2 if place is None else place.dictionary_page_offset
    whole[middle if place is None else middle + place.total_compressed_size - 20] ^= 1
    path.write_bytes(whole)
    refused(tmp_path, "aggregate", survey, path.name, *OUTPUT)


def test_one_bad_file_among_good_ones(survey: str, tmp_path: Path) -> None:
    (tmp_path / "bad.arrow").write_bytes((tmp_path / "reports.arrow").read_bytes()[:-20])
    refused(tmp_path, "aggregate", survey, "reports.arrow", "bad.arrow", "total.json", *OUTPUT)


@pytest.mark.parametrize("option", [("--epsilon", 2), ("--question", "Which coffee?")])
@suffixes
def test_reports_of_another_collection(
    survey: str, option: tuple[object, ...], suffix: str, tmp_path: Path
) -> None:
    other = tea(tmp_path, *option, name="other")
    sentence = refused(tmp_path, "aggregate", other, f"reports.{suffix}", *OUTPUT)
    assert "the reports belong to the collection" in sentence
    assert survey != other


@pytest.mark.parametrize("data", [b"", b"answer\ngreen\n", b"\xff\xff\xff\xff", b"{}", b"\n"])
def test_something_else_instead_of_reports(survey: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_bytes(data)
    refused(tmp_path, "aggregate", survey, "answers.csv", *OUTPUT)
    refused(tmp_path, "aggregate", survey, *OUTPUT, stdin=data)


@pytest.mark.parametrize("twice", [("reports.arrow",) * 2, ("total.json", "./total.json")])
def test_the_same_file_twice(survey: str, twice: tuple[str, str], tmp_path: Path) -> None:
    sentence = refused(tmp_path, "aggregate", survey, *twice, *OUTPUT)
    assert "named twice" in sentence


# Aggregates


@pytest.mark.parametrize("command", ["aggregate", "estimate"])
@pytest.mark.parametrize("change", [1, 0x80], ids=["a bit", "not UTF-8"])
def test_a_changed_aggregate(survey: str, command: str, change: int, tmp_path: Path) -> None:
    whole = (tmp_path / "total.json").read_bytes()
    for at in range(0, len(whole), 7):
        (tmp_path / "bad.json").write_bytes(
            whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :]
        )
        refused(tmp_path, command, survey, "bad.json")


@pytest.mark.parametrize("command", ["aggregate", "estimate"])
@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"nonsense", b"\xff"])
def test_no_aggregate(survey: str, command: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(data)
    refused(tmp_path, command, survey, "bad.json")


@pytest.mark.parametrize("command", ["aggregate", "estimate"])
@pytest.mark.parametrize(
    "counts", [[500], [250, 250], [1, 2, 3, 4], [[500], [0], [0]], []], ids=str
)
def test_an_aggregate_of_another_shape(
    agreed: Collection, survey: str, command: str, counts: list[int], tmp_path: Path
) -> None:
    """The key is right and the digest too; only the number of answers is not."""
    forged = Aggregate(agreed.key, 500, np.array(counts, np.int64))
    (tmp_path / "forged.json").write_bytes(forged.to_json())
    refused(tmp_path, command, survey, "forged.json")


def test_an_aggregate_of_another_collection(survey: str, tmp_path: Path) -> None:
    other = tea(tmp_path, epsilon=2.0, name="other")
    for command in ("aggregate", "estimate"):
        assert "collection" in refused(tmp_path, command, other, "total.json")
    assert "total.json" in contents(tmp_path)
    assert survey in contents(tmp_path)


def test_too_few_reports(survey: str, tmp_path: Path) -> None:
    shy = tea(tmp_path, "--minimum-reports", 600, name="shy")
    people = csv_of({"green": 599}).encode()
    succeed(tmp_path, "randomize", shy, "-o", "shy.arrow", stdin=people)
    succeed(tmp_path, "aggregate", shy, "shy.arrow", "-o", "few.json")
    sentence = refused(tmp_path, "estimate", shy, "few.json", "--plot", "tea.html")
    assert sentence == "few.json: there are 599 reports; “shy” releases nothing below 600"
    assert survey != shy


def test_no_reports_at_all(agreed: Collection, survey: str, tmp_path: Path) -> None:
    (tmp_path / "zero.json").write_bytes(agreed.zero.to_json())
    refused(tmp_path, "estimate", survey, "zero.json")


@pytest.mark.parametrize("level", ["0", "1", "-0.5", "2", "95", "nan", "inf"])
@pytest.mark.parametrize("option", [(), ("--simultaneous",)], ids=["each", "all"])
def test_a_level_outside_its_range(
    survey: str, level: str, option: tuple[str, ...], tmp_path: Path
) -> None:
    sentence = refused(tmp_path, "estimate", survey, "total.json", "--level", level, *option)
    assert "a level must be between 0 and 1" in sentence


# Files


@pytest.mark.parametrize(
    "command",
    [
        ("collection", "check", "none.json"),
        ("collection", "show", "none.json"),
        ("epsilon", "none.json"),
        ("randomize", "none.json", "reports.arrow", "-o", "new.arrow"),
        ("aggregate", "none.json", "reports.arrow", *OUTPUT),
        ("aggregate", "tea.json", "none.arrow", *OUTPUT),
        ("aggregate", "tea.json", "none.parquet", *OUTPUT),
        ("aggregate", "tea.json", "none.json", *OUTPUT),
        ("estimate", "none.json", "total.json"),
        ("estimate", "tea.json", "none.json"),
        ("compare", "none.csv"),
        ("collection", "new", "x", "--question", "?", "--answers-file", "none", "--epsilon", 1),
    ],
    ids=lambda command: " ".join(map(str, command)),
)
def test_a_missing_file_is_named(survey: str, command: tuple[object, ...], tmp_path: Path) -> None:
    sentence = refused(tmp_path, *command)
    assert sentence.startswith("none")
    assert sentence.endswith(" isn't there")
    assert survey in contents(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ("collection", "check", "."),
        ("aggregate", ".", "reports.arrow", *OUTPUT),
        ("aggregate", "tea.json", "folder.parquet", *OUTPUT),  # which is empty
        ("estimate", "tea.json", "."),
        ("compare", "."),
    ],
    ids=" ".join,
)
def test_a_folder_instead_of_a_file(survey: str, command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    refused(tmp_path, *command)
    assert survey in contents(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ("aggregate", "tea.json", "reports.arrow", "-o", "none/total.json"),
        ("estimate", "tea.json", "total.json", "--plot", "none/tea.html"),
        ("estimate", "tea.json", "total.json", "--plot", "none/tea.png"),
        ("estimate", "tea.json", "total.json", "--plot", "tea.docx"),
        ("estimate", "tea.json", "total.json", "--plot", "tea"),
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written(
    survey: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    refused(tmp_path, *command)
    assert survey in contents(tmp_path)


# Usage: click's own sentence, after a line on the usage


@pytest.mark.parametrize(
    "command",
    [
        ("nonsense",),
        ("estimate",),
        ("estimate", "tea.json", "total.json", "--level", "high"),
        ("estimate", "tea.json", "total.json", "--consistent", "magic"),
        ("randomize", "tea.json", "--format", "xml"),
        ("randomize", "tea.json", "--insecure-seed", "x"),
        ("collection", "new", "x", "--question", "?", "--epsilon", "small"),
        ("plan", "choice", "--answers", "many"),
        ("simulate", "survey", "--mechanism", "magic"),
    ],
    ids=" ".join,
)
def test_a_usage_error_ends_with_its_sentence(command: tuple[str, ...], tmp_path: Path) -> None:
    result = run(tmp_path, *command)
    assert (result.code, result.stdout) == (2, b"")
    lines = result.err.strip().splitlines()
    assert [line for line in lines if line.startswith("Error: ")] == [lines[-1]]
    assert "Usage: sudare" in result.err
    assert contents(tmp_path) == {}

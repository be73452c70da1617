"""People's answers in every form that is read, from files and from pipes."""

import io
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.collection.document import Collection
from sudare.mechanisms.aggregate import Aggregate
from support.commands import TEAS, csv_of, refused, run, succeed, tea

# Hardly any noise: what is counted is what was read.
CERTAIN = 30.0
PEOPLE = {"green": 40, "black": 25, "oolong": 10}
LABELS = [label for label, n in PEOPLE.items() for _ in range(n)]


def counted(folder: Path, *options: object, stdin: bytes = b"") -> list[int]:
    """How many people gave each answer, by way of reports."""
    file = tea(folder, "--mechanism", "grr", epsilon=CERTAIN)
    seeded = ("--insecure-seed", 1)
    reports = succeed(folder, "randomize", file, *options, *seeded, stdin=stdin).stdout
    total = succeed(folder, "aggregate", file, stdin=reports).stdout
    counts: list[int] = Aggregate.from_json(total).counts.tolist()
    return counts


def table(column: pa.Array, name: str = "answer") -> pa.Table:
    return pa.table({"person": pa.array(range(len(column))), name: column})


COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.array(LABELS),
    "large string": lambda: pa.array(LABELS, pa.large_string()),
    "dictionary": lambda: pa.array(LABELS).dictionary_encode(),
    "binary": lambda: pa.array([label.encode() for label in LABELS]),
}
columns = pytest.mark.parametrize("column", COLUMNS)


# Text


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,  # as spreadsheets write it
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("green", '"green"'),
    ],
    ids=["plain", "carriage returns", "byte order mark", "no last newline", "quotes"],
)
def test_csv(change: Callable[[str], str], tmp_path: Path) -> None:
    text = change(csv_of(PEOPLE)).encode()
    (tmp_path / "answers.csv").write_bytes(text)
    assert counted(tmp_path, "answers.csv") == list(PEOPLE.values())
    assert counted(tmp_path, stdin=text) == list(PEOPLE.values())


def test_another_column(tmp_path: Path) -> None:
    text = csv_of(PEOPLE, column="tea of choice").encode()
    assert counted(tmp_path, "--column", "tea of choice", stdin=text) == list(PEOPLE.values())


def test_the_other_columns_are_not_looked_at(tmp_path: Path) -> None:
    rows = [f"{label},\xff,," for label in LABELS]
    text = "\n".join(["answer,note,answers,", *rows]).encode("latin-1")
    assert counted(tmp_path, stdin=text) == list(PEOPLE.values())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines(end: str, tmp_path: Path) -> None:
    text = "".join(label + end for label in LABELS).encode()
    assert counted(tmp_path, "--format", "lines", stdin=text) == list(PEOPLE.values())


def test_a_line_is_an_answer_whatever_it_contains(tmp_path: Path) -> None:
    labels = ['a,b "c"', '"', "'", "null", "NA", "1", "1.0", "抹茶", " padded "]
    (tmp_path / "labels.txt").write_text("\n".join(labels))
    succeed(
        tmp_path,
        *("collection", "new", "odd", "--question", "?", "--answers-file", "labels.txt"),
        *("--epsilon", CERTAIN, "--mechanism", "grr", "-o", "odd.json"),
    )
    text = "".join(f"{label}\n" * 3 for label in labels).encode()
    options = ("--format", "lines", "--insecure-seed", 1)
    reports = succeed(tmp_path, "randomize", "odd.json", *options, stdin=text).stdout
    total = Aggregate.from_json(succeed(tmp_path, "aggregate", "odd.json", stdin=reports).stdout)
    assert total.counts.tolist() == [3] * len(labels)


def test_answers_that_look_like_numbers_or_nothing(tmp_path: Path) -> None:
    """A CSV's cells are labels, not guesses at their type."""
    labels = ["007", "7", "1e3", "true", "null", "N/A"]
    answers = [part for label in labels for part in ("--answer", label)]
    succeed(
        tmp_path,
        *("collection", "new", "odd", "--question", "?", *answers),
        *("--epsilon", CERTAIN, "--mechanism", "grr", "-o", "odd.json"),
    )
    text = "\n".join(["answer", *labels]).encode()
    done = succeed(tmp_path, "randomize", "odd.json", "--insecure-seed", 1, stdin=text)
    total = Aggregate.from_json(
        succeed(tmp_path, "aggregate", "odd.json", stdin=done.stdout).stdout
    )
    assert total.counts.tolist() == [1] * len(labels)


# Tables


@columns
def test_parquet(column: str, tmp_path: Path) -> None:
    pq.write_table(table(COLUMNS[column]()), tmp_path / "answers.parquet")
    assert counted(tmp_path, "answers.parquet") == list(PEOPLE.values())
    (tmp_path / "answers.parquet").rename(tmp_path / "answers.data")  # known by its content
    assert counted(tmp_path, "answers.data") == list(PEOPLE.values())


@columns
def test_arrow_stream(column: str, tmp_path: Path) -> None:
    memory = io.BytesIO()
    with pa.ipc.new_stream(memory, table(COLUMNS[column]()).schema) as writer:
        writer.write_table(table(COLUMNS[column]()), max_chunksize=20)
    (tmp_path / "answers.arrow").write_bytes(memory.getvalue())
    assert counted(tmp_path, "answers.arrow") == list(PEOPLE.values())
    assert counted(tmp_path, stdin=memory.getvalue()) == list(PEOPLE.values())


@columns
def test_arrow_file(column: str, tmp_path: Path) -> None:
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), table(COLUMNS[column]()).schema) as writer:
        writer.write_table(table(COLUMNS[column]()), max_chunksize=20)
    assert counted(tmp_path, "a.arrow") == list(PEOPLE.values())


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.int32()], ids=str)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_numbers_are_matched_by_their_digits(
    kind: pa.DataType, suffix: str, tmp_path: Path
) -> None:
    succeed(
        tmp_path,
        *("collection", "new", "size", "--question", "?", "--answer", "38", "--answer", "40"),
        *("--epsilon", CERTAIN, "--mechanism", "grr", "-o", "size.json"),
    )
    sizes = table(pa.array([38, 40, 40, 40], kind))
    if suffix == "parquet":
        pq.write_table(sizes, tmp_path / "sizes.parquet")
    else:
        with pa.ipc.new_file(str(tmp_path / "sizes.arrow"), sizes.schema) as writer:
            writer.write_table(sizes)
    done = succeed(tmp_path, "randomize", "size.json", f"sizes.{suffix}", "--insecure-seed", 1)
    total = succeed(tmp_path, "aggregate", "size.json", stdin=done.stdout).stdout
    assert Aggregate.from_json(total).counts.tolist() == [1, 3]


# Length


@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_a_long_file_is_read_in_chunks(suffix: str, tmp_path: Path) -> None:
    """More than one block of text, more than one batch of rows: nothing lost at the seams."""
    people = {"green": 400_000, "black": 200_000, "oolong": 1}
    (tmp_path / "answers.txt").write_text("".join(f"{label}\n" * n for label, n in people.items()))
    file = tea(tmp_path, "--mechanism", "grr", epsilon=CERTAIN)
    output = f"reports.{suffix}"
    options = ("--format", "lines", "--insecure-seed", 1, "-o", output)
    done = succeed(tmp_path, "randomize", file, "answers.txt", *options)
    assert done.err.startswith("600,001 answers randomised")
    total = Aggregate.from_json(succeed(tmp_path, "aggregate", file, output).stdout)
    assert total.counts.tolist() == list(people.values())


def test_the_line_of_a_bad_answer_counts_from_the_start(tmp_path: Path) -> None:
    """Also when it stands far behind the first chunk; its text is not told."""
    file = tea(tmp_path)
    (tmp_path / "answers.txt").write_text("oolong\n" * 700_000 + "tisane\n")
    result = run(tmp_path, "randomize", file, "answers.txt", "--format", "lines", "-o", "r.arrow")
    assert result.code == 2
    assert "line 700001 of answers.txt: the answer is not one of the 3 answers" in result.err
    assert "tisane" not in result.err
    assert not (tmp_path / "r.arrow").exists()


def test_reports_hold_no_answers(tmp_path: Path) -> None:
    """Neither labels nor anything else of the input is in the file."""
    file = tea(tmp_path)
    succeed(tmp_path, "randomize", file, "-o", "r.arrow", stdin=csv_of(PEOPLE).encode())
    data = (tmp_path / "r.arrow").read_bytes()
    assert not any(label.encode() in data for label in (*TEAS, "person"))
    agreed = Collection.from_json((tmp_path / file).read_bytes())
    assert agreed.key.encode() in data


def test_a_column_without_a_name_is_not_the_usual_one(tmp_path: Path) -> None:
    file = tea(tmp_path)
    rows = csv_of({"green": 9}).encode()
    refused(tmp_path, "randomize", file, "--column", "", "-o", "x.arrow", stdin=rows)

"""Answers that can't be randomised: one sentence, exit code 2, no file, no answer told."""

import io
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.commands import UNTOLD, contents, csv_of, refused, run, tea

OUTPUT = ("-o", "reports.arrow")
outputs = pytest.mark.parametrize("output", ["reports.arrow", "reports.parquet"])


@pytest.fixture
def survey(tmp_path: Path) -> str:
    return tea(tmp_path)


@outputs
@pytest.mark.parametrize("first", [0, 1, 1000])
def test_an_unknown_answer(survey: str, first: int, output: str, tmp_path: Path) -> None:
    """Whatever was randomised before it is thrown away."""
    (tmp_path / "answers.csv").write_text(csv_of({"green": first, UNTOLD: 1, "black": 3}))
    sentence = refused(tmp_path, "randomize", survey, "answers.csv", "-o", output)
    assert f"line {first + 2} of answers.csv: the answer is not one of the 3 answers" in sentence


@pytest.mark.parametrize("answer", ["", "Green", "green ", " green", "0", "null"])
def test_almost_an_answer_is_none(survey: str, answer: str, tmp_path: Path) -> None:
    rows = f"person,answer\n1,green\n2,{answer}\n".encode()
    sentence = refused(tmp_path, "randomize", survey, *OUTPUT, stdin=rows)
    assert sentence.startswith("line 3 of standard input: the answer is ")
    assert ("missing" in sentence) == (answer == "")


def test_an_unknown_line(survey: str, tmp_path: Path) -> None:
    lines = f"green\n{UNTOLD}\n".encode()
    refused(tmp_path, "randomize", survey, "--format", "lines", *OUTPUT, stdin=lines)


def test_a_blank_line_is_a_missing_answer(survey: str, tmp_path: Path) -> None:
    options = ("--format", "lines", *OUTPUT)
    sentence = refused(tmp_path, "randomize", survey, *options, stdin=b"green\n\nblack\n")
    assert sentence.startswith("line 2 of standard input: the answer is missing; --skip-missing")


@pytest.mark.parametrize("encode", [lambda column: column, pa.Array.dictionary_encode])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "the answer is missing"),
        (UNTOLD, "the answer is not one of"),
    ],
    ids=["null", "unknown"],
)
def test_a_bad_answer_in_a_table(
    survey: str,
    encode: Callable[[pa.Array], pa.Array],
    answer: str | None,
    reason: str,
    tmp_path: Path,
) -> None:
    answers = pa.table({"answer": encode(pa.array(["green", answer]))})
    pq.write_table(answers, tmp_path / "answers.parquet")
    sentence = refused(tmp_path, "randomize", survey, "answers.parquet", *OUTPUT)
    assert sentence.startswith(f"row 2 of answers.parquet: {reason}")
    with pa.ipc.new_file(str(tmp_path / "answers.arrow"), answers.schema) as writer:
        writer.write_table(answers)
    again = refused(tmp_path, "randomize", survey, "answers.arrow", *OUTPUT)
    assert again == sentence.replace("answers.parquet", "answers.arrow")


@pytest.mark.parametrize("text", [csv_of({"green": 3}, column="tea"), f"{UNTOLD}\ngreen\n"])
def test_a_csv_without_the_column(survey: str, text: str, tmp_path: Path) -> None:
    """Also one without any header, whose first line is somebody's answer."""
    sentence = refused(tmp_path, "randomize", survey, *OUTPUT, stdin=text.encode())
    assert "no column 'answer'; name the column with --column" in sentence


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "stream"])
def test_a_table_without_the_column(survey: str, suffix: str, tmp_path: Path) -> None:
    answers = pa.table({UNTOLD: ["green"]})
    path = tmp_path / f"answers.{suffix}"
    if suffix == "parquet":
        pq.write_table(answers, path)
    else:
        kind = pa.ipc.new_file if suffix == "arrow" else pa.ipc.new_stream
        with kind(str(path), answers.schema) as writer:
            writer.write_table(answers)
    sentence = refused(tmp_path, "randomize", survey, path.name, *OUTPUT)
    assert "no column 'answer'" in sentence


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_two_columns_of_the_name(survey: str, suffix: str, tmp_path: Path) -> None:
    """Which of them is meant, nobody can say."""
    path = tmp_path / f"answers.{suffix}"
    columns = [pa.array(["green"]), pa.array([UNTOLD])]
    answers = pa.Table.from_arrays(columns, ["answer", "answer"])
    if suffix == "csv":
        path.write_text(f"answer,answer\ngreen,{UNTOLD}\n")
    elif suffix == "parquet":
        pq.write_table(answers, path)
    else:
        with pa.ipc.new_file(str(path), answers.schema) as writer:
            writer.write_table(answers)
    refused(tmp_path, "randomize", survey, path.name, *OUTPUT)


@pytest.mark.parametrize(
    "text",
    [
        f"person,answer\n1,green\n2,{UNTOLD},more\n",
        f"person,answer\n1,green\n{UNTOLD}\n",
        f'person,answer\n1,green\n2,"{UNTOLD}\n',
        f"answer\ngreen\n{UNTOLD},green\n",
    ],
    ids=["more cells", "fewer cells", "open quote", "a comma in the answer"],
)
def test_ragged_rows(survey: str, text: str, tmp_path: Path) -> None:
    """The reader's own message would quote the line."""
    refused(tmp_path, "randomize", survey, *OUTPUT, stdin=text.encode())


@pytest.mark.parametrize(
    "data",
    [
        f"answer\ngreen\n{UNTOLD} caf\xe9\n".encode("latin-1"),
        f"answer\ngreen\n{UNTOLD}\n".encode("utf-16"),
        b"answer\ngreen\n" + UNTOLD.encode() + b"\x00\n",
        f"answ\xe9r\n{UNTOLD}\n".encode("latin-1"),
    ],
    ids=["latin-1", "utf-16", "a zero byte", "latin-1 header"],
)
@pytest.mark.parametrize("form", ["auto", "csv", "lines"])
def test_text_that_is_not_utf8(survey: str, form: str, data: bytes, tmp_path: Path) -> None:
    refused(tmp_path, "randomize", survey, "--format", form, *OUTPUT, stdin=data)


@pytest.mark.parametrize("form", ["auto", "csv", "lines", "parquet", "arrow"])
def test_an_empty_file(survey: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_bytes(b"")
    refused(tmp_path, "randomize", survey, "answers.csv", "--format", form, *OUTPUT)
    if form != "parquet":
        refused(tmp_path, "randomize", survey, "--format", form, *OUTPUT, stdin=b"")


def test_an_empty_file_is_called_empty(survey: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, "randomize", survey, *OUTPUT, stdin=b"")
    assert sentence == "standard input is empty; it holds no answers"


@outputs
@pytest.mark.parametrize("text", ["answer\n", "person,answer\n"])
def test_a_header_alone(survey: str, text: str, output: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, "randomize", survey, "-o", output, stdin=text.encode())
    assert "0 answers" in sentence


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_table_of_nobody(survey: str, kind: str, tmp_path: Path) -> None:
    answers = pa.table({"answer": pa.array([], pa.string())})
    if kind == "parquet":
        pq.write_table(answers, tmp_path / "answers")
    else:
        with pa.ipc.new_file(str(tmp_path / "answers"), answers.schema) as writer:
            writer.write_table(answers)
    assert "0 answers" in refused(tmp_path, "randomize", survey, "answers", *OUTPUT)


def parquet(answers: pa.Table) -> bytes:
    memory = io.BytesIO()
    pq.write_table(answers, memory)
    return memory.getvalue()


def arrow(answers: pa.Table) -> bytes:
    memory = io.BytesIO()
    with pa.ipc.new_stream(memory, answers.schema) as writer:
        writer.write_table(answers)
    return memory.getvalue()


@pytest.mark.parametrize("make", [parquet, arrow])
def test_a_cut_table(survey: str, make: Callable[[pa.Table], bytes], tmp_path: Path) -> None:
    whole = make(pa.table({"answer": ["green"] * 2000}))
    for size in (8, 40, len(whole) // 2):
        (tmp_path / "answers").write_bytes(whole[:size])
        refused(tmp_path, "randomize", survey, "answers", *OUTPUT)


@pytest.mark.parametrize("make", [parquet, arrow])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([["green"]]),
        pa.array([{"tea": "green"}]),
        pa.array([b"gr\xff\xfen"]),
        pa.array([1.5]),
        pa.array([None]),
    ],
    ids=["lists", "structures", "bytes", "fractions", "nothing"],
)
def test_a_column_of_something_else(
    survey: str, column: pa.Array, make: Callable[[pa.Table], bytes], tmp_path: Path
) -> None:
    (tmp_path / "answers").write_bytes(make(pa.table({"answer": column})))
    refused(tmp_path, "randomize", survey, "answers", *OUTPUT)


def test_parquet_from_a_pipe(survey: str, tmp_path: Path) -> None:
    data = parquet(pa.table({"answer": ["green"]}))
    sentence = refused(tmp_path, "randomize", survey, *OUTPUT, stdin=data)
    assert "Parquet can't be read from a pipe" in sentence
    refused(tmp_path, "randomize", survey, "--format", "parquet", *OUTPUT, stdin=data)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_text_called_a_table(survey: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(f"answer\n{UNTOLD}\n")
    sentence = refused(tmp_path, "randomize", survey, "answers.csv", "--format", form, *OUTPUT)
    assert f"answers.csv can't be read as {form.capitalize()}" in sentence


def test_a_missing_file(survey: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, "randomize", survey, "nowhere.csv", *OUTPUT)
    assert sentence == "nowhere.csv isn't there"


def test_a_folder_instead_of_a_file(survey: str, tmp_path: Path) -> None:
    assert refused(tmp_path, "randomize", survey, ".", *OUTPUT).startswith("./ is a folder;")


def test_an_output_that_cannot_be_written(survey: str, tmp_path: Path) -> None:
    answers = csv_of({"green": 3}).encode()
    sentence = refused(tmp_path, "randomize", survey, "-o", "none/r.arrow", stdin=answers)
    assert sentence == "none/r.arrow isn't there, nor is the folder none"
    (tmp_path / "folder.arrow").mkdir()
    sentence = refused(tmp_path, "randomize", survey, "-o", "folder.arrow", stdin=answers)
    assert sentence == "folder.arrow is a folder; a file is expected"


def test_a_failed_pipe_is_no_file_of_reports(survey: str, tmp_path: Path) -> None:
    """What went out before the bad answer lacks its seal, so no collector counts it."""
    done = run(tmp_path, "randomize", survey, stdin=csv_of({"green": 9, UNTOLD: 1}).encode())
    assert (done.code, UNTOLD in done.err) == (2, False)
    refused(tmp_path, "aggregate", survey, "-o", "total.json", stdin=done.stdout)
    assert contents(tmp_path).keys() == {survey}


def test_an_empty_line_is_no_missing_person(survey: str, tmp_path: Path) -> None:
    """It may be somebody's answer, and leaving it out would move everybody after it."""
    answers = b"answer\ngreen\n\nblack\n"
    sentence = refused(tmp_path, "randomize", survey, *OUTPUT, stdin=answers)
    assert sentence.startswith("line 3 of standard input: the answer is missing")

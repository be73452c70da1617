"""Tables in every form: the same rows, each with its place in the file."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.answers.table import FileOptions, Table, columns_named
from sudare.errors import InvalidDocument, ParameterError, SudareError
from support.workbooks import xlsx

ANSWERS = ["green", "", "naïve, tea", "抹茶", 'a "b"', "two\nlines", "x;y", "end"]
PEOPLE = [f"p{number % 3}" for number in range(len(ANSWERS))]


def quoted(delimiter: str) -> str:
    rows = [("person", "answer", "n"), *zip(PEOPLE, ANSWERS, map(str, range(8)), strict=True)]
    cells = (['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows)
    return "".join(delimiter.join(row) + "\n" for row in cells)


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, "zstd", asbytes=True)
    return packed


def read(
    path: Path, data: bytes | None = None, column: str = "answer", **options: Any
) -> tuple[list[list[str | None]], list[str], Table]:
    """The columns, the place of each row, and the table."""
    if data is not None:
        path.write_bytes(data)
    table = Table(path, columns_named(column), FileOptions(**options))
    columns: list[list[str | None]] = []
    places = []
    for rows in table:
        parts = [column.to_pylist() for column in rows.columns]
        columns = [
            had + part for had, part in zip(columns or [[]] * len(parts), parts, strict=True)
        ]
        places += [table.place(number) for number in rows.numbers.tolist()]
    return columns, places, table


LINES = [2, 3, 4, 5, 6, 7, 9, 10]  # the sixth answer has two


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    ("pack", "encoding"),
    [
        (lambda text: text.encode(), None),
        (lambda text: text.encode("utf-8-sig"), None),
        (lambda text: text.encode("utf-16"), None),
        (lambda text: text.encode("utf-16-le"), "utf-16-le"),
        (lambda text: text.encode("utf-32"), None),
        (lambda text: text.replace("\n", "\r\n").encode(), None),
        (lambda text: gzip.compress(text.encode()), None),
        (lambda text: zstd(text.encode()), None),
        (lambda text: gzip.compress(text.encode("utf-16")), None),
        (lambda text: b"".join(gzip.compress(line.encode()) for line in text), None),
        (lambda text: text.encode("shift_jis", "xmlcharrefreplace"), "shift_jis"),
    ],
    ids=[
        *("utf-8", "mark", "utf-16", "named", "utf-32", "windows", "gzip", "zstd", "both"),
        *("members", "other"),
    ],
)
def test_a_csv_is_read_as_it_is(
    pack: Callable[[str], bytes], encoding: str | None, delimiter: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.data"
    columns, places, _ = read(path, pack(quoted(delimiter)), encoding=encoding, person="person")
    ends = [answer.replace("\r", "") for answer in columns[0] if answer is not None]
    wanted = [answer.replace("ï", "&#239;") for answer in ANSWERS]
    assert ends == (wanted if encoding == "shift_jis" else ANSWERS)
    assert columns[1] == PEOPLE
    assert places == [f"line {line} of {path}" for line in LINES]


def test_latin_1_by_name(tmp_path: Path) -> None:
    data = "answer;n\ncafé;1\nthé;2\n".encode("latin-1")
    assert read(tmp_path / "a", data, encoding="latin-1")[0] == [["café", "thé"]]
    table = Table(tmp_path / "a", columns_named("answer"))
    (rows,) = table
    assert rows.undecoded.tolist() == [True, True]


def test_a_row_of_the_wrong_length_that_is_not_utf_8(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"answer,n\ngreen,1\nsecr\xffet,1,2\nbl\xffack,3\nlast,4\n")
    table = Table(path, columns_named("answer"))
    (rows,) = table
    assert [table.place(number) for number in table.take_ragged()] == [f"line 3 of {path}"]
    assert rows.undecoded.tolist() == [False, True, False]
    assert rows.columns[0].to_pylist()[::2] == ["green", "last"]
    assert capfd.readouterr() == ("", "")
    assert "green" not in repr(table)


def test_a_text_of_a_program_that_is_not_utf_8(tmp_path: Path) -> None:
    texts = pa.array([b"green", b"bl\xffack", None], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"answer": texts}), tmp_path / "a")
    (rows,) = Table(tmp_path / "a", columns_named("answer"))
    assert rows.undecoded.tolist() == [False, True, False]


def test_a_byte_that_an_encoding_lacks_is_named_by_its_line(tmp_path: Path) -> None:
    data = b"answer\n" + b"tea\n" * 400_000 + b"caf\xe9\n"
    with pytest.raises(
        InvalidDocument, match=r"^line 400002 of .* isn't ascii text: name the file"
    ):
        read(tmp_path / "a", data, encoding="ascii")


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_a_packed_file_that_is_cut(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    chance = np.random.default_rng(1).integers(0, 10**9, 100_000)
    whole = pack(("answer\n" + "\n".join(map(str, chance.tolist()))).encode())
    for size in (len(whole) - 1, len(whole) // 2, 20):
        with pytest.raises(InvalidDocument, match=r"can't be unpacked: its .* is cut short or dam"):
            read(tmp_path / "a", whole[:size])
    if pack is gzip.compress:  # which has a checksum
        changed = bytearray(whole)
        changed[len(whole) // 2] ^= 255
        with pytest.raises(SudareError):
            read(tmp_path / "a", bytes(changed))


@pytest.mark.parametrize(
    ("start", "name"), [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"7z\xbc\xaf'", "7-Zip")]
)
def test_other_packings_are_named(start: bytes, name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match=f"is packed with {name}: unpack it first"):
        read(tmp_path / "a", start + bytes(100))


def test_utf_16_without_a_mark_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="it is no text, or UTF-16 without a mark"):
        read(tmp_path / "a", "answer\ntea\n".encode("utf-16-le"))


def test_blank_lines_are_no_rows_where_there_are_columns(tmp_path: Path) -> None:
    text = "\n\r\na,answer\n\n1,x\n\n\n2,y\n\n"
    columns, places, _ = read(tmp_path / "a", text.encode())
    assert columns == [["x", "y"]]
    assert [place.split()[1] for place in places] == ["5", "8"]


def test_ragged_rows_are_known_by_their_lines_over_many_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """With quotes, blank lines and rows of the wrong shape all over the file."""
    monkeypatch.setattr("sudare.answers.table._BLOCK", 1 << 12)
    monkeypatch.setattr("sudare.answers.plain_text._HEAD", 1 << 8)
    chance = np.random.default_rng(seed)
    text, line, wanted, ragged = "id,answer\n", 2, [], []
    for kind in chance.choice(5, 5000, p=[0.6, 0.1, 0.1, 0.1, 0.1]).tolist():
        row = [f"1,a{line}\n", f'"1\n1",a{line}\n', "\n", "1,2,3\n", "1\n"][kind]
        if kind < 2:
            wanted.append((f"a{line}", line))
        elif kind > 2:
            ragged.append(line)
        text += row
        line += row.count("\n")
    path = tmp_path / "a.csv"
    path.write_text(text)
    table = Table(path, columns_named("answer"))
    found: list[tuple[str, str]] = []
    told: list[str] = []
    chunks = 0
    for rows in table:
        told += [table.place(number) for number in table.take_ragged()]
        places = [table.place(number) for number in rows.numbers.tolist()]
        found += zip(rows.columns[0].to_pylist(), places, strict=True)
        chunks += 1
    told += [table.place(number) for number in table.take_ragged()]
    assert chunks > 5
    assert found == [(answer, f"line {line} of {path}") for answer, line in wanted]
    assert told == [f"line {line} of {path}" for line in ragged]


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_json_lines(tmp_path: Path) -> None:
    rows = [{"n": 1, "answer": answer, "deep": {"x": [1]}} for answer in ANSWERS]
    columns, places, _ = read(tmp_path / "a", jsonl(rows) + b"\n")
    assert columns == [ANSWERS]
    assert places[5] == f"line 6 of {tmp_path / 'a'}"
    data = gzip.compress(b'{"answer": "a"}\n\n{"x": 2}\r\n{"answer": null}\n')
    columns, places, _ = read(tmp_path / "b", data)
    assert columns == [["a", None, None]]
    assert [place.split()[1] for place in places] == ["1", "3", "4"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, None, 20], ["1", None, "20"]),
        ([1, 2.5], ["1", "2.5"]),
        ([True, False], ["true", "false"]),
    ],
)
def test_json_values_as_texts(values: list[Any], texts: list[str], tmp_path: Path) -> None:
    assert read(tmp_path / "a", jsonl([{"answer": value} for value in values]))[0] == [texts]


@pytest.mark.parametrize(
    "data", [b'{"answer": 1}\n{"answer": "x"}\n', b'{"answer": 1}\n{', b'{"answer":\n1}\n', b"{"]
)
def test_json_that_is_none(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="can't be read as JSON lines"):
        read(tmp_path / "a", data)


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_tables_of_programs(form: str, tmp_path: Path) -> None:
    made = pa.table({"person": PEOPLE, "answer": [None, *ANSWERS[1:]]})
    memory = io.BytesIO()
    if form == "parquet":
        pq.write_table(made, memory, row_group_size=3)
    else:
        kind = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with kind(memory, made.schema) as writer:
            writer.write_table(made, max_chunksize=3)
    columns, places, table = read(tmp_path / "a", memory.getvalue(), person="person")
    assert columns == [[None, *ANSWERS[1:]], PEOPLE]
    assert places == [f"row {row} of {tmp_path / 'a'}" for row in range(1, 9)]
    assert table.sample["person"] == PEOPLE[: len(table.sample["person"])]
    if form == "stream":
        assert read(tmp_path / "b", gzip.compress(memory.getvalue()))[0] == columns[:1]
    else:
        with pytest.raises(ParameterError, match="that is packed: unpack it first"):
            read(tmp_path / "b", gzip.compress(memory.getvalue()))


def test_numbers_of_programs_as_texts(tmp_path: Path) -> None:
    values = [1.0, None, 2.5, -3.0, 1e300, float("nan")]
    pq.write_table(pa.table({"answer": values}), tmp_path / "a")
    assert read(tmp_path / "a")[0] == [["1", None, "2.5", "-3", "1e+300", "nan"]]


def test_a_sheet(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows: list[list[str | float | None]]
    rows = [["person", "answer"], ["a", "green"], ["b", 29], [None, None], ["c", 2.5], ["d", True]]
    columns, places, _ = read(tmp_path / "a", xlsx(rows), person="person")
    assert columns == [["green", "29", None, "2.5", "true"], ["a", "b", None, "c", "d"]]
    assert places == [f"row {row} of {tmp_path / 'a'}" for row in range(2, 7)]
    with pytest.raises(InvalidDocument, match="can't be read as a spreadsheet"):
        read(tmp_path / "b", b"PK\x03\x04" + bytes(100))
    with pytest.raises(InvalidDocument, match="its first sheet holds no answers"):
        read(tmp_path / "b", xlsx([]))


def test_a_sheet_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(ParameterError, match=r"save it as CSV, or `pip install 'sudare\[excel\]'`"):
        read(tmp_path / "a", xlsx([["answer"], ["green"]]))


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        (b"PAR1", {"encoding": "latin-1"}, "--encoding has no effect on .*, which is Parquet"),
        (b'{"answer": 1}', {"delimiter": ";"}, "--delimiter has no effect on .* JSON lines"),
        (b"answer\n", {"form": "lines", "delimiter": ";"}, "--format lines is without columns"),
        (b"answer\n", {"person": "who"}, "there is no column 'who'; name the column with --person"),
        (b"answer,answer\n", {}, "there is more than one column 'answer'"),
    ],
)
def test_what_does_not_go_together(
    data: bytes, options: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(SudareError, match=sentence):
        read(tmp_path / "a", data, **options)


def test_a_person_may_be_the_answer(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"answer,n\nx,1\ny,2\n", person="answer")[0] == [["x", "y"]] * 2

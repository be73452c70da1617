"""How states over time are written, and tables of them that are refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from sudare import Seeded
from sudare.answers.reading import Reading, RowRules
from sudare.answers.table import Table
from support.cli_streams import OUTPUT, ROUNDS, agreed, csv_states, online, reports_of, streams
from support.commands import UNTOLD, refused, succeed

# How states are written


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (csv_states(streams(9)), ()),
        (csv_states(streams(9), "mon,tue,wed,thu,fri,sat"), ()),
        (csv_states(streams(9)).replace("\n", "\r\n"), ()),
        (csv_states(streams(9)).split("\n", 1)[1], ("--format", "lines")),
        ("\ufeff" + csv_states(streams(9)), ()),
        (csv_states(streams(9)).rstrip("\n"), ()),
    ],
    ids=["numbered", "named", "crlf", "no header", "byte order mark", "no last newline"],
)
def test_tables_of_states(text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    file = online(tmp_path)
    seeded = ("--insecure-seed", 5, *OUTPUT, *options)
    succeed(tmp_path, "randomize", file, *seeded, stdin=text.encode())
    made = agreed(tmp_path, file).mechanism.randomize(streams(9), Seeded(5))
    assert reports_of(tmp_path, file) == made.tobytes()


def test_labels_numbers_and_quotes_may_be_mixed(tmp_path: Path) -> None:
    file = online(tmp_path, "--answer", "off, asleep", "--answer", 'on "call"', rounds=3)
    assert agreed(tmp_path, file).answers == ("off, asleep", 'on "call"')
    text = 'a,b,c\n0,"on ""call""",1\n"off, asleep",0,"1"\n'
    for options, rows in (((), text), (("--format", "lines"), text.split("\n", 1)[1])):
        seeded = ("--insecure-seed", 5, *OUTPUT, *options)
        succeed(tmp_path, "randomize", file, *seeded, stdin=rows.encode())
        made = agreed(tmp_path, file).mechanism.randomize([[0, 1, 1], [0, 0, 1]], Seeded(5))
        assert reports_of(tmp_path, file) == made.tobytes()


def test_numbered_columns_may_stand_among_others_and_in_any_order(tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    text = f"person,3,1,note,2\n7,1,0,{UNTOLD},1\n8,0,1,,0\n"
    succeed(tmp_path, "randomize", file, "--insecure-seed", 5, *OUTPUT, stdin=text.encode())
    made = agreed(tmp_path, file).mechanism.randomize([[0, 1, 1], [1, 0, 0]], Seeded(5))
    assert reports_of(tmp_path, file) == made.tobytes()


def parquet(path: Path, table: pa.Table) -> None:
    pq.write_table(table, path)


def arrow_file(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def arrow_stream(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


Write = Callable[[Path, pa.Table], None]
every_file = pytest.mark.parametrize("write", [parquet, arrow_file, arrow_stream])


def column_of(states: NDArray[np.int64], kind: str) -> pa.Array:
    if kind == "labels":
        return pa.array(["yes" if state else "no" for state in states]).dictionary_encode()
    return pa.array(states.astype(kind))


@every_file
@pytest.mark.parametrize("kind", ["int8", "uint64", "bool", "labels"])
def test_columns_of_a_table_file(write: Write, kind: str, tmp_path: Path) -> None:
    file, states = online(tmp_path), streams(50)
    columns = {f"r{number}": column_of(column, kind) for number, column in enumerate(states.T)}
    write(tmp_path / "states", pa.table(columns))
    succeed(tmp_path, "randomize", file, "states", "--insecure-seed", 5, *OUTPUT)
    made = agreed(tmp_path, file).mechanism.randomize(states, Seeded(5))
    assert reports_of(tmp_path, file) == made.tobytes()


def test_a_header_longer_than_what_is_looked_at_first(tmp_path: Path) -> None:
    rounds = 20_000  # a header of 108 kB
    file = online(tmp_path, "--mechanism", "glance", rounds=rounds)
    states = streams(3, rounds)
    (tmp_path / "states.csv").write_text(csv_states(states))
    succeed(tmp_path, "randomize", file, "states.csv", "--insecure-seed", 5, *OUTPUT)
    made = agreed(tmp_path, file).mechanism.randomize(states, Seeded(5))
    assert reports_of(tmp_path, file) == made.tobytes()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_many_people_are_read_in_chunks_and_keep_their_places(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.questions.states._STATES", 700 * ROUNDS)
    monkeypatch.setattr("sudare.answers.table._BLOCK", 1 << 13)
    monkeypatch.setattr("sudare.answers.plain_text._HEAD", 1 << 10)
    file, states = online(tmp_path), streams(5000)
    path = tmp_path / f"states.{form}"

    def written() -> None:
        if form == "csv":
            path.write_text(csv_states(states))
        else:
            names = [str(number + 1) for number in range(ROUNDS)]
            parquet(path, pa.table(dict(zip(names, states.T, strict=True))))

    written()
    collection = agreed(tmp_path, file)
    kind = collection.kind
    table = Table(path, kind.layout(None), rows_at_once=kind.rows_at_once)
    chunks = list(Reading(table, kind, RowRules(), Seeded(1)))
    assert len(chunks) > 5
    assert max(map(len, chunks)) <= 700
    assert np.array_equal(np.concatenate(chunks), states)
    states[4321, 4] = 2
    written()
    sentence = refused(tmp_path, "randomize", file, path.name, *OUTPUT)
    where = "line 4323" if form == "csv" else "row 4322"
    assert sentence.startswith(f"{where} of {path.name}: the state of round 5 is none of the 2 of ")


# What is refused


@pytest.mark.parametrize("state", [UNTOLD, "2", "-1", "", "Yes", " 1", "1.0", "true", "null", "01"])
@pytest.mark.parametrize("output", ["reports.arrow", "reports.parquet"])
def test_a_state_that_is_none(state: str, output: str, tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    text = f"1,2,3\nyes,no,1\n0,{state},1\nyes,no,no\n"
    sentence = refused(tmp_path, "randomize", file, "-o", output, stdin=text.encode())
    assert sentence.startswith("line 3 of standard input: the state of round 2 is ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,2,3\n0,1,1\n0,1\n", "line 3 of standard input: there are more or fewer cells"),
        ("1,2,3\n0,1,1\n0,1,1,0\n", "line 3 of standard input: there are more or fewer cells"),
        (f"1,2,3\n0,1,1\n{UNTOLD}\n", "line 3 of standard input: there are more or fewer cells"),
        (f'1,2,3\n0,1,1\n0,1,"{UNTOLD}\n', "line 3 of standard input: the state of round 3"),
        ("1,2\n0,1\n", "named by numbers, but not all of 1 to 3 are there"),
        ("a,b\n0,1\n", "there are 2 columns and “online” 3 rounds"),
        ("1,3,note\n0,1,1\n", "named by numbers, but not all of 1 to 3 are there"),
        (f"yes,{UNTOLD},no\n1,1,1\n", "use --format lines for a file without a header"),
        ("0,1,2\n1,1,1\n", "use --format lines for a file without a header"),
        ("0,,1\n1,1,1\n", "use --format lines for a file without a header"),
        ("a,b,c,d\n0,1,1,1\n", "there are 4 columns and “online” 3 rounds"),
        ("2,3,4,5\n0,1,1,1\n", "named by numbers, but not all of 1 to 3 are there"),
        ("a,b,c,d\n0,1,1,1\n", "have one column for each, or name those of the rounds 1 to 3"),
        ("a,b,a\n0,1,1\n", "two columns have the same name"),
        ("1,2,3,2\n0,1,1,1\n", "two columns have the same name"),
        ("0,1,1\n1,1,1\n", "use --format lines for a file without a header"),
        ("yes,no,yes\n1,1,1\n", "use --format lines for a file without a header"),
        ("1,2,3\n", "0 answers"),
        ("", "standard input is empty"),
        ("person,round,state\n", "0 answers"),
    ],
)
def test_tables_that_are_no_streams(text: str, reason: str, tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    assert reason in refused(tmp_path, "randomize", file, *OUTPUT, stdin=text.encode())


def test_one_round_has_a_header_too(tmp_path: Path) -> None:
    file = online(tmp_path, rounds=1)
    result = succeed(tmp_path, "randomize", file, *OUTPUT, stdin=b"1\n0\n")
    assert "1 person's stream randomised into 1 report, at" in result.err
    result = succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    assert result.err == "1 report counted, in 1 of 1 round\n"
    assert "1 report, ε = 2 for all" in succeed(tmp_path, "estimate", file, "total.json").out
    assert "a lone 1" in succeed(tmp_path, "randomize", "--help").out


@pytest.mark.parametrize("rows", ["0,1,1\n0,1\n", "0,1\n0,1\n", '0,1,"1\n', "1,2,3\n0,1,1\n"])
def test_lines_that_are_no_streams(rows: str, tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    refused(tmp_path, "randomize", file, "--format", "lines", *OUTPUT, stdin=rows.encode())


@every_file
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (pa.array([1, None]), "row 2 of states: the state of round 2 is missing"),
        (pa.array([1, 2]), "row 2 of states: the state of round 2 is none"),
        (pa.array([0.5, 1]), "row 1 of states: the state of round 2 is none"),
        (pa.array([[1], [0]]), "states has lists or records in its cells"),
        (pa.array([b"\xff\xfe", b"1"]), "row 1 of states: this isn't UTF-8 text"),
    ],
    ids=["null", "two", "half", "lists", "bytes"],
)
def test_a_column_of_something_else(
    write: Write, wrong: pa.Array, reason: str, tmp_path: Path
) -> None:
    file = online(tmp_path, rounds=2)
    write(tmp_path / "states", pa.table({"a": [0, 1], UNTOLD: wrong}))
    assert reason in refused(tmp_path, "randomize", file, "states", *OUTPUT)


@every_file
def test_a_cut_table(write: Write, tmp_path: Path) -> None:
    file, path = online(tmp_path, rounds=2), tmp_path / "states"
    write(path, pa.table({"a": [0, 1] * 3000, "b": [1, 1] * 3000}))
    whole = path.read_bytes()
    for size in (10, len(whole) // 2):
        path.write_bytes(whole[:size])
        refused(tmp_path, "randomize", file, "states", *OUTPUT)


def test_a_column_is_not_named_over_time(tmp_path: Path) -> None:
    file = online(tmp_path, rounds=2)
    options = ("--column", "answer", *OUTPUT)
    assert "--column" in refused(tmp_path, "randomize", file, *options, stdin=b"a,b\n0,1\n")

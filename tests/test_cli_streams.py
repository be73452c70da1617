"""States over time on the command line: from the question to the rounds, and what is refused."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from commands import UNTOLD, csv_of, refused, run, succeed, tea
from sudare import Collection, Glance, KShot, Mechanism, Seeded, Streams
from sudare.aggregate import Aggregate
from sudare.cli.states import read_states
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.estimation.rounds import StreamEstimate
from sudare.stream_analysis import analyse_rounds
from sudare.wire import read_reports, report_file

MECHANISMS = ("glance", "harmony", "borappor", "kshot")
ROUNDS = 6
OUTPUT = ("-o", "reports.arrow")

every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)


def online(folder: Path, *options: object, name: str = "online", rounds: int = ROUNDS) -> str:
    """The name of a new collection's file."""
    succeed(
        folder,
        *("collection", "new", name, "--question", "Online?", "--rounds", rounds, "--epsilon", 2),
        *("--minimum-reports", 1, "-o", f"{name}.json", *options),
    )
    return f"{name}.json"


def agreed(folder: Path, file: str) -> Collection:
    return Collection.from_json((folder / file).read_bytes())


def streams(people: int, rounds: int = ROUNDS) -> NDArray[np.int64]:
    return (np.arange(people)[:, np.newaxis] * (3 + np.arange(rounds)) // 4) & 1


def csv_states(states: NDArray[np.int64], header: str | None = None) -> str:
    names = ",".join(str(number) for number in range(1, states.shape[1] + 1))
    rows = [",".join(str(state) for state in row) for row in states]
    return "\n".join([names if header is None else header, *rows]) + "\n"


def reports_of(folder: Path, file: str, name: str = "reports.arrow") -> bytes:
    collection = agreed(folder, file)
    chunks = read_reports(folder / name, collection.report_dtype, collection.key)
    return b"".join(chunk.tobytes() for chunk in chunks)


# From the question to the rounds


@every_mechanism
def test_from_the_question_to_the_rounds(mechanism: str, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", mechanism)
    collection, states = agreed(tmp_path, file), streams(400)
    (tmp_path / "states.csv").write_text(csv_states(states))
    done = succeed(tmp_path, "randomize", file, "states.csv", "--insecure-seed", 3, *OUTPUT)
    made = collection.mechanism.randomize(states, Seeded(3))
    assert reports_of(tmp_path, file) == made.tobytes()
    assert f"400 people's streams randomised into {len(made):,} reports" in done.err
    counted = succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    assert counted.err == f"{len(made):,} reports counted, in 6 of 6 rounds\n"
    total = Aggregate.from_json((tmp_path / "total.json").read_bytes())
    assert total == collection.aggregate(made)
    shown = succeed(tmp_path, "estimate", file, "total.json", "--json", "--level", 0.9).json()
    estimate = collection.estimate(total)
    assert isinstance(estimate, StreamEstimate)
    assert (shown["n"], shown["state"], shown["level"]) == (len(made), "yes", 0.9)
    assert shown["epsilon"] == collection.epsilon
    assert [row["estimate"] for row in shown["estimates"]] == estimate.values.tolist()
    for ends, (low, high) in {
        "": estimate.interval(0.9),
        "band_": estimate.simultaneous(0.9),
    }.items():
        assert [row[f"{ends}low"] for row in shown["estimates"]] == low.tolist()
        assert [row[f"{ends}high"] for row in shown["estimates"]] == high.tolist()
    table = succeed(tmp_path, "estimate", file, "total.json", "--csv", "--level", 0.9).out
    for row, same in zip(csv.DictReader(io.StringIO(table)), shown["estimates"], strict=True):
        assert {name: str(value) for name, value in same.items()} == row


def test_the_table_has_a_line_for_each_round(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance", "--minimum-reports", 20)
    counts = np.array([[30, 50], [0, 0], [5, 14], [40, 0], [15, 5], [1, 0]])
    total = Aggregate(agreed(tmp_path, file).key, int(counts.sum()), counts)
    (tmp_path / "total.json").write_bytes(total.to_json())
    out = succeed(tmp_path, "estimate", file, "total.json").out
    lines = {
        int(cells[1]): cells
        for line in out.splitlines()
        if len(cells := [cell.strip() for cell in line.split("│")]) == 8
    }
    assert [lines[number][2] for number in range(1, 7)] == ["80", "0", "19", "40", "20", "1"]
    assert [lines[number][4] for number in (2, 3, 6)] == ["no estimate", "withheld", "withheld"]
    assert all(lines[number][3].endswith(" %") for number in (1, 4, 5))
    assert "▓" in lines[1][6]
    assert "1 round without a report: no estimate." in out
    assert "2 rounds with fewer than 20 reports: withheld." in out
    assert "160 reports, ε = 2 for all reports of a person" in out
    rows = succeed(tmp_path, "estimate", file, "total.json", "--json").json()["estimates"]
    assert [row["reports"] for row in rows] == [80, 0, 19, 40, 20, 1]
    assert [row["withheld"] for row in rows] == [False, False, True, False, False, True]
    assert [row["estimate"] is None for row in rows] == [False, True, True, False, False, True]


def test_a_single_report_has_no_standard_error(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance")
    succeed(
        tmp_path, "randomize", file, "--format", "lines", *OUTPUT, stdin=b"yes,no,yes,no,yes,no\n"
    )
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    rows = succeed(tmp_path, "estimate", file, "total.json", "--json").json()["estimates"]
    (known,) = [row for row in rows if row["estimate"] is not None]
    assert known["stderr"] is None
    assert "no estimate" in succeed(tmp_path, "estimate", file, "total.json").out
    succeed(tmp_path, "estimate", file, "total.json", "--plot", "one.html")
    succeed(tmp_path, "estimate", file, "total.json", "--plot", "one.svg")


def test_a_long_table_is_cut_and_says_so(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance", rounds=1200)
    total = agreed(tmp_path, file).simulate([[5000, 5000]] * 1200, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    out = succeed(tmp_path, "estimate", file, "total.json").out
    assert "The first 1,000 of 1,200 rounds; --csv has all." in out
    assert "│ 1,000 │" in out
    assert "│ 1,001 │" not in out
    assert len(succeed(tmp_path, "estimate", file, "total.json", "--csv").out.splitlines()) == 1201


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!")]
)
def test_every_kind_of_plot(suffix: str, start: bytes, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "kshot")
    total = agreed(tmp_path, file).simulate([[50, 50]] * ROUNDS, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    succeed(tmp_path, "estimate", file, "total.json", "--plot", f"plot.{suffix}")
    assert (tmp_path / f"plot.{suffix}").read_bytes().startswith(start)


def test_reports_go_through_pipes_and_parquet(tmp_path: Path) -> None:
    file, rows = online(tmp_path), csv_states(streams(300)).encode()
    piped = succeed(tmp_path, "randomize", file, "--insecure-seed", 1, stdin=rows).stdout
    total = succeed(tmp_path, "aggregate", file, stdin=piped).stdout
    options = ("--insecure-seed", 1, "-o", "reports.parquet")
    succeed(tmp_path, "randomize", file, *options, stdin=rows)
    assert succeed(tmp_path, "aggregate", file, "reports.parquet").stdout == total
    assert "Online?" in succeed(tmp_path, "estimate", file, stdin=total).out


# The document


@every_mechanism
def test_a_new_collection_says_what_it_costs(mechanism: str, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", mechanism, "--epsilon", 4, rounds=50)
    collection = agreed(tmp_path, file)
    assert collection.answers == ("no", "yes")
    assert 4 - 1e-9 < collection.epsilon <= 4
    made = collection.mechanism
    assert (made.name, made.domain) == (mechanism, Streams(50))
    assert isinstance(made, ContinualMechanism)
    shown = " ".join(succeed(tmp_path, "collection", "show", file).out.split())
    odds = " ".join(made.odds.split())
    assert odds in shown
    assert f"reports per person {made.reports_each} " in shown
    assert f"ε of a whole stream {collection.epsilon!r}" in shown
    assert "states 0: no 1: yes" in shown
    checked = " ".join(succeed(tmp_path, "collection", "check", file).out.split())
    assert f"over 50 rounds a person spends ε = {collection.epsilon!r} and not more" in checked
    assert f"in {made.reports_each} report" in checked
    assert checked.endswith(odds)
    document = succeed(tmp_path, "collection", "show", file, "--json").json()
    assert document["mechanism"] == made.document()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), KShot.calibrate(50, 4.0)),
        (("--mechanism", "kshot"), KShot.calibrate(50, 4.0)),
        (("--low", 0.4, "--high", 0.6), KShot.calibrate(50, 4.0, low=0.4, high=0.6)),
        (("--high", 0.01), KShot.calibrate(50, 4.0, high=0.01)),
        (("--low", 0.5), KShot.calibrate(50, 4.0, low=0.5)),
        (("--shots", 5), KShot.calibrate(50, 4.0, shots=5)),
        (("--shots", 5, "--flips", 1), KShot.calibrate(50, 4.0, shots=5, flips=1)),
        (("--mechanism", "glance"), Glance.calibrate(50, 4.0)),
    ],
    ids=str,
)
def test_the_mechanism_is_the_one_asked_for(
    options: tuple[object, ...], expected: Mechanism, tmp_path: Path
) -> None:
    file = online(tmp_path, "--epsilon", 4, *options, rounds=50)
    assert agreed(tmp_path, file).mechanism == expected


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--rounds", 0), "rounds must be between 1 and 1048576, got 0"),
        (("--rounds", 2**20 + 1), "rounds must be between"),
        (("--mechanism", "glance"), "glance needs --rounds"),
        (("--mechanism", "kshot", "--shots", 2), "kshot needs --rounds"),
        (("--rounds", 5, "--mechanism", "grr"), "--rounds is for glance, harmony"),
        (("--rounds", 5, "--mechanism", "rappor"), "not for rappor"),
        (("--rounds", 5, "--answer", "a"), "2 states, each with its name, got 1"),
        (("--rounds", 5, "--answer", "a", "--answer", "b", "--answer", "c"), "got 3"),
        (("--rounds", 5, "--answer", "a", "--answer", "a"), "same label"),
        (("--rounds", 5, "--free-text"), "--free-text needs"),
        (("--rounds", 5, "--lifetime", 4), "--lifetime needs"),
        (("--rounds", 5, "--bits", 4), "--bits needs"),
        (("--rounds", 5, "--mechanism", "glance", "--shots", 2), "--shots needs --mechanism kshot"),
        (("--rounds", 5, "--mechanism", "glance", "--low", 0), "--low needs --mechanism kshot"),
        (("--rounds", 5, "--flips", 0), "--flips needs --shots"),
        (("--rounds", 5, "--shots", 2, "--low", 0.1), "give one of them"),
        (("--rounds", 5, "--shots", 6), "shots must be between 1 and 5, got 6"),
        (("--rounds", 5, "--shots", 0), "shots must be between 1 and 5, got 0"),
        (("--rounds", 5, "--shots", 3, "--flips", 3), "flips must be between 0 and 2, got 3"),
        (("--rounds", 5, "--shots", 3, "--flips", -1), "flips must be between 0 and 2, got -1"),
        (("--rounds", 5, "--low", 0.6, "--high", 0.4), "lies in 0 to 1, got 0.6 to 0.4"),
        (("--rounds", 5, "--high", "nan"), "lies in 0 to 1"),
        (("--rounds", 5, "--epsilon", 0), "epsilon must be above 0"),
        (("--rounds", 5, "--epsilon", "inf"), "epsilon must be above 0 and finite"),
        (("--answer", "a", "--answer", "b", "--shots", 2), "--shots needs --mechanism kshot"),
        (("--answer", "a", "--answer", "b", "--low", 0), "--low needs"),
        (("--free-text", "--high", 1), "--high needs"),
    ],
    ids=str,
)
def test_a_wish_that_cannot_be_met(
    options: tuple[object, ...], reason: str, tmp_path: Path
) -> None:
    start = ("collection", "new", "x", "--question", "?", "--epsilon", 2, "-o", "x.json")
    assert reason in refused(tmp_path, *start, *options)


@every_mechanism
def test_epsilon_is_that_of_a_whole_stream(mechanism: str, tmp_path: Path) -> None:
    small = online(tmp_path, "--mechanism", mechanism, rounds=3)
    collection = agreed(tmp_path, small)
    told = succeed(tmp_path, "epsilon", small, "--json").json()
    made = collection.mechanism
    assert told["worst_ratio"] == told["enumerated"] == str(made.worst_ratio)
    assert isinstance(made, ContinualMechanism)
    assert (told["rounds"], told["reports_each"]) == (3, made.reports_each)
    shown = " ".join(succeed(tmp_path, "epsilon", small).out.split())
    assert "enumerated equal: every path of the code that ships was walked" in shown
    assert "a person's reports, all together, are never more than" in shown
    large = online(tmp_path, "--mechanism", mechanism, name="large", rounds=50)
    told = succeed(tmp_path, "epsilon", large, "--json").json()
    assert told["enumerated"] is None
    shown = succeed(tmp_path, "epsilon", large).out
    assert "not at 50 rounds (up to 4)" in shown
    assert max(map(len, shown.splitlines())) < 500
    assert "together" in refused(tmp_path, "epsilon", large, "--plot", "cost.png")


def test_many_shots_are_not_enumerated(tmp_path: Path) -> None:
    file = online(tmp_path, "--shots", 4, rounds=4)
    assert "not at 4 shots (up to 3)" in succeed(tmp_path, "epsilon", file).out


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
def test_many_people_are_read_in_chunks_and_keep_their_positions(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.cli.states._STATES", 700 * ROUNDS)
    monkeypatch.setattr("sudare.cli.answers._BLOCK", 1 << 13)
    monkeypatch.setattr("sudare.cli.answers._HEAD", 1 << 10)
    file, states = online(tmp_path), streams(5000)
    path = tmp_path / f"states.{form}"

    def written() -> None:
        if form == "csv":
            path.write_text(csv_states(states))
        else:
            names = [str(number + 1) for number in range(ROUNDS)]
            parquet(path, pa.table(dict(zip(names, states.T, strict=True))))

    written()
    reader = agreed(tmp_path, file).state_reader
    chunks = list(read_states(reader, path, "auto", lambda *_: None))
    assert len(chunks) > 5
    assert max(map(len, chunks)) <= 700
    assert np.array_equal(np.concatenate(chunks), states)
    states[4321, 4] = 2
    written()
    sentence = refused(tmp_path, "randomize", file, path.name, *OUTPUT)
    assert "the state at position 4321 and round 5 is none of the 2 of “online”" in sentence


# What is refused


@pytest.mark.parametrize("state", [UNTOLD, "2", "-1", "", "Yes", " 1", "1.0", "true", "null", "01"])
@pytest.mark.parametrize("output", ["reports.arrow", "reports.parquet"])
def test_a_state_that_is_none(state: str, output: str, tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    text = f"1,2,3\nyes,no,1\n0,{state},1\nyes,no,no\n"
    sentence = refused(tmp_path, "randomize", file, "-o", output, stdin=text.encode())
    assert "the state at position 1 and round 2" in sentence


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,2,3\n0,1,1\n0,1\n", "every row is a person's 3 states"),
        ("1,2,3\n0,1,1\n0,1,1,0\n", "every row is a person's 3 states"),
        (f"1,2,3\n0,1,1\n{UNTOLD}\n", "every row is a person's 3 states"),
        (f'1,2,3\n0,1,1\n0,1,"{UNTOLD}\n', "position 1 and round 3"),
        ("1,2\n0,1\n", "named by numbers, but not all of 1 to 3 are there"),
        ("a,b\n0,1\n", "the input has 2 columns and “online” 3 rounds"),
        ("1,3,note\n0,1,1\n", "named by numbers, but not all of 1 to 3 are there"),
        (f"yes,{UNTOLD},no\n1,1,1\n", "use --format lines for a file without a header"),
        ("0,1,2\n1,1,1\n", "use --format lines for a file without a header"),
        ("0,,1\n1,1,1\n", "use --format lines for a file without a header"),
        ("a,b,c,d\n0,1,1,1\n", "the input has 4 columns and “online” 3 rounds"),
        ("2,3,4,5\n0,1,1,1\n", "named by numbers, but not all of 1 to 3 are there"),
        ("a,b,c,d\n0,1,1,1\n", "have one column for each, or name those of the rounds 1 to 3"),
        ("a,b,a\n0,1,1\n", "two columns have the same name"),
        ("1,2,3,2\n0,1,1,1\n", "two columns have the same name"),
        ("0,1,1\n1,1,1\n", "use --format lines for a file without a header"),
        ("yes,no,yes\n1,1,1\n", "use --format lines for a file without a header"),
        ("1,2,3\n", "0 answers"),
        ("", "the input is empty"),
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


def test_a_hard_link_is_the_same_file(survey: str, tmp_path: Path) -> None:
    (tmp_path / "again.arrow").hardlink_to(tmp_path / "reports.arrow")
    sentence = refused(tmp_path, "aggregate", survey, "reports.arrow", "again.arrow")
    assert "named twice" in sentence
    assert "no ids" in succeed(tmp_path, "aggregate", "--help").out


@pytest.mark.parametrize("rows", ["0,1,1\n0,1\n", "0,1\n0,1\n", '0,1,"1\n', "1,2,3\n0,1,1\n"])
def test_lines_that_are_no_streams(rows: str, tmp_path: Path) -> None:
    file = online(tmp_path, rounds=3)
    refused(tmp_path, "randomize", file, "--format", "lines", *OUTPUT, stdin=rows.encode())


@every_file
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (pa.array([1, None]), "the column of round 2 has 1 missing values"),
        (pa.array([1, 2]), "position 1 and round 2"),
        (pa.array([0.5, 1]), "position 0 and round 2"),
        (pa.array([[1], [0]]), "can't be read as"),
        (pa.array([b"\xff\xfe", b"1"]), "can't be read as"),
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


@pytest.fixture
def survey(tmp_path: Path) -> str:
    """online.json, reports.arrow, reports.parquet and total.json."""
    file = online(tmp_path)
    for suffix in ("arrow", "parquet"):
        rows = csv_states(streams(500)).encode()
        succeed(tmp_path, "randomize", file, "-o", f"reports.{suffix}", stdin=rows)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    return file


@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_cut_and_changed_files_of_reports(survey: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"reports.{suffix}"
    whole = path.read_bytes()
    for size in (0, 4, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:size])
        refused(tmp_path, "aggregate", survey, path.name, "-o", "new.json")
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    path.write_bytes(changed)
    refused(tmp_path, "aggregate", survey, path.name, "-o", "new.json")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [("round", 0, "names round 0"), ("round", 7, "names round 7"), ("bit", 2, "says 2")],
)
def test_a_report_that_no_device_made(
    field: str, value: int, reason: str, survey: str, tmp_path: Path
) -> None:
    collection = agreed(tmp_path, survey)
    reports = collection.randomize(streams(20))
    reports[field][4] = value
    with report_file(tmp_path / "r.arrow", collection.report_dtype, collection.key) as sink:
        sink.write(reports)
    sentence = refused(tmp_path, "aggregate", survey, "r.arrow", "-o", "new.json")
    assert f"position 4 {reason}" in sentence


def test_things_of_another_collection(survey: str, tmp_path: Path) -> None:
    other = online(tmp_path, name="other")
    for reports in ("reports.arrow", "reports.parquet", "total.json"):
        assert "collection" in refused(tmp_path, "aggregate", other, reports, "-o", "new.json")
    assert "collection" in refused(tmp_path, "estimate", other, "total.json", "--plot", "p.html")
    assert survey != other


@pytest.mark.parametrize("counts", [[500] * 6, [[1, 2]] * 5, [[1, 2, 3]] * 6, []], ids=str)
@pytest.mark.parametrize("command", ["aggregate", "estimate"])
def test_an_aggregate_of_another_shape(
    command: str, counts: list[object], survey: str, tmp_path: Path
) -> None:
    forged = Aggregate(agreed(tmp_path, survey).key, 500, np.array(counts, np.int64))
    (tmp_path / "forged.json").write_bytes(forged.to_json())
    refused(tmp_path, command, survey, "forged.json")


@pytest.mark.parametrize(
    "option", [("--simultaneous",), ("--population",), ("--consistent", "clip")], ids=str
)
def test_options_that_mean_nothing_over_time(
    option: tuple[str, ...], survey: str, tmp_path: Path
) -> None:
    sentence = refused(tmp_path, "estimate", survey, "total.json", *option, "--plot", "p.png")
    assert sentence.startswith(f"{option[0]} is for answers")


@pytest.mark.parametrize("level", [0, 1, 1.5, "nan"])
def test_a_level_that_is_none(level: object, survey: str, tmp_path: Path) -> None:
    options = ("--level", level, "--plot", "p.html")
    assert "a level must be" in refused(tmp_path, "estimate", survey, "total.json", *options)


def test_nothing_is_released_of_too_few(tmp_path: Path) -> None:
    file = online(tmp_path, "--minimum-reports", 400, "--mechanism", "glance")
    rows = csv_states(streams(500)).encode()
    succeed(tmp_path, "randomize", file, *OUTPUT, stdin=rows)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    sentence = refused(tmp_path, "estimate", file, "total.json", "--plot", "p.html")
    assert "“online” releases nothing of a round below 400" in sentence


# Commands for what is asked once


def test_commands_that_do_not_count_over_time_say_so(survey: str, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("yes\nno\n")
    sentence = refused(tmp_path, "decode", survey, "total.json", "--candidates", "words")
    assert "“online” counts a state over time, which `sudare decode` can't use" in sentence
    question = tea(tmp_path)
    succeed(
        tmp_path, "randomize", question, "-o", "tea.arrow", stdin=csv_of({"green": 500}).encode()
    )
    told = ("online.json", "reports.arrow"), (question, "tea.arrow")
    for first, second in (told, told[::-1]):
        sentence = refused(tmp_path, "associate", *first, *second)
        assert "“online” counts a state over time, which `sudare associate` can't use" in sentence
    (tmp_path / "states.csv").write_text(csv_states(streams(10)))
    assert "no column 'answer'" in refused(tmp_path, "compare", "states.csv")
    refused(tmp_path, "discover", "randomize", survey, "states.csv", "-o", "folder")


@pytest.mark.parametrize("command", [("demo",), ("compare", "states.csv")])
def test_mechanisms_over_time_are_not_offered(command: tuple[str, ...], tmp_path: Path) -> None:
    result = run(tmp_path, *command, "--mechanism", "glance")
    assert result.code == 2
    assert "'glance' is not one of" in result.err
    assert "Traceback" not in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_question_has_no_rounds(tmp_path: Path) -> None:
    collection = agreed(tmp_path, tea(tmp_path))
    total = collection.simulate({"green": 5}, Seeded(1))
    with pytest.raises(ParameterError, match="“tea” is asked once, not over time"):
        analyse_rounds(collection, total, 0.95)

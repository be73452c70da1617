"""Commands as processes: pipes between them, readers that leave, writers that wait."""

import time
from pathlib import Path

import pyarrow as pa
import pytest

from sudare.mechanisms.aggregate import Aggregate
from support.commands import UNTOLD, csv_of, process, tea


@pytest.fixture
def survey(tmp_path: Path) -> str:
    return tea(tmp_path)


def test_randomize_into_aggregate_into_estimate(survey: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(csv_of({"green": 3000, "black": 1000}))
    with (
        process(tmp_path, "randomize", survey, "answers.csv") as devices,
        process(tmp_path, "aggregate", survey, stdin=devices.stdout) as collector,
        process(tmp_path, "estimate", survey, "--csv", stdin=collector.stdout) as analyst,
    ):
        assert analyst.stdout is not None
        rows = analyst.stdout.read().decode().splitlines()
    assert [row.split(",")[0] for row in rows] == ["answer", "green", "black", "oolong"]
    assert [command.returncode for command in (devices, collector, analyst)] == [0, 0, 0]


def test_a_bad_answer_stops_the_whole_pipe(survey: str, tmp_path: Path) -> None:
    """The devices stop with a sentence; the collector meets no seal and writes nothing."""
    (tmp_path / "answers.csv").write_text(csv_of({"green": 3000, UNTOLD: 1}))
    with (
        process(tmp_path, "randomize", survey, "answers.csv") as devices,
        process(tmp_path, "aggregate", survey, "-o", "t.json", stdin=devices.stdout) as collector,
    ):
        assert devices.stderr is not None
        assert collector.stderr is not None
        told, refused = devices.stderr.read().decode(), collector.stderr.read().decode()
    assert (devices.returncode, collector.returncode) == (2, 2)
    assert told.startswith("Error: answers.csv: the answer at position 3000 is not one of")
    assert refused.startswith("Error: ")
    for message in (told, refused):
        assert message.count("\n") == 1
        assert UNTOLD not in message
    assert not (tmp_path / "t.json").exists()


def test_a_reader_that_leaves_is_not_an_accident(survey: str, tmp_path: Path) -> None:
    """As with `| head`: no traceback, and a failure for whoever asks."""
    (tmp_path / "answers.csv").write_text(csv_of({"green": 200_000}))
    command = process(tmp_path, "randomize", survey, "answers.csv")
    assert command.stdout is not None
    command.stdout.read(10)
    command.stdout.close()
    assert command.stderr is not None
    message = command.stderr.read().decode()
    assert command.wait() != 0
    assert "Traceback" not in message
    assert "Exception" not in message
    assert message.count("\n") <= 1
    command.stderr.close()
    assert command.stdin is not None
    command.stdin.close()


def wait_until_it_reads(folder: Path) -> None:
    """The temporary file appears beside the collection just before the first answer is read."""
    until = time.monotonic() + 120
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)


@pytest.mark.parametrize("kind", ["csv", "arrow"])
def test_a_writer_that_hesitates_is_understood(survey: str, kind: str, tmp_path: Path) -> None:
    """The format is known only after some bytes, and they may come one by one."""
    if kind == "csv":
        data = csv_of({"green": 5}).encode()
    else:
        sink = pa.BufferOutputStream()
        answers = pa.table({"answer": ["green"] * 5})
        with pa.ipc.new_stream(sink, answers.schema) as writer:
            writer.write_table(answers)
        data = sink.getvalue().to_pybytes()
    with process(tmp_path, "randomize", survey, "-o", "r.arrow", bufsize=0) as command:
        assert command.stdin is not None
        wait_until_it_reads(tmp_path)
        for start in range(3):
            command.stdin.write(data[start : start + 1])
            time.sleep(0.1)
        command.stdin.write(data[3:])
        command.stdin.close()
        assert command.stderr is not None
        message = command.stderr.read().decode()
    assert (command.returncode, message) == (0, "5 answers randomised at ε = 1 each\n")


def test_an_arrow_file_through_a_pipe_is_refused_or_read(survey: str, tmp_path: Path) -> None:
    """Arrow's file format is read from its end, which a pipe has not: a sentence, no traceback."""
    answers = pa.table({"answer": ["green"] * 5})
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), answers.schema) as writer:
        writer.write_table(answers)
    with process(tmp_path, "randomize", survey, "-o", "r.arrow") as command:
        _, err = command.communicate((tmp_path / "a.arrow").read_bytes())
    assert command.returncode in {0, 2}
    assert (tmp_path / "r.arrow").exists() == (command.returncode == 0)
    assert err.decode().count("\n") == 1
    assert "Traceback" not in err.decode()


def test_an_interrupted_command_leaves_nothing(survey: str, tmp_path: Path) -> None:
    """Control-C while it waits for more answers."""
    command = process(tmp_path, "randomize", survey, "-o", "r.arrow", bufsize=0)
    assert command.stdin is not None
    command.stdin.write(csv_of({"green": 10}).encode())
    wait_until_it_reads(tmp_path)
    command.send_signal(2)
    time.sleep(0.2)
    command.stdin.close()
    assert command.stderr is not None
    message = command.stderr.read().decode()
    assert command.wait(120) == 130
    assert "Traceback" not in message
    assert [path.name for path in tmp_path.iterdir()] == [survey]
    command.stderr.close()
    assert command.stdout is not None
    command.stdout.close()


def test_stdout_is_the_document_alone(survey: str, tmp_path: Path) -> None:
    with process(tmp_path, "randomize", survey, "--format", "lines") as devices:
        reports, _ = devices.communicate(b"green\nblack\n")
    with process(tmp_path, "aggregate", survey) as collector:
        out, err = collector.communicate(reports)
    assert Aggregate.from_json(out).n == 2
    assert err == b"2 reports counted\n"

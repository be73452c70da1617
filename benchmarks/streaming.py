"""Does ``sudare randomize | sudare aggregate`` stream in bounded memory? ``--help`` for options.

Feeds a CSV of answers to the pipe of the two commands and takes from the operating system
the time and the peak memory of each, for the full number of people and for a tenth of it: memory
is bounded if it doesn't grow with them.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from report import RESULT, UNIT, readable, save, significant

SUDARE = Path(sys.executable).with_name("sudare")
BLOCK = 10_000  # lines written at a time


@dataclass(frozen=True)
class Stream:
    """A pipe of ``people`` through one mechanism with ``k`` answers."""

    mechanism: str
    k: int
    people: int

    @property
    def name(self) -> str:
        """Its name in the table."""
        return f"{self.mechanism.upper()} stream d={self.k}"


STREAMS = (Stream("grr", 5, 100_000_000), Stream("oue", 1024, 10_000_000))


@dataclass(frozen=True)
class Passed:
    """What a stream took: seconds by the clock, and each command's peak memory in MiB."""

    people: int
    seconds: float
    randomize: float
    aggregate: float


def new_collection(stream: Stream, folder: Path) -> tuple[Path, list[str]]:
    """A collection for the stream and its possible answers."""
    answers = [f"answer {number}" for number in range(stream.k)]
    listed, path = folder / "answers.txt", folder / f"{stream.mechanism}.json"
    listed.write_text("\n".join(answers))
    new = [str(SUDARE), "collection", "new", "stream", "--question", "Which?", "--epsilon", "1"]
    options = ["--mechanism", stream.mechanism, "--answers-file", str(listed), "-o", str(path)]
    subprocess.run([*new, *options], check=True, stdout=subprocess.DEVNULL)
    return path, answers


def flow(stream: Stream, people: int, folder: Path, progress: Progress) -> Passed:
    """Send people through the pipe."""
    collection, answers = new_collection(stream, folder)
    total, said = folder / "total.json", folder / "said.txt"
    task = progress.add_task(f"{stream.name}, {people:,} people", total=people)
    start = time.perf_counter()
    with said.open("wb") as errors:
        randomize = subprocess.Popen(
            [SUDARE, "randomize", collection],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        aggregate = subprocess.Popen(
            [SUDARE, "aggregate", collection, "-o", total], stdin=randomize.stdout, stderr=errors
        )
    to, between = cast("IO[bytes]", randomize.stdin), cast("IO[bytes]", randomize.stdout)
    between.close()  # the two commands' alone
    with suppress(BrokenPipeError), to:  # its exit code says why
        to.write(b"answer\n")
        lines = block(answers)
        for _ in range(people // BLOCK):
            to.write(lines)
            progress.advance(task, BLOCK)
    peaks = [peak(process) for process in (randomize, aggregate)]
    seconds = time.perf_counter() - start
    if randomize.returncode or aggregate.returncode:
        raise SystemExit(said.read_text())
    counted = json.loads(total.read_text())["aggregate"]["n"]
    if counted != people:
        raise SystemExit(f"{people} people answered, {counted} reports were counted")
    return Passed(people, seconds, *peaks)


def block(answers: list[str]) -> bytes:
    """Lines of uniform answers."""
    return "".join(f"{answer}\n" for answer in random.choices(answers, k=BLOCK)).encode()  # noqa: S311


def peak(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process: the most memory it held, in MiB."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def rows(stream: Stream, tenth: Passed, whole: Passed) -> list[dict[str, Any]]:
    """The time, and each command's memory beside what it takes for a tenth of the people."""
    time_row = {
        "job": f"{stream.name}, {whole.people:,} people",
        "ours": significant(1e9 * whole.seconds / whole.people),
        "peer": None,
        "limit": None,
        "ratio": None,
        "unit": UNIT,
    }
    memory_rows = [
        {
            "job": f"{stream.name}, {whole.people:,} people, memory of {command}",
            "ours": significant(ours),
            "peer": {"name": "a tenth of the people", "MiB": significant(fewer)},
            "limit": None,
            "ratio": significant(fewer / ours),
            "unit": "MiB",
        }
        for command, ours, fewer in (
            ("randomize", whole.randomize, tenth.randomize),
            ("aggregate", whole.aggregate, tenth.aggregate),
        )
    ]
    return [time_row, *memory_rows]


def main() -> None:
    """Stream, print the table, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="a hundredth of the people, writes nothing"
    )
    share = 100 if parser.parse_args().quick else 1
    result = Table(title="answers.csv | sudare randomize | sudare aggregate, ε = 1")
    for name in ("stream", "people", "seconds", UNIT, "randomize, MiB", "aggregate, MiB"):
        result.add_column(name, justify="left" if name == "stream" else "right")
    found: list[dict[str, Any]] = []
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    with bar as progress, tempfile.TemporaryDirectory() as folder:
        for stream in STREAMS:
            numbers = (stream.people // share // 10, stream.people // share)
            passed = [flow(stream, people, Path(folder), progress) for people in numbers]
            for one in passed:
                peaks = f"{one.randomize:.0f}", f"{one.aggregate:.0f}"
                each = readable(1e9 * one.seconds / one.people)
                result.add_row(stream.name, f"{one.people:,}", f"{one.seconds:.1f}", each, *peaks)
            found += rows(stream, *passed)
    Console(width=None if sys.stdout.isatty() else 150).print(result)
    if share == 1:
        save(found, RESULT)


if __name__ == "__main__":
    main()

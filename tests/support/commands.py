"""The command line inside a test: run it, or see it refuse."""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sudare.cli import main

UNTOLD = "Zanzibar rooibos"  # an answer that no message may repeat
PATIENCE = 200  # seconds, on a machine that does much else
TEAS = ("green", "black", "oolong")


@dataclass(frozen=True)
class Result:
    """What a person would see of a command."""

    code: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        return self.stdout.decode()

    def json(self) -> Any:
        """The document on stdout."""
        return msgspec.json.decode(self.stdout)


class _Output(io.TextIOWrapper):
    """Text over bytes in memory, as a pipe is."""

    def __init__(self) -> None:
        self.memory = io.BytesIO()
        super().__init__(self.memory, encoding="utf-8", write_through=True)


def run(folder: Path, *arguments: object, stdin: bytes = b"") -> Result:
    """A command in this process; an error that would be a traceback stays one."""
    out, err = _Output(), _Output()
    piped = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
    code = 0
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", piped)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return Result(code, out.memory.getvalue(), err.memory.getvalue().decode())


def succeed(folder: Path, *arguments: object, stdin: bytes = b"") -> Result:
    """A command that must work."""
    result = run(folder, *arguments, stdin=stdin)
    assert result.code == 0, result.err
    return result


def process(folder: Path, *arguments: object, **options: Any) -> "subprocess.Popen[bytes]":
    """A command in a process of its own, where pipes matter."""
    command = [sys.executable, "-m", "sudare", *(str(argument) for argument in arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, **{**pipes, **options})


def together(folder: Path, one: tuple[object, ...], two: tuple[object, ...]) -> list[Result]:
    """Two parties in two processes, with these options, to their ends."""
    listen = ("party", "one", "--listen", "127.0.0.1:0")
    with process(folder, *listen, *one, stdin=None) as first:
        assert first.stderr is not None
        said = ""
        while not said.startswith("listening on "):
            said = first.stderr.readline().decode()
            assert said, "P1 ended before it listened"
        connect = ("party", "two", "--connect", said.split()[-1])
        with process(folder, *connect, *two, stdin=None) as second:
            return [_ended(first), _ended(second)]


def _ended(party: "subprocess.Popen[bytes]") -> Result:
    out, err = party.communicate(timeout=PATIENCE)
    return Result(party.returncode, out, err.decode())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(folder: Path, *arguments: object, stdin: bytes = b"") -> str:
    """The one sentence with which a command turns its input down.

    It exits with 2, says nothing else, repeats no answer and leaves every file as it was:
    none new, none half, and an output file that stood there before untouched, even if it may be
    replaced.
    """
    outputs = [
        folder / str(value)
        for option, value in pairwise(arguments)
        if option in {"-o", "--plot"} and str(value) != "-"
    ]
    sentence = _refused(folder, *arguments, stdin=stdin)
    for output in outputs:
        if output.parent.is_dir() and not output.exists():
            output.write_bytes(b"what was here before")
            force = () if arguments[:2] == ("discover", "randomize") else ("--force",)
            assert _refused(folder, *arguments, *force, stdin=stdin) == sentence
            output.unlink()
    return sentence


def _refused(folder: Path, *arguments: object, stdin: bytes) -> str:
    before = contents(folder)
    result = run(folder, *arguments, stdin=stdin)
    assert result.code == 2
    assert result.stdout == b""
    assert UNTOLD not in result.err
    assert contents(folder) == before
    start, sentence, end = result.err[:7], result.err[7:-1], result.err[-1]
    assert (start, end) == ("Error: ", "\n")
    assert sentence
    assert "\n" not in sentence
    assert ". " not in sentence
    return sentence


def tea(folder: Path, *options: object, epsilon: float = 1.0, name: str = "tea") -> str:
    """The name of a new collection's file."""
    answers = [part for label in TEAS for part in ("--answer", label)]
    file = f"{name}.json"
    succeed(
        folder,
        *("collection", "new", name, "--question", "Which tea?", *answers),
        *("--epsilon", epsilon, "--minimum-reports", 1, "-o", file, *options),
    )
    return file


def csv_of(counts: dict[str, int], column: str = "answer") -> str:
    """A CSV file's text with one row per person, and another column beside the answer."""
    rows = [f"{number},{label}" for label, n in counts.items() for number in range(n)]
    return "\n".join([f"person,{column}", *rows]) + "\n"

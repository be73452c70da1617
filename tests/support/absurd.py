"""Absurd values for every option and argument of every command, and what must come of each.

The tree of commands is walked, so that a new command, or a new option, is tried by itself. Each is
called as it should be but for one value, in this process: it must end soon, with one sentence that
names what is wrong, or do its work. An error that isn't ours is a finding, and so is memory that
was asked for before a size was refused.
"""

import re
import shutil
import socket
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from sudare import Collection
from sudare.cli import cli
from sudare.formats.strangers import visible
from support.certificates import certificate
from support.commands import Result, csv_of, run, succeed, tea

VALUES = (
    *("0", "-1", "1", "2", "-0", "99999999999999999999", "-99999999999999999999", "1" + 400 * "0"),
    *("2147483648", "9223372036854775807", "9223372036854775808", "1000000000000"),
    *("nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "1e308", "5e-324", "0.5", "1.5", "-0.0"),
    *("", " ", "-", "--", "x", "x" * 5000, "\x1b[2J", "a\nb", "\u202e", "\ufffd", "٣", "１", "é"),
    *("0x10", "1_000", "1,5", "½", "1e", ".", "..", "folder", "missing.json", "missing/file.json"),
    *("/dev/null", "/dev/full", "file://x", "http://", "https://[", "postgresql://[", "sqlite://"),
    *("tea.json", "reports.arrow", "total.json", "answers.csv", "%s", "{}", "$HOME", "~"),
)
"""Nothing with a NUL: no command line can hold one."""

_AWAY = ("--collector", "http://127.0.0.1:1")  # where nobody listens: what is wrong is said first

SOUND: dict[str, Sequence[object]] = {
    "aggregate": ("tea.json", "reports.arrow"),
    "associate": ("tea.json", "reports.arrow", "town.json", "towns.arrow"),
    "backup": ("store.db", "new.backup"),
    "bounds": ("--rounds", 4, "--people", 100, "--epsilon", 2),
    "collection check": ("tea.json",),
    "collection new": (
        "x",
        "--question",
        "Which?",
        "--answer",
        "a",
        "--answer",
        "b",
        "--epsilon",
        1,
    ),
    "collection show": ("tea.json",),
    "compare": ("answers.csv", "--repetitions", 2, "--epsilon", 1),
    "decode": ("words.json", "words.arrow", "--candidates", "words.txt"),
    "demo": ("--people", 1000, "--once", "--port", "TAKEN"),
    "device answer": (
        "http://127.0.0.1:1",
        "KEY",
        "green",
        "--device",
        "phone",
        "--offline",
        "--collection",
        "tea.json",
    ),
    "device ledger": ("phone",),
    "device new": ("tablet",),
    "device send": ("phone", "--patience", 0),
    "discover decode": ("plan.json", "monday"),
    "discover new": ("x", "--question", "Which?", "--epsilon", 4),
    "discover randomize": ("plan.json", "words.csv", "-o", "tuesday"),
    "epsilon": ("tea.json",),
    "example-data": ("states", "-o", "fresh.csv"),
    "estimate": ("tea.json", "total.json"),
    "export": ("store.db", "KEY", "-o", "kept.arrow"),
    "joint-count encrypt": ("count.json", "bits.csv", "-o", "new.bin"),
    "joint-count new": (
        "x",
        "--epsilon",
        1,
        "--delta",
        1e-6,
        "-o",
        "c2.json",
        "--secret",
        "s2.json",
    ),
    "laws": ("grr", "--answers", 2, "--epsilon", 1),
    "ledger new": ("new-ledger.json",),
    "ledger show": ("ledger.json",),
    "page check": ("http://127.0.0.1:1/",),
    "page write": ("page", "--collector", "https://stats.example.org"),
    "party one": (
        *("--listen", "127.0.0.1:0", "--insecure", "--timeout", 0.1),
        *("--epsilon", 1, "--delta", 1e-6, "--people", 9),
    ),
    "party two": (
        *("--connect", "127.0.0.1:1", "--insecure", "--timeout", 0.1, "--total", 3),
        *("--epsilon", 1, "--delta", 1e-6, "--people", 9),
    ),
    "plan choice": ("--answers", 4, "--epsilon", 2, "--people", 1000),
    "plan joint": ("--epsilon", 1, "--people", 1000),
    "plan number": ("--from", 0, "--to", 9, "--step", 1, "--epsilon", 2, "--people", 1000),
    "plan questions": ("--sizes", "3,4", "--epsilon", 2, "--people", 1000),
    "plan several": ("--answers", 4, "--most", 2, "--epsilon", 2, "--people", 1000),
    "plan stream": ("--rounds", 4, "--epsilon", 4, "--people", 1000),
    "plan text": ("--epsilon", 2, "--people", 1000),
    "randomize": ("tea.json", "answers.csv", "-o", "new.arrow"),
    "remote add": ("tea.json", *_AWAY),
    "remote candidates": ("words", "words.txt", *_AWAY),
    "remote close": ("tea", "--yes", *_AWAY),
    "remote delete": ("tea", "--yes", *_AWAY),
    "remote download": ("tea", "-o", "new.json", *_AWAY),
    "remote health": _AWAY,
    "remote invitations": ("tea", *_AWAY),
    "remote list": _AWAY,
    "remote login": ("http://127.0.0.1:1",),
    "remote logout": (),
    **{f"remote {name}": ("tea", *_AWAY) for name in ("pause", "release", "results", "resume")},
    **{f"remote {name}": ("tea", *_AWAY) for name in ("show", "withhold")},
    "remote token list": _AWAY,
    "remote token new": ("--role", "relay", *_AWAY),
    "remote token revoke": ("0000", *_AWAY),
    "remote upload": ("tea", "reports.arrow", *_AWAY),
    "restore": ("a.backup", "new.db"),
    "serve": ("tea.json", "--port", "TAKEN", "--store", "new.db"),
    "simulate stream": ("--rounds", 4, "--people", 100),
    "simulate survey": ("--people", 100),
    "table": ("--epsilon", 1, "--delta", 1e-6, "--draws", 2),
    "table check": ("table.json",),
    "token list": ("--store", "store.db"),
    "token new": ("--role", "relay", "--store", "store.db"),
    "token revoke": ("0000", "--store", "store.db"),
}
"""Calls that work, or fail late; of a command that isn't here, only what it must be given is."""
REQUIRED = {"collection": "tea.json", "key": "KEY", "store": "store.db", "folder": "phone"}
"""What such a command is given, by the name of the parameter; "x" otherwise."""
STAYS = {("serve", "--port"), ("demo", "--port")}
"""Where a value that is taken starts a server, which rightly stays."""
_LONGEST = 1200  # characters of a sentence, or of click's box with the usage


@dataclass(frozen=True)
class Try:
    """One call: a command, the parameter that is given an absurd value, and the value."""

    command: str
    parameter: click.Parameter
    value: str

    @property
    def name(self) -> str:
        """The option, or the argument in capitals."""
        if isinstance(self.parameter, click.Option):
            return max(self.parameter.opts, key=len)
        return self.parameter.human_readable_name

    def __str__(self) -> str:
        return f"{self.command} {self.name} {self.value[:20]!r}"

    @property
    def number(self) -> int:
        """A number that is always this one's, to choose by."""
        return zlib.crc32(f"{self.command} {self.name} {self.value}".encode())


def leaves(group: click.Group = cli, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that can be called, by its words."""
    for name, command in group.commands.items():
        words = f"{before} {name}".strip()
        if isinstance(command, click.Group):
            yield from leaves(command, words)
            if not command.invoke_without_command:
                continue
        yield words, command


def tries() -> Iterator[Try]:
    """Every parameter that takes a value, with every value."""
    for words, command in leaves():
        for parameter in command.params:
            if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
                continue
            for value in VALUES:
                one = Try(words, parameter, value)
                if (words, one.name) not in STAYS or not _is_port(value):
                    yield one


def _is_port(value: str) -> bool:
    try:
        return 0 <= int(value) < 1 << 16
    except ValueError:
        return False


def arguments(one: Try, filled: dict[str, str]) -> list[str]:
    """The words of a call."""
    command = dict(leaves())[one.command]
    given = [str(part) for part in SOUND.get(one.command) or _required(command)]
    given = [filled.get(part, part) for part in given]
    if isinstance(one.parameter, click.Option):
        return [*one.command.split(), *_without(given, one.parameter), f"{one.name}={one.value}"]
    places = [each for each in command.params if not isinstance(each, click.Option)]
    positions = [at for at in range(len(given)) if _is_positional(given, at, command)]
    place = places.index(one.parameter)
    if place < len(positions):
        given[positions[place]] = one.value
    else:
        given.append(one.value)
    options = [part for at, part in enumerate(given) if not _is_positional(given, at, command)]
    values = [part for at, part in enumerate(given) if _is_positional(given, at, command)]
    return [*one.command.split(), *options, "--", *values]


def _required(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if parameter.required:
            value = REQUIRED.get(parameter.name or "", "x")
            yield from (
                [max(parameter.opts, key=len), value]
                if isinstance(parameter, click.Option)
                else [value]
            )


def _without(given: list[str], option: click.Option) -> list[str]:
    """A call without an option that is given another value, and all its own."""
    left = []
    skip = False
    for part in given:
        if skip:
            skip = False
        elif part in option.opts:
            skip = True
        else:
            left.append(part)
    return left


def _is_positional(given: list[str], at: int, command: click.Command) -> bool:
    valued = {
        name
        for each in command.params
        if isinstance(each, click.Option) and not each.is_flag
        for name in each.opts
    }
    flags = {
        name
        for each in command.params
        if isinstance(each, click.Option) and each.is_flag
        for name in (*each.opts, *each.secondary_opts)
    }
    return given[at] not in valued | flags and (at == 0 or given[at - 1] not in valued)


def called(one: Try, folder: Path, filled: dict[str, str]) -> Result:
    """What comes of one call, in a copy of a folder of sound files."""
    return _in_copy(folder, arguments(one, filled))


@cache
def late_failure(command: str, folder: Path, filled: tuple[tuple[str, str], ...]) -> str:
    """What the sound call of a command says in the end: nothing, or why it fails after all."""
    words = [dict(filled).get(str(part), str(part)) for part in SOUND.get(command, ())]
    return _in_copy(folder, [*command.split(), *words]).err if words else ""


def _in_copy(folder: Path, words: list[str]) -> Result:
    copy = folder.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    return run(copy, *words)


def problem(one: Try, folder: Path, filled: dict[str, str]) -> str | None:
    """What is wrong with what comes of a call; None for nothing."""
    result = called(one, folder, filled)
    late = late_failure(one.command, folder, tuple(filled.items()))
    if result.code == 0 or (late and _unnumbered(result.err) == _unnumbered(late)):
        return None  # it was taken
    said = [line for line in result.err.splitlines() if line]
    sentences = [line for line in said if line.startswith("Error: ")]
    boxed = any("Usage:" in line for line in said)  # click's own
    faults = {
        f"the exit code is {result.code}": result.code != 2,
        "it is not one sentence": not boxed and (len(sentences) != 1 or said[-1:] != sentences),
        "memory was taken before the size was refused": "not enough memory" in result.err,
        "it is longer than anybody reads": len(result.err) > _LONGEST,
        "it doesn't name what is wrong": not _names(one, result.err),
    }
    found = [fault for fault, there in faults.items() if there]
    return f"{', '.join(found)}: {' '.join(result.err.split())[-400:]}" if found else None


def _unnumbered(text: str) -> str:
    """A text without its numbers: a port, or how long was waited, may differ."""
    return re.sub(r"[0-9.]+", "0", text)


def _names(one: Try, text: str) -> bool:
    """Whether a sentence names the option or argument, or says its value, or what it stands for."""
    flat = " ".join(_plain(text).split())
    own = _plain(one.name).strip()
    shown = {visible(one.value), visible(str(Path(one.value))), repr(one.value)}
    words = {own, _plain(one.parameter.name or ""), *MEANT.get(own, ())}
    words |= {" ".join(_plain(each).split())[:20] for each in shown}
    if one.value == "-":
        words.add("standard input")
    return any(word and word in flat for word in words) or f" {one.value} " in f"{text.strip()} "


def _plain(text: str) -> str:
    return re.sub("[-_│]", " ", text.lower())


MEANT: dict[str, Sequence[str]] = {
    "collection cap": ("a cap",),
    "draws": ("is drawn",),
    "file": ("no ledger",),
    "folder": ("still to be sent",),  # of a device that is sound, and whose collector isn't there
    "store": ("no address of",),
    "[store]": ("no address of",),
    "first candidates": ("takes no candidates",),
    "second candidates": ("takes no candidates",),
    "low": ("share",),
    "to": ("a range",),
    "high": ("share",),
    "most": ("noise must reach",),
    "epsilon": ("ε",),
    "delimiter": ("no column", "cells than in the header"),
    "output": ("there is no folder", "are written as"),
    "[command]...": ("there is no command",),
    "public address": ("a collector's address",),
    "page": ("a collector's address",),
}
"""What an option or argument stands for, in the words of sentences about it."""


@contextmanager
def sound_folder(parent: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a sound file of each kind, and what stands for words that it must be told."""
    folder = parent / "sound"
    folder.mkdir()
    (folder / "folder").mkdir()
    file = tea(folder)
    (folder / "answers.csv").write_text(csv_of({"green": 30, "black": 20}))
    succeed(folder, "randomize", file, "answers.csv", "-o", "reports.arrow")
    succeed(folder, "aggregate", file, "reports.arrow", "-o", "total.json")
    town = ("collection", "new", "town", "--question", "Where?", "--answer", "a", "--answer", "b")
    succeed(folder, *town, "--epsilon", 1, "--minimum-reports", 1, "-o", "town.json")
    (folder / "towns.csv").write_text(csv_of({"a": 30, "b": 20}))
    succeed(folder, "randomize", "town.json", "towns.csv", "-o", "towns.arrow")
    words = ("--free-text", "--bits", 32, "--cohorts", 2, "--minimum-reports", 1)
    text = ("collection", "new", "words", "--question", "What?", "--epsilon", 4)
    succeed(folder, *text, *words, "-o", "words.json")
    (folder / "words.csv").write_text(csv_of({"green": 30, "black": 20}))
    (folder / "words.txt").write_text("green\nblack\noolong\n")
    succeed(folder, "randomize", "words.json", "words.csv", "-o", "words.arrow")
    plan = ("discover", "new", "plan", "--question", "What?", "--epsilon", 8, "--length", 4)
    succeed(folder, *plan, "--minimum-reports", 1, "-o", "plan.json")
    succeed(folder, "discover", "randomize", "plan.json", "words.csv", "-o", "monday")
    succeed(folder, "device", "new", "phone")
    succeed(folder, "ledger", "new", "ledger.json", "--cap", 3)
    succeed(folder, "token", "new", "--role", "admin", "--store", "store.db")
    succeed(folder, "backup", "store.db", "a.backup")
    succeed(folder, "table", "--epsilon", 1, "--delta", 1e-6, "-o", "table.json")
    count = ("joint-count", "new", "smokers", "--epsilon", 1, "--delta", 1e-6, "--people", 9)
    succeed(folder, *count, "-o", "count.json", "--secret", "secret.json")
    (folder / "bits.csv").write_text("answer\n1\n0\n")
    certificate(folder, "own")
    key = Collection.from_json((folder / file).read_bytes()).key
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield folder, {"KEY": key, "TAKEN": str(taken.getsockname()[1])}

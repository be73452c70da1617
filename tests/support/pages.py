"""The pages of the documentation, and how their examples are run.

- A ``python`` block is run in the namespace of its page; an ``output`` block after it is what
  it prints.
- A ``python from=<file>`` block is not run: it must stand in that file, word for word.
- A ``console`` block is a session: ``$ `` marks a command, ``> `` its continuation, all else is
  what the terminal shows. A command that fails must be followed by ``$ echo $?``.

Python and commands of a page share one folder. ``...`` in what is shown stands for anything, but
isn't all that is shown; and what prints something shows something.
A port of this machine is run as one that is free, each as its own.
"""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.cli import main
from support.ports import held_ports

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_PORT = re.compile(r"(?<=127\.0\.0\.1:)\d+")
_FENCE = re.compile(r"^```(\S+)(?: +from=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its source if it quotes one, its text, its first line."""

    language: str
    source: str | None
    text: str
    line: int


def name(page: Path) -> str:
    """A page's path as people write it."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(found[1], found[2], found[3], text.count("\n", 0, found.start(3)) + 1)
        for found in _FENCE.finditer(text)
    ]


def run_commands(script: str, folder: Path) -> None:
    """Run a script of commands in ``folder``, each of which must succeed."""
    with chdir(_prepared(folder)):
        printed, status = _run_shell(script, folder, 0)
    assert status == 0, printed


def _prepared(folder: Path) -> Path:
    """A folder to work in, beside one with the command."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "sudare"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sudare "$@"\n', "utf-8")
    command.chmod(0o755)
    work = folder / "work"
    work.mkdir()
    return work


def run_page(page: Path, folder: Path) -> dict[str, Any]:
    """Run every example of a page in ``folder``; its names when it is done."""
    work = _prepared(folder)
    names: dict[str, Any] = {"__name__": "page"}
    shown = sorted({port for block in blocks(page) for port in _PORT.findall(block.text)})
    printed = ""
    with chdir(work), held_ports(len(shown)) as held, _nothing_left_behind():
        ports = dict(zip(shown, map(str, held), strict=True))
        for block in blocks(page):
            where = f"{name(page)}:{block.line}"
            if block.language == "console":
                _run_session(block, folder, where, ports)
            elif block.language == "output":
                _compare(block.text, printed, where)
            elif block.language == "python" and block.source is None:
                printed = _run_python(block, page, names)
    return names


def _run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    source = "\n" * (block.line - 1) + block.text  # so that a traceback names the page's line
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(source, str(page), "exec"), names)  # noqa: S102 - our own pages
    return out.getvalue()


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a session, each with what is shown after it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        found = re.match(r"(.*\n(?:> .*\n)*)", part)
        assert found is not None
        yield found[1].replace("\n> ", "\n"), part[found.end() :]


def _run_session(block: Block, folder: Path, where: str, ports: dict[str, str]) -> None:
    text = _PORT.sub(lambda port: ports[port[0]], block.text)
    entries = list(commands(replace(block, text=text)))
    assert entries, f"{where}: a console block without a command"
    followers = [command for command, _ in entries[1:]] + [""]
    status = 0
    for (command, shown), follower in zip(entries, followers, strict=True):
        simple = command.startswith("sudare ") and not set("|<>;&$`*") & set(command)
        run = _run_here if simple else _run_shell
        printed, status = run(command, folder, status)
        at = f"{where}: $ {command}"
        _compare(shown, printed, at)
        assert status == 0 or follower == "echo $?\n", f"{at}{printed}exit code {status}"


def _run_here(command: str, folder: Path, _: int) -> tuple[str, int]:
    """A command of Sudare alone: in this process, for speed."""
    out, status = io.TextIOWrapper(io.BytesIO(), "utf-8"), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(out):
        for variable, value in _environment(folder).items():
            patch.setenv(variable, value)
        try:
            main(shlex.split(command.replace("\\\n", " "))[1:])
        except SystemExit as stop:
            status = int(stop.code or 0)
    out.seek(0)
    return out.read(), status


def _run_shell(command: str, folder: Path, status: int) -> tuple[str, int]:
    """Anything else, after a command that ended with ``status``."""
    with subprocess.Popen(
        ["/bin/sh", "-c", f"(exit {status})\n{command}"],
        env=_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as shell:
        _shells.append(shell.pid)
        printed, _ = shell.communicate(timeout=300)  # on a machine that does much else
    return printed.decode(), shell.returncode


_shells: list[int] = []


@contextmanager
def _nothing_left_behind() -> Iterator[None]:
    """End what a page has started in the background, if it fails before it ends that itself."""
    _shells.clear()
    try:
        yield
    except BaseException:
        for group in _shells:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGTERM)
        raise


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(sudare.__file__).parent.parent),
        "HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "home" / ".config"),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def _compare(shown: str, printed: str, where: str) -> None:
    expected, actual = _plain(shown), _plain(printed)
    assert expected.strip(".\n") or not (expected or actual), f"{where}\nshows nothing of\n{actual}"
    pattern = ".*?".join(re.escape(part) for part in expected.split("..."))
    assert re.fullmatch(pattern, actual, re.DOTALL), (
        f"{where}\nThe page shows\n{expected}\nbut the run printed\n{actual}"
    )


def _plain(text: str) -> str:
    """Without what can't be seen: space at the ends of lines, spaces that don't break."""
    plain = text.replace("\N{NO-BREAK SPACE}", " ").strip()
    return "\n".join(line.rstrip() for line in plain.splitlines())

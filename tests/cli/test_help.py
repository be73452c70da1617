"""``help``, ``-V`` and ``completion``: what there is, told and typed."""

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from sudare.cli import SHELLS
from support.commands import refused, run, succeed


@pytest.mark.parametrize("words", [(), ("estimate",), ("collection",), ("collection", "new")])
def test_help_is_that_of_the_command(words: tuple[str, ...], tmp_path: Path) -> None:
    assert succeed(tmp_path, "help", *words).out == succeed(tmp_path, *words, "--help").out


@pytest.mark.parametrize(
    ("words", "asked", "known"),
    [
        (("magic",), "sudare magic", "sudare help"),
        (("collection", "magic"), "sudare collection magic", "sudare help collection"),
        (("estimate", "more", "x"), "sudare estimate more", "sudare help estimate"),
    ],
)
def test_there_is_no_such_command(
    words: tuple[str, ...], asked: str, known: str, tmp_path: Path
) -> None:
    said = refused(tmp_path, "help", *words)
    assert said == f"there is no command `{asked}`; `{known}` says what there is"


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_its_version(option: str, tmp_path: Path) -> None:
    assert succeed(tmp_path, option).out == f"sudare, version {version('sudare')}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(shell: str, tmp_path: Path) -> None:
    script = succeed(tmp_path, "completion", shell).out
    assert f"_SUDARE_COMPLETE={shell}_complete" in script


def test_another_shell(tmp_path: Path) -> None:
    assert run(tmp_path, "completion", "tcsh").code == 2


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A folder with a `sudare` to run, and the script for bash."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "sudare"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sudare "$@"\n')
    command.chmod(0o755)
    script = succeed(tmp_path, "completion", "bash").stdout
    (tmp_path / "completion.bash").write_bytes(script)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("rand",), ["randomize"]),
        (("collection", ""), ["check", "new", "show"]),
        (("estimate", "--pl"), ["--plot"]),
        (("decode", "--correction", "b"), ["benjamini-hochberg", "bonferroni"]),
        (("device", "send", "--p"), ["--patience"]),
        (("help", "x"), []),
    ],
)
def test_bash_completes(typed: tuple[str, ...], offered: list[str], shell: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    words = " ".join(f"'{word}'" for word in ("sudare", *typed))
    code = f"""
PATH="$PWD/bin:$PATH"
source completion.bash
complete -p sudare > /dev/null || exit 3
COMP_WORDS=({words})
COMP_CWORD={len(typed)}
_sudare_completion sudare
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [bash, "--noprofile", "--norc", "-c", code],
        cwd=shell,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == offered, done.stderr

"""Node.js inside a test: the browser's side is built and tested by its own tools."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parent.parent / "web"
INSTALL = (
    "the browser's pages need Node.js 20.19 or newer with npm: install it from your system's "
    "packages or from nodejs.org"
)


def node(program: str = "node") -> str:
    """Where Node.js is, or another program of it."""
    found = shutil.which(program)
    if found is None:
        pytest.fail(INSTALL)
    return found


def npm(*arguments: str) -> str:
    """What a command of npm says; it must work."""
    node()
    environment = {**os.environ, "NO_COLOR": "1", "CI": "1"}
    done = subprocess.run(
        [node("npm"), *arguments],
        cwd=WEB,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def install() -> None:
    """The locked packages, from npm's cache if it has them; once for each lock."""
    lock = (WEB / "package-lock.json").read_bytes()
    ready = WEB / "node_modules/.sudare-lock"
    with (WEB / ".npm-ci.lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # other processes of the tests want it at the same time
        if not ready.exists() or ready.read_bytes() != lock:
            npm("ci", "--prefer-offline", "--no-audit", "--no-fund")
            ready.write_bytes(lock)

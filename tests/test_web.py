"""The browser's device: its own tests, and that its fixtures are what Python does today."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import web_fixtures

WEB = Path(__file__).parent.parent / "web"
INSTALL = (
    "the browser's device needs Node.js 20.19 or newer with npm: install it from your system's "
    "packages or from nodejs.org"
)


def npm(*arguments: str) -> str:
    """What a command of npm says; it must work."""
    command = shutil.which("npm")
    if command is None or shutil.which("node") is None:
        pytest.fail(INSTALL)
    environment = {**os.environ, "NO_COLOR": "1", "CI": "1"}
    done = subprocess.run(
        [command, *arguments],
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
    if not ready.exists() or ready.read_bytes() != lock:
        npm("ci", "--prefer-offline", "--no-audit", "--no-fund")
        ready.write_bytes(lock)


def test_the_fixtures_are_what_python_does() -> None:
    made = web_fixtures.texts()
    assert {path.name for path in web_fixtures.FOLDER.iterdir()} == made.keys()
    for name, contents in made.items():
        assert (web_fixtures.FOLDER / name).read_bytes() == contents, name


def test_the_lock_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    assert "registry" not in lock
    assert '"integrity"' in lock


# One test, so that one process installs.
def test_types_format_and_tests() -> None:
    install()
    npm("run", "check")
    said = npm("test")
    assert "failed" not in said
    assert "golden.test.ts" in said

"""Node.js, of the wheel in this environment: it builds and tests the browser's side.

``python tests/support/node.py run build`` is npm in ``web/``, with the locked packages installed.
"""

import fcntl
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
PROGRAMS = Path(sysconfig.get_path("scripts"))


def node(program: str = "node") -> str:
    """Where Node.js is, or another program of it; not the system's, which may be any version."""
    found = PROGRAMS / program
    if not found.exists():
        pytest.fail("Node.js comes with the locked packages: `make check` installs them in .venv")
    return str(found)


def npm(*arguments: str) -> str:
    """What a command of npm says; it must work."""
    environment = {
        **os.environ,
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",  # what npm starts looks for node there
        "NODE_USE_SYSTEM_CA": "1",  # a registry that pip can reach, npm can
        "NO_COLOR": "1",
        "CI": "1",
    }
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


if __name__ == "__main__":
    install()
    sys.stdout.write(npm(*sys.argv[1:]))

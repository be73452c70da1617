"""What the system lacks is named before a test needs it."""

import os
import subprocess
import sys
from pathlib import Path

from matplotlib import font_manager

from support import tools


def told(*packages: str, **machine: str) -> tuple[int, str]:
    """The exit code, and all that is said, where some variables are different."""
    done = subprocess.run(
        [sys.executable, tools.__file__, *packages],
        env={**os.environ, **machine},
        capture_output=True,
        check=False,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_what_is_missing_is_named_in_one_sentence(tmp_path: Path) -> None:
    """On an empty PATH is neither a browser nor apt-get."""
    sentence = (
        "The pages are tested in Chromium: install it such that `chromium` is on the PATH "
        "(Debian's package chromium).\n"
    )
    assert told("chromium", PATH=str(tmp_path)) == (1, sentence)


def test_a_java_that_is_too_old_is_none(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    code, said = told(tools.JAVA.package, PATH=str(tmp_path), JAVA_HOME=str(tmp_path))
    assert code == 1
    assert said.startswith("Spark is tested on Java 17 or newer: install it such that `java` is on")


def test_a_font_that_came_after_matplotlib_made_its_list_is_found(tmp_path: Path) -> None:
    earlier = font_manager.FontManager()
    earlier.ttflist = [font for font in earlier.ttflist if font.name == "DejaVu Sans"]
    kept = tmp_path / f"fontlist-v{earlier.__version__}.json"
    font_manager.json_dump(earlier, kept)
    assert told(tools.JAPANESE_FONT.package, MPLCONFIGDIR=str(tmp_path)) == (0, "")
    assert not kept.exists()  # it is made anew by whoever needs it next

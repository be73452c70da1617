"""What tests and benchmarks take from the system: no wheel brings it.

``python tests/support/tools.py`` finds all of it, installs what is missing where apt-get can, and
names what is missing still; ``python tests/support/tools.py postgresql`` does so for one package.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_POSTGRESQL = Path("/usr/lib/postgresql")
_ROOTS_OWN = "/usr/local/sbin:/usr/sbin:/sbin"  # not on every PATH, and dpkg refuses without


@dataclass(frozen=True)
class Tool:
    """Something that only the system has.

    Attributes:
        package: its name among Debian's packages.
        find: where it is, or None.
        wanted: what it is for and how to get it.
    """

    package: str
    find: Callable[[], Path | None]
    wanted: str

    @property
    def sentence(self) -> str:
        """That it is missing, and what to do."""
        return f"{self.wanted} (Debian's package {self.package})."

    def path(self) -> Path:
        """Where it is; it must be there."""
        found = self.find()
        if found is None:
            raise RuntimeError(self.sentence)
        return found


def _on_the_path(program: str) -> Path | None:
    found = shutil.which(program)
    return Path(found) if found else None


def _initdb() -> Path | None:
    """That of the newest server; Debian keeps it off the PATH."""
    versions = sorted(_POSTGRESQL.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1] if versions else _on_the_path("initdb")


def _japanese_font() -> Path | None:
    """One that figures use."""
    import matplotlib as mpl
    from matplotlib import font_manager

    from sudare.results.figures.frame import _JAPANESE

    def among(fonts: Iterable[font_manager.FontEntry]) -> Path | None:
        return next((Path(font.fname) for font in fonts if font.name in _JAPANESE), None)

    found = among(font_manager.fontManager.ttflist)
    if found is None and (found := among(font_manager.FontManager().ttflist)):
        # Matplotlib goes by a list that it made before this font came; it shall make a new one.
        for old in Path(mpl.get_cachedir()).glob("fontlist-*.json"):
            old.unlink()
    return found


def _java() -> Path | None:
    """One that Spark runs on: 17 or newer."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(Path(home) / "bin" / "java" if home else "java")
    if found is None:
        return None
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', told)
    return Path(found) if version and int(version[1]) >= 17 else None


CHROMIUM = Tool(
    "chromium",
    lambda: _on_the_path("chromium"),
    "The pages are tested in Chromium: install it such that `chromium` is on the PATH",
)
POSTGRESQL = Tool(
    "postgresql",
    _initdb,
    "Stores are tested on a PostgreSQL server: install one such that `initdb` is on the PATH",
)
JAPANESE_FONT = Tool(
    "fonts-ipafont-gothic",
    _japanese_font,
    "Figures are tested with Japanese names: install IPAGothic or Noto Sans CJK JP as a font",
)
JAVA = Tool(
    "default-jre-headless",
    _java,
    "Spark is tested on Java 17 or newer: install it such that `java` is on the PATH, or let "
    "JAVA_HOME say where it is",
)
TOOLS = (CHROMIUM, POSTGRESQL, JAPANESE_FONT, JAVA)


def missing(tools: Iterable[Tool]) -> list[Tool]:
    return [tool for tool in tools if tool.find() is None]


def install(packages: list[str]) -> None:
    """Debian's packages, where apt-get is there and lets us."""
    who = [] if os.geteuid() == 0 else ["sudo"]
    if not all(map(shutil.which, [*who, "apt-get"])):
        return
    sys.stdout.write(f"Installing {', '.join(packages)} with apt-get (once)\n")
    sys.stdout.flush()
    path = f"PATH={os.environ['PATH']}:{_ROOTS_OWN}"
    apt = [*who, "env", path, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    for command in (["update"], ["install", "-y", *packages]):
        subprocess.run([*apt, *command], stdout=subprocess.DEVNULL, check=False)


def main(packages: list[str]) -> int:
    """0 if everything is here in the end, or all of these packages; else 1."""
    wanted = [tool for tool in TOOLS if not packages or tool.package in packages]
    if lacking := missing(wanted):
        install([tool.package for tool in lacking])
        lacking = missing(lacking)
    for tool in lacking:
        sys.stderr.write(f"{tool.sentence}\n")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

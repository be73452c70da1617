"""The browser's side: its own tests, its fixtures, and that the built pages are its source's."""

import gzip
import re
from pathlib import Path

import pytest

import web_fixtures
from node import WEB, install, npm
from sudare.collector.pages import STATIC

pytestmark = pytest.mark.xdist_group("web")  # one process installs
MOST_BYTES = 42_000  # that a page loads, compressed


def files(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, by its path there."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


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


def test_types_format_and_tests() -> None:
    install()
    npm("run", "check")
    said = npm("test")
    assert "failed" not in said
    assert "golden.test.ts" in said


def test_the_built_pages_are_those_of_the_source(tmp_path: Path) -> None:
    install()
    npm("run", "build", "--", "--outDir", str(tmp_path))
    built, committed = files(tmp_path), files(STATIC)
    assert built.keys() == committed.keys(), "run `make web` and commit what it builds"
    for name, contents in built.items():
        assert contents == committed[name], f"{name}: run `make web` and commit what it builds"


@pytest.mark.parametrize("name", ["index.html", "survey.html"])
def test_a_page_is_small_and_needs_nothing_from_elsewhere(name: str) -> None:
    built = files(STATIC)
    page = built[name].decode()
    loaded = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    assert len(loaded) >= 3
    assert sum(len(gzip.compress(built[path], mtime=0)) for path in loaded) < MOST_BYTES
    assert not re.search(r"https?://", page)
    assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son[a-z]+=", page)
    for path in loaded:  # the namespaces of SVG and such are names, not addresses
        addresses = set(re.findall(rb"https?://[\w./-]+", built[path]))
        assert {address for address in addresses if b"www.w3.org" not in address} == set()

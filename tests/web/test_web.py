"""The browser's side: its own tests, its fixtures, and that the built pages are its source's."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import page_digests
import web_fixtures
from sudare.collector.http.pages import STATIC
from sudare.mechanisms import REGISTRY
from sudare.results.text import HIDDEN
from support.node import WEB, install, npm

pytestmark = pytest.mark.xdist_group("web")  # one process installs
PAGES = ("index", "survey", "plan")
LANGUAGES = {path.stem for path in (WEB / "src/language").glob("*.ts")} - {"index"}
# That a page loads in one language, compressed. A survey brings AES, SHA-256 and HMAC: a library's,
# since nobody should read ciphers of ours. And what a page names by its digest can't be compressed.
MOST_BYTES = {"index": 60_000, "survey": 60_000, "plan": 30_000}
# That comes later, for whoever has signed in: the administration, and the codes of invitations.
ADMINISTRATION = "src/dashboard/administration/"
MOST_LATER_BYTES = {"administration": 15_000, "codes": 4_000}
# What a survey needs before anything is painted, compressed: the page itself and its style. On a
# line of 20 kB/s that is a fifth of a second.
MOST_TO_PAINT = 4_200


def files(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, by its path there."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_the_fixtures_are_what_python_does() -> None:
    made = web_fixtures.texts()
    assert {path.name for path in web_fixtures.FOLDER.iterdir()} == made.keys()
    for name, contents in made.items():
        assert (web_fixtures.FOLDER / name).read_bytes() == contents, name


def test_the_pages_know_no_refusal_that_the_collector_does_not_make() -> None:
    """What is translated by its code would else be words that nobody ever reads."""
    folders = ("", "survey/", "dashboard/", "dashboard/administration/", "plan/")
    paths = [WEB / f"src/{folder}language/en.ts" for folder in folders]
    tables = [
        re.search(r"problems: \{(.*?)\n  \}", path.read_text("utf-8"), re.DOTALL) for path in paths
    ]
    known = {
        code
        for found in tables
        if found
        for code in re.findall(r"^    (\w+):", found[1], re.MULTILINE)
    }
    sources = "".join(path.read_text("utf-8") for path in STATIC.parent.rglob("*.py"))
    assert len(known) > 20
    assert known <= set(re.findall(r'"([a-z_]+)"', sources))


def test_the_page_suspects_a_missing_text_when_the_command_line_does() -> None:
    source = (WEB / "src/dashboard/kinds/text.tsx").read_text("utf-8")
    [stated] = re.findall(r"^const HIDDEN = ([0-9.]+);$", source, re.MULTILINE)
    assert float(stated) == HIDDEN


def test_browsers_speak_every_mechanism() -> None:
    """So that a collection of whichever, the default above all, can be answered on a page."""
    source = (WEB / "src/device/mechanisms.ts").read_text("utf-8")
    assert set(re.findall(r'^  \["(\w+)", \(document\)', source, re.MULTILINE)) == REGISTRY.keys()
    tested = (WEB / "test/golden.test.ts").read_text("utf-8")
    names = re.search(r"const NAMES = (\[.*?\]);", tested, re.DOTALL)
    assert names is not None
    assert set(re.findall(r'"(\w+)"', names[1])) == REGISTRY.keys()


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


def loaded(name: str) -> dict[str, list[str]]:
    """Everything that a page loads, by its language: the page, its script and style, the words."""
    chunks = json.loads((STATIC / f"{name}.manifest.json").read_text("utf-8"))
    entry = chunks[f"{name}.html"]
    always = [f"{name}.html", entry["file"], *entry["css"]]
    # Nothing but words comes later, and what ``administration`` sums up: nothing is missing.
    assert "imports" not in entry
    words = words_of(chunks, entry)
    assert {each["file"] for each in chunks.values()} == {
        entry["file"],
        *words.values(),
        *(path for paths in administration(name).values() for path in paths),
    }
    return {language: [*always, file] for language, file in words.items()}


def words_of(chunks: dict[str, Any], chunk: dict[str, Any]) -> dict[str, str]:
    """The file of a chunk's words in each language."""
    own = [path for path in chunk["dynamicImports"] if "/language/" in path]
    assert {Path(path).stem for path in own} == LANGUAGES
    assert not any("imports" in chunks[path] or "css" in chunks[path] for path in own)
    return {Path(path).stem: chunks[path]["file"] for path in own}


def administration(name: str) -> dict[str, list[str]]:
    """What whoever administers a collector loads beside a page: by its language, and for codes."""
    chunks = json.loads((STATIC / f"{name}.manifest.json").read_text("utf-8"))
    chunk = chunks.get(f"{ADMINISTRATION}index.tsx")
    if chunk is None:
        return {}
    assert chunk["imports"] == [f"{name}.html"]  # which is there by then
    assert "css" not in chunk
    [codes] = [path for path in chunk["dynamicImports"] if "/language/" not in path]
    assert "imports" not in chunks[codes]
    words = words_of(chunks, chunk)
    by_language = {language: [chunk["file"], file] for language, file in words.items()}
    return {**by_language, "codes": [chunks[codes]["file"]]}


def everything(name: str) -> set[str]:
    """Every file that a page may load, whatever is done in it."""
    parts = (*loaded(name).values(), *administration(name).values())
    return {path for paths in parts for path in paths}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small_in_each_language(name: str, language: str) -> None:
    built = files(STATIC)
    sizes = {path: len(gzip.compress(built[path], mtime=0)) for path in loaded(name)[language]}
    assert sum(sizes.values()) < MOST_BYTES[name], sizes


def test_what_comes_later_is_small_and_only_the_dashboards() -> None:
    built = files(STATIC)
    assert administration("survey") == administration("plan") == {}
    later = administration("index")
    assert later.keys() == {*LANGUAGES, "codes"}
    for part, paths in later.items():
        sizes = {path: len(gzip.compress(built[path], mtime=0)) for path in paths}
        most = MOST_LATER_BYTES["codes" if part == "codes" else "administration"]
        assert sum(sizes.values()) < most, sizes


def test_a_survey_says_what_it_is_before_its_program_comes() -> None:
    """All that stands between a slow line and the first words is the page and its style."""
    built = files(STATIC)
    page = built["survey.html"].decode()
    style = re.findall(r'rel="stylesheet"[^>]* href="/static/([^"]+)"', page)
    scripts = re.findall(r"<script(?! type=\"importmap\")[^>]*>", page)
    assert len(style) == 1
    assert all('type="module"' in script for script in scripts)  # these block nothing
    sizes = [len(gzip.compress(built[path], mtime=0)) for path in ("survey.html", *style)]
    assert sum(sizes) < MOST_TO_PAINT, sizes
    body = page[page.index("<body>") :]
    assert "Your answer is scrambled on this device before it is sent." in body
    assert "回答は、送信前にこの端末の中でランダムに変換されます。" in body


def test_every_built_file_is_part_of_a_page() -> None:
    used = {path for name in PAGES for path in everything(name)}
    assert used | {f"{name}.manifest.json" for name in PAGES} == files(STATIC).keys()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_nothing_from_elsewhere(name: str) -> None:
    built = files(STATIC)
    page = built[f"{name}.html"].decode()
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    paths = everything(name)
    assert set(named) < paths
    assert not re.search(r"https?://", page)
    page, maps = re.subn(r'<script type="importmap">.*?</script>', "", page)  # no program
    assert maps == 1
    assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son[a-z]+=", page)
    for path in paths:  # the namespaces of SVG and such are names, not addresses
        addresses = set(re.findall(rb"https?://[\w./-]+", built[path]))
        assert {address for address in addresses if b"www.w3.org" not in address} == set()


@pytest.mark.parametrize("name", PAGES)
def test_the_digest_of_a_page_stands_for_all_that_it_loads(name: str) -> None:
    built = files(STATIC)
    page = built[f"{name}.html"].decode()
    at_once = dict(re.findall(r'integrity="([^"]+)" (?:src|href)="/static/([^"]+)"', page))
    [later] = re.findall(r'<script type="importmap">(.*?)</script>', page)
    assert page.index("importmap") < page.index('type="module"')
    digests = {path: digest for digest, path in at_once.items()}
    digests |= {
        path.removeprefix("/static/"): digest
        for path, digest in json.loads(later)["integrity"].items()
    }
    paths = everything(name)
    assert digests.keys() == paths - {f"{name}.html"}
    for path, digest in digests.items():
        sum_of = base64.b64encode(hashlib.sha256(built[path]).digest()).decode()
        assert digest == f"sha256-{sum_of}", path


def test_the_published_digests_are_those_of_the_files() -> None:
    page = page_digests.PAGE.read_text("utf-8")
    assert page == page_digests.text(), "run `make web`, and commit what it writes"
    published = re.findall(r"^\| `/([^`]*)`.*\| `([0-9a-f]{64})` \|$", page, re.MULTILINE)
    places = {"": "index.html", "s/KEY": "survey.html", "plan": "plan.html"}
    digests = {places.get(at, at.removeprefix("static/")): digest for at, digest in published}
    served = {path: data for path, data in files(STATIC).items() if path[-5:] != ".json"}
    assert digests == {path: hashlib.sha256(data).hexdigest() for path, data in served.items()}

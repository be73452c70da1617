"""The survey page for another host: whole, the same for everybody, and bound to one collector."""

import base64
import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sudare.collector.hosted_page import collector_of, hosted_files
from sudare.collector.http.pages import STATIC
from sudare.collector.page_check import check_page
from sudare.errors import CollectorRefused, CollectorUnavailable, ParameterError
from sudare.formats.files import write_folder
from support.analysts import TEA, Collector, at_port
from support.commands import refused, succeed
from support.hosting import hosting

COLLECTOR = "https://stats.example.org"


def test_the_folder_has_what_the_page_loads_and_nothing_else() -> None:
    files = hosted_files(COLLECTOR)
    html = files["index.html"].decode()
    named = set(re.findall(r"assets/[\w.-]+", html))
    assert files.keys() == {"index.html", *named, "SHA256SUMS"}
    assert {Path(name).suffix for name in named} == {".js", ".css"}
    assert {"en", "ja", "survey"} == {Path(name).name.split("-")[0] for name in named}
    for name in named:
        assert files[name] == (STATIC / name).read_bytes()  # the collector's own
    assert not re.search(r'(?:src|href)="/|"/static', html)  # it works under any path


def test_the_page_may_speak_to_its_collector_alone() -> None:
    html = hosted_files(COLLECTOR)["index.html"].decode()
    assert collector_of(html.encode()) == COLLECTOR
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules.pop("connect-src") == COLLECTOR
    [map_text] = re.findall(r'<script type="importmap">(.*?)</script>', html)
    digest = base64.b64encode(hashlib.sha256(map_text.encode()).digest()).decode()
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'self' 'sha256-{digest}'",
        "style-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<script")


def test_only_the_page_itself_depends_on_the_collector() -> None:
    one, other = hosted_files(COLLECTOR), hosted_files("http://127.0.0.1:8000")
    assert one == hosted_files(COLLECTOR)
    assert {name for name in one if one[name] != other[name]} == {"index.html", "SHA256SUMS"}


@pytest.mark.parametrize("collector", ["*", f"{COLLECTOR}/", "http://stats.example.org", '"><x'])
def test_a_collector_is_an_origin(collector: str) -> None:
    with pytest.raises(ParameterError, match="an origin is https://"):
        hosted_files(collector)


def test_an_installation_without_pages_says_so(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="built without its web pages"):
        hosted_files(COLLECTOR, tmp_path)
    with pytest.raises(ParameterError, match="built without its web pages"):
        check_page(COLLECTOR, built=tmp_path)


def test_the_command_writes_it_once_and_the_sums_are_those_of_the_files(tmp_path: Path) -> None:
    succeed(tmp_path, "page", "write", "survey", "--collector", COLLECTOR)
    folder = tmp_path / "survey"
    written = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert written == hosted_files(COLLECTOR)
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count(": OK") == len(written) - 1
    sentence = refused(tmp_path, "page", "write", "survey", "--collector", COLLECTOR)
    assert "survey is there already" in sentence
    refused(tmp_path, "page", "write", "other", "--collector", "stats.example.org")
    assert [path.name for path in tmp_path.iterdir()] == ["survey"]


@pytest.fixture(scope="module")
def collector_at() -> Iterator[str]:
    with Collector() as collector:
        collector.hold(TEA)
        with at_port(collector) as address:
            yield address


def test_a_collectors_pages_are_those_of_this_version(collector_at: str, tmp_path: Path) -> None:
    # The page, its script and style, two languages; and the administration with its own, and codes.
    pages = (("/", "dashboard", 9), (f"/s/{TEA.key}", "survey", 5), ("/plan", "planner", 5))
    for path, name, files in pages:
        served = check_page(collector_at + path)
        assert (served.name, served.collector) == (name, None)
        assert len(served.files) == files
        said = succeed(tmp_path, "page", "check", collector_at + path).out
        assert f"The {name} page of Sudare" in said
        assert f"{files} files, none of them changed" in said
    shown = succeed(tmp_path, "page", "check", f"{collector_at}/", "--json").json()
    assert shown["page"] == "dashboard"
    assert shown["sha256"]["/"] == hashlib.sha256((STATIC / "index.html").read_bytes()).hexdigest()


def test_a_hosted_page_is_known_by_the_collector_that_it_names(tmp_path: Path) -> None:
    write_folder(tmp_path / "deep", hosted_files(COLLECTOR))
    with hosting(tmp_path) as address:
        served = check_page(f"{address}/deep/#key={TEA.key}")
        assert (served.name, served.collector) == ("hosted survey", COLLECTOR)
        for name in hosted_files(COLLECTOR):
            if name == "SHA256SUMS":
                continue
            path = tmp_path / "deep" / name
            right = path.read_bytes()
            path.write_bytes(right.replace(b"e", b"E", 1))  # one letter
            with pytest.raises(CollectorRefused, match=r"changed|another file"):
                check_page(f"{address}/deep/")
            path.unlink()
            with pytest.raises(CollectorRefused, match=r"answered 404|is no page"):
                check_page(f"{address}/deep/index.html")
            path.write_bytes(right)
        page = tmp_path / "deep" / "index.html"
        page.write_bytes(page.read_bytes().replace(COLLECTOR.encode(), b"https://else.example", 1))
        with pytest.raises(CollectorRefused, match="no page of this version, or was changed"):
            check_page(f"{address}/deep/")  # the policy and the address must be those of one


def test_what_is_no_page_is_refused_with_a_sentence(collector_at: str, tmp_path: Path) -> None:
    with pytest.raises(CollectorRefused, match="no page of this version"):
        check_page(f"{collector_at}/healthz")
    with pytest.raises(CollectorRefused, match="answered 404"):
        check_page(f"{collector_at}/s/unknown")
    with pytest.raises(ParameterError, match="plain HTTP to stats"):
        check_page("http://stats.example.org/")
    (tmp_path / "index.html").write_bytes(b"x" * ((1 << 22) + 1))
    with hosting(tmp_path) as address, pytest.raises(CollectorRefused, match="too long"):
        check_page(address)
    with pytest.raises(CollectorUnavailable, match="can't be reached"):
        check_page(address)  # it was closed

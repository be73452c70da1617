"""The documentation tells the truth: its examples run, its links lead somewhere, it is complete."""

import inspect
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import cli_page
import sudare
import vectors
from sudare import errors
from sudare.collector.http import openapi
from sudare.mechanisms import CONTINUAL, REGISTRY, SEVERAL, from_document
from support import pages
from support.node import node
from support.pages import PAGES, ROOT, blocks
from test_architecture import CHAIN

DOCS = ROOT / "docs"
_TESTS = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
LANGUAGES = {"console", "javascript", "json", "output", "python", "text"}


def _page_id(page: Path) -> str:
    return pages.name(page)


def _has_examples(page: Path) -> bool:
    return any(block.language in ("python", "console") for block in blocks(page))


every_page = pytest.mark.parametrize("page", PAGES, ids=_page_id)

# Whatever people read about the repository: pages, and what is said of results and speeds.
WRITTEN = [*PAGES, *sorted([*ROOT.glob("papers/*/*.md"), ROOT / "benchmarks" / "README.md"])]
SOURCES = sorted(
    path
    for folder in ("src", "tests", "examples", "papers", "benchmarks", "web/src", "web/test")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".ts", ".tsx"}
)


def _example_page(page: Path) -> Any:
    """A page whose examples are run; what starts Spark, where Spark has started already."""
    marks = [pytest.mark.xdist_group("spark")] if page.stem == "count-on-spark" else []
    return pytest.param(page, id=_page_id(page), marks=marks)


@pytest.mark.parametrize("page", [_example_page(page) for page in PAGES if _has_examples(page)])
def test_every_example_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    pages.run_page(page, tmp_path)


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=_page_id)
def test_every_block_is_run_or_is_not_an_example(page: Path) -> None:
    assert page.read_text("utf-8").count("```") == 2 * len(blocks(page))
    before = ""
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{pages.name(page)}:{block.line}"
        if block.language == "output":
            assert before == "python", f"{pages.name(page)}:{block.line}: output of what?"
        if block.language == "json":
            msgspec.json.decode(block.text)
        before = block.language


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert False\n```\n",
        "```python\nprint(1)\n```\n\n```output\n2\n```\n",
        "```console\n$ sudare --version\nsudare, version 0\n```\n",
        "```console\n$ sudare nothing\n```\n",
        "```console\n$ sudare nothing\n$ echo done\n```\n",
        "```console\n$ echo a b\na ... c\n```\n",
        "```console\nno command\n```\n",
        "```console\n$ echo a\n```\n",
        "```console\n$ echo a\n...\n```\n",
        "```python\nprint(1)\n```\n\n```output\n```\n",
        "```python\nprint(1)\n```\n\n```output\n...\n```\n",
    ],
)
def test_a_page_that_lies_is_caught(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(AssertionError):
        pages.run_page(page, tmp_path)


def test_the_commands_of_the_readme_work_as_they_stand(tmp_path: Path) -> None:
    """All of them, in one folder, in their order."""
    told = [block.text for block in blocks(ROOT / "README.md") if block.language == "sh"]
    session = "\n".join(text for text in told if "sudare " in text)
    assert session.count("sudare ") >= 14
    pages.run_commands(f"set -e\n{session}", tmp_path)
    made = {path.name for path in (tmp_path / "work").iterdir()}
    assert made >= {"tea.html", "words.arrow", "online.html"}


@every_page
def test_quoted_source_stands_in_its_file(page: Path) -> None:
    for block in blocks(page):
        if block.source is not None:
            source = (page.parent / block.source).read_text("utf-8")
            for part in block.text.strip("\n").split("\n...\n"):
                assert part in source, f"{pages.name(page)}:{block.line} is not in {block.source}"


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _links(page: Path) -> Iterator[str]:
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"\]\(([^)\s]+)\)", prose)


@pytest.mark.parametrize("page", WRITTEN, ids=_page_id)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for link in _links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{pages.name(page)} links to {link}"
        assert not anchor or anchor in _anchors(target), f"{pages.name(page)} links to {link}"


def test_every_page_is_reached_from_the_index() -> None:
    reached, to_read = set(), [DOCS / "README.md"]
    while to_read:
        page = to_read.pop()
        reached.add(page)
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in _links(page)}
        to_read += [target for target in targets & set(PAGES) if target not in reached]
    assert set(DOCS.glob("**/*.md")) <= reached


@cache
def _prose(path: Path) -> str:
    """A file as people read it: of Python comments and texts alone."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        return text
    kinds = {tokenize.COMMENT, tokenize.STRING}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(token.string for token in tokens if token.type in kinds)


def _exists(dotted: str) -> bool:
    """Whether a module, or something in one, has this name."""
    name, rest = dotted, list[str]()
    while name:
        try:
            found: Any = import_module(name)
        except ImportError:
            name, _, last = name.rpartition(".")
            rest.insert(0, last)
            continue
        for part in rest:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_every_name_in_the_package_is_there() -> None:
    """In pages, docstrings and comments. The changelog also says what was there before."""
    assert _exists("sudare.mechanisms.grr.GRR.calibrate")
    assert not _exists("sudare.planner.best_rappor")
    told = [path for path in (*WRITTEN, *SOURCES) if path.name != "CHANGELOG.md"]
    named = {
        (name, pages.name(path))
        for path in told
        for name in re.findall(r"(?<=`)sudare(?:\.\w+)+", _prose(path))
    }
    # Files, and fields of report files.
    others = {"sudare.db", "sudare.db.admin", "sudare.db.counted", "sudare.key", "sudare.seal"}
    assert len(named) > 50
    assert [each for each in sorted(named) if each[0] not in others and not _exists(each[0])] == []


# What a guide adds, and takes away again, is beside what is there of that kind.
ADDED = {"signs": "grr", "stars": "choice"}


def test_every_path_is_there() -> None:
    """In pages, docstrings and comments: those from the root on, and files of code by their end."""
    folders = ("src", "tests", "docs", "papers", "benchmarks", "examples", "web")
    skipped = {"node_modules", "__pycache__"}
    there = {
        path.as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if not skipped.intersection(path.parts)
    } | {(ROOT / folder).as_posix() for folder in folders}
    whole = re.compile(rf"(?<![\w./-])(?:{'|'.join(folders)})/[\w./-]*(?<![.-])")
    ending = re.compile(r"(?<=`)[\w./-]+\.(?:py|tsx?)(?=`)")
    gone = set()
    for path in (*WRITTEN, *SOURCES):
        text = _prose(path)
        named = set(whole.findall(text))
        if path in WRITTEN:
            named |= set(ending.findall(text))
        for name in named:
            known = name.rstrip("/")
            for new, model in ADDED.items():
                known = known.replace(new, model)
            if not any(each.endswith(f"/{known}") for each in there):
                gone.add((name, pages.name(path)))
    assert sorted(gone) == []


def test_every_test_that_is_named_is_there() -> None:
    named = {pair for page in WRITTEN for pair in _TESTS.findall(page.read_text("utf-8"))}
    assert len(named) > 20
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), f"{path}::{name}"


def test_every_extra_is_one_of_the_package() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {
        extra
        for path in (*WRITTEN, *SOURCES)
        for found in re.findall(r"pip install '(?:\.|sudare)\[([\w,]+)\]'", _prose(path))
        for extra in found.split(",")
    }
    assert named == package["optional-dependencies"].keys()


def test_every_target_of_make_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        target
        for path in (*WRITTEN, *SOURCES)
        for target in re.findall(
            r"(?:(?<=`)|^ *)make ([a-z]+)(?=`| +#|$)", _prose(path), re.MULTILINE
        )
    }
    assert len(named) > 5
    assert named <= targets


def _command_lines(path: Path) -> Iterator[str]:
    """Every command of Sudare that a file tells people to run, run by the tests or not."""
    text = re.sub(r"\\\n(?:> )?", " ", _prose(path))
    yield from re.findall(r"(?<=`)sudare [^`]+(?=`)", text)
    yield from re.findall(r"^(?:\w*\$ |> )? *(sudare [^|;&\n]+)", text, re.MULTILINE)


def _misses(line: str) -> bool:
    """Whether there is no such command, or none that takes these options."""
    known = dict(cli_page.commands())
    words = line.split()
    while tuple(words) not in known:
        words.pop()
    following = line.split()[len(words) :]
    if len(words) == 1 and following and following[0][0] not in "-[{":
        return True
    options = {
        option
        for path, command in known.items()
        if [*path[: len(words)]] == words
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    asked = set(re.findall(r"(?<=[ \[])--[\w-]+", line))
    return not asked <= options | {"--help", "--version"}


def test_every_command_that_is_told_exists_with_its_options() -> None:
    assert _misses("sudare nothing")
    assert _misses("sudare demo --mechanism grr")
    assert not _misses("sudare party … --ledger FILE")  # of its members
    told = {
        line for path in (*WRITTEN, *(ROOT / "src").rglob("*.py")) for line in _command_lines(path)
    }
    hashed = {"sudare string 1", "sudare seed <seed>"}
    assert len(told) > 250
    assert [line for line in sorted(told - hashed) if _misses(line)] == []


def test_the_command_line_page_is_what_the_commands_say() -> None:
    assert cli_page.PAGE.read_text("utf-8") == cli_page.text(), "run: python tests/cli_page.py"


def test_every_command_and_option_is_on_the_command_line_page() -> None:
    sections = re.split(r"^## ", cli_page.PAGE.read_text("utf-8"), flags=re.MULTILINE)
    by_title = {section.partition("\n")[0]: section for section in sections}
    for path, command in cli_page.commands():
        section = by_title[" ".join(path)]
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(f"`{spelling}`" in section for spelling in parameter.opts)
            else:
                assert parameter.make_metavar(click.Context(command)) in section


def test_every_public_name_is_on_the_python_page() -> None:
    text = (DOCS / "reference" / "python.md").read_text("utf-8")
    assert [name for name in sudare.__all__ if f"`{name}" not in text] == []


def test_every_module_on_the_python_page_has_what_is_said_of_it() -> None:
    text = (DOCS / "reference" / "python.md").read_text("utf-8")
    rows = re.findall(r"^\| (`sudare\..*?) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 15
    for modules, contents in rows:
        first, *more = re.findall(r"`([\w.]+)`", modules)
        homes = [
            first,
            *(name if "." in name else f"{first[: first.rindex('.')]}.{name}" for name in more),
        ]
        named = re.findall(r"`([A-Za-z_][\w.]*)", contents)
        owners = [f"{home}.{name}" for home in homes for name in named if name[0].isupper()]
        for name in named:
            assert any(_exists(f"{home}.{name}") for home in (*homes, *owners)), (modules, name)


def test_the_page_of_the_http_interface_has_every_request() -> None:
    text = (DOCS / "reference" / "http.md").read_text("utf-8")
    told = set(re.findall(r"`(GET|POST|PUT|DELETE) (/[\w./{}]*)", text))
    asked = {
        (method.upper(), path)
        for path, operations in openapi.document(truth=True)["paths"].items()
        for method in operations
    }
    assert told == asked


def test_every_error_is_on_the_errors_page() -> None:
    text = (DOCS / "reference" / "errors.md").read_text("utf-8")
    named = inspect.getmembers(errors, inspect.isclass)
    assert [name for name, _ in named if f"`{name}`" not in text] == []


def test_every_mechanism_has_its_page() -> None:
    written = {page.stem for page in (DOCS / "reference" / "mechanisms").glob("*.md")}
    assert written == REGISTRY.keys() - SEVERAL.keys() | {"several"}  # one page for all designs


def _golden(part: str) -> list[Any]:
    files = [ROOT / f"tests/golden/{name}.json" for name in sorted(REGISTRY)]
    return [entry for file in files for entry in msgspec.json.decode(file.read_bytes())[part]]


PORTS = {"oue": "unary", "sue": "unary", "set": "set_response"}  # else the mechanism's own name


def _port(names: dict[str, Any], document: dict[str, Any], words: Any, values: list[Any]) -> bytes:
    name = document["name"]
    if name == "rappor":
        return _rappor_port(names, document, words, values)
    if name in SEVERAL:
        return _several_port(names, document, words, values)
    parameters = {
        parameter: Fraction(value) if isinstance(value, str) else value
        for parameter, value in document.items()
        if parameter != "name"
    }
    people = {"streams" if name in CONTINUAL else "values": values}
    return bytes(names[PORTS.get(name, name)](words, **people, **parameters))


def _several_port(
    names: dict[str, Any], document: dict[str, Any], words: Any, values: list[Any]
) -> bytes:
    """The port of several questions, whose parts are ports."""
    if document["name"] == "joint":
        cells = [names["combination"](document["shape"], row) for row in values]
        return _port(names, document["table"], words, cells)
    parts = [
        (
            lambda words, values, part=part: _port(names, part, words, values),
            from_document(part).report_dtype.itemsize,
        )
        for part in document["parts"]
    ]
    port = names["sampled" if document["name"] == "sample" else "split"]
    return bytes(port(words, parts, values))


def _rappor_port(
    names: dict[str, Any], document: dict[str, Any], words: Any, values: list[Any]
) -> bytes:
    hashes, bits = document["hashes"], document["bits"]
    key = from_document(document).key

    def ones(person: int, cohort: int) -> list[int]:
        text = values[person]
        places = names["positions"](key, text, cohort, hashes, bits) if hashes else [text]
        assert len(set(places)) == max(1, hashes)
        return list(places)

    chances = (Fraction(document[name]) for name in ("f", "p", "q"))
    shape = (bits, hashes, document["cohorts"])
    made = names["rappor"](words, *shape, *chances, len(values), ones)
    assert isinstance(made, bytes)
    return made


def _bulk_values(document: dict[str, Any], people: int) -> list[Any]:
    if document["name"] in SEVERAL:
        sizes = [part["k"] for part in document.get("parts", [])] or document["shape"]
        return [[person % size for size in sizes] for person in range(people)]
    if document.get("hashes"):
        return list(vectors.bulk_texts(people))
    if "rounds" in document:
        rounds = range(1, document["rounds"] + 1)
        return [[person >> number % 8 & 1 for number in rounds] for person in range(people)]
    if "most" in document:
        k, sizes = document["k"], document["most"] + 1
        return [
            [int((answer - person) % k < person % sizes) for answer in range(k)]
            for person in range(people)
        ]
    if "steps" in document:
        return [person % (document["steps"] + 1) for person in range(people)]
    answers = document.get("k") or document["bits"]
    return [person % answers for person in range(people)]


def test_the_hashing_page_passes_the_golden_vectors(tmp_path: Path) -> None:
    names = pages.run_page(DOCS / "reference" / "hashing.md", tmp_path)
    cases = msgspec.json.decode((ROOT / "tests/golden/rappor.json").read_bytes())["hashing"]
    for case in cases:
        seed, step = (int(case[part], 16) for part in ("seed", "step"))
        assert names["digest"](case["key"], case["text"]) == (seed, step)
        for cohort, expected in zip(case["cohorts"], case["positions"], strict=True):
            shape = (case["hashes"], case["bits"])
            assert names["positions"](case["key"], case["text"], cohort, *shape) == expected


def test_the_javascript_on_the_hashing_page_passes_them_too() -> None:
    (block,) = [
        block.text
        for block in blocks(DOCS / "reference" / "hashing.md")
        if block.language == "javascript"
    ]
    check = """
const {hashing} = JSON.parse(require("fs").readFileSync(0, "utf8"));
(async () => {
  const found = [];
  for (const {key, text, cohorts, hashes, bits} of hashing)
    found.push(await Promise.all(cohorts.map((cohort) =>
      positions(Uint8Array.from(Buffer.from(key, "hex")), text, cohort, hashes, bits))));
  console.log(JSON.stringify(found));
})();
"""
    golden = (ROOT / "tests/golden/rappor.json").read_bytes()
    command = [node(), "-e", block + check]
    done = subprocess.run(command, input=golden, capture_output=True, check=True, timeout=300)
    expected = [case["positions"] for case in msgspec.json.decode(golden)["hashing"]]
    assert msgspec.json.decode(done.stdout) == expected


def test_the_port_on_the_randomness_page_passes_the_golden_vectors(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    for page in ("hashing", "randomness"):
        (tmp_path / page).mkdir()
        names |= pages.run_page(DOCS / "reference" / f"{page}.md", tmp_path / page)
    for case in _golden("cases"):
        words = iter([int(word, 16) for word in case["script"]])
        reports = _port(names, case["document"], words, case["values"])
        assert reports.hex() == case["reports"]
        assert list(words) == []
    for case in _golden("bulk"):
        values = _bulk_values(case["document"], case["people"])
        reports = _port(names, case["document"], names["seeded"](case["seed"]), values)
        assert names["hashlib"].sha256(reports).hexdigest() == case["sha256"]


def test_the_architecture_page_names_what_is_there() -> None:
    """Every path on it is a file or a folder of the repository; every step that of the chain."""
    page = (DOCS / "explanation" / "architecture.md").read_text("utf-8")
    parts = ("src", "web/src", "tests", "docs", "papers", "benchmarks")
    there = {
        f"{path}/" if path.is_dir() else f"{path}"
        for part in parts
        for path in ((ROOT / part), *(ROOT / part).rglob("*"))
    }
    named = {path for path in re.findall(r"`([\w./-]+)`", page) if "/" in path}
    assert len(named) > 80
    gone = [path for path in named if not any(known.endswith(f"/{path}") for known in there)]
    assert gone == []
    steps = re.findall(r"^\| (\d*) +\| `(\w+)(?:/|\.py)`", page, re.MULTILINE)
    chain: list[set[str]] = []
    for step, folder in steps:
        if step:
            assert int(step) == len(chain) + 1
            chain.append(set())
        chain[-1].add(folder)
    assert chain == CHAIN


def test_the_page_of_scale_is_made_of_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    scale = import_module("scale")
    figures = msgspec.json.decode(scale.RECORD.read_bytes())
    assert scale.page(figures) == scale.PAGE.read_text("utf-8")

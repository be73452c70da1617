"""The documentation tells the truth: its examples run, its links lead somewhere, it is complete."""

import inspect
import re
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import cli_page
import sudare
import vectors
from sudare import errors
from sudare.mechanisms import CONTINUAL, REGISTRY, from_document
from sudare.mechanisms.unary import Unary
from support import pages
from support.node import node
from support.pages import PAGES, ROOT, blocks
from test_architecture import CHAIN

DOCS = ROOT / "docs"
LANGUAGES = {"console", "javascript", "json", "output", "python", "text"}


def _page_id(page: Path) -> str:
    return pages.name(page)


def _has_examples(page: Path) -> bool:
    return any(block.language in ("python", "console") for block in blocks(page))


every_page = pytest.mark.parametrize("page", PAGES, ids=_page_id)


@pytest.mark.parametrize("page", [page for page in PAGES if _has_examples(page)], ids=_page_id)
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
    ],
)
def test_a_page_that_lies_is_caught(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(AssertionError):
        pages.run_page(page, tmp_path)


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


@every_page
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


def test_every_error_is_on_the_errors_page() -> None:
    text = (DOCS / "reference" / "errors.md").read_text("utf-8")
    named = inspect.getmembers(errors, inspect.isclass)
    assert [name for name, _ in named if f"`{name}`" not in text] == []


def test_every_mechanism_has_its_page() -> None:
    written = {page.stem for page in (DOCS / "reference" / "mechanisms").glob("*.md")}
    assert written == REGISTRY.keys()


def _golden(part: str) -> list[Any]:
    files = [ROOT / f"tests/golden/{name}.json" for name in sorted(REGISTRY)]
    return [entry for file in files for entry in msgspec.json.decode(file.read_bytes())[part]]


def _port(names: dict[str, Any], document: dict[str, Any], words: Any, values: list[Any]) -> bytes:
    parameters = {name: Fraction(value) for name, value in document.items() if name != "name"}
    if document["name"] == "rappor":
        return _rappor_port(names, document, words, values)
    if document["name"] in CONTINUAL:
        made = names[document["name"]](words, streams=values, **_whole(parameters))
        assert isinstance(made, bytes)
        return made
    k = document["k"]
    if issubclass(REGISTRY[document["name"]], Unary):
        port = names["unary"](words, k, parameters["p"], parameters["q"], values)
    else:
        port = names["grr"](words, k, parameters["keep"], values)
    assert isinstance(port, bytes)
    return port


def _whole(parameters: dict[str, Fraction]) -> dict[str, Fraction | int]:
    """Numbers of rounds as such: a probability is never whole."""
    return {
        name: int(value) if value.denominator == 1 else value for name, value in parameters.items()
    }


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
    if document.get("hashes"):
        return list(vectors.bulk_texts(people))
    if "rounds" in document:
        rounds = range(1, document["rounds"] + 1)
        return [[person >> number % 8 & 1 for number in rounds] for person in range(people)]
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

"""Mistakes that people make, and what they are told: each sentence was read aloud once."""

import gzip
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sudare import Collection
from sudare.mechanisms import REGISTRY
from support.absurd import leaves, sound_folder
from support.commands import refused, succeed
from support.workbooks import xlsx

TABLE = Path(__file__).parents[1] / "golden" / "mistakes.txt"
MISTAKES = {
    typed.removeprefix("$ sudare "): said
    for typed, said in (pair.split("\n") for pair in TABLE.read_text("utf-8").strip().split("\n\n"))
}
"""What is typed in a folder of sound files, and what is said."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder of sound files, some that aren't, and the words that stand for what differs."""
    with sound_folder(tmp_path_factory.mktemp("mistakes")) as (made, filled):
        spoil(made)
        for name in ("tea", "town", "words"):
            key = Collection.from_json((made / f"{name}.json").read_bytes()).key
            filled[f"<{name}>"] = f"{key[:12]}…"
        filled["<mechanisms>"] = ", ".join(REGISTRY)
        yield made, filled


def spoil(folder: Path) -> None:
    """Add files that are cut, empty, newer, packed, or made of others."""
    tea, reports = (folder / "tea.json").read_bytes(), (folder / "reports.arrow").read_bytes()
    (folder / "cut.json").write_bytes(tea[:-40])
    (folder / "cut.arrow").write_bytes(reports[:-40])
    (folder / "newer.json").write_bytes(tea.replace(b'"format": 1', b'"format": 2'))
    (folder / "tea.json.gz").write_bytes(gzip.compress(tea))
    (folder / "empty.json").write_bytes(b"")
    asked = '[[questions]]\nname = "{}"\nquestion = "?"\nanswers = ["a", "b"]\n'
    (folder / "one.toml").write_text(asked.format("tea"))
    (folder / "same.toml").write_text(asked.format("tea") * 2)
    wrong = asked.format("town").replace("answers", "answer")
    (folder / "typo.toml").write_text(asked.format("tea") + wrong)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "latin.txt").write_bytes("Grün\nSchwarz\n".encode("latin-1"))
    (folder / "spaced.csv").write_bytes(b"\xef\xbb\xbfid;Answer \r\n1;green\r\n")
    (folder / "twice.csv").write_bytes(b"answer,answer\ngreen,black\n")
    title, header = ("Teas of 2026", None), ("id", "answer")
    (folder / "titled.xlsx").write_bytes(xlsx([title, (), header, ("1", "green")]))
    (folder / "array.json").write_bytes(b'[\n  {"answer": "green"}\n]\n')
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    estimate = ("estimate", "tea.json", "total.json", "--plot", "tea.html", "--json")
    (folder / "shares.json").write_bytes(succeed(folder, *estimate).stdout)


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_a_sentence(typed: str, folder: tuple[Path, dict[str, str]]) -> None:
    """One sentence, exit code 2, nothing on stdout, and every file as it was."""
    made, filled = folder
    said = MISTAKES[typed]
    for word, meant in filled.items():
        said = said.replace(word, meant)
    words = [filled.get(word, word) for word in shlex.split(typed)]
    sentence = refused(made, *words)
    assert sentence == said


def test_every_command_has_a_mistake() -> None:
    """A new one is to be added to the table; of two, Click itself says all that can be wrong."""
    firsts = {words.split()[0] for words, _ in leaves()}
    assert firsts - {typed.split()[0] for typed in MISTAKES} == {"completion", "demo", "warm-up"}
    assert len(MISTAKES) >= 60

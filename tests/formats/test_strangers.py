"""Texts of strangers: what commands or can't be seen is made visible, and nothing else changes."""

import json
import sys
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.formats.strangers import (
    ISOLATE,
    ISOLATE_END,
    isolated,
    refuse_unseen,
    visible,
    visible_around_isolated,
    visible_json,
    visible_lines,
)
from support.strangers import TEXTS, commands

# Python's own reader: it lets half a letter pass, which no document of ours holds.
GOLDEN = json.loads((Path(__file__).parents[1] / "golden/visible.json").read_text("utf-8"))["texts"]
ANY = st.text(st.characters(exclude_categories=[]) | st.sampled_from("".join(TEXTS.values())))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["visible"])
def test_the_vectors_of_every_language(case: dict[str, str]) -> None:
    assert visible(case["text"]) == case["visible"]


def test_every_character() -> None:
    """No command is left; what changes without being one has no sign of its own."""
    changed = {chr(code) for code in range(sys.maxunicode + 1) if visible(chr(code)) != chr(code)}
    commanding = {chr(code) for code in range(sys.maxunicode + 1) if commands(chr(code))}
    assert commanding | {"\n"} <= changed
    assert {unicodedata.category(letter) for letter in changed - commanding - {"\n"}} <= {
        "Cf",
        "Cn",
    }
    assert all(visible(letter) == f"<U+{ord(letter):04X}>" for letter in changed)


@given(ANY)
def test_what_is_shown_is_one_harmless_line(text: str) -> None:
    shown = visible(text)
    assert commands(shown) == set()
    assert "\n" not in shown
    assert visible(shown) == shown
    assert commands(visible_lines(text)) == set()
    assert visible_lines(text).count("\n") == text.count("\n")


@given(st.lists(st.text() | st.sampled_from(list(TEXTS.values()))))
def test_json_means_the_same(texts: list[str]) -> None:
    document = msgspec.json.format(msgspec.json.encode(texts), indent=2).decode()
    shown = visible_json(document)
    assert commands(shown) == set()
    assert msgspec.json.decode(shown) == texts


@given(st.lists(st.tuples(st.booleans(), ANY)))
def test_isolates_come_in_pairs(parts: list[tuple[bool, str]]) -> None:
    text = "".join(isolated(part) if apart else part for apart, part in parts)
    shown = visible_around_isolated(text)
    assert commands(shown.replace(ISOLATE, "").replace(ISOLATE_END, "")) == set()
    depth = 0
    for letter in shown:
        depth += (letter == ISOLATE) - (letter == ISOLATE_END)
        assert depth in {0, 1}
    assert depth == 0


def test_what_is_refused_is_named() -> None:
    refuse_unseen("a name", "緑茶　和 שלום")
    with pytest.raises(ParameterError, match=r"^a name is one line .*, got U\+202E at position 3$"):
        refuse_unseen("a name", "tea\u202e")

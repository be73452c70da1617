"""Free text: alike on every keyboard, known by a digest, refused without being repeated."""

import hashlib
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import InvalidAnswer, ParameterError
from sudare.mechanisms.strings import DIGEST, LONGEST, Strings, digests, is_hashable

KEY = "00ff" * 16
TEXTS = Strings(KEY)
UNTOLD = "Zanzibar rooibos"


def specified(key: str, text: str) -> tuple[int, int]:
    """The digest as the page on hashing tells it."""
    encoded = unicodedata.normalize("NFC", text).encode()
    found = hashlib.sha256(b"sudare string 1\0" + bytes.fromhex(key) + encoded).digest()
    return int.from_bytes(found[:8], "little"), int.from_bytes(found[8:16], "little") | 1


def test_a_digest_never_changes() -> None:
    """SHA-256 of the whole is 09f695c270c2e743 24e29328a8f1e96c …, by ``sha256sum``."""
    (found,) = Strings("00" * 32).check(["tea"]).tolist()
    assert found == specified("00" * 32, "tea")
    assert tuple(f"{word:016x}" for word in found) == ("43e7c270c295f609", "6ce9f1a82893e225")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)))
def test_a_digest_is_the_specified_one(texts: list[str]) -> None:
    found = TEXTS.check(texts)
    assert found.dtype == DIGEST
    assert found.tolist() == [specified(KEY, text) for text in texts]


def test_texts_that_look_alike_are_alike() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert composed != decomposed
    one, other, plain = TEXTS.check([composed, decomposed, "cafe"]).tolist()
    assert one == other != plain
    assert TEXTS.check(["\u212b"]) == TEXTS.check(["\u00c5"])  # the ångström sign is the letter


@pytest.mark.parametrize("pair", [("Tea", "tea"), ("tea ", "tea"), ("ﬁ", "fi"), ("１", "1")])
def test_texts_that_differ_are_different(pair: tuple[str, str]) -> None:
    one, other = TEXTS.check(list(pair)).tolist()
    assert one != other


def test_each_key_has_its_own_digests() -> None:
    assert TEXTS.check(["tea"]) != Strings("00" * 32).check(["tea"])
    assert digests(KEY, [b"tea"]) == TEXTS.check(["tea"])


def test_repeated_texts_keep_their_places() -> None:
    texts = ["b", "a", "b", "c", "a"]
    assert TEXTS.check(texts).tolist() == [specified(KEY, text) for text in texts]
    assert TEXTS.check(np.array(texts)).tolist() == TEXTS.check(texts).tolist()
    assert TEXTS.check([]).tolist() == []


def test_digests_are_taken_as_they_are() -> None:
    known = TEXTS.check(["a", "b"])
    assert TEXTS.check(known) is known


WRONG: list[tuple[Any, str]] = [
    ("", "is not a text of 1 to 10000 bytes"),
    ("x" * (LONGEST + 1), "is not a text of 1 to 10000 bytes"),
    ("茶" * 3334, "is not a text of 1 to 10000 bytes"),
    (f"{UNTOLD} \ud800", "is not a text of 1 to 10000 bytes"),
    (None, "is not a text"),
    (7, "is not a text"),
    (UNTOLD.encode(), "is not a text"),
    ([UNTOLD], "is not a text"),
    ({UNTOLD: 1}, "is not a text"),
]


@pytest.mark.parametrize(("value", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_what_is_no_answer_is_refused_by_position_alone(value: Any, sentence: str) -> None:
    with pytest.raises(InvalidAnswer) as raised:
        TEXTS.check(["fine", "fine", value, "fine", value], 1000)
    assert str(raised.value) == f"the answer at position 1002 {sentence} (nothing was randomised)"
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


@pytest.mark.parametrize(
    ("text", "hashable"),
    [("", False), ("t", True), ("é" * 5000, True), ("é" * 5000 + "t", False), ("\ud800", False)],
    ids=["nothing", "a letter", "longest", "longer", "no Unicode"],
)
def test_a_text_that_can_be_hashed_is_known(text: str, hashable: bool) -> None:
    assert is_hashable(text) is hashable


def test_the_longest_text_is_accepted() -> None:
    assert TEXTS.check(["x" * LONGEST, "茶" * 3333]).size == 2


@pytest.mark.parametrize("values", [UNTOLD, UNTOLD.encode()])
def test_a_single_text_is_not_a_list_of_letters(values: Any) -> None:
    with pytest.raises(InvalidAnswer, match="must be a list of texts, got a single one") as raised:
        TEXTS.check(values)
    assert UNTOLD not in str(raised.value)


@pytest.mark.parametrize("values", [{UNTOLD}, [[UNTOLD, "a"], ["b", "c"]], 7, None])
def test_what_is_no_list_of_texts_is_refused(values: Any) -> None:
    with pytest.raises(InvalidAnswer, match=r"^the answer at position 0 is not a text"):
        TEXTS.check(values)


def test_texts_are_not_enumerated() -> None:
    assert TEXTS.size == 0
    with pytest.raises(ParameterError, match="texts can't be enumerated"):
        list(TEXTS)


def test_a_population_is_texts_or_digests_with_their_people() -> None:
    held, people = TEXTS.population({"a": 3, "b": 0})
    assert held.tolist() == TEXTS.check(["a", "b"]).tolist()
    assert people.tolist() == [3, 0]
    again, same = TEXTS.population((held, people))
    assert again is held
    assert same.tolist() == [3, 0]


@pytest.mark.parametrize("people", [[1], [1, 2, 3], [1, -1], [1.0, 2.0], [True, False], 3])
def test_a_population_of_no_whole_people_is_refused(people: Any) -> None:
    with pytest.raises(ParameterError, match="a whole number of people for each"):
        TEXTS.population((TEXTS.check(["a", "b"]), people))

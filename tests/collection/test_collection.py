"""Collections: one public document, one key, and errors that keep answers to themselves."""

import tracemalloc
from dataclasses import replace
from itertools import product
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, SUE, Collection, Seeded
from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MixedCollections,
    ParameterError,
    SudareError,
    TooFewReports,
)

TEA = Collection("tea", "Which tea?", ("green", "black", "oolong"), GRR(3, 0.5))


def document(**changes: Any) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(TEA.to_json()) | changes)


@given(
    texts=st.tuples(st.text(min_size=1, max_size=20), st.text(max_size=30)),
    answers=st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=6, unique=True),
    family=st.sampled_from([GRR, OUE, SUE]),
    epsilon=st.floats(0.1, 8),
    minimum=st.integers(1, 10**6),
)
def test_a_document_reads_back(
    texts: tuple[str, str],
    answers: list[str],
    family: type[GRR | OUE | SUE],
    epsilon: float,
    minimum: int,
) -> None:
    mechanism = family.calibrate(len(answers), epsilon)
    collection = Collection(*texts, tuple(answers), mechanism, minimum)
    again = Collection.from_json(collection.to_json())
    assert again == collection
    assert again.key == collection.key
    assert again.to_json() == collection.to_json()
    assert again.epsilon <= epsilon


def test_the_key_never_changes() -> None:
    assert TEA.key == "7e18c9189d7a2c3dc11c488d26a8058d821f04e0579d1d6701c753cc5bf4a8e1"


def test_each_part_is_in_the_key() -> None:
    others = [
        replace(TEA, name="chai"),
        replace(TEA, question="Which?"),
        replace(TEA, answers=("black", "green", "oolong")),
        replace(TEA, mechanism=GRR(3, 0.75)),
        replace(TEA, mechanism=OUE(3, 0.5, 0.25)),
        replace(TEA, minimum_reports=2),
    ]
    assert len({TEA.key, *(other.key for other in others)}) == 7


def test_the_key_does_not_depend_on_how_the_document_is_written() -> None:
    fields = msgspec.json.decode(TEA.to_json())
    turned = msgspec.json.encode(dict(reversed(fields.items())))
    assert Collection.from_json(turned).key == TEA.key
    assert Collection.from_json(document(epsilon=9.0)).key == TEA.key


def test_a_document_that_states_less_than_it_spends_is_refused() -> None:
    less = float(np.nextafter(TEA.epsilon, 0))
    for stated in (less, 0.1, 0, -1):
        with pytest.raises(InvalidDocument, match=f"states ε = .* give ε = {TEA.epsilon}"):
            Collection.from_json(document(epsilon=stated))
    assert Collection.from_json(document(epsilon=TEA.epsilon)) == TEA


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1},
        {"format": 2},
        {"sudare": "aggregate"},
        {"name": ""},
        {"name": None},
        {"answers": ["green", "black"]},
        {"answers": ["green", "black", "green"]},
        {"answers": ["green", "black", ""]},
        {"answers": ["green", "black", 3]},
        {"answers": "green"},
        {"minimum_reports": 0},
        {"minimum_reports": 1.5},
        {"epsilon": None},
        {"epsilon": "1"},
        {"mechanism": {}},
        {"mechanism": None},
        {"mechanism": {"name": "grr"}},
        {"mechanism": {"name": "GRR", "k": 3, "keep": "1/2"}},
        {"mechanism": {"name": ["grr"], "k": 3, "keep": "1/2"}},
        {"mechanism": {"name": "grr", "k": 3, "keep": "1/2", "q": "1/2"}},
        {"mechanism": {"name": "grr", "k": 3, "keep": 0.5}},
        {"mechanism": {"name": "grr", "k": 3, "keep": "1/3"}},
        {"mechanism": {"name": "grr", "k": True, "keep": "1/2"}},
        {"mechanism": {"name": "grr", "k": 2**40, "keep": "1/2"}},
        {"mechanism": {"name": "sudare.collection.document", "k": 3, "keep": "1/2"}},
    ],
    ids=repr,
)
def test_a_wrong_document_is_refused_with_a_sentence(changes: dict[str, Any]) -> None:
    with pytest.raises(SudareError):
        Collection.from_json(document(**changes))


@pytest.mark.parametrize("missing", [*msgspec.json.decode(TEA.to_json())])
def test_a_missing_field_is_refused(missing: str) -> None:
    fields = msgspec.json.decode(TEA.to_json())
    del fields[missing]
    with pytest.raises(InvalidDocument):
        Collection.from_json(msgspec.json.encode(fields))


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"[1]", b"\xff", TEA.to_json()[:-5]])
def test_what_is_no_collection_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidDocument, match="this is not a collection"):
        Collection.from_json(data)


def test_a_short_document_takes_little_memory() -> None:
    """Written out, 10^-1000000 fills half a megabyte; 10^-1000000000 would stop a device."""
    text = document(mechanism={"name": "grr", "k": 3, "keep": "1e-1000000"})
    tracemalloc.start()
    try:
        with pytest.raises(InvalidDocument, match="reduced binary fraction"):
            Collection.from_json(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_every_changed_byte_is_another_collection_or_none() -> None:
    text = TEA.to_json()
    for at, turned in product(range(len(text)), (1, 32, 128)):
        changed = text[:at] + bytes([text[at] ^ turned]) + text[at + 1 :]
        try:
            other = Collection.from_json(changed)
        except SudareError:
            continue
        # Changed layout, or a larger ε stated: the same; else a name that all can see.
        assert other.mechanism.epsilon <= msgspec.json.decode(changed)["epsilon"]
        assert other == TEA or other.key != TEA.key


def test_an_unknown_answer_is_refused_by_its_place_alone() -> None:
    for secret in ("a rare disease", "Green", "green "):
        with pytest.raises(InvalidAnswer, match="position 1 is not one of the 3 answers") as raised:
            TEA.randomize(["green", secret])
        assert secret not in str(raised.value)
        assert raised.value.__cause__ is None
        assert secret not in repr(raised.value)


def test_a_randomised_survey_reads_back() -> None:
    people = ["green"] * 600 + ["black"] * 300 + ["oolong"] * 100
    total = TEA.aggregate(TEA.randomize(people, Seeded(1)))
    assert total.key == TEA.key
    assert total + TEA.zero == total
    estimate = TEA.estimate(total)
    assert estimate.labels == TEA.answers
    assert estimate.values.sum() == pytest.approx(1)
    bare = TEA.mechanism.randomize(np.repeat([0, 1, 2], [600, 300, 100]), Seeded(1))
    assert TEA.mechanism.aggregate(bare).counts.tolist() == total.counts.tolist()


def test_things_of_different_collections_do_not_mix() -> None:
    other = replace(TEA, question="Which tea today?")
    with pytest.raises(MixedCollections, match="not to “tea”"):
        TEA.estimate(other.zero)
    with pytest.raises(MixedCollections):
        TEA.estimate(TEA.mechanism.zero)
    with pytest.raises(MixedCollections):
        _ = TEA.zero + other.zero


def test_nothing_is_released_below_the_minimum() -> None:
    careful = replace(TEA, minimum_reports=3)
    two = careful.aggregate(careful.randomize(["green", "black"], Seeded(1)))
    with pytest.raises(TooFewReports, match="there are 2 reports; “tea” releases nothing below 3"):
        careful.estimate(two)
    three = two + careful.aggregate(careful.randomize(["green"], Seeded(2)))
    assert careful.estimate(three).n == 3


def test_a_report_outside_the_range_is_refused() -> None:
    with pytest.raises(InvalidReport):
        TEA.aggregate(np.array([(3,)], TEA.report_dtype))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"answers": ("green", "black")}, "randomises 3 answers, the collection lists 2"),
        ({"answers": ("green", "black", "green")}, "same label"),
        ({"answers": ("green", "black", "")}, "at least one character"),
        ({"name": ""}, "at least one character"),
        ({"minimum_reports": 0}, "at least 1, got 0"),
    ],
)
def test_a_wrong_part_is_refused_with_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        replace(TEA, **changes)

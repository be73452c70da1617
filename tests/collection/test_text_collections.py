"""Collections with a permanent step, and those answered in people's own words."""

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from sudare import GRR, Collection, Rappor, Seeded
from sudare.errors import InvalidAnswer, InvalidDocument, ParameterError, TooFewReports

TEA = Collection("tea", "Which tea?", ("green", "black", "oolong"), GRR(3, 0.5))
WORDS = Collection("words", "Which word?", (), Rappor.calibrate(1.0, bits=32, cohorts=4), 10)
SITES = replace(TEA, mechanism=Rappor.calibrate(1.0, form="basic", bits=3))


def changed(collection: Collection, **changes: Any) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(collection.to_json()) | changes)


@pytest.mark.parametrize("collection", [WORDS, SITES])
def test_a_memoised_document_reads_back_with_its_lifetime(collection: Collection) -> None:
    stated = msgspec.json.decode(collection.to_json())
    assert 1 < stated["lifetime_epsilon"] <= 2
    again = Collection.from_json(collection.to_json())
    assert again == collection
    assert again.key == collection.key
    assert again.free_text == (collection is WORDS) == (stated["answers"] == [])


def test_a_lifetime_stated_too_small_is_refused() -> None:
    assert isinstance(WORDS.mechanism, Rappor)
    spent = WORDS.mechanism.lifetime_epsilon
    for stated in (float(np.nextafter(spent, 0)), 1.0, 0, -1):
        with pytest.raises(InvalidDocument, match=f"a lifetime ε = .* parameters give {spent}"):
            Collection.from_json(changed(WORDS, lifetime_epsilon=stated))
    for enough in (spent, 9.0, None):
        assert Collection.from_json(changed(WORDS, lifetime_epsilon=enough)) == WORDS


@pytest.mark.parametrize("mechanism", [GRR(3, 0.5), Rappor.calibrate(1.0, form="instant")])
def test_where_nothing_is_memoised_no_lifetime_is_stated(mechanism: Any) -> None:
    answers = ("a", "b", "c")[: mechanism.domain.size]
    collection = Collection("x", "?", answers, mechanism)
    assert "lifetime_epsilon" not in msgspec.json.decode(collection.to_json())
    with pytest.raises(InvalidDocument, match=r"a lifetime ε = 100.0, .* parameters give inf"):
        Collection.from_json(changed(collection, lifetime_epsilon=100.0))


def test_free_text_lists_no_answers() -> None:
    with pytest.raises(ParameterError, match="randomises 0 answers, the collection lists 1"):
        replace(WORDS, answers=("tea",))


def test_free_text_is_hashed_under_the_collections_own_key() -> None:
    other = replace(WORDS, question="Which word today?")
    assert WORDS.encode(["tea"]) != other.encode(["tea"])
    assert WORDS.encode(["tea"]) != WORDS.mechanism.domain.check(["tea"])
    assert WORDS.encode(["caf\u00e9"]) == WORDS.encode(["cafe\u0301"])


@pytest.mark.parametrize("first", [0, 1000])
def test_a_wrong_text_is_refused_by_its_place_among_all(first: int) -> None:
    with pytest.raises(InvalidAnswer, match=f"position {first + 1} is not a text of 1 to"):
        WORDS.encode(["tea", ""], first)
    with pytest.raises(InvalidAnswer, match=f"position {first + 1} is not one of the 3 answers"):
        SITES.encode(["green", "tea"], first)
    with pytest.raises(ParameterError, match="must be a list, got a single text"):
        WORDS.encode("tea")


def test_a_survey_in_free_text_counts_under_its_key() -> None:
    total = WORDS.aggregate(WORDS.randomize(["tea"] * 30 + ["mate"] * 10, Seeded(1)))
    assert (total.key, total.n, total.counts.shape) == (WORDS.key, 40, (4, 33))
    assert total.counts[:, 0].sum() == 40
    assert total + WORDS.zero == total
    released = WORDS.released(total)
    assert (released.key, released.counts.tolist()) == (WORDS.mechanism.key, total.counts.tolist())
    with pytest.raises(ParameterError, match="decode it with candidates"):
        WORDS.estimate(total)
    with pytest.raises(TooFewReports, match="there are 5 reports; “words”"):
        WORDS.released(WORDS.aggregate(WORDS.randomize(["tea"] * 5)))


def test_a_simulated_survey_is_of_those_people() -> None:
    """With hardly any noise: who is counted where is plain to see."""
    certain = Rappor.calibrate(60.0, form="basic one-time", bits=3)
    counted = replace(TEA, mechanism=certain).simulate({"oolong": 7, "green": 5}, Seeded(1))
    assert (counted.n, counted.counts.tolist()) == (12, [5, 0, 7])
    words = replace(WORDS, mechanism=Rappor(32, 1, 1, 2.0**-50, 0.0, 1.0))
    assert isinstance(words.mechanism, Rappor)
    told = words.simulate({"tea": 7, "mate": 5}, Seeded(1))
    assert told.key == words.key
    heard = words.aggregate(words.randomize(["tea"] * 7 + ["mate"] * 5))
    assert told == heard
    people: Any
    for people in (1.5, "1"):
        with pytest.raises(ParameterError, match="a number of people must be a whole number"):
            words.simulate({"tea": people}, Seeded(1))
    with pytest.raises(ParameterError):
        words.simulate({"tea": -1}, Seeded(1))

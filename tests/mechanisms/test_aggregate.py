"""Aggregates: sums that merge, and documents that read back."""

import hashlib

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Aggregate
from sudare.errors import InvalidDocument, MixedCollections, ParameterError, SudareError

KEY = GRR(3, 0.5).key
COUNTS = st.lists(st.integers(0, 2**62), min_size=1, max_size=5)


def sealed(**changes: object) -> bytes:
    """An aggregate's document with a digest that fits whatever it says."""
    body = msgspec.json.encode({"key": KEY, "n": 3, "shape": [3], "counts": [1, 1, 1], **changes})
    digest = hashlib.sha256(body).hexdigest()
    document = {"sudare": "aggregate", "aggregate": msgspec.Raw(body), "digest": digest}
    return msgspec.json.encode(document)


def test_a_sealed_document_is_the_real_one() -> None:
    assert sealed() == Aggregate(KEY, 3, np.array([1, 1, 1])).to_json()


@given(COUNTS, st.integers(0, 2**62))
def test_a_document_reads_back(counts: list[int], n: int) -> None:
    whole = Aggregate(KEY, n, np.array(counts))
    again = Aggregate.from_json(whole.to_json())
    assert again == whole
    assert again.counts.dtype == np.int64
    assert again.to_json() == whole.to_json()


def test_rows_of_counts_read_back() -> None:
    rows = Aggregate(KEY, 6, np.array([[1, 2], [3, 0]]))
    assert Aggregate.from_json(rows.to_json()) == rows


def test_the_document_is_stable() -> None:
    assert Aggregate("k", 2, np.array([2, 0])).to_json() == (
        b'{"sudare":"aggregate","aggregate":{"key":"k","n":2,"shape":[2],"counts":[2,0]},'
        b'"digest":"bae05096ef68930f881ec895c31b51ff30b0fa28fe3791fc58a6470f2eadb5a4"}'
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"sudare":"collection"}',
        sealed(extra=1),
        sealed(n="3"),
        sealed(n=1.5),
        sealed(counts="111"),
        sealed(counts=[1, None, 1]),
        sealed(counts=[1.5, 1, 1]),
        sealed(counts=[[1], [1, 1]]),
        sealed(shape=[2]),
        sealed(shape=[2, 2]),
        sealed(shape=[-3]),
        sealed(shape=[2**62, 2**62]),
        sealed(shape=[]),
        sealed(shape=[2**62, 0], counts=[]),
        sealed(shape=[0, 2**62, 2**62], counts=[]),
        sealed(shape=[1] * 100, counts=[1]),
        sealed(counts=[1, [1], 1]),
        sealed(counts=[2**63, 0, 0]),
        sealed(counts=[-(2**63) - 1, 0, 0]),
        sealed(n=-1),
        sealed(n=2**80),
        sealed(counts=[-1, 2, 2]),
        sealed(key=7),
        sealed().replace(b'"sudare":"aggregate",', b""),
    ],
)
def test_what_is_no_aggregate_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(InvalidDocument):
        Aggregate.from_json(data)


def test_a_changed_number_is_noticed() -> None:
    text = Aggregate(KEY, 3, np.array([1, 2, 3])).to_json()
    for old, new in ((b'"n":3', b'"n":4'), (b"[1,2,3]", b"[1,3,2]"), (KEY.encode(), b"0" * 64)):
        assert old in text
        with pytest.raises(InvalidDocument, match="digest differs"):
            Aggregate.from_json(text.replace(old, new))


def test_only_the_same_collection_adds_up() -> None:
    other = GRR(3, 0.75)
    with pytest.raises(MixedCollections, match=f"{KEY[:12]}… and {other.key[:12]}…"):
        _ = GRR(3, 0.5).zero + other.zero


def test_aggregates_compare_by_all_they_hold() -> None:
    one = Aggregate(KEY, 3, np.array([1, 2]))
    assert one == Aggregate(KEY, 3, np.array([1, 2]))
    assert one != Aggregate(KEY, 4, np.array([1, 2]))
    assert one != Aggregate(KEY, 3, np.array([2, 1]))
    assert one != Aggregate("k", 3, np.array([1, 2]))
    assert one != "an aggregate"
    with pytest.raises(TypeError):
        hash(one)


def test_a_mechanism_estimates_its_own_aggregates_only() -> None:
    with pytest.raises(MixedCollections, match="not to this grr"):
        GRR(3, 0.5).estimate(GRR(3, 0.75).zero)
    with pytest.raises(ParameterError, match="0 reports"):
        GRR(3, 0.5).estimate(GRR(3, 0.5).zero)


@pytest.mark.parametrize("mechanism", [GRR(3, 0.5), OUE(3, 0.5, 0.25)], ids=repr)
def test_counts_of_another_width_are_refused(mechanism: GRR | OUE) -> None:
    """A document names its key itself: its counts may still be of any width."""
    for counts in ([1, 1], [1, 1, 1, 1], [[1, 1, 1]]):
        with pytest.raises(SudareError):
            mechanism.estimate(Aggregate(mechanism.key, 3, np.array(counts)))

"""The local engine: a sum over chunks, whatever the chunks."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.chance.randomness import Seeded
from sudare.collection.document import Collection
from sudare.engines import local
from sudare.errors import InvalidReport
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records

K = 5
names = pytest.mark.parametrize("name", CATEGORICAL)
cuts = st.lists(st.integers(0, 200), max_size=6).map(sorted)


@names
@given(splits=cuts)
def test_a_mechanism_counts_chunks_as_it_counts_the_whole(name: str, splits: Sequence[int]) -> None:
    mechanism = CATEGORICAL[name].calibrate(K, 1.0)
    reports = mechanism.randomize(np.arange(200) % K, Seeded(1))
    total = local.aggregate(mechanism, np.split(reports, splits))
    assert total == mechanism.aggregate(reports)
    assert total.key == mechanism.key


@names
@given(splits=cuts)
def test_a_collection_counts_chunks_under_its_own_key(name: str, splits: Sequence[int]) -> None:
    mechanism = CATEGORICAL[name].calibrate(K, 1.0)
    survey = Collection("tea", "Which tea?", tuple("abcde"), mechanism)
    reports = survey.randomize(list("abcde" * 40), Seeded(1))
    total = local.aggregate(survey, np.split(reports, splits))
    assert total == survey.aggregate(reports)
    assert total.key == survey.key != mechanism.key
    assert total.counts.tolist() == mechanism.aggregate(reports).counts.tolist()


@names
def test_no_chunks_are_nobody(name: str) -> None:
    mechanism = CATEGORICAL[name].calibrate(K, 1.0)
    assert local.aggregate(mechanism, iter(())) == mechanism.zero


def test_chunks_are_taken_one_at_a_time() -> None:
    """In the memory of one: the next chunk is asked for when the last one is counted."""
    mechanism = CATEGORICAL["grr"].calibrate(K, 1.0)
    counted = []

    class Watched:
        zero = mechanism.zero

        def aggregate(self, reports: Records) -> Aggregate:
            counted.append(len(reports))
            return mechanism.aggregate(reports)

    def chunks() -> Iterator[Records]:
        for size in range(1, 5):
            assert counted == list(range(1, size))
            yield mechanism.randomize(np.zeros(size, np.int64), Seeded(size))

    assert local.aggregate(Watched(), chunks()).n == 1 + 2 + 3 + 4


def test_one_bad_report_spoils_the_sum() -> None:
    mechanism = CATEGORICAL["grr"].calibrate(K, 1.0)
    good = mechanism.randomize(np.zeros(3, np.int64), Seeded(1))
    bad = good.copy()
    bad["answer"][2] = K
    with pytest.raises(InvalidReport, match=f"position 2 says {K}"):
        local.aggregate(mechanism, [good, bad])

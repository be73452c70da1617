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


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_few_chunks_are_taken_ahead(workers: int) -> None:
    mechanism = CATEGORICAL["grr"].calibrate(K, 1.0)
    done: list[int] = []
    seen = []

    def chunks() -> Iterator[int]:
        for number in range(100):
            seen.append(number - len(done))
            yield number

    for task, result in local.in_order(lambda number: number * number, chunks(), workers):
        assert (task, result) == (len(done), len(done) ** 2)
        done.append(task)
    assert len(done) == 100
    assert max(seen) <= 3 * workers
    assert local.aggregate(mechanism, [], workers) == mechanism.zero


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_ends_what_has_not_begun(workers: int) -> None:
    began = []

    def work(number: int) -> int:
        began.append(number)
        if number == 3:
            raise InvalidReport("the fourth")
        return number

    with pytest.raises(InvalidReport, match="the fourth"):
        list(local.in_order(work, range(10_000), workers))
    assert len(began) <= 4 + 3 * workers


def test_one_bad_report_spoils_the_sum() -> None:
    mechanism = CATEGORICAL["grr"].calibrate(K, 1.0)
    good = mechanism.randomize(np.zeros(3, np.int64), Seeded(1))
    bad = good.copy()
    bad["answer"][2] = K
    with pytest.raises(InvalidReport, match=f"position 2 says {K}"):
        local.aggregate(mechanism, [good, bad])

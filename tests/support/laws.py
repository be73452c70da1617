"""The laws that every mechanism obeys.

A mechanism's test class inherits ``MechanismLaws`` and names its ``instances``, small enough
to enumerate, and ``large`` ones for its samplers. Each law is a function, so that
``test_mutants`` can show which one catches which bug.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.chance.exact import exact_law, log_up
from sudare.chance.randomness import Seeded
from sudare.errors import InvalidDocument, InvalidReport, SudareError
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms import from_document
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Mechanism
from support.chance import assert_follows, rejects
from support.compiled import NEVER, compiled_from
from support.enumeration import (
    aggregate_law,
    channel,
    population,
    random_values,
    records,
    simulated,
    support,
    true_shares,
    values,
)

EXACT = 1e-12  # what floats may lose on the way from exact fractions
ILL_TYPED: Sequence[Any] = (
    None,
    "x",
    [],
    1.5,
    True,
    -1,
    2**70,
    "1/3",
    "2/4",
    "0.5",
    "1/0",
    " 1/2",
    "2",
)
DRAWS = 10_000
PEOPLE = 500


def ratio_is_declared(mechanism: Mechanism) -> None:
    """Law 1: the enumerated worst ratio is the declared one, as fractions."""
    assert channel(mechanism).worst_ratio == mechanism.worst_ratio


def spends_at_most(mechanism: Mechanism, epsilon: float) -> None:
    """Law 1 for a calibrated mechanism: the stated and the enumerated ε are within the budget."""
    assert mechanism.epsilon <= epsilon
    assert log_up(channel(mechanism).worst_ratio) <= epsilon


def laws_sum_to_one(mechanism: Mechanism) -> None:
    """Law 2, first half: for each value, some report leaves, with probability 1."""
    for law in channel(mechanism).laws.values():
        assert sum(law.values()) == 1
        assert min(law.values()) > 0


def people_are_independent(mechanism: Mechanism) -> None:
    """Law 2, second half: the joint law of a batch of two is the product of their laws."""
    laws = channel(mechanism).laws
    every = values(mechanism)
    for a, b in ((every[0], every[-1]), (every[-1], every[0]), (every[1], every[1])):

        def batch(rng: Any, pair: tuple[Any, Any] = (a, b)) -> tuple[bytes, bytes]:
            reports = mechanism.randomize(pair, rng)
            each = len(reports) // 2
            return reports[:each].tobytes(), reports[each:].tobytes()

        expected = {(x, y): laws[a][x] * laws[b][y] for x, y in product(laws[a], laws[b])}
        assert exact_law(batch) == expected


def estimate_is_unbiased(mechanism: Mechanism, truth: Sequence[int]) -> None:
    """Law 3: the exact mean of the estimate is the truth, that of stderr² its variance."""
    shares = true_shares(mechanism, truth)
    law = aggregate_law(mechanism, population(mechanism, truth))
    chances = np.array([float(chance) for chance in law.values()])
    estimates = [
        mechanism.estimate(Aggregate(mechanism.key, sum(truth), np.array(counts))) for counts in law
    ]
    values = np.array([estimate.values for estimate in estimates])
    stated = np.array([estimate.stderr**2 for estimate in estimates])
    assert chances @ values == pytest.approx(shares, abs=EXACT * np.abs(values).max())
    variance = chances @ (values - shares) ** 2
    assert chances @ stated == pytest.approx(variance, rel=EXACT)


def aggregates_are_a_monoid(mechanism: Mechanism) -> None:
    """Law 4: ``aggregate(a ++ b) == aggregate(a) + aggregate(b)``; zero is neutral."""
    batches = st.lists(st.sampled_from(values(mechanism)), max_size=30)

    @given(batches, batches, batches, st.integers(0, 2**32))
    def adds(first: list[Any], second: list[Any], third: list[Any], seed: int) -> None:
        rng = Seeded(seed)
        a, b, c = (mechanism.randomize(batch, rng) for batch in (first, second, third))
        x, y, z = mechanism.aggregate(a), mechanism.aggregate(b), mechanism.aggregate(c)
        assert mechanism.aggregate(np.concatenate([a, b])) == x + y
        assert x + y == y + x
        assert (x + y) + z == x + (y + z)
        assert x + mechanism.zero == x

    adds()


def check_accepts_only_possible_reports(mechanism: Mechanism) -> None:
    """Law 5: with any one bit of a possible report turned, it is possible again or refused."""
    possible = support(mechanism)
    mechanism.aggregate(records(mechanism, sorted(possible)))
    for report in possible:
        for bit in range(8 * len(report)):
            turned = (int.from_bytes(report) ^ 1 << bit).to_bytes(len(report))
            if turned in possible:
                continue
            with pytest.raises(InvalidReport):
                mechanism.aggregate(records(mechanism, [report, turned]))


def simulate_follows_the_law(mechanism: Mechanism, wrong: Mechanism, seed: int) -> None:
    """Law 6, second half: ``simulate`` draws from the enumerated law of the aggregate.

    Fails by chance with probability at most 1e-9; the same draws must reject the law of a
    slightly ``wrong`` mechanism.
    """
    truth = [2, 1]
    rng = Seeded(seed)
    drawn = Counter(
        tuple(simulated(mechanism, truth, rng).counts.ravel().tolist()) for _ in range(DRAWS)
    )
    assert_follows(drawn, aggregate_law(mechanism, population(mechanism, truth)), DRAWS)
    assert rejects(drawn, aggregate_law(wrong, population(wrong, truth)), DRAWS)


def kernels_repeat_the_plain_path(mechanism: Mechanism, values: NDArray[Any], seed: int) -> None:
    """Law 6, first half: on one keystream, compiled and plain code give the same reports, counts.

    Both must also leave the stream at the same word.
    """
    outcomes = set()
    for size in (0, COMPILE_FROM, NEVER):
        rng = Seeded(seed)
        with compiled_from(size):
            reports = mechanism.randomize(values, rng)
            counts = mechanism.tally(reports)
        outcomes.add((reports.tobytes(), counts.tobytes(), rng.words(1).tobytes()))
    assert len(outcomes) == 1


def weights_add_up(mechanism: Mechanism, seed: int) -> None:
    """The sum of an answer's weights is the estimate of its people, Σ w(w - 1) its variance."""
    reports = mechanism.randomize(random_values(mechanism, PEOPLE, Seeded(seed)), Seeded(seed + 1))
    estimate = mechanism.estimate(mechanism.aggregate(reports))
    for answer in {0, 1, len(estimate.values) // 2, len(estimate.values) - 1}:
        weights = mechanism.weights(reports, answer)
        people, stderr = PEOPLE * estimate.values[answer], PEOPLE * estimate.stderr[answer]
        sums_to(weights, people)
        sums_to(weights * (weights - 1), stderr**2)
        assert (weights**2).sum() - stderr**2 == pytest.approx(people, abs=1e-9 * stderr**2)


def sums_to(terms: NDArray[np.float64], total: float) -> None:
    """The sum is the total but for rounding, which is relative to what is added and taken away."""
    assert terms.sum() == pytest.approx(total, rel=1e-9, abs=1e-9 * np.abs(terms).max())


class MechanismLaws:
    """The suite each mechanism's test class inherits."""

    instances: ClassVar[Sequence[Mechanism]]
    large: ClassVar[Sequence[Mechanism]]

    @abstractmethod
    def wrong(self, mechanism: Mechanism) -> Mechanism:
        """The same mechanism with parameters slightly off, for power checks."""

    def test_the_worst_ratio_is_the_enumerated_one(self, mechanism: Mechanism) -> None:
        ratio_is_declared(mechanism)
        assert mechanism.worst_ratio > 1
        assert mechanism.worst_ratio != channel(self.wrong(mechanism)).worst_ratio

    def test_laws_sum_to_one(self, mechanism: Mechanism) -> None:
        laws_sum_to_one(mechanism)

    def test_two_people_are_independent(self, mechanism: Mechanism) -> None:
        people_are_independent(mechanism)

    def test_the_estimate_is_unbiased_and_so_is_its_variance(self, mechanism: Mechanism) -> None:
        rest = [0] * (len(values(mechanism)) - 2)
        for truth in ([1, 1, *rest], [2, 0, *rest], [0, *rest, 3], [1, *rest, 2]):
            estimate_is_unbiased(mechanism, truth)

    def test_weights_add_up_to_the_estimate(self, mechanism: Mechanism, seed: int) -> None:
        weights_add_up(mechanism, seed)

    def test_weights_of_many_answers_add_up(self, large: Mechanism, seed: int) -> None:
        weights_add_up(large, seed)

    def test_aggregates_add_like_their_reports(self, mechanism: Mechanism) -> None:
        aggregates_are_a_monoid(mechanism)

    def test_the_document_reads_back(self, mechanism: Mechanism) -> None:
        document = mechanism.document()
        again = from_document(document)
        assert again == mechanism
        assert again.key == mechanism.key

    def test_a_changed_document_is_another_mechanism_or_none(self, mechanism: Mechanism) -> None:
        document = mechanism.document()
        changes: list[dict[str, Any]] = [{"name": "?"}, {"extra": 1}]
        for name in document:
            changes.extend({name: value} for value in ILL_TYPED)
            with pytest.raises(InvalidDocument):
                from_document({key: value for key, value in document.items() if key != name})
        for change in changes:
            with pytest.raises(SudareError):
                from_document(document | change)

    def test_every_changed_byte_of_an_aggregate_is_noticed(self, mechanism: Mechanism) -> None:
        reports = mechanism.randomize(random_values(mechanism, 20, Seeded(1)), Seeded(2))
        aggregate = mechanism.aggregate(reports)
        text = aggregate.to_json()
        assert Aggregate.from_json(text) == aggregate
        for at in range(len(text)):
            with pytest.raises(InvalidDocument):
                Aggregate.from_json(text[:at])
            for other in {0, 32, 48, 49, 101, 0xC3, 0xFF, text[at] ^ 1, text[at] ^ 32} - {text[at]}:
                with pytest.raises(InvalidDocument):
                    Aggregate.from_json(text[:at] + bytes([other]) + text[at + 1 :])

    def test_only_possible_reports_are_accepted(self, mechanism: Mechanism) -> None:
        check_accepts_only_possible_reports(mechanism)

    def test_records_of_another_shape_are_refused(self, mechanism: Mechanism) -> None:
        reports = mechanism.randomize(random_values(mechanism, 4, Seeded(1)), Seeded(2))
        other = np.zeros(4, [("other", "u2")])
        shapes: list[Any] = [other, reports.view(np.uint8), reports.reshape(2, -1)]
        for wrong in shapes:
            with pytest.raises(InvalidReport, match=f"reports of {mechanism.name}"):
                mechanism.aggregate(wrong)

    def test_simulate_follows_the_law_of_the_aggregate(
        self, mechanism: Mechanism, seed: int
    ) -> None:
        simulate_follows_the_law(mechanism, self.wrong(mechanism), seed)

    def test_kernels_repeat_the_plain_path(self, large: Mechanism) -> None:
        @given(count=st.integers(0, 3000), seed=st.integers(0, 2**32))
        def repeats(count: int, seed: int) -> None:
            values = random_values(large, count, Seeded(seed + 1))
            kernels_repeat_the_plain_path(large, values, seed)

        repeats()

    def test_kernels_repeat_the_plain_path_in_bulk(self, large: Mechanism, seed: int) -> None:
        people = COMPILE_FROM * 8 // max(8, large.report_dtype.itemsize) + 1000
        values = random_values(large, people, Seeded(seed + 1))
        kernels_repeat_the_plain_path(large, values, seed)

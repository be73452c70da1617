"""The laws that every mechanism obeys, on each of ours.

A mechanism's test class inherits ``MechanismLaws`` and names its ``instances``, small enough
to enumerate, and ``large`` ones for its samplers. The laws themselves are functions of the package
(``sudare.laws.mechanism_laws``), which ``sudare laws`` tries on mechanisms of others;
``test_mutants`` shows which one catches which bug.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.chance.randomness import Seeded
from sudare.errors import InvalidDocument, InvalidReport
from sudare.kernels import COMPILE_FROM
from sudare.laws.enumeration import channel, random_values, values
from sudare.laws.mechanism_laws import (
    DRAWS,
    EXACT,
    aggregates_add_up,
    aggregates_are_a_monoid,
    chance_is_asked_alike,
    check_accepts_only_possible_reports,
    costs_follow_from_the_ratio,
    devices_follow_the_law,
    document_reads_back,
    estimate_is_unbiased,
    evidence_is_unbiased,
    kernels_repeat_the_plain_path,
    laws_sum_to_one,
    people_are_independent,
    ratio_is_declared,
    reports_travel,
    simulate_follows_the_law,
    spends_at_most,
    unbiased_truths,
    weights_add_up,
    wrong_parameters_are_refused,
)
from sudare.mechanisms import from_document
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism

__all__ = [
    "DRAWS",
    "EXACT",
    "MechanismLaws",
    "check_accepts_only_possible_reports",
    "estimate_is_unbiased",
    "kernels_repeat_the_plain_path",
    "laws_sum_to_one",
    "people_are_independent",
    "ratio_is_declared",
    "simulate_follows_the_law",
    "spends_at_most",
    "sums_to",
    "weights_add_up",
]


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

    def test_what_is_told_of_the_cost_follows_from_it(self, mechanism: Mechanism) -> None:
        costs_follow_from_the_ratio(mechanism)

    def test_a_devices_first_report_has_the_same_law(self, mechanism: Mechanism) -> None:
        devices_follow_the_law(mechanism)

    def test_laws_sum_to_one(self, mechanism: Mechanism) -> None:
        laws_sum_to_one(mechanism)

    def test_two_people_are_independent(self, mechanism: Mechanism) -> None:
        people_are_independent(mechanism)

    def test_what_is_asked_of_chance_does_not_depend_on_the_value(
        self, mechanism: Mechanism, seed: int
    ) -> None:
        chance_is_asked_alike(mechanism, seed)

    def test_the_estimate_is_unbiased_and_so_is_its_variance(self, mechanism: Mechanism) -> None:
        for truth in unbiased_truths(mechanism):
            estimate_is_unbiased(mechanism, truth)
            if isinstance(mechanism, CategoricalMechanism):
                evidence_is_unbiased(mechanism, truth)

    def test_weights_add_up_to_the_estimate(self, mechanism: Mechanism, seed: int) -> None:
        weights_add_up(mechanism, seed)

    def test_weights_of_many_answers_add_up(self, large: Mechanism, seed: int) -> None:
        weights_add_up(large, seed)

    def test_aggregates_add_like_their_reports(self, mechanism: Mechanism) -> None:
        batches = st.lists(st.sampled_from(values(mechanism)), max_size=30)

        @given(st.tuples(batches, batches, batches), st.integers(0, 2**32))
        def adds(three: tuple[list[Any], list[Any], list[Any]], seed: int) -> None:
            aggregates_add_up(mechanism, three, seed)

        adds()
        aggregates_are_a_monoid(mechanism, 1)

    def test_the_document_reads_back(self, mechanism: Mechanism) -> None:
        document_reads_back(mechanism)
        assert from_document(mechanism.document()) == mechanism

    def test_a_changed_document_is_another_mechanism_or_none(self, mechanism: Mechanism) -> None:
        wrong_parameters_are_refused(mechanism)
        document = mechanism.document()
        names: tuple[Any, ...] = (None, "?", 1, [])
        for name in names:
            with pytest.raises(InvalidDocument):
                from_document(document | {"name": name})
        with pytest.raises(InvalidDocument):
            from_document({name: value for name, value in document.items() if name != "name"})

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

    def test_reports_survive_files(self, mechanism: Mechanism, seed: int) -> None:
        reports_travel(mechanism, seed)

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

"""Collections of states over time: what is encoded, what is released, and what is never told."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, Borappor, Collection, Glance, Harmony, KShot, Mechanism, Seeded, Streams
from sudare.errors import InvalidAnswer, InvalidDocument, ParameterError, TooFewReports
from sudare.estimation.rounds import StreamEstimate
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Groups
from sudare.questions.states import stream_question
from support.commands import UNTOLD

ONLINE = Collection("online", "Online?", ("no", "yes"), Glance(3, 0.75))
TEA = Collection("tea", "Which tea?", ("green", "black"), GRR(2, 0.75))
EVERY = [
    replace(ONLINE, mechanism=family.calibrate(3, 2.0))
    for family in (Glance, Harmony, Borappor, KShot)
]


def counted(*reports: tuple[int, int], collection: Collection = ONLINE) -> Aggregate:
    """An aggregate of so many reports of 0 and of 1 in each round."""
    counts = np.array(reports, np.int64)
    return Aggregate(collection.key, int(counts.sum()), counts)


@pytest.mark.parametrize("collection", EVERY, ids=lambda c: c.mechanism.name)
def test_a_document_reads_back(collection: Collection) -> None:
    again = Collection.from_json(collection.to_json())
    assert again == collection
    assert again.key == collection.key
    assert again.over_time
    assert not again.free_text


def test_the_key_never_changes() -> None:
    written = (
        '{"answers":["no","yes"],"format":1,"mechanism":{"keep":"3/4","name":"glance","rounds":3},'
        '"minimum_reports":1,"name":"online","question":"Online?","sudare":"collection"}'
    )
    assert ONLINE.key == hashlib.sha256(written.encode()).hexdigest()


def test_what_is_asked_once_is_not_over_time() -> None:
    assert not TEA.over_time
    with pytest.raises(ParameterError, match="“tea” asks for one answer, by grr: it has no rounds"):
        stream_question(TEA)


@pytest.mark.parametrize(
    "written",
    [
        [["no", "yes", "yes"], ["no", "no", "yes"]],
        [["0", "1", "1"], ["0", "no", "yes"]],
        [[0, 1, 1], [0, 0, 1]],
        [(False, True, True), (False, False, True)],
        np.array([[0, 1, 1], [0, 0, 1]], np.uint8),
        np.array([[0, 1, 1], [0, 0, 1]], np.int64),
        np.array([[0, 1, 1], [0, 0, 1]], bool),
        np.array([["no", "yes", "yes"], ["0", "0", "1"]]),
    ],
    ids=["labels", "texts", "numbers", "booleans", "bytes", "integers", "bits", "array of texts"],
)
def test_states_are_labels_or_numbers(written: Any) -> None:
    states = ONLINE.encode(written)
    assert states.dtype == np.uint8
    assert states.tolist() == [[0, 1, 1], [0, 0, 1]]


def test_nobody_has_no_states() -> None:
    assert ONLINE.encode([]).shape == (0, 3)


@pytest.mark.parametrize("answers", [("1", "0"), ("1", "2"), ("off", "0")])
def test_a_label_is_never_the_number_of_the_other_state(answers: tuple[str, str]) -> None:
    with pytest.raises(ParameterError, match="can't be the number of the other state"):
        replace(ONLINE, answers=answers)
    assert replace(TEA, answers=answers).encode(["0"] if "0" in answers else ["2"]) == [1]


@pytest.mark.parametrize(
    "mechanism",
    [Harmony.calibrate(4, 1.0), Borappor.calibrate(4, 1.0), KShot.calibrate(4, 4.0, shots=2)],
    ids=lambda mechanism: mechanism.name,
)
def test_an_invitation_to_one_report_is_not_asked_of_people_who_send_more(
    mechanism: Mechanism,
) -> None:
    with pytest.raises(ParameterError, match="one report in each window, and here a person sends"):
        replace(ONLINE, mechanism=mechanism, invited=True)
    assert replace(ONLINE, invited=True).invited


@pytest.mark.parametrize("answers", [("0", "1"), ("0", "on"), ("off", "1")])
def test_a_label_may_be_a_states_own_number(answers: tuple[str, str]) -> None:
    rows = [["0", "1", answers[1]], [0, 1, answers[0]]]
    assert replace(ONLINE, answers=answers).encode(rows).tolist() == [[0, 1, 1], [0, 1, 0]]


def test_simulated_people_have_as_many_rounds() -> None:
    groups = Streams(4).groups([[0, 1, 1, 0]], [5])
    with pytest.raises(ParameterError, match="a population of 3 rounds has streams of as many"):
        ONLINE.simulate(groups, Seeded(1))


@pytest.mark.parametrize(
    ("people", "counts"),
    [
        ([10**12, 1], [[10**12, 1]] * 3),
        ([2**62] * 4, [[2**62, 2**62]] * 3),
    ],
)
def test_populations_are_not_beyond_what_can_be_simulated(people: Any, counts: Any) -> None:
    streams = [[0, 1, 1]] * len(people)
    for make in (
        lambda: Streams(3).population(counts),
        lambda: Streams(3).groups(streams, people),
        lambda: Groups(np.array(streams, np.uint8), np.array(people)),
    ):
        with pytest.raises(ParameterError, match=r"at most 10\^12 people"):
            make()
    most = [[10**12, 0], [0, 10**12], [1, 10**12 - 1]]
    assert Streams(3).population(most).tolist() == most


@pytest.mark.parametrize(
    ("streams", "people"),
    [([[0, 1]], [1, 2]), ([0, 1], [1, 2]), ([[0, 1]], [-1]), ([[0, 1]], [0.5]), ([[0, 1]], 3)],
)
def test_groups_are_checked(streams: Any, people: Any) -> None:
    with pytest.raises(ParameterError):
        Groups(np.array(streams), np.array(people))
    with pytest.raises(InvalidAnswer, match="neither 0 nor 1"):
        Groups(np.array([[2]]), np.array([1]))


@pytest.mark.parametrize("rows", [[[0, 1, 0], [1]], [[]], [[], []]])
def test_rows_that_are_no_streams(rows: Any) -> None:
    with pytest.raises(InvalidAnswer, match="streams are rows of 3 states"):
        ONLINE.mechanism.randomize(rows)
    assert len(ONLINE.mechanism.randomize([])) == 0


def test_counts_that_are_not_their_reports_are_not_estimated() -> None:
    counts = np.array([[2**62, 2**62], [2**62, 2**62], [1, 0]], np.int64)  # 2^64 + 1
    for n, forged in (
        (1, counts),
        (5, counts[::-1] // 2**62),
        (1, np.array([[2, -1]] + [[0, 0]] * 2)),
    ):
        with pytest.raises(InvalidDocument, match=f"aren't those of {n} report"):
            ONLINE.estimate(Aggregate(ONLINE.key, n, forged))


@pytest.mark.parametrize("wrong", [UNTOLD, "Yes", " 1", "", 2, -1, 256, 1.0, None, [1], np.nan])
def test_an_unknown_state_is_refused_by_its_place_alone(wrong: object) -> None:
    rows: list[list[Any]] = [["no", "yes", 1], ["no", wrong, "yes"]]
    with pytest.raises(InvalidAnswer, match="position 11 and round 2 is none of the 2") as raised:
        ONLINE.encode(rows, first=10)
    assert UNTOLD not in repr(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.int16])
def test_an_unknown_state_of_an_array_is_refused_too(kind: type[Any]) -> None:
    states = np.zeros((5, 3), kind)
    states[4, 0] = 255 if kind is np.uint8 else 256  # as a byte that would be 0
    with pytest.raises(InvalidAnswer, match="position 14 and round 1 "):
        ONLINE.encode(states, first=10)
    with pytest.raises(InvalidAnswer):
        ONLINE.randomize(states)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["no", "yes", "no"], ["no", "yes"]], "position 1 has 2 states; “online” has 3 rounds"),
        ([["no"] * 3, ["no"] * 4], "position 1 has 4 states"),
        ([["no"] * 3, "yes"], "position 1 has 1 state;"),
        (["yes"], "position 0 has 1 state;"),
        ([1, 0, 1], "position 0 has 1 state;"),
        (np.zeros((2, 4), int), "position 0 has 4 states"),
        (np.zeros(3, int), "position 0 has 1 state;"),
        ([[]], "position 0 has 0 states"),
    ],
)
def test_a_row_of_another_length(rows: Any, told: str) -> None:
    with pytest.raises(InvalidAnswer, match=told):
        ONLINE.encode(rows)


def test_a_single_text_is_no_list() -> None:
    with pytest.raises(ParameterError, match="must be a list"):
        ONLINE.encode("yes")


@pytest.mark.parametrize("collection", EVERY, ids=lambda c: c.mechanism.name)
def test_labelled_streams_are_randomised_as_the_mechanism_does(collection: Collection) -> None:
    states = np.array([[0, 1, 1], [1, 0, 1]] * 50)
    labels = [[collection.answers[state] for state in row] for row in states]
    reports = collection.randomize(labels, Seeded(1))
    assert reports.tobytes() == collection.mechanism.randomize(states, Seeded(1)).tobytes()
    total = collection.aggregate(reports)
    assert total.key == collection.key
    estimate = collection.estimate(total)
    bare = collection.mechanism.estimate(collection.mechanism.aggregate(reports))
    assert isinstance(estimate, StreamEstimate)
    assert estimate.labels == ("1", "2", "3")
    assert estimate.values.tolist() == bare.values.tolist()


def test_each_round_is_released_by_its_own_reports() -> None:
    careful = replace(ONLINE, minimum_reports=10)
    total = counted((4, 5), (4, 6), (0, 0), collection=careful)
    estimate = careful.estimate(total)
    assert isinstance(estimate, StreamEstimate)
    assert estimate.rounds.tolist() == [2]
    assert estimate.reports.tolist() == [10]
    assert (estimate.n, estimate.planned) == (10, 3)
    assert careful.released(total).counts.tolist() == [[0, 0], [4, 6], [0, 0]]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=3, max_size=3),
    st.tuples(st.integers(0, 30), st.integers(0, 30)),
    st.integers(1, 40),
)
def test_what_was_released_of_a_round_never_changes_with_a_later_one(
    reports: list[tuple[int, int]], later: tuple[int, int], minimum: int
) -> None:
    careful = replace(ONLINE, minimum_reports=minimum)

    def told(*rounds: tuple[int, int]) -> dict[int, tuple[float, float, float]]:
        try:
            estimate = careful.estimate(counted(*rounds, collection=careful))
        except TooFewReports:
            return {}
        assert isinstance(estimate, StreamEstimate)
        band = estimate.simultaneous(0.9)
        return {
            int(number): (float(value), float(low), float(high))
            for number, value, low, high in zip(
                estimate.rounds, estimate.values, *band, strict=True
            )
        }

    before, after = told(*reports[:2], (0, 0)), told(*reports[:2], later)
    assert before == {number: value for number, value in after.items() if number < 3}
    released = {number + 1 for number, pair in enumerate(reports) if sum(pair) >= minimum}
    assert told(*reports).keys() == released


def test_nothing_is_released_below_the_minimum() -> None:
    careful = replace(ONLINE, minimum_reports=10)
    with pytest.raises(TooFewReports, match="there are 9 reports; “online” releases nothing below"):
        careful.estimate(counted((3, 0), (3, 0), (3, 0), collection=careful))
    with pytest.raises(TooFewReports, match=r"no round has more than 9 reports; .* below 10"):
        careful.estimate(counted((3, 6), (8, 0), (3, 0), collection=careful))


@pytest.mark.parametrize("shape", [(6,), (2, 3), (4, 2), (3, 2, 1), (0,)])
def test_an_aggregate_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidDocument, match="counts of shape"):
        ONLINE.estimate(Aggregate(ONLINE.key, 60, np.full(shape, 10, np.int64)))


@pytest.mark.parametrize("collection", EVERY, ids=lambda c: c.mechanism.name)
def test_a_population_is_simulated_from_its_table_or_its_groups(collection: Collection) -> None:
    table = [[60, 40], [50, 50], [10, 90]]
    groups = Streams(3).groups([[0, 0, 1], [1, 1, 1]], [60, 40])
    for truth in (table, np.array(table), groups):
        total = collection.simulate(truth, Seeded(1))
        assert total.key == collection.key
        assert total.counts.shape == (3, 2)
        bare = collection.mechanism.simulate(truth, Seeded(1))
        assert bare.counts.tolist() == total.counts.tolist()


def test_a_population_of_another_kind_is_refused() -> None:
    with pytest.raises(ParameterError, match="2 counts for each round"):
        ONLINE.simulate({"yes": 5, "no": 5}, Seeded(1))
    with pytest.raises(ParameterError, match="for each answer's label"):
        TEA.simulate([[5, 5]], Seeded(1))
    with pytest.raises(ParameterError, match="3 rows of 2 counts"):
        ONLINE.simulate([[5, 5]], Seeded(1))


def test_two_states_have_two_names() -> None:
    with pytest.raises(ParameterError, match="randomises 2 answers, the collection lists 3"):
        replace(ONLINE, answers=("a", "b", "c"))


def test_a_million_states_are_encoded_at_once() -> None:
    """By whole arrays: cell by cell this would take seconds."""
    states = np.arange(3_000_000).reshape(-1, 3) & 1
    assert np.array_equal(ONLINE.encode(states), states)

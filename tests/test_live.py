"""The live count: rounds that close, estimates that stay, reports that come late or twice."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enumeration import records
from sudare import GRR, Borappor, Collection, Device, Glance, Harmony, KShot, Seeded
from sudare.aggregate import Aggregate
from sudare.continual import ContinualMechanism
from sudare.errors import InvalidDocument, InvalidReport, MixedCollections, ParameterError
from sudare.live import LiveCount, Receipt, RoundEstimate, Withheld
from sudare.mechanism import Records
from sudare.sealed import seal, unseal

GLANCE = Glance.calibrate(5, 2.0)
MECHANISMS: list[ContinualMechanism] = [
    GLANCE,
    Harmony.calibrate(5, 2.0),
    Borappor.calibrate(5, 2.0),
    KShot.calibrate(5, 4.0, shots=2),
]
REPORTS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 1)), max_size=12)


def made(told: list[tuple[int, int]], mechanism: ContinualMechanism = GLANCE) -> Records:
    return np.array(told, mechanism.report_dtype)


def people(mechanism: ContinualMechanism, count: int, seed: int) -> Records:
    generator = Seeded(seed).generator()
    return mechanism.randomize(
        generator.integers(0, 2, (count, mechanism.rounds)), Seeded(seed + 1)
    )


# Closing


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_rounds_closed_one_by_one_are_the_whole_estimate(
    mechanism: ContinualMechanism, seed: int
) -> None:
    reports = people(mechanism, 200, seed)
    whole = mechanism.estimate(mechanism.aggregate(reports))
    live = LiveCount(mechanism)
    for number in range(1, 6):
        live.add(reports[reports["round"] == number])
        closed = live.close(number)
        assert isinstance(closed, RoundEstimate)
        at = number - 1
        assert closed.round == number
        assert closed.reports == whole.reports[at]
        assert (closed.value, closed.stderr) == (whole.values[at], whole.stderr[at])
        for ours, theirs in (
            (closed.interval(0.9), whole.interval(0.9)),
            (closed.simultaneous(0.9), whole.simultaneous(0.9)),
        ):
            assert ours == (theirs.low[at], theirs.high[at])
        assert closed.simultaneous()[0] < closed.interval()[0]
    assert live.estimates().rows() == whole.rows()
    assert live.aggregate == mechanism.aggregate(reports)


@given(before=REPORTS, later=st.lists(REPORTS, max_size=3), closing=st.integers(1, 5))
def test_nothing_that_comes_later_changes_an_estimate(
    before: list[tuple[int, int]], later: list[list[tuple[int, int]]], closing: int
) -> None:
    live = LiveCount(GLANCE)
    live.add(made(before))
    live.close(closing)
    final = [live.estimate(number) for number in range(1, closing + 1)]
    rows = live.estimates().rows()
    for reports in later:
        receipt = live.add(made(reports))
        late = sum(number <= closing for number, _ in reports)
        assert receipt == (len(reports) - late, late, 0)
        live.add(GLANCE.aggregate(made(reports)))
        assert [live.estimate(number) for number in range(1, closing + 1)] == final
        assert live.estimates().rows() == rows
        assert live.close(closing) == final[-1]


def test_a_round_in_which_nobody_reported_has_no_estimate() -> None:
    live = LiveCount(GLANCE)
    assert live.close(1) is None
    live.add(made([(3, 1), (3, 0)]))
    assert live.close(2) is None
    assert live.close(3) is not None
    assert [row["estimate"] is None for row in live.estimates().rows()] == [
        number != 3 for number in range(1, 6)
    ]


def test_nobody_at_all() -> None:
    live = LiveCount(GLANCE)
    live.close(5)
    estimates = live.estimates()
    assert estimates.values.size == 0
    assert all(row["estimate"] is None for row in estimates.rows())


def test_a_single_report_is_an_estimate_without_a_known_error() -> None:
    live = LiveCount(GLANCE)
    live.add(made([(1, 1)]))
    closed = live.close(1)
    assert isinstance(closed, RoundEstimate)
    assert closed.reports == 1
    assert closed.stderr == np.inf
    low, high = closed.interval()
    assert low < closed.value <= high + 1e-12


def test_closing_a_round_closes_all_before_it() -> None:
    live = LiveCount(GLANCE)
    live.add(made([(2, 1), (4, 1)]))
    assert live.close(4) is not None
    assert live.closed == 4
    assert live.estimate(2) is not None
    assert live.estimate(1) is None
    assert live.add(made([(1, 1), (4, 0), (5, 0)])) == (1, 2, 0)
    assert live.close(2) == live.estimate(2)  # again, and nothing opens
    assert live.closed == 4


def test_an_open_round_has_no_estimate_yet() -> None:
    live = LiveCount(GLANCE)
    live.add(made([(2, 1)]))
    live.close(1)
    with pytest.raises(ParameterError, match="round 2 is open, the last closed one is 1"):
        live.estimate(2)


@pytest.mark.parametrize("number", [0, 6, -1])
def test_rounds_are_the_planned_ones(number: int) -> None:
    for use in (LiveCount(GLANCE).close, LiveCount(GLANCE).estimate):
        with pytest.raises(ParameterError, match=f"rounds are numbered 1 to 5, got {number}"):
            use(number)


# Late, repeated, wrong


def name_of(number: int) -> bytes:
    return number.to_bytes(16)


def test_late_reports_are_said_and_summed() -> None:
    live = LiveCount(GLANCE)
    live.close(2)
    assert live.add(made([(1, 1), (2, 0), (3, 1)])) == Receipt(counted=1, late=2, repeated=0)
    assert live.add(made([(2, 1), (3, 0)]), [name_of(1), name_of(2)]) == (1, 1, 0)
    assert live.received == Receipt(counted=2, late=3, repeated=0)
    assert live.aggregate.n == 2


def test_a_report_sent_again_counts_once() -> None:
    live = LiveCount(GLANCE)
    batch, names = made([(1, 1), (2, 1), (1, 0)]), [name_of(1), name_of(1), name_of(2)]
    assert live.add(batch, names) == (3, 0, 0)  # an id is of a round
    assert live.add(batch, names) == (0, 0, 3)
    assert live.add(made([(1, 0)]), [name_of(1)]) == (0, 0, 1)  # with another bit
    assert live.add(made([(3, 1), (3, 1)]), [name_of(7), name_of(7)]) == (1, 0, 1)
    assert live.aggregate == GLANCE.aggregate(made([(1, 1), (2, 1), (1, 0), (3, 1)]))
    live.close(1)
    assert live.add(batch, names) == (0, 2, 1)
    assert live.received == (4, 2, 6)


def test_ids_are_forgotten_when_their_round_closes() -> None:
    live = LiveCount(GLANCE)
    live.add(made([(1, 1), (2, 1), (3, 0)]), [name_of(number) for number in range(3)])
    assert sorted(live._seen) == [1, 2, 3]
    live.close(2)
    assert sorted(live._seen) == [3]


def test_a_device_that_sends_twice_counts_once() -> None:
    collection = Collection("online", "Online?", ("no", "yes"), Borappor.calibrate(5, 2.0))
    assert isinstance(collection.mechanism, Borappor)
    live, device = LiveCount(collection.mechanism), Device.new()
    for number in range(1, 6):
        report = device.observe(collection, number, "yes")
        assert report is not None
        name = device.report_id(collection, number)
        assert live.add(report, [name]) == (1, 0, 0)
        assert live.add(report, [name]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("reports", "ids", "message"),
    [
        ([(1, 1), (6, 1)], None, "names round 6; rounds are numbered 1 to 5"),
        ([(1, 1), (0, 1)], None, "names round 0"),
        ([(1, 1), (2, 2)], None, "says 2; a bit is 0 or 1"),
        ([(1, 1), (2, 2)], [name_of(1), name_of(2)], "says 2; a bit is 0 or 1"),
        ([(1, 1)], [], "there are 0 ids for 1 reports"),
        ([(1, 1)], [b"short"], "the id at position 0 isn't 16 bytes"),
        ([(1, 1), (1, 0)], [name_of(1), "x" * 16], "the id at position 1 isn't 16 bytes"),
    ],
)
def test_one_wrong_report_refuses_them_all(reports: Any, ids: Any, message: str) -> None:
    live = LiveCount(GLANCE)
    before = live.to_json()
    with pytest.raises(InvalidReport, match=message):
        live.add(made(reports), ids)
    assert live.to_json() == before


def test_reports_of_another_mechanism_are_refused() -> None:
    with pytest.raises(InvalidReport, match="reports of glance are records of"):
        LiveCount(GLANCE).add(GRR(3, 0.5).randomize([0, 1]))
    with pytest.raises(ParameterError, match="a stream is counted, grr makes none"):
        LiveCount(GRR(3, 0.5))  # type: ignore[arg-type]


# Shards


@given(first=REPORTS, second=REPORTS, third=REPORTS)
def test_shards_are_merged_by_adding(
    first: list[tuple[int, int]], second: list[tuple[int, int]], third: list[tuple[int, int]]
) -> None:
    live, one = LiveCount(GLANCE), LiveCount(GLANCE)
    shards = [GLANCE.aggregate(made(part)) for part in (second, third)]
    live.add(made(first))
    live.add(shards[0] + shards[1])
    one.add(made(first + second + third))
    assert live.to_json() == one.to_json()


def test_a_shard_that_comes_late_is_late_in_its_closed_rounds() -> None:
    live = LiveCount(GLANCE)
    live.close(2)
    assert live.add(GLANCE.aggregate(made([(1, 1), (2, 0), (3, 0), (5, 1)]))) == (2, 2, 0)
    assert live.aggregate == GLANCE.aggregate(made([(3, 0), (5, 1)]))


def test_a_collections_shards_bear_its_key() -> None:
    collection = Collection("online", "Online?", ("no", "yes"), GLANCE)
    shard = collection.aggregate(made([(3, 1)]))
    assert LiveCount(GLANCE, collection.key).add(shard) == (1, 0, 0)
    with pytest.raises(MixedCollections, match="the aggregate belongs to"):
        LiveCount(GLANCE).add(shard)
    with pytest.raises(ParameterError, match="an aggregate has no single reports"):
        LiveCount(GLANCE, collection.key).add(shard, [name_of(1)])


# Saving


@given(before=REPORTS, after=REPORTS, closing=st.integers(0, 5), named=st.booleans())
def test_a_saved_count_goes_on_as_if_nothing_had_happened(
    before: list[tuple[int, int]], after: list[tuple[int, int]], closing: int, named: bool
) -> None:
    live = LiveCount(GLANCE)
    names = [name_of(number % 4) for number in range(12)] if named else None
    live.add(made(before), names and names[: len(before)])
    if closing:
        live.close(closing)
    again = LiveCount.from_json(live.to_json())
    assert again.to_json() == live.to_json()
    for one in (live, again):
        one.add(made(after), names and names[: len(after)])
    assert again.received == live.received
    assert again.close(5) == live.close(5)
    assert again.to_json() == live.to_json()


def test_a_count_is_o_of_the_rounds() -> None:
    """A hundred thousand reports make its document longer by their digits, and no more."""
    few, many = LiveCount(GLANCE), LiveCount(GLANCE)
    few.add(people(GLANCE, 10, 1))
    many.add(people(GLANCE, 100_000, 1))
    assert len(many.to_json()) < len(few.to_json()) + 5 * 11


def body_of(live: LiveCount, **changes: Any) -> bytes:
    return seal("live", {**unseal(live.to_json(), "live", dict, "it"), **changes})


def test_a_changed_body_is_the_real_one_unless_changed() -> None:
    live = filled()
    assert LiveCount.from_json(body_of(live)).to_json() == live.to_json()


def filled() -> LiveCount:
    live = LiveCount(GLANCE)
    live.add(made([(1, 1), (2, 1), (4, 0)]), [name_of(number) for number in range(3)])
    live.close(1)
    return live


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": GRR(3, 0.5).document()},
        {"mechanism": Glance.calibrate(6, 2.0).document()},
        {"mechanism": {}},
        {"closed": 6},
        {"minimum_reports": 0},
        {"minimum_reports": -1},
        # 2^64 + 3 reports, which 64 bits call 3
        {"counts": [[2**62, 2**62 + 1], [2**62, 2**62 + 1], [0, 0], [1, 0], [0, 0]]},
        {"closed": 2},  # ids of a closed round
        {"closed": -1},
        {"counted": 4},
        {"late": -1},
        {"counts": [[0, 1]] * 4},
        {"counts": [[0, 1], [0, 1], [0, 0], [1, 0], [1, 0]]},
        {"counts": [[0, 3], [0, 0], [0, 0], [0, 0], [0, 0]]},  # ids without reports
        {"counts": [[0, -1], [0, 1], [0, 0], [1, 0], [1, 0]]},
        {"ids": [[6, ""]]},
        {"ids": [[2, "QUJD"]]},
        {"ids": [[2, "not base64!"]]},
        {"ids": {"2": ""}},
        {"ids": [[2, "AAAAAAAAAAAAAAAAAAAAAA=="], [2, "AAAAAAAAAAAAAAAAAAAAAA=="]]},
        {"extra": 1},
    ],
)
def test_a_count_that_was_not_written_so_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((InvalidDocument, ParameterError)):
        LiveCount.from_json(body_of(filled(), **changes))


def test_a_changed_document_is_refused() -> None:
    document = filled().to_json()
    for at in range(0, len(document), 7):
        turned = bytearray(document)
        turned[at] ^= 1
        with pytest.raises(InvalidDocument):
            LiveCount.from_json(bytes(turned))


def test_records_of_bytes_are_those_of_numbers() -> None:
    """What this file's reports are."""
    assert made([(3, 1)]).tobytes() == records(GLANCE, [b"\x03\x01"]).tobytes()


# Too few


def test_a_round_of_too_few_is_withheld() -> None:
    collection = Collection("online", "Online?", ("no", "yes"), GLANCE, minimum_reports=3)
    live = LiveCount(collection)
    live.add(made([(1, 1), (1, 0), (3, 1), (3, 0), (3, 1)]))
    assert live.close(1) == Withheld(1, 2)
    assert live.close(2) is None
    enough = live.close(3)
    assert isinstance(enough, RoundEstimate)
    assert enough.reports == 3
    assert live.estimates().rounds.tolist() == [3]
    again = LiveCount.from_json(live.to_json())
    assert again.minimum_reports == 3
    assert again.estimate(1) == Withheld(1, 2)
    # The same of a bare mechanism that is told so, and of the collection's own estimate.
    assert LiveCount(GLANCE, collection.key, 3).to_json() == LiveCount(collection).to_json()
    rows = collection.estimate(live.aggregate).rows()  # type: ignore[attr-defined]  # of a stream
    assert live.estimates().rows() == rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GLANCE, None, 0), "minimum_reports must be at least 1, got 0"),
        ((Collection("a", "?", ("n", "y"), GLANCE), "key"), "“a” has a key and a minimum"),
        ((Collection("a", "?", ("n", "y"), GLANCE), None, 1), "“a” has a key and a minimum"),
        ((Collection("tea", "?", ("n", "y"), GRR(2, 0.75)),), "a stream is counted, grr makes"),
        ((None,), "a stream is counted, NoneType makes none"),
    ],
)
def test_what_is_no_stream_is_not_counted(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        LiveCount(*arguments)


# Threads


@pytest.mark.parametrize("named", [False, True])
def test_threads_may_add_while_others_close(named: bool) -> None:
    """What was released stays; all that was added is counted, late or repeated."""
    rounds, writers, batches = 200, 4, 150
    mechanism = Glance.calibrate(rounds, 2.0)
    live = LiveCount(mechanism)
    reports = np.array(
        [(number, number & 1) for number in range(1, rounds + 1)], mechanism.report_dtype
    )
    shard = mechanism.aggregate(reports)
    released, drifted = dict[int, Any](), list[int]()

    def write(first: int) -> None:
        for batch in range(batches):
            names = [name_of((first * batches + batch) * rounds + at) for at in range(rounds)]
            live.add(reports, names) if named else live.add(shard)

    def close() -> None:
        for number in range(1, rounds + 1):
            released[number] = live.close(number)
            drifted.append(LiveCount.from_json(live.to_json()).closed - number)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(writers + 1) as pool:
            tasks = [pool.submit(write, first) for first in range(writers)]
            for task in [*tasks, pool.submit(close)]:
                task.result()
    finally:
        sys.setswitchinterval(before)
    assert set(drifted) == {0}
    assert {number: live.estimate(number) for number in released} == released
    assert sum(live.received) == writers * batches * rounds
    assert live.aggregate.n == live.received.counted


# Forged sums


@pytest.mark.parametrize(
    ("n", "counts"),
    [
        (2, [[0, 1]] + [[0, 0]] * 4),
        (0, [[1, -1]] + [[0, 0]] * 4),
        (0, [[2**62, 2**62], [2**62, 2**62]] + [[0, 0]] * 3),  # 2^64, which 64 bits call 0
    ],
)
def test_a_shard_whose_counts_are_not_its_reports_is_refused(
    n: int, counts: list[list[int]]
) -> None:
    live = LiveCount(GLANCE)
    shard = Aggregate(GLANCE.key, n, np.array(counts, np.int64))
    with pytest.raises(InvalidDocument, match=f"aren't those of {n} reports"):
        live.add(shard)
    assert live.aggregate.n == 0


def test_a_count_never_wraps() -> None:
    live = LiveCount(GLANCE)
    shard = Aggregate(GLANCE.key, 2**62, np.array([[2**62, 0]] + [[0, 0]] * 4, np.int64))
    live.add(shard)
    before = live.to_json()
    with pytest.raises(InvalidReport, match="at most 9223372036854775807 reports"):
        live.add(shard)
    assert live.to_json() == before

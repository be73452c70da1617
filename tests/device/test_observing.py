"""Devices in real time: drawn in advance, each round told once, windows that cost."""

import gc
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, Borappor, Collection, Device, Glance, Harmony, KShot, Seeded
from sudare.device.device import SECRET_BYTES, Observer
from sudare.errors import (
    BudgetExceeded,
    InvalidAnswer,
    InvalidDocument,
    ParameterError,
    RoundPassed,
)
from sudare.formats.seals import seal
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger
from support.chance import assert_follows, rejects
from support.commands import UNTOLD
from support.enumeration import channel

ROUNDS = 6
MECHANISMS: list[ContinualMechanism] = [
    Glance.calibrate(ROUNDS, 1.0),
    Harmony.calibrate(ROUNDS, 1.0),
    Borappor.calibrate(ROUNDS, 1.0),
    KShot.calibrate(ROUNDS, 4.0, shots=3),
]
HERE = bytes(range(SECRET_BYTES))
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)


def stream_of(mechanism: ContinualMechanism) -> Collection:
    return Collection("online", "Is the device online?", ("no", "yes"), mechanism)


ALWAYS = stream_of(Borappor.calibrate(ROUNDS, 1.0))  # reports in every round
NOISELESS = stream_of(Glance(ROUNDS, 1 - 2.0**-53))  # and no chance to lie that a test would see


def transcript(observer: Observer, states: list[int], first: int = 1) -> Records:
    told = [observer.observe(first + at, state) for at, state in enumerate(states)]
    made = [report for report in told if report is not None]
    return np.concatenate([np.empty(0, observer.mechanism.report_dtype), *made])


def devices(count: int, seed: int) -> list[Device]:
    words = Seeded(seed).words(4 * count).tobytes()
    return [Device(words[at : at + 32]) for at in range(0, len(words), 32)]


# The law


@given(
    mechanism=st.sampled_from(MECHANISMS),
    secret=st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES),
    states=st.lists(st.integers(0, 1), min_size=ROUNDS, max_size=ROUNDS),
    window=st.integers(0, 3),
)
def test_a_device_says_what_the_mechanism_makes_of_the_whole_stream(
    mechanism: ContinualMechanism, secret: bytes, states: list[int], window: int
) -> None:
    """Bit for bit on the same keystream: so the enumerated law of transcripts is the device's."""
    device, collection = Device(secret), stream_of(mechanism)
    said = transcript(device.observer(collection), states, 1 + window * ROUNDS)
    drawn = device._derived(collection, b"stream", window.to_bytes(8))
    assert said.tobytes() == mechanism.randomize([states], drawn).tobytes()


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [(Glance(3, 0.75), Glance(3, 0.875)), (KShot(3, 2, 0, 0.75), KShot(3, 2, 0, 0.875))],
    ids=repr,
)
def test_many_devices_follow_the_law_of_transcripts(
    mechanism: ContinualMechanism, wrong: ContinualMechanism, seed: int
) -> None:
    people, states = 3000, (0, 1, 1)
    collection = stream_of(mechanism)
    said = Counter[Any](
        transcript(device.observer(collection), list(states)).tobytes()
        for device in devices(people, seed)
    )
    assert_follows(said, channel(mechanism).laws[states], people)
    assert rejects(said, channel(wrong).laws[states], people)


@every_mechanism
def test_a_report_only_depends_on_the_state_where_it_is_heard(
    mechanism: ContinualMechanism,
) -> None:
    collection = stream_of(mechanism)
    zeros, ones = (
        transcript(Device(HERE).observer(collection), [state] * ROUNDS) for state in (0, 1)
    )
    assert (zeros["round"] == ones["round"]).all()
    plan = Device(HERE).plan(collection, 0)
    assert ((zeros["bit"] ^ ones["bit"]) == plan.heard[0]).all()
    assert (zeros["bit"] == plan.noise[0]).all()


@every_mechanism
def test_a_device_that_starts_again_repeats_itself(mechanism: ContinualMechanism) -> None:
    collection, states = stream_of(mechanism), [0, 1, 1, 0, 1, 0]
    whole = transcript(Device(HERE).observer(collection), states)
    diary, pieces = Diary(), list[Records]()
    for number, state in enumerate(states, 1):
        diary = Diary.from_json(diary.to_json())  # off and on before each round
        report = Device(HERE, diary).observe(collection, number, state)
        pieces += [] if report is None else [report]
    assert np.concatenate(pieces).tobytes() == whole.tobytes()


def test_what_is_derived_never_changes() -> None:
    """A device that is updated must not draw again what it has already told."""
    plan = Device(HERE).plan(stream_of(KShot(100, 4, 0, 0.75)), 7)
    assert plan.rounds.tolist() == [[33, 45, 52, 87]]
    assert plan.noise.tolist() == [[0, 1, 1, 0]]
    assert Device(HERE).report_id(ALWAYS, 9).hex() == "a4492c4ece8d50bbdb86485153cb6602"


def test_states_are_numbers_or_labels() -> None:
    alike: list[tuple[Any, Any]] = [
        (0, "no"),
        (1, "yes"),
        (True, 1),
        (np.uint8(1), 1),
        (np.True_, 1),
    ]
    for one, other in alike:
        reports = [transcript(Device(HERE).observer(ALWAYS), [state] * 6) for state in (one, other)]
        assert reports[0].tobytes() == reports[1].tobytes()


# Each round once


def test_repeated_late_and_out_of_order_rounds_are_refused() -> None:
    device = Device(HERE)
    device.observe(ALWAYS, 2, 1)
    device.observe(ALWAYS, 5, 1)  # it was off for two rounds
    for number in (5, 4, 3, 2, 1):
        with pytest.raises(
            RoundPassed,
            match=rf"^round {number} can't be observed any more: round 5 was the last one \(",
        ):
            device.observe(ALWAYS, number, 0)
    assert device.observer(ALWAYS).last == 5
    assert device.observe(ALWAYS, 6, 0) is not None


def test_a_silent_round_is_passed_too() -> None:
    device = Device(HERE)
    silent = next(n for n in range(1, ROUNDS) if n != device.plan(NOISELESS, 0).rounds[0, 0])
    assert device.observe(NOISELESS, silent, 1) is None
    with pytest.raises(RoundPassed, match=f"round {silent} was the last one"):
        device.observe(NOISELESS, silent, 1)


def test_collections_are_passed_each_by_itself() -> None:
    device = Device(HERE)
    device.observe(ALWAYS, 5, 1)
    assert device.observer(NOISELESS).last == 0
    device.observe(NOISELESS, 1, 1)
    assert (device.observer(ALWAYS).last, device.observer(NOISELESS).last) == (5, 1)


def test_of_many_threads_one_tells_a_round() -> None:
    device, told = Device(HERE), list[Records | None]()
    start = threading.Barrier(16)

    def tell(state: int) -> None:
        start.wait()
        try:
            told.append(device.observe(ALWAYS, 1, state))
        except RoundPassed:
            told.append(None)

    threads = [threading.Thread(target=tell, args=(index % 2,)) for index in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 16
    assert sum(report is not None for report in told) == 1


class Crash(Exception):  # noqa: N818 - it is one
    """The device stops here."""


@pytest.mark.parametrize("saved", [True, False])
def test_a_crash_loses_a_report_at_most_and_repeats_none(saved: bool) -> None:
    kept = [Diary().to_json()]

    def save(document: bytes) -> None:
        if saved:
            kept.append(document)
        raise Crash

    device = Device(HERE, Diary(save=save))
    with pytest.raises(Crash):
        device.observe(ALWAYS, 3, 1)
    restarted = Device(HERE, Diary.from_json(kept[-1]))
    if saved:
        with pytest.raises(RoundPassed, match="round 3 was the last one"):
            restarted.observe(ALWAYS, 3, 0)
        assert restarted.diary.ledger.spent() == device_spent(1)
    else:
        assert restarted.observe(ALWAYS, 3, 0) is not None  # nothing had been told


def device_spent(windows: int) -> Any:
    return Ledger().charge(ALWAYS.key, ALWAYS.mechanism.epsilon, times=windows).spent()


def test_what_is_saved_is_there_before_the_report() -> None:
    documents = list[bytes]()
    device = Device(HERE, Diary(save=documents.append))
    for number in (1, 3, 8):
        assert device.observe(ALWAYS, number, 1) is not None
        assert Diary.from_json(documents[-1]).last(ALWAYS.key) == number
    assert len(documents) == 3
    assert documents[-1] == device.diary.to_json()


def test_a_diary_in_a_file_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "diary.json"
    first = Device(HERE, Diary.open(path, Ledger(cap=1.5)))
    first.observe(ALWAYS, 4, 1)
    first.diary.close()
    second = Device(HERE, Diary.open(path))
    with pytest.raises(RoundPassed, match="round 4 was the last one"):
        second.observe(ALWAYS, 4, 0)
    assert second.diary.ledger == first.diary.ledger
    assert second.diary.ledger.cap == 1.5
    second.diary.close()
    path.write_bytes(path.read_bytes()[:-1])
    for _ in range(2):  # one that can't be read is not held
        with pytest.raises(InvalidDocument):
            Diary.open(path)


def test_a_diary_is_open_once(tmp_path: Path) -> None:
    path, link = tmp_path / "diary.json", tmp_path / "other.json"
    link.symlink_to(path)
    first = Device(HERE, Diary.open(path))
    first.observe(ALWAYS, 1, 1)
    for name in (path, link):
        with pytest.raises(ParameterError, match=r"^the diary diary\.json is open already"):
            Diary.open(name)
    elsewhere = (
        "import sys, pathlib, sudare.privacy.diary as d; d.Diary.open(pathlib.Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", elsewhere, str(path)]
    refused = subprocess.run(command, capture_output=True, check=False)
    assert b"is open already, and can be only once" in refused.stderr
    first.diary.close()
    subprocess.run(command, check=True)  # and it is left to others when the process ends
    second = Device(HERE, Diary.open(link))
    assert second.observer(ALWAYS).last == 1
    with pytest.raises(ParameterError, match="the diary is closed"):
        first.observe(ALWAYS, 2, 1)
    with pytest.raises(ParameterError, match="the diary is closed"):
        first.diary.cap(1.0)
    second.observe(ALWAYS, 2, 1)
    first.diary.close()  # again: nothing happens
    with pytest.raises(ParameterError, match="is open already"):
        Diary.open(path)


def test_a_diary_that_is_forgotten_is_not_held(tmp_path: Path) -> None:
    diary = Diary.open(tmp_path / "diary.json")
    del diary
    gc.collect()
    Diary.open(tmp_path / "diary.json").close()


@pytest.mark.parametrize(
    "body",
    [
        {"ledger": {"cap": None, "delta_cap": None, "charges": []}},
        {"ledger": {"cap": None, "delta_cap": None, "charges": []}, "last": {"a": 0}},
        {"ledger": {"cap": None, "delta_cap": None, "charges": []}, "last": {"a": 2**53 + 1}},
        {"ledger": {"cap": None, "delta_cap": None, "charges": []}, "last": {}, "more": 1},
        {"ledger": {}, "last": {}},
    ],
)
def test_a_diary_that_was_not_written_so_is_refused(body: object) -> None:
    with pytest.raises(InvalidDocument):
        Diary.from_json(seal("diary", body))


# Windows


def test_rounds_are_counted_on_and_named_within_their_window() -> None:
    observer = Device(HERE).observer(ALWAYS)
    assert observer.window == 0
    for number, window, place in ((6, 0, 6), (7, 1, 1), (12, 1, 6), (13, 2, 1), (601, 100, 1)):
        report = observer.observe(number, 1)
        assert report is not None
        assert observer.window == observer.window_of(number) == window
        assert report["round"].tolist() == [place]


def test_each_window_has_a_plan_of_its_own(seed: int) -> None:
    """A Glance's rounds in two windows agree one time in six, in one window always."""
    people = devices(2000, seed)
    first, second = (
        [int(device.plan(NOISELESS, window).rounds[0, 0]) for device in people] for window in (0, 1)
    )
    same = sum(one == two for one, two in zip(first, second, strict=True))
    counts = {True: same, False: len(people) - same}
    assert_follows(counts, {True: 1 / 6, False: 5 / 6}, len(people))
    assert rejects(counts, {True: 1 / 4, False: 3 / 4}, len(people))


def test_each_window_costs_once_from_its_first_observation() -> None:
    observer = Device(HERE).observer(ALWAYS)
    assert observer.device.diary.ledger.spent().epsilon == 0
    for number, windows in ((1, 1), (2, 1), (6, 1), (7, 2), (12, 2), (31, 3)):
        observer.observe(number, 0)
        assert observer.device.diary.ledger.spent() == device_spent(windows)


def test_the_cap_ends_it_between_windows() -> None:
    device = Device(HERE, Diary(Ledger(cap=2.5)))
    for number in range(1, 13):
        assert device.observe(ALWAYS, number, 1) is not None
    with pytest.raises(BudgetExceeded, match=r"ε = 1 is asked for; 2 of 2\.5 is spent, 0\.5"):
        device.observe(ALWAYS, 13, 1)
    assert device.observer(ALWAYS).last == 12
    assert device.diary.ledger.spent() == device_spent(2)
    device.diary.cap(None)
    assert device.observe(ALWAYS, 13, 1) is not None


def test_all_collections_of_a_device_spend_from_one_ledger() -> None:
    device = Device(HERE, Diary(Ledger(cap=1.5)))
    device.observe(ALWAYS, 1, 1)
    with pytest.raises(BudgetExceeded):
        device.observe(stream_of(Harmony.calibrate(ROUNDS, 1.0)), 1, 1)


def test_a_lowered_cap_is_saved() -> None:
    documents = list[bytes]()
    diary = Diary(save=documents.append)
    diary.cap(0.5)
    assert Diary.from_json(documents[-1]).ledger.cap == 0.5


# Ids


def test_a_report_has_one_id_and_shares_it_with_no_other() -> None:
    here, there = Device(HERE), Device(bytes(SECRET_BYTES))
    every = [
        device.report_id(collection, number)
        for device in (here, there)
        for collection in (ALWAYS, NOISELESS)
        for number in range(1, 20)
    ]
    assert len(set(every)) == len(every)
    assert {len(name) for name in every} == {16}
    assert Device(HERE).report_id(ALWAYS, 3) == here.report_id(ALWAYS, 3)


# Refusals


@pytest.mark.parametrize(
    "state", [2, -1, "online", "", "2", "01", 1.0, 0.5, None, [1], 2**70, np.int8(-1), b"yes"]
)
def test_a_state_that_is_none_is_refused_unseen(state: Any) -> None:
    device = Device(HERE)
    with pytest.raises(InvalidAnswer) as caught:
        device.observe(ALWAYS, 3, state)
    assert str(caught.value) == (
        "a state of “online” is 0 or 1, or one of its two labels, got something else "
        "(nothing was sent)"
    )
    assert device.observer(ALWAYS).last == 0
    assert device.diary.ledger == Ledger()


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 1.5, "3", None])
def test_a_round_that_is_none_is_refused(number: Any) -> None:
    with pytest.raises(ParameterError, match="round"):
        Device(HERE).observe(ALWAYS, number, 1)


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 2**64, 1.5, "3", None])
def test_an_id_is_of_a_round(number: Any) -> None:
    with pytest.raises(ParameterError, match="round"):
        Device(HERE).report_id(ALWAYS, number)


@pytest.mark.parametrize("window", [-1, 2**64, 0.5, "3", None])
def test_a_plan_is_of_a_window(window: Any) -> None:
    with pytest.raises(ParameterError, match="window"):
        Device(HERE).plan(ALWAYS, window)


def test_numbers_of_arrays_are_numbers() -> None:
    device = Device(HERE)
    assert device.report_id(ALWAYS, np.int64(9)) == device.report_id(ALWAYS, 9)
    ours, theirs = (device.plan(ALWAYS, window) for window in (np.int64(2), 2))
    assert ours.noise.tolist() == theirs.noise.tolist()


def test_a_state_in_the_place_of_a_round_is_not_told() -> None:
    with pytest.raises(ParameterError) as caught:
        Device(HERE).observe(ALWAYS, "yes", 1)  # type: ignore[arg-type]
    assert str(caught.value) == "a round must be a whole number, got a str"


@pytest.mark.parametrize("answer", [[0] * ROUNDS, "yes", [UNTOLD] * ROUNDS])
def test_a_stream_is_not_reported_at_once(answer: Any) -> None:
    device = Device(HERE)
    with pytest.raises(ParameterError, match="“online” is observed over time: use observe"):
        device.report(ALWAYS, answer)
    assert device.diary.ledger == Ledger()


def test_a_plan_does_not_show_its_noise() -> None:
    assert repr(Device(HERE).plan(ALWAYS, 0)) == "Plans(of 1 devices, 6 reports each)"


def test_the_last_round_there_is() -> None:
    assert Device(HERE).observe(ALWAYS, 2**53, 1) is not None


def test_a_collection_of_single_answers_has_no_rounds() -> None:
    tea = Collection("tea", "Which tea?", ("green", "black"), GRR(2, 0.75))
    for use in (
        lambda: Device(HERE).observe(tea, 1, 0),
        lambda: Device(HERE).observer(tea),
        lambda: Device(HERE).plan(tea, 0),
    ):
        with pytest.raises(ParameterError, match="“tea” asks for one answer, by grr"):
            use()


def test_a_state_never_shows_in_an_error() -> None:
    """Whatever is wrong, the sentence is the same for both states."""

    def sentence(device: Device, number: int, state: str) -> str:
        with pytest.raises((RoundPassed, BudgetExceeded, ParameterError)) as caught:
            device.observe(ALWAYS, number, state)
        return str(caught.value)

    passed = Device(HERE)
    passed.observe(ALWAYS, 5, 1)
    poor = Device(HERE, Diary(Ledger(cap=0.5)))
    for device, number in ((passed, 5), (passed, 0), (poor, 1)):
        assert sentence(device, number, "no") == sentence(device, number, "yes")

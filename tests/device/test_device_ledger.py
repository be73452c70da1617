"""What single answers cost: noted before a report leaves, and never less than the law says."""

import math
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Borappor, Collection, Device, Ledger, Rappor
from sudare.collection.windows import Windows
from sudare.device.device import SECRET_BYTES
from sudare.errors import (
    BudgetExceeded,
    InvalidAnswer,
    InvalidDocument,
    ParameterError,
    RoundPassed,
)
from sudare.formats.seals import seal
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Kept
from support.commands import UNTOLD

HERE = bytes(range(SECRET_BYTES))
TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
DAILY = replace(TEA, windows=Windows(0, 86_400))
KEPT = Rappor(64, 1, 16, 0.5, 0.25, 0.75)
WORDS = Collection("words", "Which word?", (), KEPT)
DAILY_WORDS = replace(WORDS, windows=Windows(0, 86_400))


def spent(device: Device) -> Fraction:
    return device.diary.ledger.spent().epsilon


# Fresh noise


@pytest.mark.parametrize("family", [GRR, OUE])
def test_each_report_with_fresh_noise_costs_epsilon(family: type[GRR | OUE]) -> None:
    collection = Collection("tea", "Which tea?", ("green", "black"), family.calibrate(2, 1.0))
    device = Device(HERE)
    for reports in range(1, 6):
        device.report(collection, "black")
        assert device.diary.ledger == Ledger().charge(
            collection.key, collection.epsilon, times=reports
        )


def test_a_window_is_answered_once_and_in_order() -> None:
    device = Device(HERE)
    device.report(DAILY, "black", window=3)
    for again in (3, 2, 0):
        with pytest.raises(RoundPassed) as caught:
            device.report(DAILY, "green", window=again)
        assert str(caught.value) == (
            f"window {again} can't be answered any more: window 3 was the last one, and each is "
            f"answered once (nothing was sent)"
        )
    assert spent(device) == Fraction(DAILY.epsilon)
    device.report(DAILY, "green", window=4)
    assert device.diary.ledger == Ledger().charge(DAILY.key, DAILY.epsilon, window=3, times=2)


def test_window_0_is_answered_once_too() -> None:
    device = Device(HERE)
    device.report(DAILY, "black", window=0)
    with pytest.raises(RoundPassed, match="window 0 was the last one"):
        device.report(DAILY, "black", window=0)


def test_the_clock_says_which_window_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(HERE)
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: 86_400 * 7 + 5.5)
    device.report(DAILY, "black")
    with pytest.raises(RoundPassed, match="window 7 was the last one"):
        device.report(DAILY, "black", window=7)
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: -1.0)
    with pytest.raises(ParameterError, match="“tea” opens 1 window from now"):
        Device(HERE).report(DAILY, "black")
    with pytest.raises(ParameterError, match="“tea” opens 1 window from now"):
        Device(HERE).report(DAILY, "black", window=0)


@pytest.mark.parametrize("now", [0.0, 86_399.5])
def test_the_first_window_is_open_from_its_first_moment(
    monkeypatch: pytest.MonkeyPatch, now: float
) -> None:
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: now)
    device = Device(HERE)
    device.report(DAILY, "black")
    with pytest.raises(RoundPassed, match="window 0 was the last one"):
        device.report(DAILY, "black")


@pytest.mark.parametrize("window", [8, 2**53 - 1, 2**53])
def test_a_window_to_come_is_refused_and_ends_no_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: 86_400 * 7 + 5.5)
    diary = Diary.open(tmp_path / "diary.json")
    with pytest.raises(ParameterError, match=f"{window}") as caught:
        Device(HERE, diary).report(DAILY, "black", window=window)
    assert "black" not in str(caught.value)
    assert (diary.ledger, diary.last(DAILY.key)) == (Ledger(), 0)
    Device(HERE, diary).report(DAILY, "black", window=7)
    diary.close()
    assert Diary.open(tmp_path / "diary.json").last(DAILY.key) == 8


def test_a_round_to_come_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    timed = Collection(
        "online", "Online?", ("no", "yes"), Borappor.calibrate(6, 1.0), windows=Windows(0, 360)
    )
    device = Device(HERE)
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: 360 * 2 + 60.5)
    for number in (15, 2**53):
        with pytest.raises(ParameterError, match=f"round {number} of “online” hasn't begun: by"):
            device.observe(timed, number, "yes")
    assert device.diary.ledger == Ledger()
    device.observe(timed, 14, "yes")
    assert device.diary.last(timed.key) == 14


@pytest.mark.parametrize("window", [2**53, 2**60])
def test_a_diary_that_could_not_be_read_again_is_never_saved(tmp_path: Path, window: int) -> None:
    """Whoever asks: a file that can't be opened would be the end of the device."""
    path = tmp_path / "diary.json"
    diary = Diary.open(path)
    diary.note_answer("a", 3, lambda ledger: ledger.charge("a", 1.0, window=3))
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="the diary can't hold this: "):
        diary.note_answer("a", window, lambda ledger: ledger.charge("a", 1.0, window=5))
    with pytest.raises(ParameterError, match="the diary can't hold this: "):
        diary.note("a", window + 1, 1.0, 7)
    assert path.read_bytes() == before
    assert diary.last("a") == 4
    diary.close()
    assert Diary.open(path).ledger == Ledger().charge("a", 1.0, window=3)


def test_the_last_window_there_is(tmp_path: Path) -> None:
    diary = Diary.open(tmp_path / "diary.json")
    last = 2**53 - 1
    diary.note_answer("a", last, lambda ledger: ledger.charge("a", 1.0, window=last))
    diary.close()
    assert Diary.open(tmp_path / "diary.json").last("a") == 2**53
    for window, times in ((2**53, 1), (last, 2), (1, 2**53)):
        with pytest.raises(ParameterError, match=r"2\^53 - 1"):
            Ledger().charge("a", 1.0, window=window, times=times)


@pytest.mark.parametrize("window", [1, -1, "0", 2**54])
def test_a_collection_without_windows_has_window_0(window: Any) -> None:
    device = Device(HERE)
    device.report(TEA, "black", window=0)
    with pytest.raises(ParameterError, match="window"):
        device.report(TEA, "black", window=window)
    assert spent(device) == Fraction(TEA.epsilon)


# Kept noise


def test_reports_of_one_answer_cost_what_the_mechanism_says() -> None:
    device = Device(HERE)
    for reports in range(1, 30):
        device.report(WORDS, "tea")
        assert spent(device) == Fraction(KEPT.epsilon_of(reports))
    assert spent(device) < 29 * Fraction(KEPT.epsilon)


def test_no_number_of_reports_costs_more_than_the_lifetime() -> None:
    device = Device(HERE)
    known = device._digest(WORDS, b"ledger", WORDS.encode(["tea"]).tobytes())[:16].hex()
    ledger = Ledger().keep(WORDS.key, known, 10**6, KEPT.epsilon_of(10**6))
    device = Device(HERE, Diary(ledger))
    device.report(WORDS, "tea")
    assert spent(device) == Fraction(KEPT.lifetime_epsilon)
    assert device.diary.ledger.reports_of(WORDS.key, known) == 10**6 + 1


def test_another_answer_is_paid_for_by_itself() -> None:
    device = Device(HERE)
    for answer in ("tea", "maté", "tea", "maté", "tea"):
        device.report(WORDS, answer)
    assert spent(device) == Fraction(KEPT.epsilon_of(3)) + Fraction(KEPT.epsilon_of(2))
    assert device.diary.ledger.rows()[0]["reports"] == 5


def test_one_text_in_two_spellings_is_paid_for_as_one() -> None:
    device = Device(HERE)
    device.report(WORDS, "caf\u00e9")
    device.report(WORDS, "cafe\u0301")
    assert spent(device) == Fraction(KEPT.epsilon_of(2))


def test_kept_noise_in_windows_is_paid_for_as_kept_and_told_once_in_each() -> None:
    device = Device(HERE)
    for window in (0, 1, 5):
        device.report(DAILY_WORDS, "tea", window=window)
    assert spent(device) == Fraction(KEPT.epsilon_of(3))
    with pytest.raises(RoundPassed, match="window 5 was the last one"):
        device.report(DAILY_WORDS, "maté", window=5)
    assert spent(device) == Fraction(KEPT.epsilon_of(3))


def test_the_diary_knows_no_answer_and_nothing_that_another_device_would_write() -> None:
    here, there = Device(HERE), Device(bytes(SECRET_BYTES))
    for device in (here, there):
        device.report(WORDS, UNTOLD)
        assert UNTOLD.encode() not in device.diary.to_json()
        assert WORDS.encode([UNTOLD]).tobytes().hex().encode() not in device.diary.to_json()
    (one,), (other,) = here.diary.ledger.kept, there.diary.ledger.kept
    assert one.answer != other.answer
    assert UNTOLD not in repr(here.diary.ledger)


def test_it_is_remembered_over_a_restart() -> None:
    device = Device(HERE)
    for reports in range(1, 5):
        device = Device(HERE, Diary.from_json(device.diary.to_json()))
        device.report(WORDS, "tea")
        assert spent(device) == Fraction(KEPT.epsilon_of(reports))


# Caps


@pytest.mark.parametrize("collection", [TEA, WORDS], ids=["fresh", "kept"])
def test_the_cap_ends_it_with_what_is_spent_asked_and_left(collection: Collection) -> None:
    device = Device(HERE, Diary(Ledger(cap=1.5 * collection.epsilon)))
    first = device.report(collection, "black")
    answers = ["green"] if collection is TEA else ["green", "maté"]
    for answer in answers:
        with pytest.raises(
            BudgetExceeded,
            match=r"^ε = [\d.]+ is asked for; [\d.]+ of [\d.]+ is spent, [\d.]+ is left \(nothing",
        ):
            device.report(collection, answer)
    assert spent(device) == Fraction(collection.epsilon)
    assert len(first) == 1


def test_a_collection_has_a_cap_of_its_own() -> None:
    other = replace(TEA, name="other")
    device = Device(HERE, Diary(Ledger(cap=10.0, collection_cap=2.0)))
    for collection in (TEA, other):
        for _ in range(2):
            device.report(collection, "black")
        with pytest.raises(BudgetExceeded, match=r"2 of 2\.0 is spent on this collection, .* left"):
            device.report(collection, "black")
    device.diary.cap_collections(None)
    device.report(TEA, "black")
    device.diary.cap(4.0)
    with pytest.raises(BudgetExceeded, match=r"of 4\.0 is spent, 0 is left"):
        device.report(TEA, "black")


def test_a_refused_report_leaves_no_trace() -> None:
    documents = list[bytes]()
    device = Device(HERE, Diary(Ledger(cap=0.5), save=documents.append))
    for collection, answer, error in (
        (TEA, "black", BudgetExceeded),
        (DAILY, "black", BudgetExceeded),
        (WORDS, "tea", BudgetExceeded),
        (TEA, UNTOLD, InvalidAnswer),
        (WORDS, "", InvalidAnswer),
    ):
        with pytest.raises(error) as caught:
            device.report(collection, answer)
        assert UNTOLD not in str(caught.value)
    assert documents == []
    assert device.diary.ledger == Ledger(cap=0.5)


# Before it leaves


class Crash(Exception):  # noqa: N818 - it is one
    """The device stops here."""


@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize("collection", [TEA, WORDS, DAILY], ids=["fresh", "kept", "windows"])
def test_a_crash_charges_too_much_at_most(collection: Collection, saved: bool) -> None:
    kept = [Diary().to_json()]

    def save(document: bytes) -> None:
        if saved:
            kept.append(document)
        raise Crash

    with pytest.raises(Crash):
        Device(HERE, Diary(save=save)).report(collection, "black")
    charged = Diary.from_json(kept[-1]).ledger.spent().epsilon
    assert charged == (Fraction(collection.epsilon) if saved else 0)


def test_of_many_threads_one_answers_a_window() -> None:
    device, told = Device(HERE), list[bool]()
    start = threading.Barrier(16)

    def tell() -> None:
        start.wait()
        try:
            device.report(DAILY, "black", window=0)
            told.append(True)
        except RoundPassed:
            told.append(False)

    threads = [threading.Thread(target=tell) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [False] * 15 + [True]


# The ledger of kept answers


@given(st.integers(1, 30))
def test_keeping_n_times_once_is_once_n_times(times: int) -> None:
    one_by_one = Ledger()
    for reports in range(1, times + 1):
        one_by_one = one_by_one.keep("a", "x", reports, KEPT.epsilon_of(reports))
    assert one_by_one == Ledger().keep("a", "x", times, KEPT.epsilon_of(times))
    assert one_by_one.spent().epsilon == Fraction(KEPT.epsilon_of(times))
    assert one_by_one.keep("a", "x", times, KEPT.epsilon_of(times)) is one_by_one


@given(st.permutations([("a", "x"), ("a", "y"), ("b", "x"), ("c", "z")]))
def test_kept_answers_are_the_same_in_any_order(lines: list[tuple[str, str]]) -> None:
    ledger = Ledger(7.5, collection_cap=5.0)
    for key, answer in lines:
        ledger = ledger.keep(key, answer, 2, 1.5)
    assert [kept.order for kept in ledger.kept] == sorted(lines)
    assert Ledger.from_json(ledger.to_json()) == ledger
    assert ledger.spent("a").epsilon == 3
    assert ledger.left == Fraction(3, 2)


def test_more_reports_never_cost_less() -> None:
    ledger = Ledger().keep("a", "x", 2, 1.5)
    with pytest.raises(ParameterError, match=r"3 reports are said to cost ε = 1\.0, less than"):
        ledger.keep("a", "x", 3, 1.0)
    assert ledger.keep("a", "x", 3, 1.5).spent().epsilon == Fraction(3, 2)


def test_a_ledger_of_before_reads_back_and_is_written_as_before() -> None:
    line = {"key": "a", "epsilon": 1.0, "delta": 0.0, "window": None, "times": 1}
    written = seal("ledger", {"cap": 3.0, "delta_cap": None, "charges": [line]})
    assert Ledger.from_json(written) == Ledger(3.0).charge("a", 1.0)
    again = msgspec.json.decode(Ledger(3.0).charge("a", 1.0).to_json())
    assert again["body"] == msgspec.json.decode(written)["body"]


@pytest.mark.parametrize(
    "kept",
    [
        [{"key": "a", "answer": "x", "reports": 0, "epsilon": 1.0}],
        [{"key": "a", "answer": "", "reports": 1, "epsilon": 1.0}],
        [{"key": "a", "answer": "x", "reports": 1, "epsilon": -1.0}],
        [{"key": "a", "answer": "x", "reports": 1, "epsilon": 1.0}] * 2,
        [{"key": k, "answer": "x", "reports": 1, "epsilon": 1.0} for k in ("b", "a")],
    ],
)
def test_kept_answers_that_were_not_written_so_are_refused(kept: Any) -> None:
    with pytest.raises((InvalidDocument, ParameterError)):
        Ledger.from_json(
            seal("ledger", {"cap": None, "delta_cap": None, "charges": [], "kept": kept})
        )


@pytest.mark.parametrize("cap", [-1.0, math.inf, math.nan])
def test_a_collections_cap_is_a_number(cap: float) -> None:
    with pytest.raises(ParameterError, match="a cap must be at least 0 and finite"):
        Ledger(collection_cap=cap)


def test_a_kept_answer_is_named() -> None:
    with pytest.raises(ParameterError, match="names its collection's key"):
        Kept("", "x", 1, 1.0)

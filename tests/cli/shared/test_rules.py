"""Windows, what is kept and invitations, as `sudare collection` writes and shows them."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sudare import Collection
from sudare.collection.windows import Windows, current_start, seconds_of
from support.commands import refused, succeed, tea

DAY = 86_400


def _made(folder: Path, *options: object) -> Collection:
    return Collection.from_json((folder / tea(folder, *options)).read_bytes())


def test_what_is_not_asked_for_is_not_stated(tmp_path: Path) -> None:
    plain = _made(tmp_path)
    assert (plain.windows, plain.keeps_reports, plain.invited) == (None, False, False)
    shown = succeed(tmp_path, "collection", "show", "tea.json").out
    for words in ("one, without end", "sums alone", "anybody"):
        assert words in shown
    checked = succeed(tmp_path, "collection", "check", "tea.json").out
    assert "window" not in checked


def test_rules_are_written_shown_and_checked(tmp_path: Path) -> None:
    start = ("--window", "1d", "--start", "2030-01-31T08:00")
    made = _made(tmp_path, *start, "--keep-reports", "--invited")
    opens = int(datetime(2030, 1, 31, 8, tzinfo=UTC).timestamp())
    assert made.windows == Windows(opens, DAY)
    assert (made.keeps_reports, made.invited) == (True, True)
    shown = succeed(tmp_path, "collection", "show", "tea.json").out
    for words in ("1d each, the first from 2030-01-31 08:00:00 UTC", "every report", "invited"):
        assert words in shown
    checked = succeed(tmp_path, "collection", "check", "tea.json").out
    for words in ("windows: 1d each", "every report is kept", "by invitation"):
        assert words in checked
    document = succeed(tmp_path, "collection", "show", "tea.json", "--json").json()
    assert document["windows"] == {"start": opens, "seconds": DAY}


def test_a_start_may_say_its_zone(tmp_path: Path) -> None:
    made = _made(tmp_path, "--window", "15m", "--start", "2030-01-31T08:00+09:00")
    assert made.windows == Windows(int(datetime(2030, 1, 30, 23, tzinfo=UTC).timestamp()), 900)


@pytest.mark.parametrize("length", ["90s", "15m", "1h", "7h", "1d", "7d"])
def test_windows_begin_with_the_day_unless_said_otherwise(tmp_path: Path, length: str) -> None:
    before = time.time()
    windows = _made(tmp_path, "--window", length).windows
    after = time.time()
    assert windows is not None
    assert windows.seconds == seconds_of(length)
    assert current_start(before, windows.seconds) <= windows.start <= after
    assert windows.start % DAY % windows.seconds == 0


@pytest.mark.parametrize("text", ["", "0s", "-1d", "1.5h", "1w", "1D", "d", "１d", "9999999999s"])
def test_other_lengths_are_refused(tmp_path: Path, text: str) -> None:
    assert f"such as 15m or 1d; got {text!r}" in _refused(tmp_path, "--window", text)


def test_other_starts_are_refused(tmp_path: Path) -> None:
    for start, sentence in [
        ("noon", "--start is a date and a time such as 2030-01-31T08:00, got 'noon'"),
        ("2030-01-31T08:00:00.5", "--start is a whole second"),
        ("1969-12-31T00:00", "a window's start must be between 0 and 2^53"),
    ]:
        assert sentence in _refused(tmp_path, "--window", "1d", "--start", start)
    assert "--start belongs to --window" in _refused(tmp_path, "--start", "2030-01-01")
    rounds = _refused(tmp_path, "--window", "100s", "--rounds", 7, answers=("no", "yes"))
    assert "a whole number of seconds for each, got 100 seconds" in rounds


def _refused(folder: Path, *options: object, answers: tuple[str, ...] = ("a", "b")) -> str:
    labels = [part for answer in answers for part in ("--answer", answer)]
    question = ("collection", "new", "x", "--question", "?", *labels, "--epsilon", 1)
    return refused(folder, *question, *options, "-o", "x.json")

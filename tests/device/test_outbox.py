"""The outbox: nothing is lost, nothing gets a second name, whatever breaks and whenever."""

import os
import secrets
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sudare import GRR, Collection
from sudare.collection.windows import Windows
from sudare.device.collector_client import CollectorClient
from sudare.device.delivery import LONGEST_PAUSE, pause_after
from sudare.device.outbox import Aside, Delivery, Outbox, Waiting
from sudare.device.participant import Participant
from sudare.errors import InvalidDocument, ParameterError
from support.scripted_collector import DROP, LOSE, TAKE, Say, Scripted, serving

TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
DAILY = replace(TEA, windows=Windows(0, 86_400))
BUSY = Say(503, headers={"Retry-After": "0"})


def waiting(address: str, collection: Collection = TEA, window: int = 0, **more: Any) -> Waiting:
    fields = {"round": 0, "record": b"\1", **more}
    return Waiting(secrets.token_bytes(16), address, collection.key, window, **fields)


def filled(path: Path, *reports: Waiting) -> Outbox:
    outbox = Outbox(path / "outbox.db")
    for report in reports:
        outbox.put(report)
    return outbox


def send(outbox: Outbox, scripted: Scripted, **options: Any) -> Delivery:
    with CollectorClient(scripted.address) as collector:
        return outbox.send(collector, **{"pause": lambda _: None, **options})


# Keeping


def test_what_is_put_is_there_after_a_restart(tmp_path: Path) -> None:
    reports = [waiting("http://a", window=window, invitation="x") for window in (3, 1, 2)]
    filled(tmp_path, *reports).close()
    again = Outbox(tmp_path / "outbox.db")
    assert again.waiting() == reports
    assert again.refusals() == []
    with pytest.raises(ParameterError, match="a report of this id waits already"):
        again.put(reports[0])
    assert again.waiting() == reports


def test_it_is_its_owners_alone(tmp_path: Path) -> None:
    filled(tmp_path, waiting("http://a"))
    assert stat.S_IMODE((tmp_path / "outbox.db").stat().st_mode) == 0o600


def test_a_report_does_not_show(tmp_path: Path) -> None:
    report = waiting("http://a", record=b"told", invitation="token")
    assert "told" not in repr(report)
    assert "token" not in repr(report)
    assert filled(tmp_path, report).waiting() == [report]


def test_what_was_sent_is_not_kept(tmp_path: Path) -> None:
    with serving(TEA) as scripted:
        report = waiting(scripted.address)
        outbox = filled(tmp_path, report)
        assert report.id in (tmp_path / "outbox.db").read_bytes()
        send(outbox, scripted)
    assert report.id not in (tmp_path / "outbox.db").read_bytes()


def is_open(path: Path) -> bool:
    """Whether this process has a file open, and so its lock."""
    links = Path("/proc/self/fd").iterdir()
    return any(os.path.realpath(link) == str(path.resolve()) for link in links)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + bytes(100)])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "outbox.db"
    path.write_bytes(content)
    with pytest.raises(InvalidDocument, match=r"outbox\.db") as caught:
        Outbox(path)
    assert path.read_bytes() == content
    assert not is_open(path), caught  # which would keep alive what isn't closed


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE teas (name TEXT)")
    base.commit()
    base.close()
    with pytest.raises(InvalidDocument, match=r"outbox\.db is not an outbox") as caught:
        Outbox(path)
    assert not is_open(path), caught


def test_a_closed_outbox_says_so(tmp_path: Path) -> None:
    outbox = filled(tmp_path)
    outbox.close()
    with pytest.raises(InvalidDocument, match="closed"):
        outbox.put(waiting("http://a"))


def test_an_id_is_16_bytes() -> None:
    with pytest.raises(ParameterError, match="a report's id is 16 bytes, got 3"):
        Waiting(b"abc", "http://a", TEA.key, 0, 0, b"")


# Sending


def test_reports_travel_by_collection_and_window_at_most_a_hundred_together(tmp_path: Path) -> None:
    with serving(TEA, DAILY) as scripted:
        here = scripted.address
        reports = [waiting(here) for _ in range(230)]
        reports += [waiting(here, DAILY, window) for window in (0, 0, 1)]
        reports += [waiting(here, DAILY, 2, round=number) for number in (1, 1, 2)]
        outbox = filled(tmp_path, *reports, waiting("http://elsewhere"))
        assert send(outbox, scripted) == Delivery(236, 0, 0, None)
        assert [report.address for report in outbox.waiting()] == ["http://elsewhere"]
    assert [len(names) for names, _, _ in scripted.bodies] == [100, 100, 30, 2, 1, 2, 1]
    assert sorted(scripted.names()) == sorted(report.id for report in reports)


def test_the_invited_travel_alone(tmp_path: Path) -> None:
    with serving(TEA) as scripted:
        one, two = "1" * 32, "2" * 32
        tokens = [None, one, two, None]
        reports = [waiting(scripted.address, invitation=token) for token in tokens]
        assert send(filled(tmp_path, *reports), scripted).taken == 4
    found = [(len(names), heard.get("Sudare-Invitation")) for names, _, heard in scripted.bodies]
    assert found == [(2, None), (1, one), (1, two)]


@pytest.mark.parametrize("step", [LOSE, DROP, BUSY, Say(429), Say(404, marked=False)], ids=str)
def test_a_report_has_one_name_however_often_it_is_sent(tmp_path: Path, step: Any) -> None:
    with serving(TEA, script=[step] * 5) as scripted:
        report = waiting(scripted.address)
        outbox = filled(tmp_path, report)
        assert send(outbox, scripted) == Delivery(1, 0, 0, None)
    assert [names for names, _, _ in scripted.bodies] == [[report.id]] * 6
    assert scripted.taken[TEA.key, 0] == {report.id: {report.record}}
    assert outbox.waiting() == []


def test_pauses_double_with_jitter_and_honour_the_collector(tmp_path: Path) -> None:
    pauses = list[float]()
    script = [BUSY, Say(429, headers={"Retry-After": "30"}), BUSY, TAKE]
    with serving(TEA, script=script) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address))
        assert send(outbox, scripted, pause=pauses.append).taken == 1
    assert 0 <= pauses[0] <= 0.5
    assert 30 <= pauses[1] <= 31
    assert 0 <= pauses[2] <= 2
    assert all(0 <= pause_after(failures) <= LONGEST_PAUSE for failures in range(2000))
    assert len({pause_after(9) for _ in range(20)}) == 20
    assert max(pause_after(20) for _ in range(200)) > LONGEST_PAUSE / 2  # else: 2**-200


def test_pauses_begin_anew_after_what_was_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list[int]()

    def pause(failures: int, _: float | None) -> float:
        before.append(failures)
        return 0.0

    monkeypatch.setattr("sudare.device.outbox.pause_after", pause)
    paused = Say(409, "paused")
    script = [BUSY, BUSY, TAKE, BUSY, TAKE, paused, paused, TAKE, paused]
    with serving(DAILY, script=script) as scripted:
        outbox = filled(tmp_path, *(waiting(scripted.address, DAILY, day) for day in range(5)))
        assert send(outbox, scripted).taken == 5
    assert before == [0, 1, 0, 0, 1, 0]


def test_patience_ends_and_the_report_waits(tmp_path: Path) -> None:
    paused = list[float]()
    with serving(TEA, script=[Say(503, headers={"Retry-After": "100"})]) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address), waiting(scripted.address))
        delivery = send(outbox, scripted, pause=paused.append)
        assert delivery == Delivery(0, 0, 2, "the collector answered 503: as the script says")
        assert paused == []
        assert send(outbox, scripted).taken == 2


def test_a_final_refusal_is_noted_for_the_person(tmp_path: Path) -> None:
    with serving(TEA, DAILY, script=[Say(409, "window_closed")]) as scripted:
        late = [waiting(scripted.address, DAILY, 3) for _ in range(2)]
        fine = waiting(scripted.address)
        outbox = filled(tmp_path, *late, fine)
        assert send(outbox, scripted) == Delivery(1, 2, 0, None)
        assert outbox.waiting() == []
        again = Outbox(tmp_path / "outbox.db").refusals()
    assert {refusal.id for refusal in again} == {report.id for report in late}
    for refusal in again:
        assert (refusal.key, refusal.window) == (DAILY.key, 3)
        assert refusal.reason == "the collector answered 409: as the script says"
    assert len(scripted.bodies) == 2


def test_one_bad_report_does_not_take_others_with_it(tmp_path: Path) -> None:
    with serving(TEA, script=[Say(400), TAKE, Say(400), TAKE]) as scripted:
        reports = [waiting(scripted.address) for _ in range(3)]
        outbox = filled(tmp_path, *reports)
        assert send(outbox, scripted) == Delivery(2, 1, 0, None)
    assert [refusal.id for refusal in outbox.refusals()] == [reports[1].id]
    assert set(scripted.names()) == {reports[0].id, reports[2].id}


def test_reports_whose_round_closed_are_noted(tmp_path: Path) -> None:
    step = Say(202, body=b'{"new":0,"repeated":0,"refused":1}')
    with serving(TEA, script=[step]) as scripted:
        report = waiting(scripted.address, round=3)
        outbox = filled(tmp_path, report)
        assert send(outbox, scripted) == Delivery(0, 1, 0, None)
    (refusal,) = outbox.refusals()
    assert (refusal.id, refusal.round) == (report.id, 3)
    assert "its round is closed" in refusal.reason


def test_of_one_round_those_that_counted_are_told_from_those_that_came_late(tmp_path: Path) -> None:
    late = Say(202, body=b'{"new":0,"repeated":0,"refused":1}')
    some = Say(202, body=b'{"new":1,"repeated":1,"refused":1}')
    with serving(TEA, script=[some, TAKE, late, TAKE]) as scripted:
        reports = [waiting(scripted.address, round=3) for _ in range(3)]
        outbox = filled(tmp_path, *reports)
        assert send(outbox, scripted) == Delivery(2, 1, 0, None)
    assert [refusal.id for refusal in outbox.refusals()] == [reports[1].id]


# One that can't be sent, or not now, keeps no others


@pytest.mark.parametrize("token", ["kōan", "one\ntwo", "", "a" * 31], ids=ascii)
def test_an_impossible_invitation_is_refused_for_good_and_others_go_on(
    tmp_path: Path, token: str
) -> None:
    with serving(TEA) as scripted:
        reports = [waiting(scripted.address, invitation=given) for given in (token, None)]
        outbox = filled(tmp_path, *reports)
        assert send(outbox, scripted) == Delivery(1, 1, 0, None)
    (refusal,) = outbox.refusals()
    assert (refusal.id, refusal.doubtful) == (reports[0].id, False)
    assert refusal.reason.startswith("an invitation is 32 hexadecimal digits")
    assert not token or token not in refusal.reason


def test_a_window_beyond_all_is_refused_for_good_and_others_go_on(tmp_path: Path) -> None:
    with serving(TEA) as scripted:
        outbox = filled(
            tmp_path, waiting(scripted.address, window=2**53), waiting(scripted.address)
        )
        assert send(outbox, scripted) == Delivery(1, 1, 0, None)
    assert "2^53 - 1, got 9007199254740992" in outbox.refusals()[0].reason


OF_THE_MOMENT = [Say(409, code) for code in ("paused", "not_open", "window_not_open")]


@pytest.mark.parametrize("step", [*OF_THE_MOMENT, Say(500)], ids=str)
def test_what_waits_for_its_own_collection_keeps_no_others(tmp_path: Path, step: Say) -> None:
    with serving(TEA, DAILY, script=[step]) as scripted:
        here = scripted.address
        reports = [waiting(here, DAILY, 5), waiting(here), waiting(here, DAILY, 4)]
        outbox = filled(tmp_path, *reports)
        delivery = send(outbox, scripted, patience=0)
        why = f"the collector answered {step.status}: as the script says"
        assert delivery == Delivery(2, 0, 1, why, 0, (Aside(DAILY.key, 5, why),))
        assert [report.id for report in outbox.waiting()] == [reports[0].id]
        assert delivery.reason_of(reports[0]) == why
        assert send(outbox, scripted) == Delivery(1, 0, 0, None)


@pytest.mark.parametrize("step", [DROP, Say(429), Say(503), Say(404, marked=False)], ids=str)
def test_what_is_about_the_collector_stops_all(tmp_path: Path, step: Any) -> None:
    with serving(TEA, DAILY, script=[step]) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address, DAILY, 5), waiting(scripted.address))
        later = Say(503, headers={"Retry-After": "9"})
        scripted.script = [replace(step, headers=later.headers) if step != DROP else later]
        assert send(outbox, scripted, patience=1)[:3] == (0, 0, 2)
    assert len(scripted.bodies) == 1


def test_each_collection_has_its_own_pauses(tmp_path: Path) -> None:
    """Asked again after all others, no sooner than it said, and in the end taken."""
    pauses = list[float]()
    slow, fast = (Say(409, "paused", {"Retry-After": str(seconds)}) for seconds in (30, 20))
    with serving(TEA, DAILY, script=[slow, fast]) as scripted:
        here = scripted.address
        reports = [waiting(here, DAILY, 5), waiting(here), waiting(here, DAILY, 6)]
        outbox = filled(tmp_path, *reports)
        assert send(outbox, scripted, pause=pauses.append) == Delivery(3, 0, 0, None)
    sent = [name for names, _, _ in scripted.bodies for name in names]
    assert sent == [reports[at].id for at in (0, 1, 2, 1, 0)]
    assert 19 < pauses[0] <= 20.5
    assert 29 < pauses[1] <= 30.5


@pytest.mark.parametrize("patience", [float("nan"), float("inf"), -1.0])
def test_patience_ends(tmp_path: Path, patience: float) -> None:
    with serving(TEA) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address))
        with pytest.raises(ParameterError, match=f"at least 0 seconds and finite, got {patience}"):
            send(outbox, scripted, patience=patience)
    assert scripted.bodies == []


# Whether an earlier attempt may have counted

CLOSED = Say(409, "window_closed")


@pytest.mark.parametrize(
    ("step", "doubtful"),
    [
        *((step, True) for step in (LOSE, DROP, Say(503), Say(500), Say(202, body=b"{}"))),
        *((step, False) for step in (Say(429), Say(409, "paused"), Say(408))),
        (Say(502, marked=False), True),
    ],
    ids=str,
)
def test_a_refusal_says_whether_an_earlier_attempt_may_have_counted(
    tmp_path: Path, step: Any, doubtful: bool
) -> None:
    with serving(DAILY, script=[step, CLOSED]) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address, DAILY, 3))
        assert send(outbox, scripted) == Delivery(0, not doubtful, 0, None, doubtful)
        assert [refusal.doubtful for refusal in outbox.refusals()] == [doubtful]


def test_nobody_at_home_is_no_attempt(tmp_path: Path) -> None:
    outbox = filled(tmp_path, waiting("http://127.0.0.1:9"))
    with CollectorClient("http://127.0.0.1:9") as nobody:
        assert outbox.send(nobody, patience=0).waiting == 1
    assert [report.doubtful for report in outbox.waiting()] == [False]


def test_a_doubt_stays_over_later_certain_attempts(tmp_path: Path) -> None:
    with serving(DAILY, script=[LOSE, Say(429), Say(409, "paused"), CLOSED]) as scripted:
        outbox = filled(tmp_path, waiting(scripted.address, DAILY, 3))
        assert send(outbox, scripted) == Delivery(0, 0, 0, None, 1)
        assert len(scripted.names()) == 1  # it did count


def test_of_a_spoilt_body_nothing_is_in_doubt(tmp_path: Path) -> None:
    with serving(TEA, script=[Say(400), TAKE, Say(429), Say(400), Say(400)]) as scripted:
        outbox = filled(tmp_path, *(waiting(scripted.address) for _ in range(2)))
        assert send(outbox, scripted) == Delivery(1, 1, 0, None)


def test_of_a_spoilt_body_those_that_were_not_sent_again_are_in_no_doubt(tmp_path: Path) -> None:
    bad = Say(400)
    with serving(TEA, script=[bad, Say(429), bad, bad, bad]) as scripted:
        outbox = filled(tmp_path, *(waiting(scripted.address) for _ in range(2)))
        assert send(outbox, scripted) == Delivery(0, 2, 0, None)


FIRST = """
PRAGMA application_id = 1560968705;
CREATE TABLE waiting (place INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE,
    address TEXT NOT NULL, key TEXT NOT NULL, window INTEGER NOT NULL, round INTEGER NOT NULL,
    record BLOB NOT NULL, invitation TEXT);
CREATE TABLE refused (id BLOB PRIMARY KEY, address TEXT NOT NULL, key TEXT NOT NULL,
    window INTEGER NOT NULL, round INTEGER NOT NULL, reason TEXT NOT NULL);
INSERT INTO waiting VALUES (1, zeroblob(16), 'http://a', 'k', 3, 0, x'01', NULL);
INSERT INTO refused VALUES (zeroblob(16), 'http://a', 'k', 2, 0, 'closed');
"""


def test_an_outbox_of_the_first_kind_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    base = sqlite3.connect(path)
    base.executescript(FIRST)
    base.close()
    for _ in range(2):
        with Outbox(path) as outbox:
            assert outbox.waiting() == [Waiting(bytes(16), "http://a", "k", 3, 0, b"\1")]
            assert outbox.refusals() == [(bytes(16), "http://a", "k", 2, 0, "closed", False)]


class Crash(Exception):  # noqa: N818 - it is one
    """The device stops here."""


def test_a_crash_after_the_receipt_sends_again_and_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Crash

    with serving(TEA) as scripted:
        report = waiting(scripted.address)
        outbox = filled(tmp_path, report)
        with monkeypatch.context() as patch:
            patch.setattr(Outbox, "_settle", crash)
            with pytest.raises(Crash):
                send(outbox, scripted)
        assert outbox.waiting() == [replace(report, doubtful=True)]
        assert send(outbox, scripted).taken == 1
    assert [names for names, _, _ in scripted.bodies] == [[report.id]] * 2
    assert scripted.names() == [report.id]


# Real processes

DEVICE = """
import sys
from pathlib import Path
from sudare.device.collector_client import CollectorClient
from sudare.device.participant import Participant

folder, address, key = sys.argv[1:]
with Participant.open(Path(folder)) as person, CollectorClient(address) as collector:
    while True:
        made = person.answer(collector, key, "black", patience=None)
        print(made.id.hex(), made.record.hex(), flush=True)
        person.send(collector, patience=0.1)
"""


def test_killed_at_any_moment_a_device_loses_nothing_that_it_kept(tmp_path: Path) -> None:
    folder, told = tmp_path / "device", list[str]()
    script = [TAKE, LOSE, TAKE, DROP, LOSE, BUSY, TAKE, TAKE]
    with (
        serving(TEA, script=script, around=True) as scripted,
        CollectorClient(scripted.address) as there,
    ):
        with Participant.new(folder) as person:
            person.agree(there, TEA.key)
        command = [sys.executable, "-c", DEVICE, str(folder), scripted.address, TEA.key]
        for _ in range(5):
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as device:
                assert device.stdout is not None
                told.append(device.stdout.readline())
                time.sleep(secrets.randbelow(300) / 1000)
                os.kill(device.pid, signal.SIGKILL)
                told += device.stdout.readlines()
        with Participant.open(folder) as person:
            person.outbox.send(there, pause=lambda _: None)
            assert person.outbox.waiting() == []
            assert person.outbox.refusals() == []
            charged = person.ledger.rows()[0]["reports"]
    arrived = scripted.taken[TEA.key, 0]
    noted = [line.split() for line in told if line.endswith("\n")]
    assert len(noted) >= 5
    for name, record in noted:
        assert arrived[bytes.fromhex(name)] == {bytes.fromhex(record)}
    assert all(len(records) == 1 for records in arrived.values())
    assert charged >= len(arrived) >= len(noted)  # charged before it could be sent
    assert charged <= len(arrived) + 5  # at most one is lost in each crash


SENDER = """
import secrets, sys
from pathlib import Path
from sudare.device.collector_client import CollectorClient
from sudare.device.outbox import Outbox, Waiting

path, address, key = sys.argv[1:]
with Outbox(Path(path)) as outbox, CollectorClient(address) as collector:
    for _ in range(20):
        name = secrets.token_bytes(16)
        outbox.put(Waiting(name, address, key, 0, 0, name[:1]))
        outbox.send(collector, pause=lambda _: None)
"""


def test_two_processes_share_an_outbox(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    with serving(TEA, script=[TAKE, LOSE, BUSY], around=True) as scripted:
        command = [sys.executable, "-c", SENDER, str(path), scripted.address, TEA.key]
        senders = [subprocess.Popen(command) for _ in range(2)]
        assert [sender.wait(timeout=60) for sender in senders] == [0, 0]
        assert send(Outbox(path), scripted).waiting == 0
    assert len(scripted.names()) == 40
    assert scripted.taken[TEA.key, 0] == {name: {name[:1]} for name in scripted.names()}


def test_threads_share_an_outbox(tmp_path: Path) -> None:
    with serving(TEA) as scripted:
        outbox = filled(tmp_path)
        reports = [waiting(scripted.address) for _ in range(40)]

        def work(mine: list[Waiting]) -> None:
            for report in mine:
                outbox.put(report)
                send(outbox, scripted)

        threads = [threading.Thread(target=work, args=(reports[at::4],)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outbox.waiting() == []
    assert Counter(scripted.names()) == Counter(report.id for report in reports)

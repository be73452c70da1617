"""A participant: what exactly leaves a device, and when nothing does."""

import os
import stat
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sudare import GRR, Borappor, Collection, Glance, Ledger, Participant, Rappor
from sudare.collection.windows import Windows
from sudare.device.collector_client import CollectorClient
from sudare.device.outbox import Fate, Outbox, Waiting
from sudare.device.participant import Sent
from sudare.errors import (
    BudgetExceeded,
    CollectorRefused,
    InvalidAnswer,
    InvalidDocument,
    ParameterError,
    RoundPassed,
)
from sudare.privacy.diary import Diary
from support.commands import UNTOLD, refused, run, succeed
from support.scripted_collector import DROP, LOSE, TAKE, Say, serving
from support.synced import synced_entries

TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
DAILY = replace(TEA, windows=Windows(0, 86_400))
WORDS = Collection("words", "Which word?", (), Rappor(64, 1, 16, 0.5, 0.25, 0.75))
ONLINE = Collection("online", "Online?", ("no", "yes"), Borappor.calibrate(6, 1.0))
NOBODY = "http://127.0.0.1:9"


def test_what_left_is_what_arrived_and_what_was_charged(tmp_path: Path) -> None:
    with (
        serving(TEA) as scripted,
        Participant.new(tmp_path / "phone", Ledger(cap=5.0)) as person,
        CollectorClient(scripted.address) as collector,
    ):
        sent = person.answer(collector, TEA.key, "black")
        assert scripted.taken[TEA.key, 0] == {sent.id: {sent.record}}
        assert sent.collection == TEA
        assert (sent.window, sent.round, sent.fate, sent.reason) == (0, 0, Fate.TAKEN, None)
        assert sent.cost.epsilon == sent.spent.epsilon == Fraction(TEA.epsilon)
        assert sent.left == 5 - Fraction(TEA.epsilon)
        assert sent.odds == TEA.mechanism.odds
        assert person.outbox.waiting() == []
        again = person.answer(collector, TEA.key, "black")
        assert again.id != sent.id
        assert again.spent.epsilon == 2 * Fraction(TEA.epsilon)
        assert f"record={sent.record!r}" not in repr(sent)


def test_a_device_is_the_same_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "phone"
    with Participant.new(folder, Ledger(2.0, collection_cap=1.5)) as person:
        secret = person.device.secret
        with pytest.raises(ParameterError, match="is open already"):
            Participant.open(folder)
    with Participant.open(folder) as person:
        assert person.device.secret == secret
        assert person.ledger == Ledger(2.0, collection_cap=1.5)
    with pytest.raises(ParameterError, match="holds a device already"):
        Participant.new(folder)
    assert stat.S_IMODE((folder / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_every_file_of_a_device_is_its_owners_alone(tmp_path: Path) -> None:
    """Also in a folder that was there, under a umask that hides nothing, and where one was open."""
    mask = os.umask(0)
    try:
        with Participant.new(tmp_path) as person:
            person.learn(TEA)
        assert shown(tmp_path) == {}
        for name in ("diary.json", "outbox.db"):
            (tmp_path / name).chmod(0o644)
        with Participant.open(tmp_path) as person:
            person.device.diary.cap(1.0)
    finally:
        os.umask(mask)
    assert shown(tmp_path) == {}


def shown(folder: Path) -> dict[str, str]:
    """The files of a folder that others than their owner could read or write."""
    modes = {path.name: path.stat().st_mode for path in folder.rglob("*") if path.is_file()}
    assert modes
    return {name: stat.filemode(mode) for name, mode in modes.items() if mode & 0o077}


def test_a_device_that_lost_a_part_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "phone"
    with pytest.raises(ParameterError, match="holds no device"):
        Participant.open(folder)
    Participant.new(folder).close()
    (folder / "secret").write_bytes(b"short")
    for _ in range(2):  # and the diary isn't held
        with pytest.raises(ParameterError, match="a device's secret is 32 bytes"):
            Participant.open(folder)
    (folder / "diary.json").unlink()
    with pytest.raises(InvalidDocument, match="has lost its diary"):
        Participant.open(folder)


def test_a_new_device_outlasts_a_power_failure(tmp_path: Path) -> None:
    folder = tmp_path / "devices" / "phone"
    with synced_entries() as synced:
        Participant.new(folder).close()
    assert {tmp_path / "devices", folder, folder / "diary.json", folder / "secret"} <= synced


def test_offline_it_waits_and_is_sent_later_under_its_name(tmp_path: Path) -> None:
    with (
        serving(TEA, script=[LOSE, DROP]) as scripted,
        CollectorClient(scripted.address) as collector,
    ):
        with Participant.new(tmp_path / "phone") as person:
            with pytest.raises(ParameterError, match="isn't known here yet"):
                person.answer(collector, TEA.key, "black", patience=None)
            assert person.ledger == Ledger()
            person.agree(collector, TEA.key)
            made = person.answer(collector, TEA.key, "black", patience=None)
            assert made.fate is Fate.WAITING
            assert scripted.bodies == []
        with Participant.open(tmp_path / "phone") as person:
            assert person.outbox.send(collector, pause=lambda _: None).taken == 1
            assert person.ledger.spent().epsilon == Fraction(TEA.epsilon)
    assert scripted.taken[TEA.key, 0] == {made.id: {made.record}}


def test_nobody_at_home_leaves_it_waiting_with_the_reason(tmp_path: Path) -> None:
    with Participant.new(tmp_path / "phone") as person:
        with serving(TEA) as scripted, CollectorClient(scripted.address) as collector:
            person.agree(collector, TEA.key)
        with CollectorClient(NOBODY) as collector:
            sent = person.answer(collector, TEA.key, "black", patience=0)
        assert sent.fate is Fate.WAITING
        assert sent.reason is not None
        assert "can't be reached now" in sent.reason
        assert [report.id for report in person.outbox.waiting()] == [sent.id]


def test_a_refusal_is_told(tmp_path: Path) -> None:
    with (
        serving(TEA, script=[Say(409, "closed")]) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        sent = person.answer(collector, TEA.key, "black")
        assert (sent.fate, sent.reason) == (
            Fate.REFUSED,
            "the collector answered 409: as the script says",
        )
        assert person.ledger.spent().epsilon == Fraction(TEA.epsilon)  # it was told


def test_a_refusal_after_a_lost_receipt_is_told_as_doubtful(tmp_path: Path) -> None:
    """It counted, and the window closed before its receipt came: nobody may say that it didn't."""
    with (
        serving(TEA, script=[LOSE, Say(409, "window_closed")]) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        sent = person.answer(collector, TEA.key, "black")
        assert scripted.names() == [sent.id]
        assert (sent.fate, sent.reason) == (
            Fate.DOUBTFUL,
            "the collector answered 409: as the script says",
        )


def test_a_paused_collection_keeps_no_other_answers(tmp_path: Path) -> None:
    with (
        serving(TEA, DAILY, script=[Say(409, "paused"), Say(409, "paused")]) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        paused = person.answer(collector, DAILY.key, "black", patience=0)
        assert (paused.fate, paused.reason) == (
            Fate.WAITING,
            "the collector answered 409: as the script says",
        )
        assert person.answer(collector, TEA.key, "black", patience=0).fate is Fate.TAKEN


def test_nothing_is_sent_that_is_not_charged(tmp_path: Path) -> None:
    """Whatever is refused is refused before anything waits, and before anything is charged."""
    invited = replace(TEA, invited=True)
    with (
        serving(TEA, DAILY, WORDS, ONLINE, invited) as scripted,
        Participant.new(tmp_path / "phone", Ledger(cap=1.5)) as person,
        CollectorClient(scripted.address) as collector,
    ):
        person.answer(collector, DAILY.key, "black", window=3)
        before = person.ledger
        attempts: list[tuple[type[Exception], Any]] = [
            (BudgetExceeded, lambda: person.answer(collector, TEA.key, "black")),
            (BudgetExceeded, lambda: person.observe(collector, ONLINE.key, "yes", number=1)),
            (RoundPassed, lambda: person.answer(collector, DAILY.key, "black", window=3)),
            (InvalidAnswer, lambda: person.answer(collector, TEA.key, UNTOLD)),
            (ParameterError, lambda: person.answer(collector, invited.key, "black")),
            (ParameterError, lambda: person.observe(collector, ONLINE.key, "yes")),
            (ParameterError, lambda: person.answer(collector, ONLINE.key, "yes")),
            (CollectorRefused, lambda: person.answer(collector, "0" * 64, "black")),
            *(
                (ParameterError, partial(person.answer, collector, key, "black", invitation=token))
                for key in (invited.key, TEA.key)
                for token in ("", "kōan", "\ud800", "a" * 33)
            ),
            (  # it would only tell the collector who answers
                ParameterError,
                lambda: person.answer(collector, TEA.key, "black", invitation="0" * 32),
            ),
            (
                ParameterError,
                lambda: person.answer(collector, DAILY.key, "black", window=2**53 - 1),
            ),
            (
                ParameterError,
                lambda: person.answer(collector, TEA.key, "black", patience=float("nan")),
            ),
        ]
        for error, attempt in attempts:
            with pytest.raises(error) as caught:
                attempt()
            assert UNTOLD not in str(caught.value)
            assert person.ledger == before
            assert person.outbox.waiting() == []
        assert len(scripted.bodies) == 1


def test_a_report_that_can_not_be_kept_is_charged_and_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise InvalidDocument("the outbox can't be used: disk full")

    with (
        serving(TEA) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        monkeypatch.setattr(Outbox, "put", full)
        with pytest.raises(InvalidDocument, match="disk full"):
            person.answer(collector, TEA.key, "black")
        assert person.ledger.spent().epsilon == Fraction(TEA.epsilon)
        assert scripted.bodies == []


def test_a_changed_copy_of_a_collection_is_refused(tmp_path: Path) -> None:
    with (
        serving(TEA) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        person.agree(collector, TEA.key)
        (copy,) = (tmp_path / "phone" / "collections").iterdir()
        copy.write_bytes(replace(TEA, question="Which coffee?").to_json())
        with pytest.raises(InvalidDocument, match=r"is not the collection .* that it was"):
            person.answer(collector, TEA.key, "black")
        assert scripted.bodies == []


def test_a_stream_is_told_round_by_round_under_derived_names(tmp_path: Path) -> None:
    with (
        serving(ONLINE) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        told = [person.observe(collector, ONLINE.key, "yes", number=n) for n in (1, 2, 7)]
        sent = [each for each in told if each is not None]
        assert [(each.window, each.round) for each in sent] == [(0, 1), (0, 2), (1, 1)]
        assert [each.cost.epsilon for each in sent] == [
            Fraction(ONLINE.epsilon),
            0,
            Fraction(ONLINE.epsilon),
        ]
        names = [person.device.report_id(ONLINE, n) for n in (1, 2, 7)]
        assert [each.id for each in sent] == names
    assert list(scripted.taken[ONLINE.key, 0]) == names[:2]
    assert list(scripted.taken[ONLINE.key, 1]) == names[2:]


def test_a_round_of_the_clock_and_a_silent_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = replace(ONLINE, mechanism=Glance.calibrate(6, 1.0), windows=Windows(0, 6 * 60))
    with (
        serving(timed) as scripted,
        Participant.new(tmp_path / "phone") as person,
        CollectorClient(scripted.address) as collector,
    ):
        person.agree(collector, timed.key)
        mine = int(person.device.plan(timed, 2).rounds[0, 0])
        told = dict[int, Sent | None]()
        for place in range(1, 7):
            moment = 2 * 360 + (place - 1) * 60 + 30.0
            monkeypatch.setattr(
                "sudare.device.current_window.time.time", lambda moment=moment: moment
            )
            told[place] = person.observe(collector, timed.key, "yes", patience=None)
        assert [place for place, sent in told.items() if sent is not None] == [mine]
        assert person.ledger.spent().epsilon == Fraction(timed.epsilon)


# The command line


def test_a_device_on_the_command_line(tmp_path: Path) -> None:
    made = succeed(tmp_path, "device", "new", "phone", "--cap", 2.5)
    assert made.out == "phone: a new device; ε = 0 is spent of 2.5, 2.5 is left\n"
    with serving(TEA, script=[Say(429), LOSE]) as scripted:
        where = (scripted.address, TEA.key, "--device", "phone")
        told = succeed(tmp_path, "device", "answer", *where, "--json", stdin=b"black\n").json()
        assert scripted.taken[TEA.key, 0] == {
            bytes.fromhex(told["id"]): {bytes.fromhex(told["report"])}
        }
        assert (told["fate"], told["cost"], told["spent"]) == ("taken", TEA.epsilon, TEA.epsilon)
        shown = succeed(tmp_path, "device", "answer", *where, "--offline", "--again", "green").out
        for part in (
            TEA.mechanism.odds,
            "Which tea?",
            "now       waiting",
            "ε = 2 is spent of 2.5",
        ):
            assert part in shown
        assert "reports that wait: 1" in succeed(tmp_path, "device", "ledger", "phone").out
        assert "ε = 1 is asked for; 2 of 2.5 is spent" in refused(
            tmp_path, "device", "answer", *where, "--again", "green"
        )
        said = refused(tmp_path, "device", "answer", *where, "green")
        assert said == (
            "“tea” was answered already, and each person answers once (nothing was sent; --again "
            "answers anew, and costs anew)"
        )
        sent = succeed(tmp_path, "device", "send", "phone").out
        assert sent == f"{scripted.address}: 1 taken, 0 refused, 0 waiting\n"
        assert len(scripted.names()) == 2
    assert succeed(tmp_path, "device", "send", "phone").out == "nothing waits\n"
    ledger = succeed(tmp_path, "device", "ledger", "phone", "--cap", 9, "--json").json()
    assert ledger["cap"] == 9
    assert ledger["collections"][0]["name"] == "tea"
    assert ledger["collections"][0]["reports"] == 2
    free = succeed(tmp_path, "device", "ledger", "phone", "--no-cap").out
    assert free.splitlines() == [f"tea ({TEA.key[:12]}…): ε = 2 for 2 reports", "ε = 2 is spent"]


def test_a_document_may_come_another_way(tmp_path: Path) -> None:
    (tmp_path / "tea.json").write_bytes(TEA.to_json())
    succeed(tmp_path, "device", "new", "phone", "--collection-cap", 1.5)
    where = (NOBODY, TEA.key, "--device", "phone", "--offline")
    assert "isn't known here yet" in refused(tmp_path, "device", "answer", *where, "green")
    with_document = (*where, "--collection", "tea.json")
    told = succeed(tmp_path, "device", "answer", *with_document, "--json", "green").json()
    assert told["fate"] == "waiting"
    assert "0.5 is left" in refused(tmp_path, "device", "answer", *where, "--again", "green")
    (tmp_path / "other.json").write_bytes(replace(TEA, question="Which coffee?").to_json())
    assert "other.json is the collection" in refused(
        tmp_path, "device", "answer", *where, "--collection", "other.json", "green"
    )
    poor = Participant.new(tmp_path / "poor", Ledger(cap=0.5))
    with poor, pytest.raises(BudgetExceeded):
        poor.learn(TEA)


def test_a_stream_on_the_command_line(tmp_path: Path) -> None:
    glance = replace(ONLINE, mechanism=Glance.calibrate(6, 1.0))
    succeed(tmp_path, "device", "new", "phone")
    with serving(glance) as scripted:
        where = (scripted.address, glance.key, "--device", "phone")
        fates = [
            succeed(tmp_path, "device", "answer", *where, "--round", n, "--json", "yes").json()[
                "fate"
            ]
            for n in range(1, 7)
        ]
        assert sorted(fates) == ["silent"] * 5 + ["taken"]
        assert "--window 1 has no place here" in refused(
            tmp_path, "device", "answer", *where, "--window", 1, "yes"
        )


def test_a_stream_takes_0_and_1_as_its_labels(tmp_path: Path) -> None:
    with Participant.new(tmp_path / "phone") as person:
        person.learn(ONLINE)
        device = replace(person.device, diary=Diary())
    where = (NOBODY, ONLINE.key, "--device", "phone", "--offline", "--json")
    for number, state in enumerate(["1", "0", "yes", "no", "1", "0"], 1):
        told = succeed(
            tmp_path, "device", "answer", *where, "--round", number, stdin=f"{state}\n".encode()
        ).json()
        made = device.observe(ONLINE, number, int(state in ("1", "yes")))
        assert made is not None
        assert told["report"] == made.tobytes().hex()
    assert "is 0 or 1, or one of its two labels" in refused(
        tmp_path, "device", "answer", *where, "--round", 7, stdin=UNTOLD.encode()
    )


def test_what_can_not_be_sent_is_refused_before_it_is_charged(tmp_path: Path) -> None:
    succeed(tmp_path, "device", "new", "phone")
    (tmp_path / "tea.json").write_bytes(DAILY.to_json())
    where = (DAILY.key, "--device", "phone", "--collection", "tea.json")
    offline = ("device", "answer", "https://a.example", *where, "--offline")
    succeed(tmp_path, *offline, "--window", 0, "green")
    for address, said in (
        ("https://exa mple", "names a host such as"),
        ("https://a.example:99999", "a port is between 1 and 65535, got 99999"),
    ):
        assert said in refused(tmp_path, "device", "answer", address, *where, "--offline", "green")
    for option, value, said in (
        ("--invitation", "kōan", "32 hexadecimal digits"),
        ("--invitation", "0" * 32, "is open to all"),
        ("--window", 2**53, "numbered 0 to 2^53 - 1, got 9007199254740992"),
        ("--window", 2**53 - 1, "isn't open yet: by the clock"),
        ("--patience", "nan", "must be a finite number, got nan"),
    ):
        assert said in refused(tmp_path, *offline, option, value, "green")
    assert "must be a finite number, got nan" in refused(
        tmp_path, "device", "send", "phone", "--patience", "nan"
    )
    ledger = succeed(tmp_path, "device", "ledger", "phone", "--json").json()
    assert (ledger["spent"], ledger["waiting"]) == (DAILY.epsilon, 1)


def test_the_command_line_tells_doubt_from_refusal(tmp_path: Path) -> None:
    succeed(tmp_path, "device", "new", "phone")
    script = [LOSE, Say(409, "closed"), LOSE, Say(409, "closed"), LOSE, Say(409, "closed")]
    said = "refused now; an earlier attempt may have counted"
    with serving(TEA, script=script) as scripted:
        where = (scripted.address, TEA.key, "--device", "phone")
        told = succeed(tmp_path, "device", "answer", *where, "--json", "green").json()
        assert told["fate"] == "doubtful"
        again = (*where, "--again")
        shown = succeed(tmp_path, "device", "answer", *again, "green").out
        assert f"now       {said}: the collector answered 409" in shown
        succeed(tmp_path, "device", "answer", *again, "--offline", "green")
        sent = run(tmp_path, "device", "send", "phone")
        assert (sent.code, sent.err) == (
            2,
            "Error: nothing was taken; 0 reports still to be sent\n",
        )
        lines = sent.out.splitlines()
        assert lines[0] == f"{scripted.address}: 0 taken, 0 refused, 1 {said}, 0 waiting"
        assert (
            lines[1:]
            == [
                f"{said}: {TEA.key[:12]}…, window 0: the collector answered 409: as the script says"
            ]
            * 3
        )
    listed = succeed(tmp_path, "device", "send", "phone", "--json").json()["refusals"]
    assert [refusal["doubtful"] for refusal in listed] == [True] * 3


def test_an_address_that_can_not_be_used_keeps_no_others(tmp_path: Path) -> None:
    with serving(TEA, script=[Say(409, "paused"), TAKE]) as scripted:
        with Participant.new(tmp_path / "phone") as person:
            for address in ("http://0.example", scripted.address, scripted.address):
                window = len(person.outbox.waiting())
                person.outbox.put(Waiting(bytes([window]) * 16, address, TEA.key, window, 0, b"\1"))
        sent = succeed(tmp_path, "device", "send", "phone", "--patience", 0, "--json").json()[
            "sent"
        ]
    assert [(row["taken"], row["waiting"]) for row in sent] == [(0, 1), (1, 1)]
    assert "plain HTTP to 0.example" in sent[0]["reason"]
    assert [place["window"] for place in sent[1]["aside"]] == [1]


def test_the_command_line_never_repeats_an_answer(tmp_path: Path) -> None:
    succeed(tmp_path, "device", "new", "phone", "--cap", 1.5)
    with serving(TEA, WORDS, script=[Say(409, "closed")]) as scripted:
        tea = (scripted.address, TEA.key, "--device", "phone")
        succeed(tmp_path, "device", "new", "other")
        words = (scripted.address, WORDS.key, "--device", "other")
        stdin = UNTOLD.encode()
        # refused() looks for it too, and that no file changes: so the document is fetched first
        with (
            Participant.open(tmp_path / "phone") as person,
            CollectorClient(scripted.address) as there,
        ):
            person.agree(there, TEA.key)
        assert "position 0 is not one of the 2 answers" in refused(
            tmp_path, "device", "answer", *tea, UNTOLD
        )
        assert "position 0 is not one of the 2 answers" in refused(
            tmp_path, "device", "answer", *tea, stdin=stdin
        )
        assert "--round 3 has no place here" in refused(
            tmp_path, "device", "answer", *tea, "--round", 3, UNTOLD
        )
        assert "is 64 hexadecimal digits" in refused(
            tmp_path, "device", "answer", scripted.address, "tea", "--device", "phone", UNTOLD
        )
        assert "plain HTTP to a.example" in refused(
            tmp_path, "device", "answer", "http://a.example", *tea[1:], UNTOLD
        )
        assert "nowhere holds no device" in refused(
            tmp_path, "device", "answer", *tea[:3], "nowhere", UNTOLD
        )
        result = run(tmp_path, "device", "answer", *words, stdin=stdin)
        assert result.code == 2
        assert result.err.startswith("Error: the collector answered 409: as the script says (ε = ")
        assert UNTOLD not in result.err + result.out
        listed = succeed(tmp_path, "device", "send", "other").out
        assert f"refused: {WORDS.key[:12]}…, window 0: the collector answered 409" in listed
        told = succeed(tmp_path, "device", "answer", *words, "--again", stdin=stdin).out
        assert UNTOLD not in told


def test_a_window_and_a_round_are_answered_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: 360.0)
    windows = Windows(0, 360)
    for agreed, option, which in (
        (replace(TEA, windows=windows), "--window", "window"),
        (replace(ONLINE, windows=windows), "--round", "round"),
    ):
        (tmp_path / "agreed.json").write_bytes(agreed.to_json())
        (tmp_path / which).mkdir()
        succeed(tmp_path / which, "device", "new", "phone")
        given = ("--device", "phone", "--collection", "../agreed.json", "--offline")
        command = ("device", "answer", NOBODY, agreed.key, agreed.answers[0], *given)
        succeed(tmp_path / which, *command)
        said = refused(tmp_path / which, *command)
        end = ", or in a later one (nothing was sent)"
        assert said == f"“{agreed.name}” was answered already in this {which}{end}"
        said = refused(tmp_path / which, *command, option, 1, "--again")
        assert said == f"“{agreed.name}” was answered already in {which} 1{end}"


def test_nothing_could_be_sent(tmp_path: Path) -> None:
    (tmp_path / "tea.json").write_bytes(TEA.to_json())
    succeed(tmp_path, "device", "new", "phone")
    given = ("--device", "phone", "--collection", "tea.json", "--offline", "green")
    succeed(tmp_path, "device", "answer", NOBODY, TEA.key, *given)
    for form in ((), ("--json",)):
        sent = run(tmp_path, "device", "send", "phone", "--patience", 0, *form)
        assert (sent.code, sent.err) == (2, "Error: nothing was taken; 1 report still to be sent\n")
        assert "waiting" in sent.out

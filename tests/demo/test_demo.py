"""``sudare demo``: what it finds, what it leaves behind, and the people it simulates."""

import contextlib
import math
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import numpy as np
import pytest

from sudare.chance.randomness import Seeded
from sudare.cli.demo import show
from sudare.collector.serving.server import listen
from sudare.decoding.from_sums import hash_candidates
from sudare.demo.people import Asked, Observed, People
from sudare.demo.running import Found, Sender
from sudare.demo.studies import CANDIDATES, TEAS, Plan
from sudare.errors import CollectorRefused
from sudare.formats.report_ids import ID_BYTES, part
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.rappor import Rappor
from support.chance import ALPHA
from support.commands import PATIENCE, process, refused, run
from support.scripted_collector import MARK

if TYPE_CHECKING:
    import subprocess

    from numpy.typing import NDArray


@contextlib.contextmanager
def demonstration(folder: Path, *options: object) -> Iterator["subprocess.Popen[bytes]"]:
    """The command in a process of its own; whatever it puts aside goes to ``folder``.

    Its browser is a script that notes the address, beside the folder.
    """
    folder.mkdir()
    browser = folder.parent / "browser.sh"
    browser.write_text(f'#!/bin/sh\necho "$1" > {folder.parent / "opened"}\n')
    environment = {
        **os.environ,
        "TMPDIR": str(folder),
        "PYTHONUNBUFFERED": "1",
        "BROWSER": f"/bin/sh {browser} %s",
    }
    running = process(folder, "demo", "--port", 0, *options, env=environment)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def address(running: "subprocess.Popen[bytes]") -> str:
    """Where it says that it listens."""
    assert running.stdout is not None
    for line in running.stdout:
        if found := re.search(rb"http://\S+", line):
            return found[0].decode()
    raise AssertionError("no address")


def reach(reports: int, compared: int) -> float:
    """How far any of so many means of coins may be off, but with a chance of ``ALPHA``.

    Hoeffding's bound, which holds for coins of unequal chances and for people who are drawn
    without replacement.
    """
    return math.sqrt(math.log(2 * compared / ALPHA) / (2 * reports))


def everything(people: People, seconds: int) -> list[tuple[int, Records]]:
    """What is sent in so many seconds, looked at ten times in each."""
    ticks = (people.start + tick / 10 for tick in range(10 * seconds + 1))
    return [sent for now in ticks for sent in people.due(now)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """For what must not be left behind."""
    return tmp_path / "temporary"


# The command


def test_once_finds_the_truth_and_leaves_nothing_behind(folder: Path) -> None:
    options = ("--people", 4000, "--pace", 1000, "--seed", 5)
    with demonstration(folder, "--once", "--json", *options) as running:
        out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (0, b"")
    assert list(folder.iterdir()) == []
    tea, home_page, online = msgspec.json.decode(out)["studies"]
    assert (tea["n"], home_page["n"]) == (4000, 4000)
    # The people are those of the seed.
    plan = Plan(4000, seed=5, pace=1000, once=True)
    expected = plan.people_of(plan.collections(0))
    everything(expected[0], 5)
    assert tea["truth"] == expected[0].truth

    grr = GRR.calibrate(len(TEAS), 2.0)
    shares = np.array([row["share"] for row in tea["answers"]])
    truth = np.array([tea["truth"][row["answer"]] for row in tea["answers"]])
    most = reach(4000, len(TEAS)) / (grr.holder - grr.others)
    assert (abs(shares - truth) <= most).all()
    assert (abs(shares - np.roll(truth, 1)) > most).any()

    known = [row for row in online["estimates"] if row["share"] is not None]
    glance = Glance.calibrate(online["rounds"], 2.0)
    slope = glance.holder - glance.others
    missed = [
        abs(row["share"] - online["truth"][str(row["round"])])
        - reach(row["reports"], len(known)) / slope
        for row in known
    ]
    assert known
    assert max(missed) <= 0

    # A fifth of the people, some 14 standard errors above nobody.
    assert home_page["truth"][CANDIDATES[0]] > 0.18
    assert CANDIDATES[0] in {row["candidate"] for row in home_page["found"]}


def test_it_runs_until_it_is_interrupted(folder: Path) -> None:
    plan = Plan(8000, pace=8000, seed=6)
    options = ("--people", plan.people, "--pace", plan.pace, "--seed", plan.seed)
    with demonstration(folder, "--open", *options) as running:
        url = address(running)
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE) as client:
            studies = answered(client, plan.people)
            assert [each["mechanism"] for each in studies] == ["grr", "rappor", "glance"]
            assert all(each["public"] for each in studies)
            assert studies[2]["rounds"] == 60
            key = studies[1]["key"]
            total = client.get(f"/collections/{key}/aggregate").content
            check_home_pages(plan, Aggregate.from_json(total))
            found = client.get(f"/collections/{key}/estimate").json()
            assert CANDIDATES[0] in {row["candidate"] for row in found["found"]}
            truth = client.get(f"/collections/{key}/truth").json()["truth"]
            assert max(truth, key=truth.__getitem__) == CANDIDATES[0]
            # Somebody who looks on doesn't keep it from ending.
            with client.stream("GET", f"/collections/{key}/live") as live:
                next(live.iter_raw())
                running.send_signal(signal.SIGINT)
                out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (0, b"")
    assert out.decode().endswith("Stopped. Nothing was left behind.\n")
    assert list(folder.iterdir()) == []
    assert (folder.parent / "opened").read_text() == f"{url}\n"
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def answered(client: httpx.Client, people: int) -> list[dict[str, Any]]:
    """The studies, once everybody has answered what is asked once."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        studies: list[dict[str, Any]] = client.get("/collections").json()["collections"]
        if [each["reports"] for each in studies[:2]] == [people, people]:
            return studies
        time.sleep(0.1)
    raise AssertionError("not everybody has answered")


def check_home_pages(plan: Plan, total: Aggregate) -> None:
    """The bits of each candidate are set as often as these people's reports set them.

    A report sets the bit that a candidate has in its cohort by a coin: of chance ``holder`` where
    its own text has that bit too, else ``others``. Cohorts are drawn evenly.
    """
    people = plan.people_of(plan.collections(0))[1]
    assert isinstance(people, Asked)
    mechanism, key = people.collection.mechanism, people.collection.key
    assert isinstance(mechanism, Rappor)
    assert (total.key, total.n, mechanism.hashes) == (key, plan.people, 1)
    _, hashed = hash_candidates(key, people._labels)
    rows = design_rows(hashed, mechanism.cohorts, 1, mechanism.bits)
    rows = rows.reshape(len(people._labels), mechanism.cohorts)
    named = rows[: len(CANDIDATES)]
    said = total.counts[:, 1:].ravel()[named].sum(axis=1) / total.n
    shared = np.array([(rows == row).mean(axis=1) for row in named])
    slope = mechanism.holder - mechanism.others

    def missed(answers: "NDArray[np.int64]") -> float:
        held = np.bincount(answers, minlength=len(rows)) / len(answers)
        return float(abs(said - mechanism.others - slope * (shared @ held)).max())

    most = reach(total.n, len(CANDIDATES))
    others = (people._answers + len(CANDIDATES) // 2) % len(rows)
    assert missed(people._answers) <= most < missed(others)


def test_a_signal_at_any_time_leaves_nothing_behind(folder: Path) -> None:
    """Also one that comes before the collector listens, when something was put aside already."""
    with demonstration(folder, "--people", 2000) as running:
        end = time.monotonic() + PATIENCE
        # Not anything: Python itself tries for an instant whether it may write there.
        while not any(folder.glob("sudare-demo-*")) and time.monotonic() < end:
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=PATIENCE)
    assert b"Traceback" not in err
    assert running.returncode in {0, 130}
    assert list(folder.iterdir()) == []


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with contextlib.closing(listen("127.0.0.1", 0).socket) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        sentence = refused(tmp_path, "demo", "--port", port)
    assert (
        sentence == f"can't listen at 127.0.0.1 port {port}: another program has that port; "
        "choose another with --port"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--people", 999), "between 1,000 and 1,000,000 people, got 999"),
        (("--people", 1_000_001), "got 1000001"),
        (("--pace", 0), "the pace must be between 1 and 1,000,000 people a second, got 0.0"),
        (("--pace", "nan"), "got nan"),
        (("--once", "--pace", 1), "20000 need more than an hour: choose a pace of at least 6"),
        (("--epsilon", 0), "0"),
        (("--epsilon", "nan"), "nan"),
        (("--epsilon", 0.01), "at ε = 0.01 20,000 people can't show even a text"),
        (("--json",), "add --once"),
    ],
    ids=str,
)
def test_what_makes_no_demonstration(
    options: tuple[object, ...], said: str, tmp_path: Path
) -> None:
    assert said in refused(tmp_path, "demo", "--port", 0, *options)


def test_a_port_is_a_number_of_16_bits(tmp_path: Path) -> None:
    result = run(tmp_path, "demo", "--port", 65536)
    assert result.code == 2
    assert "65536 is not in the range" in result.err


def test_what_was_found_is_shown_beside_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(4000, pace=2000, once=True)  # so many that the commonest page is always found
    studies = []
    for people in plan.people_of(plan.collections(5000)):
        dtype = people.collection.report_dtype
        reports = [part(dtype, some).reports for _, some in everything(people, 3)]
        total = people.collection.aggregate(np.concatenate(reports))
        studies.append(Found(people, total, people.truth))
    show(studies)
    shown = capsys.readouterr().out
    for found in studies:
        assert found.people.collection.question in shown
    assert shown.count("truth ┃") == 3
    sentences = re.findall(r"(?m)^\d+ of \d+ truths lie inside their 95 % intervals$", shown)
    assert len(sentences) == 3
    assert " of 5 truths" in shown
    assert " of 2 truths" in shown


def test_nothing_found_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(2000, epsilon=0.5)
    people = plan.people_of(plan.collections(5000))[1]
    total = people.collection.simulate({"nobody-named-it.test": 2000}, Seeded(2))
    show([Found(people, total, {})])
    shown = capsys.readouterr().out
    assert "0 of 24 candidates found." in shown
    assert "inside" not in shown


# The people


@pytest.fixture
def studies() -> list[People]:
    plan = Plan(1000, pace=100, seed=1)
    return plan.people_of(plan.collections(5000))


def test_everybody_answers_once_at_their_pace(studies: list[People]) -> None:
    for people in studies[:2]:
        assert isinstance(people, Asked)
        assert people.truth == {}
        assert people.due(people.start - 1) == []
        ((window, reports),) = people.due(people.start + 2.5)
        assert (window, len(reports), people.progress) == (0, 250, (250, 1000))
        assert people.due(people.start + 2.5) == []
        rest = everything(people, 11)
        assert sum(len(some) for _, some in rest) == 750
        assert people.progress == (1000, 1000)
        dtype = people.collection.report_dtype
        names = [part(dtype, some).ids for _, some in [(window, reports), *rest]]
        assert len(np.unique(np.concatenate(names), axis=0)) == 1000


def test_the_truth_is_that_of_those_who_answered(studies: list[People]) -> None:
    tea, home_page = studies[:2]
    for people in (tea, home_page):
        people.due(people.start + 1)
    assert sum(tea.truth.values()) == pytest.approx(1)
    assert all(100 * share == pytest.approx(round(100 * share)) for share in tea.truth.values())
    assert list(tea.truth) == list(TEAS)
    assert list(home_page.truth) == list(CANDIDATES)
    assert 0.8 < sum(home_page.truth.values()) < 1  # some pages are one person's only
    assert home_page.truth[CANDIDATES[-1]] == 0


def test_every_device_reports_once_in_a_window(studies: list[People]) -> None:
    online = studies[2]
    assert isinstance(online, Observed)
    sent = everything(online, 121)
    reports = {
        window: np.concatenate(
            [
                part(online.collection.report_dtype, some).reports
                for at, some in sent
                if at == window
            ]
        )
        for window in (0, 1)
    }
    assert len(reports[0]) == 1000
    assert set(np.unique(reports[0]["round"])) == set(range(1, 61))
    assert set(np.unique(reports[1]["round"])) == {1}
    assert list(online.truth) == [str(number) for number in range(1, 62)]
    assert online.progress == (len(reports[1]), 1000)


def test_a_late_look_makes_up_for_a_few_rounds(studies: list[People]) -> None:
    online = studies[2]
    dtype = online.collection.report_dtype
    online.due(online.start + 0.5)
    late = np.concatenate([part(dtype, some).reports for _, some in online.due(online.start + 7)])
    assert set(np.unique(late["round"])) == {1, 2, 3, 4}
    assert list(online.truth) == ["1", "2", "3", "4"]
    online.due(online.start + 60)
    assert list(online.truth)[4:] == [str(number) for number in range(27, 32)]
    assert online.due(online.start + 20) == []  # a clock that is turned back


def test_devices_are_silent_after_the_last_round() -> None:
    plan = Plan(1000, pace=500, once=True)
    (_, _, online) = plan.people_of(plan.collections(5000))
    assert plan.rounds == plan.seconds == 2
    assert sum(len(some) for _, some in everything(online, 6)) == 1000
    assert online.progress == (1000, 1000)


def test_a_seed_makes_people_and_no_noise() -> None:
    plan = Plan(1000, pace=1000, seed=1)
    collections = plan.collections(5000)
    first, second = (plan.people_of(collections) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        sent = [np.concatenate([some for _, some in everything(who, 2)]) for who in (one, other)]
        assert one.truth == other.truth
        noise = [part(one.collection.report_dtype, some).reports for some in sent]
        if not isinstance(one, Observed):  # of a thousand reports, each alike at times only
            assert noise[0].tobytes() != noise[1].tobytes()
        assert not {name.tobytes() for name in sent[0]["id"]} & {
            name.tobytes() for name in sent[1]["id"]
        }
    others = Plan(1000, pace=1000, seed=2).people_of(collections)
    everything(others[0], 2)
    assert others[0].truth != first[0].truth


# Sending


def test_what_is_not_taken_is_sent_again_as_it_is(studies: list[People]) -> None:
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        receipt = {"new": 100, "repeated": 0, "refused": 0}
        return httpx.Response(503 if len(bodies) == 1 else 202, headers=MARK, json=receipt)

    ((window, reports),) = studies[0].due(studies[0].start + 1)
    sender = Sender(Plan(1000), "sdr_name_secret", lambda *_: None, lambda: None)
    with httpx.Client(base_url="http://collector", transport=httpx.MockTransport(answer)) as client:
        sender._send(client, studies[0], window, reports)
    assert bodies == [reports.tobytes()] * 2
    assert len(bodies[0]) == 100 * (ID_BYTES + studies[0].collection.report_dtype.itemsize)


def test_a_refusal_is_an_error(studies: list[People]) -> None:
    ((window, reports),) = studies[0].due(studies[0].start + 1)
    sender = Sender(Plan(1000), "sdr_name_secret", lambda *_: None, lambda: None)
    transport = httpx.MockTransport(lambda _: httpx.Response(400, headers=MARK))
    with (
        httpx.Client(base_url="http://collector", transport=transport) as client,
        pytest.raises(CollectorRefused, match="answered 400"),
    ):
        sender._send(client, studies[0], window, reports)

"""A device and the real collector, each a process of its own, through crashes of either."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from sudare import GRR, Borappor, Collection, CollectorClient, Ledger, Participant
from sudare.collection.windows import Windows
from sudare.device.outbox import Delivery, Fate, Waiting
from sudare.errors import ParameterError

TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
INVITED = replace(TEA, name="invited", invited=True)
PAST = replace(TEA, windows=Windows(0, 60))
ONLINE = Collection(
    "online", "Online?", ("no", "yes"), Borappor.calibrate(6, 1.0), windows=Windows(0, 6 * 10**9)
)

GUEST = "0123456789abcdef0123456789abcdef"

SERVER = f"""
import hashlib, sys
from pathlib import Path
from sudare.collection.document import Collection
from sudare.collector.http.app import create_app
from sudare.collector.http.auth import Bearers
from sudare.collector.http.limits import Limits
from sudare.collector.stores.open import open_store
from sudare.collector.http.routes import every_route
from sudare.collector.serving.server import listen, serve
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection

folder, port = Path(sys.argv[1]), int(sys.argv[2])
store = open_store(str(folder / "reports.db"))
for path in sorted(folder.glob("*.json")):
    store.add(HeldCollection(Collection.from_json(path.read_bytes()), public=True))
store.invite({INVITED.key!r}, [hashlib.sha256(b{GUEST!r}).digest()])
service = Service(store)
bearers = Bearers(store, service.clock)
app = create_app(service, every_route(service, bearers), role_of=bearers.role_of)
serve(app, service, listen("127.0.0.1", port), Limits(), lambda url: print(url, flush=True))
"""


@contextmanager
def collecting(folder: Path, port: int = 0) -> Iterator[str]:
    """A collector's address; it is killed in the end, without a warning."""
    command = [sys.executable, "-c", SERVER, str(folder), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            os.kill(server.pid, signal.SIGKILL)


def counted(address: str, collection: Collection) -> int:
    standing = httpx.get(f"{address}/collections/{collection.key}/standing", trust_env=False)
    reports = standing.json()["reports"]
    assert isinstance(reports, int)
    return reports


@pytest.fixture
def held(tmp_path: Path) -> Path:
    folder = tmp_path / "collector"
    folder.mkdir()
    for collection in (TEA, INVITED, PAST, ONLINE):
        (folder / f"{collection.key}.json").write_bytes(collection.to_json())
    return folder


def test_each_report_counts_once_through_crashes_of_the_collector(
    tmp_path: Path, held: Path
) -> None:
    with Participant.new(tmp_path / "phone", Ledger(cap=10.0)) as person:
        with collecting(held) as address, CollectorClient(address) as collector:
            first = person.answer(collector, TEA.key, "black")
            assert first.fate is Fate.TAKEN
            assert counted(address, TEA) == 1
        port = int(address.rpartition(":")[2])
        with CollectorClient(address) as collector:
            later = person.answer(collector, TEA.key, "green", patience=0)
        assert later.fate is Fate.WAITING
        person.outbox.put(  # as if the first receipt had been lost
            Waiting(first.id, address, TEA.key, first.window, 0, first.record)
        )
        with collecting(held, port) as again, CollectorClient(again) as collector:
            assert again == address
            assert person.send(collector) == Delivery(2, 0, 0, None)
            assert counted(address, TEA) == 2
        assert person.outbox.waiting() == []
        assert person.ledger.rows()[0]["reports"] == 2


def test_the_real_collectors_refusals_are_final_and_leave_no_report_behind(
    tmp_path: Path, held: Path
) -> None:
    with (
        Participant.new(tmp_path / "phone") as person,
        collecting(held) as address,
        CollectorClient(address) as collector,
    ):
        closed = person.answer(collector, PAST.key, "black", window=0)
        uninvited = person.answer(collector, INVITED.key, "black", invitation="0" * 32)
        assert (closed.fate, uninvited.fate) == (Fate.REFUSED, Fate.REFUSED)
        assert closed.reason == "the collector answered 409: window 0 is closed"
        assert uninvited.reason is not None
        assert "invitation" in uninvited.reason
        person.outbox.put(Waiting(bytes(16), address, TEA.key, 0, 0, b"\xff"))  # no such answer
        fine = person.answer(collector, TEA.key, "black")
        assert fine.fate is Fate.TAKEN
        assert [refusal.id for refusal in person.outbox.refusals()] == [
            closed.id,
            uninvited.id,
            bytes(16),
        ]
        with pytest.raises(ParameterError, match="isn't open yet"):
            person.answer(collector, PAST.key, "black", window=2**40, patience=0)
        person.outbox.put(Waiting(b"e" * 16, address, PAST.key, 2**40, 0, b"\1"))  # a fast clock
        early = person.send(collector, patience=0)
        assert (early.waiting, len(early.aside)) == (1, 1)
        assert person.answer(collector, TEA.key, "black", patience=0).fate is Fate.TAKEN
        assert counted(address, PAST) == 0


def test_an_invitation_is_good_for_one_report(tmp_path: Path, held: Path) -> None:
    with (
        Participant.new(tmp_path / "phone") as person,
        collecting(held) as address,
        CollectorClient(address) as collector,
    ):
        fates = [
            person.answer(collector, INVITED.key, "black", invitation=GUEST).fate for _ in range(2)
        ]
        assert fates == [Fate.TAKEN, Fate.REFUSED]
        assert counted(address, INVITED) == 1


def test_a_stream_is_counted_in_its_window(tmp_path: Path, held: Path) -> None:
    with (
        Participant.new(tmp_path / "phone") as person,
        collecting(held) as address,
        CollectorClient(address) as collector,
    ):
        told = person.observe(collector, ONLINE.key, "yes")  # the round that is on
        assert told is not None
        assert (told.fate, told.window) == (Fate.TAKEN, 0)
        assert counted(address, ONLINE) == 1

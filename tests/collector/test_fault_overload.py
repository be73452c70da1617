"""Far more than a collector has room for: 202 or 429, nothing else, and exact totals."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from sudare.collector.http.app import App, create_app
from sudare.collector.http.limits import Limits
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection
from sudare.collector.stores.open import open_store
from support.fault_histories import PACKED
from support.fault_reports import Report, asked, judged, report
from support.fault_request import request

SENDERS = 400


async def _all(app: App, bodies: list[list[Report]]) -> list[int]:
    async def one(sent: list[Report]) -> int:
        body = b"".join(each.record for each in sent)
        headers = [(b"content-type", PACKED), (b"content-length", str(len(body)).encode())]
        target = f"/collections/{sent[0].collection.key}/reports".encode()
        answer = await request(app, target, headers, [body])
        assert answer is not None
        status, told = answer
        if status == 202:
            receipt = msgspec.json.decode(told)
            assert receipt["new"] + receipt["repeated"] == len(sent)
            for each in sent:
                each.acknowledged = True
        else:
            assert msgspec.json.decode(told)["error"]["code"] == "busy"
        return status

    return await asyncio.gather(*map(one, bodies))


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        (Limits(reports=40), 40),
        (Limits(bytes=80 * 18), 40),
        (Limits(rate=40), 40),
    ],
    ids=["reports", "bytes", "rate"],
)
def test_ten_times_the_room_is_refused_politely_and_the_rest_counts(
    tmp_path: Path, seed: int, limits: Limits, most: int
) -> None:
    """All senders come within one turn of the event loop, so that most find no room."""
    rng = random.Random(seed)  # noqa: S311 - a load, not a secret
    collection = asked("flood", 4 * SENDERS)
    reports = [report(collection, 0, cell, rng) for cell in range(4 * SENDERS)]
    bodies = [[one] for one in reports[:SENDERS]]
    bodies += [reports[at : at + 8] for at in range(SENDERS, 4 * SENDERS, 8)]
    rng.shuffle(bodies)
    store = open_store(str(tmp_path / "store.db"))
    store.add(HeldCollection(collection))
    statuses: Counter[int] = Counter()

    async def flood() -> None:
        app = create_app(Service(store), limits=limits)
        async with app.running():
            first = await _all(app, bodies)
            statuses.update(first)
            assert first.count(202) <= most  # each has at least one report of 18 bytes
            if limits.rate is not None:
                return  # the rest would take as long as it says
            for _ in range(10 * len(bodies)):
                left = [body for body in bodies if not body[0].acknowledged]
                if not left:
                    return
                statuses.update(await _all(app, left))
            raise AssertionError("some were never taken")

    asyncio.run(flood())
    assert statuses.keys() == {202, 429}
    found = judged(store, reports, {})
    store.shut()
    assert found.clean, found
    if limits.rate is None:
        assert found.acknowledged == len(reports)

"""Mutated uploads sent to a collector in this process, each answer beside the oracle's."""

import asyncio
import contextlib
import io
import logging
from collections import Counter
from pathlib import Path

import msgspec

from sudare.collector.http.app import App, create_app
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.collector.stores.open import open_store
from support.fault_fuzz import ARROW, ASKED, GRACE, NOW, Fuzz, Upload, invitation_digests, leaks
from support.fault_kills import Process
from support.fault_load import exchanged
from support.fault_oracle import Oracle
from support.fault_request import request


def fuzzed(folder: Path, seed: int, number: int) -> tuple[Counter[int], str]:
    """How often each status came, and all that was written by the way."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    root.addHandler(handler)
    level, root.level = root.level, logging.DEBUG
    try:
        with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
            statuses = asyncio.run(_fuzz(folder, seed, number))
    finally:
        root.removeHandler(handler)
        root.level = level
    return statuses, written.getvalue()


async def _fuzz(folder: Path, seed: int, number: int) -> Counter[int]:
    store = open_store(str(folder / "store.db"))
    for asked in ASKED:
        store.add(HeldCollection(asked.collection, grace=GRACE))
    store.invite(ASKED[-1].collection.key, invitation_digests())
    app = create_app(Service(store, lambda: NOW))
    fuzz, oracle, statuses = Fuzz(seed), Oracle(), Counter[int]()
    async with app.running():
        for _ in range(number):
            statuses[await _sent(app, oracle, fuzz.upload())] += 1
    _compare(store, oracle)
    store.shut()
    return statuses


async def _sent(app: App, oracle: Oracle, upload: Upload) -> int:
    expected = oracle.expected(upload)
    headers = [*upload.headers.items(), (b"content-length", str(len(upload.body)).encode())]
    answer = await request(app, upload.target, headers, [upload.body])
    assert answer is not None
    status, body = answer
    what = (upload.asked.collection.name, upload.headers, upload.query, upload.body, answer)
    if expected is None or (status == 400 and upload.kind == ARROW and upload.changed):
        # pyarrow reads a stream that is cut short, or names a batch compressed; we needn't.
        assert 400 <= status < 500, what
        assert not leaks(body.decode().replace(upload.asked.collection.key, "")), what
        return status
    assert status == 202, what
    told = {"new": len(expected.new), "repeated": expected.repeated, "refused": 0}
    assert msgspec.json.decode(body) == told, what
    oracle.apply(expected)
    return status


def _compare(store: Store, oracle: Oracle) -> None:
    counted: Counter[tuple[str, int, int]] = Counter()
    for asked in ASKED:
        key, name = asked.collection.key, asked.collection.name
        if asked.collection.over_time:
            store.close(key, 0)
        for held in store.windows(key):
            released = store.release(key, held.window)
            flat = [] if released is None else released.aggregate.counts.ravel().tolist()
            counted.update({(name, held.window, at): n for at, n in enumerate(flat) if n})
    assert counted == oracle.counts


async def exchanged_raw(process: Process, fuzz: Fuzz, number: int) -> tuple[Counter[int], int]:
    """How often a collector on the network answered mutated requests how, and with how many new."""
    await process.ready()
    statuses, new = Counter[int](), 0
    some = asyncio.Semaphore(50)

    async def answered(data: bytes) -> bytes:
        async with some:
            return await exchanged(process.port, data)

    # What is never whole is waited for by the server, not for ever.
    for answer in await asyncio.gather(*(answered(fuzz.raw()) for _ in range(number))):
        status = int(answer.split()[1]) if answer else 0
        statuses[status] += 1
        if status == 202:
            new += msgspec.json.decode(answer.partition(b"\r\n\r\n")[2])["new"]
    return statuses, new

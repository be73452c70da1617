"""A disk that is full, files cut at their ends, a clock that goes back: with the whole service."""

import asyncio
import contextlib
import random
import shutil
from pathlib import Path

from sudare.collection.windows import Windows
from sudare.collector.http.app import App, create_app
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.collector.stores.open import open_store
from support.fault_histories import PACKED
from support.fault_kills import Process, write
from support.fault_load import Connection, exchanged
from support.fault_reports import Report, asked, judged, report
from support.fault_request import request
from support.in_memory import memory_folder
from support.small_disk import small_disk

CELLS = 300


def target(one: Report) -> str:
    query = "" if one.collection.windows is None else f"?window={one.window}"
    return f"/collections/{one.collection.key}/reports{query}"


async def sent(app: App, one: Report) -> int:
    answer = await request(app, target(one).encode(), [(b"content-type", PACKED)], [one.record])
    assert answer is not None
    one.acknowledged |= answer[0] == 202
    one.possible = True
    return answer[0]


def test_a_full_disk_takes_nothing_and_loses_nothing(tmp_path: Path, seed: int) -> None:
    """With ``sudare serve`` in a process of its own: 503 while it is full, then as before."""
    rng = random.Random(seed)  # noqa: S311 - a load, not a secret
    collection = asked("full", CELLS, keeps_reports=True)
    reports = [report(collection, 0, cell, rng) for cell in range(CELLS)]
    with small_disk(tmp_path, 24) as disk:  # more than the log takes before it is copied
        write(tmp_path, [collection])
        process = Process(tmp_path, str(disk / "store.db"))
        process.start()
        try:
            statuses = asyncio.run(_fill(process, disk / "ballast", reports))
            process.kill()  # and what it says is durable must be so
        finally:
            process.kill()
        (disk / "ballast").unlink(missing_ok=True)
        store = open_store(str(disk / "store.db"))
        found = judged(store, reports, {})
        store.shut()
    assert statuses == {202, 503}
    assert found.clean, found
    assert found.acknowledged == CELLS


async def _fill(process: Process, ballast: Path, reports: list[Report]) -> set[int]:
    await process.ready()
    connection, statuses = Connection(process.port), set[int]()

    async def send(one: Report) -> int:
        status, _ = await connection.post(target(one), one.record)
        one.acknowledged |= status == 202
        one.possible = True
        statuses.add(status)
        return status

    for one in reports[:100]:
        assert await send(one) == 202
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    refused = 0
    for one in reports[100:]:  # the log has some room of its own
        refused += await send(one) == 503
        if refused == 5:
            break
    await _healthy(process.port, 503)
    ballast.unlink()  # noqa: ASYNC240 - nobody else waits
    for one in reports:
        for _ in range(50):
            if await send(one) == 202:
                break
            await asyncio.sleep(0.02)
    await _healthy(process.port, 200)
    connection.close()
    return statuses


async def _healthy(port: int, status: int) -> None:
    """Wait until the collector says so; it asks its store at most once a second."""
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    async with asyncio.timeout(30):
        while int((await exchanged(port, head)).split()[1]) != status:  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.1)


def test_a_log_cut_anywhere_in_its_last_commit_loses_that_commit_only(
    seed: int,
) -> None:
    with memory_folder() as folder:
        _tear(folder, seed)


def _tear(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a load, not a secret
    collection = asked("torn", 16)
    reports = [report(collection, 0, cell, rng) for cell in range(12)]
    path = tmp_path / "store.db"
    store = open_store(str(path))
    store.add(HeldCollection(collection))
    log = path.with_name("store.db-wal")
    sizes = asyncio.run(_commits(store, reports, log))
    data = log.read_bytes()[: sizes[-1]]
    shutil.copyfile(path, tmp_path / "image")
    store.shut()
    lengths = {*range(sizes[-2], sizes[-1], 499), *range(sizes[-1] - 40, sizes[-1] + 1, 4)}
    for length in sorted(lengths | {sizes[0], sizes[5] + 1}):
        whole = [one for one, size in zip(reports, sizes, strict=True) if size <= length]
        _check_torn(tmp_path / "torn", tmp_path / "image", data[:length], reports, whole)
    for _ in range(20):  # or a page of it is other bytes
        place = rng.randrange(sizes[-2] + 24, sizes[-1])
        torn = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        _check_torn(tmp_path / "torn", tmp_path / "image", torn, reports, reports[:-1])


async def _commits(store: Store, reports: list[Report], log: Path) -> list[int]:
    """The size of the log after each."""
    sizes = []
    app = create_app(Service(store))
    async with app.running():
        for one in reports:
            assert await sent(app, one) == 202
            sizes.append(log.stat().st_size)  # noqa: ASYNC240 - nobody else waits
    assert sizes == sorted(set(sizes))
    return sizes


def _check_torn(
    folder: Path, image: Path, log: bytes, reports: list[Report], whole: list[Report]
) -> None:
    folder.mkdir()
    shutil.copyfile(image, folder / "store.db")
    (folder / "store.db-wal").write_bytes(log)
    store = open_store(str(folder / "store.db"))
    for one in reports:
        one.acknowledged = one in whole
        one.possible = one.acknowledged
    assert judged(store, reports, {}).clean
    again = asyncio.run(_again(store, reports))
    assert again == [202] * len(reports)
    assert judged(store, reports, {}).clean
    store.shut()
    shutil.rmtree(folder)


async def _again(store: Store, reports: list[Report]) -> list[int]:
    app = create_app(Service(store))
    async with app.running():
        return [await sent(app, one) for one in reports]


def test_a_clock_turned_back_opens_nothing_again(tmp_path: Path, seed: int) -> None:
    """Not in the process that saw the later time, and not in the next one."""
    rng = random.Random(seed)  # noqa: S311 - a load, not a secret
    collection = asked("hourly", 16, Windows(1000, 100))
    first, late, other = (report(collection, 0, cell, rng) for cell in range(3))
    second = report(collection, 1, 0, rng)
    path, now = str(tmp_path / "store.db"), [1050.0]

    async def live(*steps: tuple[float, Report, int]) -> None:
        store = open_store(path)
        store.add(HeldCollection(collection))
        app = create_app(Service(store, lambda: now[0]))
        async with app.running():
            for moment, one, status in steps:
                now[0] = moment
                await app.ticker.tick()
                assert await sent(app, one) == status
        store.shut()

    asyncio.run(live((1050, first, 202), (1150, second, 202), (1050, first, 409), (990, late, 409)))
    now[0] = 1050
    asyncio.run(live((1050, first, 409), (1050, other, 409), (1150, second, 202)))
    store = open_store(path)
    for one in (late, other):
        one.possible = False
    assert judged(store, [first, late, other, second], {}).clean
    store.shut()

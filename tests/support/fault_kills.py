"""Collectors in processes of their own, killed under load and started again on the same store."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.stores.open import open_store
from support.fault_load import Connection, Senders
from support.fault_reports import Verdict, asked, judged
from support.ports import free_ports

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src"


def questions(flat: int = 6, cells: int = 4096) -> list[Collection]:
    """Some that stay open, and one whose windows close every few seconds."""
    windows = Windows(int(time.time()) - 10, 3)
    return [
        *(asked(f"flat {number}", cells) for number in range(flat)),
        asked("often", cells, windows, keeps_reports=True),
    ]


@dataclass
class Process:
    """A collector that can be killed, and started again at the same address.

    Attributes:
        folder: where its collections and its log are.
        store: the address of its store.
        variant: ``sound``, or how its store is wrong.
        port: where it listens.
    """

    folder: Path
    store: str
    variant: str = "sound"
    options: Sequence[str] = ()
    port: int = field(default_factory=lambda: free_ports(1)[0])
    _running: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        return self.folder / f"log-{self.port}"

    def start(self) -> None:
        """Begin to run, without waiting."""
        how = ["-m", "sudare", "serve"] if self.variant == "sound" else [self._wrong, self.variant]
        documents = sorted(map(str, self.folder.glob("*.json")))
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                [
                    *(sys.executable, *how, *documents, "--store", self.store, "--grace", "1"),
                    *("--port", str(self.port), "--json", *self.options),
                ],
                env={**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"},
                stdout=subprocess.DEVNULL,  # says where it listens
                stderr=log,
            )

    _wrong = str(TESTS / "support" / "fault_server.py")

    async def ready(self, seconds: float = 60) -> None:
        """Wait until it answers."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self._running is None or self._running.poll() is not None:
                raise AssertionError(f"the collector has stopped: {self.log.read_text()[-500:]}")
            connection = Connection(self.port)
            with suppress(OSError, EOFError):
                await connection.post("/healthz", b"")
                connection.close()
                return
            await asyncio.sleep(0.02)
        raise AssertionError("the collector doesn't answer")

    def kill(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()

    def stop(self) -> None:
        if self._running is not None:
            self._running.send_signal(signal.SIGTERM)
            self._running.wait(60)

    @property
    def resident(self) -> int:
        """Its memory now, in KiB."""
        assert self._running is not None
        status = Path(f"/proc/{self._running.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])


def write(folder: Path, collections: Sequence[Collection]) -> None:
    """The documents that a collector is started with."""
    for number, collection in enumerate(collections):
        (folder / f"{number:02}.json").write_bytes(collection.to_json())


async def campaign(processes: list[Process], senders: Senders, kills: int) -> None:
    """Load, and a kill now and then; at the end everybody is answered."""
    rng = senders.rng
    for process in processes:
        process.start()
    for process in processes:
        await process.ready()
    load = asyncio.create_task(senders.send(singles=24, batches=4))
    for _ in range(kills):
        process = rng.choice(processes)
        await asyncio.sleep(rng.uniform(0.1, 0.8))
        process.kill()
        process.start()
        if rng.random() < 0.8:  # else it may be killed before it is ready, too
            await process.ready()
        if load.done():
            await load
    for process in processes:
        await process.ready()
    await asyncio.sleep(0.3)
    senders.finish()
    await asyncio.wait_for(load, 60)


def killed(
    folder: Path, store: str, kills: int, seed: int, *, variant: str = "sound", processes: int = 1
) -> Verdict:
    """The verdict on a collector, or several on one store, after so many kills."""
    collections = questions()
    write(folder, collections)
    running = [Process(folder, store, variant) for _ in range(processes)]
    rng = random.Random(seed)  # noqa: S311 - a load, not a secret
    senders = Senders([process.port for process in running], collections, rng)
    try:
        asyncio.run(campaign(running, senders, kills))
        for process in running:
            process.stop()
    finally:
        for process in running:
            process.kill()
    opened = open_store(store)
    try:
        faults = {"kill": kills, "lost answer": senders.seen[0]}
        return judged(opened, senders.reports, faults)
    finally:
        opened.shut()

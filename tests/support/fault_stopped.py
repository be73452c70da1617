"""A collector in a process that can be stopped: at any moment, or at any statement of a commit.

It is forked from a process in which everything is imported, so that one more costs little. Its
time-outs are short, so that a history through many of them takes seconds.
"""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import patch

from sudare.collector.http.app import create_app
from sudare.collector.http.limits import Limits
from sudare.collector.service import Service
from sudare.collector.serving.server import Server, listen
from sudare.collector.stores.contract import Store
from sudare.collector.stores.postgres.patience import Patience
from sudare.errors import StoreUnavailable
from support.fault_postgres import PostgresPlace
from support.fault_stores import Place, SqlitePlace, Trap, wrapped

ANSWER = 0.8
"""Seconds within which an upload must be answered."""
WAITING = "waiting"
"""The variant of a collector that is wrong: it waits as long as it takes."""
SHORT = Patience(connect=2, place=1, lock=0.3, idle=0.6, statement=1.5, reply=2)

_forked = multiprocessing.get_context("forkserver")
_forked.set_forkserver_preload(["support.fault_warm"])


@dataclass(frozen=True)
class Where:
    """A store as another process may open it.

    Attributes:
        folder: of a SQLite store; None for another.
        url: of a PostgreSQL database.
        variant: ``sound``, or how the store is wrong; ``waiting`` waits as long as it takes.
    """

    folder: Path | None
    url: str = ""
    variant: str = "sound"

    @property
    def waits(self) -> bool:
        return self.variant == WAITING

    def place(self) -> Place:
        if self.folder is not None:
            return SqlitePlace(self.folder)
        return PostgresPlace(self.url, SHORT.long if self.waits else SHORT, emptied=False)


def _collect(where: Where, pipe: Connection) -> None:
    """Serve until told to stop; traps come through a pipe."""
    logging.disable(logging.CRITICAL)
    place = where.place()
    store, service = _opened(place, where)

    def heed() -> None:
        try:
            while True:
                if trap := pipe.recv():
                    place.arm(trap)
                else:
                    place.disarm()
                    pipe.send(None)
        except (EOFError, OSError):
            pass

    threading.Thread(target=heed, daemon=True).start()
    limits = Limits(answer_seconds=3600 if where.waits else ANSWER)
    with listen("127.0.0.1", 0) as listening:
        app = create_app(service, limits=limits)
        port = listening.socket.getsockname()[1]
        Server(app, listening, limits, lambda: pipe.send(port), service.end).run()
    store.shut()
    os._exit(0)  # nobody waits for threads that wait for a store


def _opened(place: Place, where: Where) -> tuple[Store, Service]:
    """A store, opened again and again until that succeeds: the machine, too, may stand still."""
    while True:
        try:
            store = place.open()
            return store, Service(wrapped(store, "sound" if where.waits else where.variant))
        except StoreUnavailable:
            time.sleep(0.05)


class Stoppable:
    """A collector that can be stopped and go on, killed and begun again.

    Attributes:
        port: where it listens now.
        away: how many seconds it has stood still, so far.
    """

    def __init__(self, where: Where) -> None:
        self._where = where
        self.port = 0
        self._away = 0.0
        self._since: float | None = None

    @property
    def away(self) -> float:
        return self._away + (0 if self._since is None else time.monotonic() - self._since)

    def start(self, seconds: float = 60) -> None:
        """Begin, and come back when it listens."""
        with patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
            forkserver.ensure_running()  # which finds our modules by that alone
        self._pipe, own = _forked.Pipe()
        self._process = _forked.Process(target=_collect, args=(self._where, own), daemon=True)
        self._process.start()
        own.close()
        if not self._pipe.poll(seconds):
            raise AssertionError("the collector doesn't answer")
        self.port = self._pipe.recv()

    def trap(self, trap: Trap) -> None:
        """Let it stop itself, at a statement of its next transaction."""
        self._pipe.send(trap)

    def untrap(self, seconds: float = 60) -> None:
        """Take a trap away, and let it go on if it has sprung meanwhile."""
        self._pipe.send(None)
        until = time.monotonic() + seconds
        while not self._pipe.poll(0.05):
            self.go_on()
            if time.monotonic() > until:
                raise AssertionError("the collector doesn't go on")
        self._pipe.recv()

    @property
    def is_stopped(self) -> bool:
        _, _, after = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")
        return after.split()[0] == "T"

    def note_stop(self) -> None:
        """Count from now on how long it stands still."""
        self._since = time.monotonic()

    def stop(self) -> None:
        """Stop it wherever it is."""
        self.note_stop()
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on; nothing happens if it isn't stopped."""
        self._signal(signal.SIGCONT)
        self._away, self._since = self.away, None

    def kill(self) -> None:
        if self._process.exitcode is None:
            self._signal(signal.SIGKILL)
        self._away, self._since = self.away, None
        self._process.join()
        self._pipe.close()

    def end(self, seconds: float = 60) -> None:
        """Tell it to stop gently, and fail if it doesn't."""
        self.go_on()
        self._signal(signal.SIGTERM)
        self._process.join(seconds)
        if self._process.exitcode is None:
            self.kill()
            raise AssertionError(f"the collector has not stopped within {seconds} seconds")
        self._pipe.close()

    def _signal(self, what: int) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, what)

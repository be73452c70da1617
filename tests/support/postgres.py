"""A private PostgreSQL server for tests: its own folder, its own socket, nobody else's data."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from support.in_memory import memory
from support.tools import POSTGRESQL

_numbers = count()
_PATIENCE = 60  # seconds
_END = """SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'"""


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        folder: where its data and its socket are.
        programs: the folder of its programs.
        free: its databases that no test uses.
        taken: those that one does.
    """

    folder: Path
    programs: Path
    free: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The address of a database without a store, until ``give_back``."""
        if self.free:
            name = self.free.pop()
            end_connections(self.url(name))
            with psycopg.connect(self.url(name), autocommit=True) as connection:
                connection.execute("DROP SCHEMA IF EXISTS sudare CASCADE")
        else:
            name = f"store_{os.getpid()}_{next(_numbers)}"
            with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
        self.taken.append(name)
        return self.url(name)

    def give_back(self) -> None:
        """Nothing is needed any more of what ``new_database`` gave: it may be given again."""
        self.free.extend(self.taken)
        self.taken.clear()

    @property
    def log(self) -> str:
        """All that the server has written down."""
        return (self.folder / "log").read_text()

    def control(self, *arguments: str) -> None:
        """pg_ctl, waiting until it is done."""
        data = self.folder / "data"
        command = [self.programs / "pg_ctl", "-D", data, "-w", "-s", *arguments]
        _as_nobody_special(command, self.folder)

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=40"
        self.control("start", "-l", str(self.folder / "log"), "-o", options)


def end_connections(url: str) -> None:
    """End all to a database, and come back when the processes behind them are gone."""
    # Not ``psycopg.connect``: a test may have put another in its place.
    with psycopg.Connection.connect(url, autocommit=True) as own:
        ended = [pid for pid, _ in own.execute(_END)]
    # The server's own way to wait looks but ten times a second.
    until = time.monotonic() + _PATIENCE
    while any(map(_runs, ended)):
        if time.monotonic() > until:
            raise RuntimeError(f"a connection has not ended within {_PATIENCE} seconds")
        time.sleep(0.001)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # nothing is sent
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True


@contextmanager
def server(parent: str | None = None) -> Iterator[Server]:
    """A server that is gone afterwards; its folder is made in another, else in memory."""
    # Not pytest's folder: its name may be longer than that of a socket, and root's alone.
    folder = Path(tempfile.mkdtemp(prefix="sudare-pg-", dir=parent or memory()))
    running = Server(folder, POSTGRESQL.path().parent)
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        initdb = [running.programs / "initdb", "-D", folder / "data", "-U", "postgres", "-N"]
        _as_nobody_special([*initdb, "-A", "trust", "-E", "UTF8", "--locale=C"], folder)
        running.start()
        try:
            yield running
        finally:
            running.control("stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder)


@contextmanager
def stopped_server(server: Server) -> Iterator[None]:
    """A server all of whose processes stand still during the block, as if its machine were."""
    parent = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    pids = [parent, *_children(parent)]
    for pid in pids:  # the parent first: it starts no more
        _signal(pid, signal.SIGSTOP)
    for pid in set(_children(parent)) - set(pids):
        _signal(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in (parent, *_children(parent)):
            _signal(pid, signal.SIGCONT)


def _children(parent: int) -> list[int]:
    """The processes that a process has started, and that haven't ended."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            _, _, after = (one / "stat").read_text().rpartition(")")
            if int(after.split()[1]) == parent:
                found.append(int(one.name))
    return found


def _signal(pid: int, what: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, what)


@contextmanager
def administrator(url: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Somebody else who is connected to a store's database."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = sudare")
        yield connection


def wait_for(connection: psycopg.Connection[tuple[object, ...]], query: str) -> None:
    """Until a query has a row; fails after half a minute."""
    for _ in range(3000):
        if connection.execute(query).fetchone():
            return
        time.sleep(0.01)
    raise AssertionError(f"nothing came of {query}")


def _as_nobody_special(command: list[object], folder: Path) -> None:
    """Run a program of the server, which refuses to be root."""
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        group = pwd.getpwnam("nobody").pw_gid
        who = {"user": "nobody", "group": group, "extra_groups": []}
    done = subprocess.run(
        [str(part) for part in command],
        **who,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")

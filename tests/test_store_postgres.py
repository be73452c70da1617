"""PostgreSQL under what happens to servers and processes: races, restarts, lost connections."""

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psycopg
import pytest

from postgres import Server, end_connections, server
from stores import Rules, answers, fates, group, held, names, question, total
from sudare.collector import postgres_database
from sudare.collector.migrations import POSTGRES
from sudare.collector.opening import open_store
from sudare.collector.postgres import PostgresStore
from sudare.collector.store import Fate
from sudare.errors import ParameterError, StoreUnavailable

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url)
    yield opened
    opened.shut()


SENDING = textwrap.dedent("""
    import sys
    import numpy as np
    from stores import Rules, answers, group, question
    from sudare.collector.opening import open_store

    url, seed = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(seed)
    store = open_store(url)
    ours = [question(name, Rules(keeps_reports=True)) for name in ("tea", "coffee")]
    print("open", flush=True)
    sys.stdin.readline()
    new = np.zeros(2, int)
    for _ in range(60):
        order = rng.permutation(2)  # commits lock in one order, whatever that of the groups
        chosen = [rng.integers(0, 500, 20) for _ in ours]
        own = [np.stack([some, some], axis=1).astype(np.uint64) for some in chosen]
        groups = [group(ours[i], answers(*chosen[i] % 3), own[i]) for i in order]
        for i, one in zip(order, store.commit(groups)):
            new[i] += (one == 0).sum()
    print(*new)
""")


def test_processes_that_send_the_same_count_once(url: str, store: PostgresStore, seed: int) -> None:
    ours = [held(store, question(name, Rules(keeps_reports=True))) for name in ("tea", "coffee")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    senders = [
        subprocess.Popen(
            [sys.executable, "-c", SENDING, url, str(seed + number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        for number in range(2)
    ]
    for sender in senders:
        assert sender.stdout is not None
        assert sender.stdout.readline() == b"open\n"
    outputs = [sender.communicate(b"\n")[0] for sender in senders]
    new = np.array([output.split() for output in outputs], int).sum(axis=0)
    for collection, counted in zip(ours, new.tolist(), strict=True):
        n, counts = total(store, collection)
        kept = np.concatenate([some["answer"] for some in store.reports(collection.key)])
        assert n == counted == len(kept)
        assert counts == np.bincount(kept, minlength=3).tolist()
        assert 300 < n <= 500  # of 2400 sent


def test_two_processes_see_each_others_closing(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    other = open_store(url)
    store.commit([group(tea, answers(0))])
    other.close(tea.key, 0)
    assert fates(store, group(tea, answers(0))) == [[Fate.LATE]]
    assert fates(other, group(tea, answers(0), window=1)) == [[Fate.NEW]]
    other.remove(tea.key)
    assert fates(store, group(tea, answers(0), window=1)) == [[Fate.SHUT]]
    other.shut()


def test_closing_waits_for_commits_and_commits_for_closing(store: PostgresStore) -> None:
    """Whatever a commit said was new before a window closed is in its sum, and nothing more."""
    tea = held(store, question())
    stop, enough = threading.Event(), threading.Event()

    def send() -> int:
        new = 0
        while not stop.is_set():
            fate = store.commit([group(tea, answers(1))])[0][0]
            new += int(fate == Fate.NEW)
            if new == 7:
                enough.set()
            if fate == Fate.LATE:
                break
        return new

    with ThreadPoolExecutor(3) as pool:
        sending = [pool.submit(send) for _ in range(3)]
        try:
            assert enough.wait(60)
            store.close(tea.key, 0)
        finally:
            stop.set()
        new = sum(one.result() for one in sending)
    assert total(store, tea) == (new, [0, new, 0])


def test_names_of_closed_windows_are_gone(store: PostgresStore) -> None:
    tea = held(store, question())
    store.commit([group(tea, answers(0), window=window) for window in (0, 1, 2, 10)])
    store.close(tea.key, 1)
    tables = "SELECT tablename FROM pg_tables WHERE starts_with(tablename, 'seen') ORDER BY 1"
    assert store._read(tables) == [("seen_1_10",), ("seen_1_2",)]
    store.remove(tea.key)
    assert store._read(tables) == []


def test_a_lost_connection_is_refused_and_made_again(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    own = names(2)
    store.commit([group(tea, answers(0), own[:1])])
    end_connections(url)
    with pytest.raises(StoreUnavailable, match="the database takes nothing now"):
        store.commit([group(tea, answers(0, 1), own)])
    assert fates(store, group(tea, answers(0, 1), own)) == [[Fate.REPEATED, Fate.NEW]]


def test_a_server_that_crashes_keeps_what_was_acknowledged() -> None:
    """A server of its own, on a disk: the others' isn't to crash."""
    with server(tempfile.gettempdir()) as crashing:
        store = PostgresStore(crashing.new_database())
        tea = held(store, question())
        own = names(50)
        for start in range(0, 50, 10):
            store.commit([group(tea, answers(*[1] * 10), own[start : start + 10])])
        crashing.control("stop", "-m", "immediate")
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="the database takes nothing now"):
                store.check()
        crashing.start()
        store.check()
        assert fates(store, group(tea, answers(*[1] * 50), own)) == [[Fate.REPEATED] * 50]
        assert total(store, tea) == (50, [0, 50, 0])
        store.shut()


def test_a_commit_that_fails_half_way_counts_nothing(url: str, store: PostgresStore) -> None:
    """The second of two groups can't be written: the first isn't either."""
    tea, coffee = sorted((question(), question("coffee")), key=lambda one: one.key)
    held(store, tea)
    held(store, coffee)
    own = names(1)
    both = [group(tea, answers(0), own), group(coffee, answers(0), own)]
    blocked = "FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SET search_path = sudare")
        other.execute(f"CREATE {blocked} RAISE 'no' USING ERRCODE = 'disk_full'; END $$")
        other.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON windows FOR EACH ROW "
            "WHEN (NEW.collection = 2) EXECUTE FUNCTION refuse()"
        )
        with pytest.raises(StoreUnavailable, match=r"takes nothing now \(53100\)"):
            store.commit(both)
        assert store.windows(tea.key) == []
        other.execute("DROP TRIGGER refuse ON windows")
    assert fates(store, *both) == [[Fate.NEW], [Fate.NEW]]


def test_processes_that_start_at_once_make_one_store(postgres: Server) -> None:
    url = postgres.new_database()
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(PostgresStore, [url] * 6))
    tea = held(stores[0], question())
    assert [one.collection for store in stores for one in store.standings()] == [tea] * 6
    for store in stores:
        store.shut()


def test_an_older_store_is_brought_up_to_date(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PostgresStore(url).shut()
    later = (*POSTGRES, ("CREATE TABLE more (a integer)",))
    monkeypatch.setattr(postgres_database, "POSTGRES", later)
    store = PostgresStore(url)
    assert store._read("SELECT count(*) FROM more") == [(0,)]
    store.shut()
    monkeypatch.undo()
    with pytest.raises(ParameterError, match="format 2, this version of Sudare knows up to 1"):
        PostgresStore(url)


def test_a_server_that_is_not_there_is_refused() -> None:
    with pytest.raises(StoreUnavailable, match="the database takes nothing now"):
        open_store("postgresql://somebody:secret@127.0.0.1:1/none")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="no address of a PostgreSQL database"):
        open_store("postgresql://host:secret:port:/x?y")


def test_without_psycopg_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sudare.collector.postgres", raising=False)
    monkeypatch.delitem(sys.modules, "sudare.collector.postgres_database", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ParameterError, match="needs psycopg: pip install"):
        open_store("postgresql://somebody@/none")

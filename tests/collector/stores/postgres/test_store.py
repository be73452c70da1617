"""PostgreSQL under what happens to servers and processes: races, restarts, lost connections."""

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from sudare.collector.stores.contract import ReportFate, State
from sudare.collector.stores.migrations import POSTGRES
from sudare.collector.stores.open import open_store
from sudare.collector.stores.postgres import database as postgres_database
from sudare.collector.stores.postgres.database import Database
from sudare.collector.stores.postgres.store import PostgresStore
from sudare.errors import ParameterError, StoreUnavailable
from support.postgres import Server, end_connections, server
from support.stores import Rules, answers, digests, fates, group, held, new_ids, question, total

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url)
    yield opened
    opened.shut()


def test_a_session_says_what_it_relies_on_whatever_the_server_does(url: str) -> None:
    others = {
        "default_transaction_isolation": "serializable",
        "jit": "on",
        "search_path": "public",
        "synchronous_commit": "off",
        "statement_timeout": "1h",
    }
    said = " ".join(f"-c {name}={value}" for name, value in others.items())
    store = PostgresStore(make_conninfo(url, options=said))
    found = {name: store._read(f"SHOW {name}")[0][0] for name in others}
    store.shut()
    assert found == {
        "default_transaction_isolation": "read committed",
        "jit": "off",
        "search_path": "sudare, pg_catalog",
        "synchronous_commit": "on",
        "statement_timeout": "20s",
    }


SENDING = textwrap.dedent("""
    import sys
    import numpy as np
    from support.stores import Rules, answers, group, question
    from sudare.collector.stores.open import open_store

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
    assert fates(store, group(tea, answers(0))) == [[ReportFate.LATE]]
    assert fates(other, group(tea, answers(0), window=1)) == [[ReportFate.NEW]]
    other.remove(tea.key)
    assert fates(store, group(tea, answers(0), window=1)) == [[ReportFate.SHUT]]
    other.shut()


def test_closing_waits_for_commits_and_commits_for_closing(store: PostgresStore) -> None:
    """Whatever a commit said was new before a window closed is in its sum, and nothing more."""
    tea = held(store, question())
    stop, enough = threading.Event(), threading.Event()

    def send() -> int:
        new = 0
        while not stop.is_set():
            fate = store.commit([group(tea, answers(1))])[0][0]
            new += int(fate == ReportFate.NEW)
            if new == 7:
                enough.set()
            if fate == ReportFate.LATE:
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
    store.change(tea.key, state=State.CLOSED)
    assert store._read(tables) == []
    coffee = held(store, question("coffee"))
    store.commit([group(coffee, answers(0))])
    assert store._read(tables) == [("seen_2_0",)]
    store.remove(coffee.key)
    assert store._read(tables) == []


def test_names_that_a_killed_process_left_are_gone_at_the_next_look(
    url: str, store: PostgresStore
) -> None:
    tea = held(store, question())
    store.commit([group(tea, answers(0))])
    with psycopg.connect(url, autocommit=True) as administrator:  # closed, and not tidied
        administrator.execute("UPDATE sudare.collections SET state = 'closed'")
    other = PostgresStore(url)
    tables = "SELECT tablename FROM pg_tables WHERE starts_with(tablename, 'seen')"
    assert other._read(tables) == [("seen_1_0",)]
    other.held_collections()
    assert other._read(tables) == []
    other.shut()


def test_a_lost_connection_is_refused_and_made_again(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    own = new_ids(2)
    store.commit([group(tea, answers(0), own[:1])])
    end_connections(url)
    with pytest.raises(StoreUnavailable, match="the database takes nothing now"):
        store.commit([group(tea, answers(0, 1), own)])
    assert fates(store, group(tea, answers(0, 1), own)) == [[ReportFate.REPEATED, ReportFate.NEW]]


def test_a_server_that_crashes_keeps_what_was_acknowledged() -> None:
    """A server of its own, on a disk: the others' isn't to crash."""
    with server(tempfile.gettempdir()) as crashing:
        store = PostgresStore(crashing.new_database())
        tea = held(store, question())
        own = new_ids(50)
        for start in range(0, 50, 10):
            store.commit([group(tea, answers(*[1] * 10), own[start : start + 10])])
        crashing.control("stop", "-m", "immediate")
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="the database takes nothing now"):
                store.check()
        crashing.start()
        store.check()
        assert fates(store, group(tea, answers(*[1] * 50), own)) == [[ReportFate.REPEATED] * 50]
        assert total(store, tea) == (50, [0, 50, 0])
        store.shut()


def test_a_commit_that_fails_half_way_counts_nothing(url: str, store: PostgresStore) -> None:
    """The second of two groups can't be written: the first isn't either."""
    tea, coffee = sorted((question(), question("coffee")), key=lambda one: one.key)
    held(store, tea)
    held(store, coffee)
    own = new_ids(1)
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
    assert fates(store, *both) == [[ReportFate.NEW], [ReportFate.NEW]]


def test_processes_that_start_at_once_make_one_store(postgres: Server) -> None:
    url = postgres.new_database()
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(PostgresStore, [url] * 6))
    tea = held(stores[0], question())
    assert [one.collection for store in stores for one in store.held_collections()] == [tea] * 6
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
    with pytest.raises(ParameterError, match="format 3, this version of Sudare knows up to 2"):
        PostgresStore(url)


def test_names_that_had_a_row_each_are_kept(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of format 1, with more ids than go into one row."""
    tea = question()
    with monkeypatch.context() as before:
        before.setattr(postgres_database, "POSTGRES", POSTGRES[:1])
        old = PostgresStore(url)
        held(old, tea)
        old.shut()
    own = np.random.default_rng(1).integers(0, 1 << 63, (70_000, 2)).astype(np.uint64)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SET search_path = sudare")
        other.execute("CREATE TABLE seen_1_3 (name uuid PRIMARY KEY)")
        with other.cursor().copy("COPY seen_1_3 FROM STDIN") as copy:
            for each in own:
                copy.write_row([each.astype("<u8").tobytes().hex()])
        counts = np.array([0, len(own), 0], "<i8").tobytes()
        other.execute("INSERT INTO windows VALUES (1, 3, 0, 0, %b, %b)", (len(own), counts))
    store = PostgresStore(url)
    values = np.zeros(len(own), tea.report_dtype)
    assert (store.commit([group(tea, values, own, window=3)])[0] == ReportFate.REPEATED).all()
    assert fates(store, group(tea, answers(1), window=3)) == [[ReportFate.NEW]]
    assert total(store, tea, 3) == (len(own) + 1, [0, len(own) + 1, 0])
    store.shut()


# Ids in memory


def test_a_process_knows_what_others_have_counted(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    other = PostgresStore(url)
    own = new_ids(5)
    assert fates(store, group(tea, answers(0, 0), own[:2])) == [[ReportFate.NEW] * 2]
    assert fates(other, group(tea, answers(0, 0), own[1:3])) == [
        [ReportFate.REPEATED, ReportFate.NEW]
    ]
    assert fates(store, group(tea, answers(0, 0), own[2:4])) == [
        [ReportFate.REPEATED, ReportFate.NEW]
    ]
    assert fates(other, group(tea, answers(*[0] * 5), own)) == [
        [ReportFate.REPEATED] * 4 + [ReportFate.NEW]
    ]
    assert total(store, tea) == (5, [5, 0, 0])
    other.shut()


def test_a_database_that_was_set_back_is_read_anew(url: str, store: PostgresStore) -> None:
    """As by a standby that lacked the last commit: others have counted since, under its number."""
    tea = held(store, question())
    own = new_ids(3)
    store.commit([group(tea, answers(0), own[:1])])
    store.commit([group(tea, answers(0), own[1:2])])
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute("DELETE FROM sudare.seen_1_0 WHERE id = 2")
        counts = np.array([1, 0, 0], "<i8").tobytes()
        administrator.execute("UPDATE sudare.windows SET n = 1, counts = %b", (counts,))
    other = PostgresStore(url)
    assert fates(other, group(tea, answers(0), own[2:])) == [[ReportFate.NEW]]
    other.shut()
    assert fates(store, group(tea, answers(0, 0, 0), own)) == [
        [ReportFate.REPEATED, ReportFate.NEW, ReportFate.REPEATED]
    ]
    assert total(store, tea) == (3, [3, 0, 0])


def test_what_was_sent_is_emptied_now_and_then(store: PostgresStore) -> None:
    """And what is left of a commit before doesn't count again."""
    club = held(store, question("club", Rules(keeps_reports=True, invited=True)))
    invitations = [digests(str(number)) for number in range(300)]
    store.invite(club.key, [one[0].tobytes() for one in invitations])
    sizes = []
    for one in invitations:
        sent = group(club, answers(1), invitations=one)
        assert fates(store, sent, group(club, answers(0), invitations=one, window=1)) == [
            [ReportFate.NEW],
            [ReportFate.NEW],
        ]
        uninvited = group(club, answers(1), invitations=one)  # it is used
        assert fates(store, uninvited) == [[ReportFate.UNINVITED]]
        sizes += store._read("SELECT pg_total_relation_size('incoming')")
    assert total(store, club) == (300, [0, 300, 0])
    assert total(store, club, 1) == (300, [300, 0, 0])
    assert sum(len(some) for some in store.reports(club.key)) == 600
    assert any(after < before for before, after in pairwise(sizes))


def test_a_commit_that_nobody_heard_of_is_found(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is durable, but the connection was lost before the server said so."""
    tea = held(store, question())
    own = new_ids(2)
    real = Database.retried

    def unheard(*arguments: Any, **options: Any) -> None:
        real(*arguments, **options)
        raise StoreUnavailable("lost")

    with monkeypatch.context() as losing:
        losing.setattr(Database, "retried", unheard)
        with pytest.raises(StoreUnavailable, match="lost"):
            store.commit([group(tea, answers(0), own[:1])])
    assert fates(store, group(tea, answers(0, 0), own)) == [[ReportFate.REPEATED, ReportFate.NEW]]
    assert total(store, tea) == (2, [2, 0, 0])


def test_a_window_whose_names_are_lost_takes_nothing(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    store.commit([group(tea, answers(0, 0))])
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute("DELETE FROM sudare.seen_1_0")
    with pytest.raises(StoreUnavailable, match=r"window 0 of .* has 2 reports and 0 ids"):
        store.commit([group(tea, answers(0))])


def test_names_of_what_another_process_closed_leave_memory(url: str, store: PostgresStore) -> None:
    tea, coffee = held(store, question()), held(store, question("coffee"))
    store.commit([group(tea, answers(0), window=window) for window in range(3)])
    store.commit([group(coffee, answers(0))])
    other = PostgresStore(url)
    other.close(tea.key, 1)
    other.change(coffee.key, state=State.CLOSED)
    other.shut()
    assert len(store._known) == 4
    store.held_collections()
    assert list(store._known) == [(1, 2)]


def test_a_server_that_is_not_there_is_refused() -> None:
    with pytest.raises(StoreUnavailable, match="nothing listens at") as told:
        open_store("postgresql://somebody:secret@127.0.0.1:1/none")
    assert "secret" not in str(told.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="no address of a PostgreSQL database"):
        open_store("postgresql://host:secret:port:/x?y")


def test_without_psycopg_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sudare.collector.stores.postgres.store", raising=False)
    monkeypatch.delitem(sys.modules, "sudare.collector.stores.postgres.database", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ParameterError, match="needs psycopg: pip install"):
        open_store("postgresql://somebody@/none")

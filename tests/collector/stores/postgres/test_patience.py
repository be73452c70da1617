"""A collector, a server or a network that stands still: the others go on, and nobody waits long."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sudare.collector.http import health
from sudare.collector.http.limits import Limits
from sudare.collector.http.problems import Problem
from sudare.collector.stores.backup import back_up, restore
from sudare.collector.stores.contract import ReportFate
from sudare.collector.stores.postgres import database as postgres_database
from sudare.collector.stores.postgres.patience import Patience
from sudare.collector.stores.postgres.store import PostgresStore
from sudare.errors import StoreUnavailable
from support.fault_network import Network
from support.postgres import Server, administrator, server, stopped_server, wait_for
from support.stores import answers, fates, group, held, question, total
from support.uploads import collecting, error, packed, receipts, said
from support.uploads import tea as collection_of_tea

pytestmark = pytest.mark.xdist_group("postgres-patience")  # one server for all of them

SHORT = Patience(connect=2, place=2, lock=0.3, idle=0.6, statement=2, reply=2.5)


@pytest.fixture(scope="module")
def own() -> Iterator[Server]:
    """A server of these tests' own, as they stop it."""
    with server() as running:
        yield running


@pytest.fixture
def address(own: Server) -> Iterator[str]:
    yield own.new_database()
    own.give_back()


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(address, SHORT)
    yield opened
    opened.shut()


@contextmanager
def through(own: Server, url: str) -> Iterator[tuple[Network, str]]:
    """A network to the server, and the address of a database through it."""
    with Network(own.folder / ".s.PGSQL.5432") as network:
        name = url.partition("@/")[2].partition("?")[0]
        yield network, f"postgresql://postgres@127.0.0.1:{network.port}/{name}"


# A collector that stands still

STOPPING = textwrap.dedent("""
    import os, secrets, signal, sys
    from sudare.collector.stores.postgres import store as module
    from sudare.collector.stores.postgres.patience import Patience
    from sudare.formats.report_ids import ids_of
    from support.stores import answers, group, question

    times, write = [], module._write
    def stopped(*rest):
        if not times:
            times.append(1)
            os.kill(os.getpid(), signal.SIGSTOP)
        write(*rest)
    module._write = stopped
    store = module.PostgresStore(sys.argv[1], Patience(lock=0.3, idle=0.6))
    own = ids_of(secrets.token_bytes(16))
    print([fate.tolist() for fate in store.commit([group(question(), answers(2), own)])])
    store.shut()
""")


@contextmanager
def stopped_collector(url: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process that was stopped inside a commit, which has the window."""
    running = subprocess.Popen(
        [sys.executable, "-c", STOPPING, url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        stdout=subprocess.PIPE,
    )
    try:
        _, status = os.waitpid(running.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), "it ended before it was stopped"
        yield running
    finally:
        running.kill()
        running.wait()


def test_others_go_on_while_a_collector_is_stopped_inside_a_commit(
    address: str, store: PostgresStore
) -> None:
    tea = held(store, question())
    assert fates(store, group(tea, answers(0))) == [[ReportFate.NEW]]
    with stopped_collector(address) as other:
        # It would wait for ever, where nothing ends the other's transaction.
        assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        store.check()
        other.send_signal(signal.SIGCONT)
        said, _ = other.communicate(timeout=60)
    assert said.strip() == "[[0]]"  # it was told that nothing was kept, and tried again
    assert total(store, tea) == (3, [1, 1, 1])


def test_others_go_on_while_a_collector_is_stopped_inside_a_copy(
    address: str, store: PostgresStore
) -> None:
    """For which the server itself would wait for ever, whatever its time-outs are."""
    tea = held(store, question())
    assert fates(store, group(tea, answers(0))) == [[ReportFate.NEW]]
    with psycopg.connect(f"{address}&application_name=sudare") as other:
        other.execute("SET search_path = sudare")
        other.execute("CREATE TEMPORARY TABLE sent (number bigint)")
        other.execute("SELECT 1 FROM windows FOR UPDATE")
        try:
            with other.cursor().copy("COPY sent FROM STDIN") as copy:
                copy.write_row((1,))
                assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        except psycopg.OperationalError:
            pass
        assert other.broken  # and nobody believes that it was committed
    assert total(store, tea) == (2, [1, 1, 0])


def test_a_copy_that_goes_on_is_left_alone(address: str, store: PostgresStore) -> None:
    held(store, question())
    with psycopg.connect(f"{address}&application_name=sudare") as other:
        other.execute("CREATE TEMPORARY TABLE sent (number bigint)")
        with other.cursor().copy("COPY sent FROM STDIN") as copy:
            store._database._end_silent()
            copy.write_row((1,))
        assert other.execute("SELECT count(*) FROM sent").fetchall() == [(1,)]


# A server, or a network, that stands still


def test_a_stopped_server_is_given_up(own: Server, address: str) -> None:
    store = PostgresStore(address, SHORT)
    tea = held(store, question())
    sent = group(tea, answers(1))
    with (
        ThreadPoolExecutor(1) as pool,  # the test ends, too, where it would wait for ever
        stopped_server(own),
        pytest.raises(StoreUnavailable, match="takes nothing now"),
    ):
        pool.submit(store.commit, [sent]).result(30)
    assert fates(store, sent)[0][0] in (ReportFate.NEW, ReportFate.REPEATED)
    assert total(store, tea) == (1, [0, 1, 0])
    store.shut()


@pytest.mark.parametrize("lost", [False, True])
def test_a_network_that_swallows_packets_is_given_up(
    own: Server, address: str, *, lost: bool
) -> None:
    with through(own, address) as (network, url):
        store = PostgresStore(url, SHORT)
        tea = held(store, question())
        sent = [group(tea, answers(place)) for place in range(2)]
        assert fates(store, sent[0]) == [[ReportFate.NEW]]
        if lost:
            network.lose()
        else:
            network.swallow()
        with ThreadPoolExecutor(1) as pool:
            try:
                with pytest.raises(StoreUnavailable, match="takes nothing now"):
                    pool.submit(store.commit, [sent[1]]).result(30)
            finally:
                network.heal()
        for one in sent:  # whatever became of them counts once
            assert fates(store, one)[0][0] in (ReportFate.NEW, ReportFate.REPEATED)
        assert total(store, tea) == (2, [1, 1, 0])
        store.shut()


def test_a_commit_that_arrives_after_it_was_given_up_counts_once(
    own: Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with through(own, address) as (network, url):
        store = PostgresStore(url, SHORT)
        tea = held(store, question())
        sent, write = group(tea, answers(1)), postgres_database.run

        def swallowed(cursor: postgres_database.Cursor, query: str, rest: object) -> object:
            rows = write(cursor, query, rest)  # type: ignore[arg-type]
            if query.startswith("WITH sent"):  # the commit follows, and is under way until it heals
                network.swallow()
            return rows

        monkeypatch.setattr("sudare.collector.stores.postgres.store.run", swallowed)
        with pytest.raises(StoreUnavailable):
            store.commit([sent])
        monkeypatch.undo()
        network.heal()
        assert fates(store, sent)[0][0] in (ReportFate.NEW, ReportFate.REPEATED)
        assert total(store, tea) == (1, [0, 1, 0])
        store.shut()


def test_a_collector_says_503_while_its_database_is_stopped(own: Server, address: str) -> None:
    store = PostgresStore(address, SHORT)
    asked = collection_of_tea()

    async def scenario() -> None:
        async with collecting(store, asked, limits=Limits(answer_seconds=0.5)) as collector:
            well = health.Health(store, waited=collector.app._uploads.writer.oldest, oldest=0.4)
            await well.check()
            body = packed(said(asked, 1))
            assert receipts([await collector.send(asked, body)]) == [(1, 0, 0)]
            with stopped_server(own):
                async with asyncio.timeout(30):
                    for _ in range(3):
                        told = await collector.send(asked, packed(said(asked, 1)))
                        assert error(told) == (503, "store_unavailable")
                    with pytest.raises(Problem, match="takes nothing now"):
                        await well.check()
                    standing = await collector.client.get(f"/collections/{asked.key}/standing")
                    assert standing.status_code in (404, 503)
            async with asyncio.timeout(60):
                while told.status_code == 503:
                    await asyncio.sleep(0.05)
                    told = await collector.send(asked, body)
            assert receipts([told]) == [(0, 1, 0)]

    asyncio.run(scenario())
    store.shut()


# What may take long


def test_what_may_take_long_is_not_cut(own: Server, address: str, tmp_path: Path) -> None:
    short = Patience(lock=0.1, idle=0.1, statement=0.1, reply=0.3)
    store = PostgresStore(address, short)
    tea = held(store, question())
    store.commit([group(tea, answers(1))])
    with store.snapshot() as each:  # a backup to a slow disk
        ((n, _),) = each("SELECT n, pg_sleep(0.4) FROM windows")
        assert n == 1
        time.sleep(0.4)
        assert list(each("SELECT n FROM windows")) == [(1,)]
    with store.writing(long=True) as run:  # a restore
        run("SELECT pg_sleep(0.4)", ())
        time.sleep(0.4)
        run("SELECT 1", ())
    with pytest.raises(StoreUnavailable, match="57014"), store.writing() as run:
        run("SELECT pg_sleep(5)", ())
    with administrator(address) as other:  # a collector that upgrades, and one that waits for it
        other.execute("SELECT pg_advisory_lock(%s)", (postgres_database._UPGRADING,))
        opening = threading.Thread(target=lambda: PostgresStore(address, short).shut())
        opening.start()
        wait_for(
            other,
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
        )
        time.sleep(0.4)
        assert opening.is_alive()
        other.execute("SELECT pg_advisory_unlock(%s)", (postgres_database._UPGRADING,))
        opening.join(60)
        assert not opening.is_alive()
    back_up(address, tmp_path / "backup")
    restore(tmp_path / "backup", own.new_database())
    store.shut()


def test_ids_that_take_long_to_read_are_not_cut(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.collector.stores.postgres.store._MANY", 2)
    store = PostgresStore(address)
    tea = held(store, question())
    for _ in range(3):
        store.commit([group(tea, answers(*[1] * 5))])
    with administrator(address) as other:  # a table that is slow to read
        other.execute("ALTER TABLE seen_1_0 RENAME TO slow")
        other.execute(
            "CREATE VIEW seen_1_0 AS SELECT id, stamp, names FROM slow, "
            "LATERAL (SELECT pg_sleep(0.2 + 0 * id)) waited"
        )
    late = PostgresStore(address, Patience(lock=0.1, idle=0.3, statement=0.3, reply=0.5))
    with pytest.raises((StoreUnavailable, psycopg.Error)):  # nothing can be written to the view
        late.commit([group(tea, answers(1))])
    (ids,) = late._known.values()
    assert len(ids) == 15
    late.shut()
    store.shut()


def test_every_session_has_its_bounds(store: PostgresStore) -> None:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    with store._database.transaction() as cursor:
        found = [cursor.execute(f"SHOW {name}").fetchone() for name in names]
    assert found == [("300ms",), ("2s",), ("600ms",)]
    network = Patience().network
    assert network == {
        "connect_timeout": 5,
        "keepalives": 1,
        "keepalives_idle": 5,
        "keepalives_interval": 7,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
    }
    assert SHORT.network["keepalives_idle"] == SHORT.network["keepalives_interval"] == 1
    # A dead peer is found about when a silent one is.
    found_after = network["keepalives_idle"] + 3 * network["keepalives_interval"]
    assert found_after <= Patience().reply + 5


def test_what_may_take_long_has_an_hour() -> None:
    long = Patience().long
    assert (long.lock, long.idle, long.statement, long.reply) == (3600, 3600, 3600, 3625)
    assert (long.connect, long.place) == (Patience().connect, Patience().place) == (5, 10.0)
    for local in (True, False):
        assert Patience().settings(local=local) == (
            f"SELECT set_config('lock_timeout', '3000', {str(local).lower()}), "
            f"set_config('idle_in_transaction_session_timeout', '5000', {str(local).lower()}), "
            f"set_config('statement_timeout', '20000', {str(local).lower()})"
        )


def test_removing_a_collection_may_take_long(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = held(store, question())
    asked: list[bool] = []
    retried = store._database.retried

    def noted(work: Callable[[Any], Any], *, committing: bool = False, long: bool = False) -> Any:
        asked.append(long)
        return retried(work, committing=committing, long=long)

    monkeypatch.setattr(store._database, "retried", noted)
    store.keep_candidates(tea.key, [])
    store.remove(tea.key)
    assert asked == [False, True]

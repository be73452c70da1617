"""A log that lost what was acknowledged: a flipped bit, a deleted file, a store set back."""

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sudare.collection.document import Collection
from sudare.collector.stores.backup import back_up, restore
from sudare.collector.stores.contract import Group, ReportFate
from sudare.collector.stores.sqlite.acknowledged import Acknowledged
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.errors import InvalidDocument, StoreUnavailable
from support.in_memory import memory_folder
from support.sqlite_stores import closing_store
from support.stores import answers, fates, group, held, question, total
from support.synced import synced_contents

COMMITS = 30
_HEAD = 32  # bytes of a log before its first frame


@pytest.fixture
def path() -> Iterator[Path]:
    with memory_folder() as folder:
        yield folder / "store.db"


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def killed(path: Path, tea: Collection | None = None) -> tuple[Collection, Path]:
    """The files of a collector that acknowledged some reports and was killed, in another folder."""
    with closing_store(path) as store:
        tea = held(store, tea or question())
        for _ in range(COMMITS):
            assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        left = path.parent / "left"
        left.mkdir()
        for suffix in ("", "-wal", ".counted"):
            shutil.copyfile(f"{path}{suffix}", left / f"{path.name}{suffix}")
    return tea, left / path.name


def reports_in(path: Path) -> int:
    """How many a store holds, by itself, of a copy: SQLite tidies up when it closes."""
    with memory_folder() as folder:
        for suffix in ("", "-wal"):
            if Path(f"{path}{suffix}").exists():
                shutil.copyfile(f"{path}{suffix}", folder / f"copy{suffix}")
        with closing(sqlite3.connect(folder / "copy")) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_schema").fetchall():
                return 0
            ((n,),) = connection.execute("SELECT coalesce(sum(n), 0) FROM windows").fetchall()
            return int(n)


def test_what_a_kill_leaves_is_whole(path: Path) -> None:
    tea, left = killed(path)
    with closing_store(left) as store:
        assert total(store, tea) == (COMMITS, [0, COMMITS, 0])


def test_a_bit_that_flipped_anywhere_in_the_log_is_noticed(path: Path) -> None:
    _, left = killed(path)
    sound = log_of(left).read_bytes()
    database = left.read_bytes()
    missed = set[int]()
    for place in [24, *range(_HEAD, len(sound), len(sound) // 12)]:
        left.write_bytes(database)
        log_of(left).write_bytes(sound[:place] + bytes([sound[place] ^ 0x10]) + sound[place + 1 :])
        missing = COMMITS - reports_in(left)
        assert missing > 0
        missed.add(missing)
        with pytest.raises(InvalidDocument, match=rf"{COMMITS} were ack.* {missing} are missing"):
            SqliteStore(left)
        Path(f"{left}-wal").unlink(missing_ok=True)
    assert len(missed) > 5  # the earlier it is, the more of them


def test_a_log_that_was_deleted_is_noticed_at_the_next_start(path: Path) -> None:
    _, left = killed(path)
    log_of(left).unlink()
    for _ in range(2):  # also when it is started again at once
        with pytest.raises(InvalidDocument, match=f"{COMMITS} are missing.*--accept-loss"):
            SqliteStore(left)


def test_whoever_accepts_the_loss_goes_on_and_the_log_is_kept(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tea, left = killed(path)
    data = bytearray(log_of(left).read_bytes())
    data[len(data) // 2] ^= 1
    log_of(left).write_bytes(data)
    there = reports_in(left)
    assert 0 < there < COMMITS
    with pytest.raises(InvalidDocument, match=r"as it was found is store\.db-wal\.damaged-1"):
        SqliteStore(left)
    kept = left.with_name("store.db-wal.damaged-1")
    assert kept.read_bytes() == bytes(data)
    assert kept.stat().st_mode & 0o777 == 0o600
    with caplog.at_level(logging.WARNING, "sudare"):
        store = SqliteStore(left, accept_loss=True)
    assert f"{COMMITS - there} are missing" in caplog.text
    assert fates(store, group(tea, answers(2))) == [[ReportFate.NEW]]
    assert total(store, tea) == (there + 1, [0, there, 1])
    store.shut()
    SqliteStore(left).shut()  # nothing is missing any more
    assert not left.with_name("store.db-wal.damaged-2").exists()


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_log_deleted_under_a_collector_takes_nothing_and_loses_nothing(
    path: Path, suffix: str, *, replaced: bool
) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        known = group(tea, answers(1))
        assert fates(store, known) == [[ReportFate.NEW]]
        file = Path(f"{path}{suffix}")
        kept = file.rename(path.with_name("elsewhere"))
        if replaced:
            file.write_bytes(b"")
        for sent in (group(tea, answers(2)), known):  # a repeat is no less a promise
            with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
                store.commit([sent])
        with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
            store.check()
        if suffix == "-wal" and not replaced:  # it was saved into the file itself
            assert reports_in(path) == 1
        kept.replace(file)
        assert fates(store, known) == [[ReportFate.REPEATED]]
        assert fates(store, group(tea, answers(2))) == [[ReportFate.NEW]]
    with closing_store(path) as store:
        assert total(store, tea) == (2, [0, 1, 1])


def test_a_log_deleted_inside_a_commit_is_not_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        write = SqliteStore._write

        def deleted(self: SqliteStore, *rest: object) -> None:
            write(self, *rest)  # type: ignore[arg-type]
            log_of(path).unlink()

        monkeypatch.setattr(SqliteStore, "_write", deleted)
        with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
            store.commit([group(tea, answers(1))])


def test_a_store_without_the_number_opens_as_before(path: Path) -> None:
    tea, left = killed(path)
    beside = left.with_name("store.db.counted")
    for data in (None, b"", b"\0" * 30, b"99999999999999999999 00000000\n"):
        beside.unlink(missing_ok=True)
        if data is not None:
            beside.write_bytes(data)
        with closing_store(left) as store:
            assert total(store, tea)[0] == COMMITS
        assert Acknowledged(left).read() == COMMITS


def test_a_number_that_is_behind_says_nothing(path: Path) -> None:
    """As after a power cut: it isn't synced."""
    _, left = killed(path)
    Acknowledged(left).write(3)
    SqliteStore(left).shut()


def test_a_collection_that_was_removed_is_no_loss(path: Path) -> None:
    with closing_store(path) as store:
        tea, coffee = held(store, question()), held(store, question("coffee"))
        store.commit([group(tea, answers(1, 1)), group(coffee, answers(1))])
        with synced_contents() as synced:
            store.remove(tea.key)
        # Durable before it is gone: else a power cut would leave a number that is ahead.
        counted = path.with_name("store.db.counted")
        assert [data[:20] for file, data in synced if file == counted] == [b"%020d" % 1]
        assert Acknowledged(path).read() == 1
    with closing_store(path) as store:
        assert total(store, coffee)[0] == 1


def test_a_removal_that_crashed_on_either_side_is_no_loss(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(1, 1))])

        def crashed(*_: object, **__: object) -> None:
            shutil.copyfile(f"{path}.counted", path.with_name("image.counted"))
            raise StoreUnavailable("full")

        monkeypatch.setattr(store, "_written", crashed)
        with pytest.raises(StoreUnavailable):
            store.remove(tea.key)
        assert Acknowledged(path.with_name("image")).read() == 0  # before it could be gone
        assert Acknowledged(path).read() == 2


def test_a_new_store_is_not_measured_by_an_old_one(path: Path, tmp_path: Path) -> None:
    _, left = killed(path)
    for suffix in ("", "-wal"):
        Path(f"{left}{suffix}").unlink()
    SqliteStore(left).shut()
    assert Acknowledged(left).read() == 0
    back_up(str(left), tmp_path / "backup")
    left.unlink()
    Acknowledged(left).write(5)
    restore(tmp_path / "backup", str(left))
    SqliteStore(left).shut()


def test_a_store_set_back_by_hand_is_noticed(path: Path) -> None:
    tea, left = killed(path)
    SqliteStore(left).shut()
    shutil.copyfile(left, earlier := left.with_name("earlier"))
    with closing_store(left) as store:
        store.commit([group(tea, answers(*[1] * 10))])
    shutil.copyfile(earlier, left)
    with pytest.raises(InvalidDocument, match="10 are missing"):
        SqliteStore(left)


def test_the_number_follows_every_commit(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        groups: list[Group] = [group(tea, answers(*[0] * size), window=size) for size in (1, 2, 3)]
        for one in groups:
            store.commit([one])
        store.commit(groups)  # which are repeated
        store.close(tea.key, 1)
        assert Acknowledged(path).read() == 6


def test_files_are_looked_at_again_whenever_a_name_in_their_folder_changes(path: Path) -> None:
    """Long after the store was opened, when its folder's clock is trusted."""
    with closing_store(path) as store:
        tea = held(store, question())
        long_ago = time.time() - 1000
        os.utime(path.parent, (long_ago, long_ago))
        for _ in range(2):
            assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        assert store._database._unchanged_since == path.parent.stat().st_mtime_ns
        log_of(path).unlink()
        with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
            store.commit([group(tea, answers(1))])


def test_the_number_of_another_store_is_forgotten_and_a_new_one_begins(tmp_path: Path) -> None:
    number = Acknowledged(tmp_path / "store.db")
    number.write(5)
    number.forget()
    assert number.read() is None
    number.write(2)
    assert number.read() == 2
    number.close()


def test_every_damaged_log_is_kept_under_the_next_number(path: Path) -> None:
    with closing_store(path) as store:
        held(store, question())  # so that there is a log
        kept = [store._database._kept_log() for _ in range(3)]
    assert [each.name if each else "" for each in kept] == [
        f"store.db-wal.damaged-{number}" for number in (1, 2, 3)
    ]

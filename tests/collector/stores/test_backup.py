"""Backups of both kinds of stores, into both; and raw reports as files."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from sudare.collection.document import Collection
from sudare.collector.stores.backup import back_up, restore
from sudare.collector.stores.contract import Group, ReportFate, Role, Store, Token
from sudare.collector.stores.open import open_store
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.collector.stores.tables import Run
from sudare.errors import InvalidDocument, ParameterError
from support.commands import refused, run, succeed
from support.stores import (
    Rules,
    answers,
    digests,
    fates,
    group,
    held,
    new_ids,
    question,
    rounds,
    stream,
)

pytestmark = pytest.mark.xdist_group("postgres")

KEPT = Rules(minimum=2, keeps_reports=True)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_url(request, request.param, tmp_path / "one.db")


@pytest.fixture(params=["sqlite", "postgres"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_url(request, request.param, tmp_path / "two.db")


def new_url(request: pytest.FixtureRequest, kind: str, path: Path) -> str:
    if kind == "sqlite":
        return str(path)
    return str(request.getfixturevalue("postgres").new_database())


class Filled:
    """A store with something in every table."""

    def __init__(self, store: Store) -> None:
        self.removed = held(store, question("removed"))
        self.tea = held(store, question(rules=KEPT))
        self.club = held(store, question("club", Rules(invited=True)))
        self.awake = held(store, stream())
        store.remove(self.removed.key)  # so that numbers have a gap
        self.own = new_ids(5)
        self.groups = [
            group(self.tea, answers(0, 1, 2, 2, 2), self.own),
            group(self.tea, answers(1, 1), window=3),
            group(self.club, answers(2), invitations=digests("one")),
            group(self.awake, rounds(self.awake, (1, 0), (2, 1))),
        ]
        store.invite(self.club.key, [row.tobytes() for row in digests("one", "two")])
        store.commit(self.groups)
        store.close(self.awake.key, 0, 1)
        store.release(self.tea.key, 0)
        store.keep_candidates(self.tea.key, ["green", "ö"])
        store.add_token(Token("anna", b"a" * 32, Role.ADMIN, 7, "Anna’s"))

    def check(self, store: Store) -> None:
        assert [one.collection for one in store.held_collections()] == [
            self.tea,
            self.club,
            self.awake,
        ]
        assert described(store, self.tea) == [(0, 5, 5, False, 0), (3, 2, 0, False, 0)]
        assert described(store, self.awake) == [(0, 2, 1, False, 1)]
        released = store.release(self.tea.key, 0)
        assert released is not None
        assert released.aggregate.counts.tolist() == [1, 1, 3]
        kept = [some["answer"].tolist() for some in store.reports(self.tea.key)]
        assert sorted(map(sorted, kept)) == [[0, 1, 2, 2, 2], [1, 1]]
        assert store.candidates(self.tea.key) == ["green", "ö"]
        assert [token.name for token in store.tokens()] == ["anna"]
        again = [
            [ReportFate.REPEATED] * 5,
            [ReportFate.REPEATED] * 2,
            [ReportFate.REPEATED],
            [ReportFate.LATE],
        ]
        again[3].append(ReportFate.REPEATED)
        assert fates(store, *self.groups) == again
        both = group(self.club, answers(0, 0), invitations=digests("one", "two"))
        assert fates(store, both) == [[ReportFate.UNINVITED, ReportFate.NEW]]


def described(store: Store, collection: Collection) -> list[tuple[object, ...]]:
    return [
        (one.window, one.n, one.released, one.closed, one.closed_round)
        for one in store.windows(collection.key)
    ]


@pytest.fixture
def filled(url: str) -> Iterator[tuple[Store, Filled]]:
    store = open_store(url)
    yield store, Filled(store)
    store.shut()


def test_a_backup_restores_to_the_same_store(
    filled: tuple[Store, Filled], url: str, other: str, tmp_path: Path
) -> None:
    """Made while the collector has it open."""
    store, contents = filled
    written: list[int] = []
    rows = back_up(url, tmp_path / "backup", written.append)
    assert sum(written) + 32 == (tmp_path / "backup").stat().st_size  # with the digest
    store.commit([group(contents.tea, answers(0))])  # after the backup: not in it
    read: list[int] = []
    assert restore(tmp_path / "backup", other, read.append) == len(read) == rows
    assert sum(read) == sum(written[1:-1])  # without the head and the end
    restored = open_store(other)
    contents.check(restored)
    restored.shut()


def test_many_names_come_in_several_blocks(url: str, other: str, tmp_path: Path) -> None:
    store = open_store(url)
    tea = held(store, question())
    own = np.random.default_rng(1).integers(0, 1 << 63, (150_000, 2)).astype(np.uint64)
    values = np.zeros(len(own), tea.report_dtype)
    for start in range(0, len(own), 50_000):
        part = slice(start, start + 50_000)
        store.commit([Group(tea, 0, own[part], values[part])])
    back_up(url, tmp_path / "backup")
    store.shut()
    restore(tmp_path / "backup", other)
    restored = open_store(other)
    assert (restored.commit([Group(tea, 0, own, values)])[0] == ReportFate.REPEATED).all()
    restored.shut()


def test_a_cut_or_changed_backup_makes_nothing(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "one.db"))
    Filled(store)
    store.shut()
    back_up(str(tmp_path / "one.db"), tmp_path / "backup")
    data = (tmp_path / "backup").read_bytes()
    before = sorted(tmp_path.iterdir())
    for cut in (0, 5, 15, 40, len(data) // 2, len(data) - 1):
        (tmp_path / "backup").write_bytes(data[:cut])
        with pytest.raises(InvalidDocument, match=r"is no backup|its digest differs"):
            restore(tmp_path / "backup", str(tmp_path / "two.db"))
    for place in range(0, len(data), 97):
        (tmp_path / "backup").write_bytes(
            data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        )
        with pytest.raises(InvalidDocument, match=r"is no backup|its digest differs"):
            restore(tmp_path / "backup", str(tmp_path / "two.db"))
    assert sorted(tmp_path.iterdir()) == before


def test_an_encrypted_backup_is_restored_by_its_passphrase_alone(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "one.db"))
    Filled(store)
    store.shut()
    (tmp_path / "right").write_text("twelve letters\n")
    (tmp_path / "wrong").write_text("twelve others")
    (tmp_path / "short").write_text("eleven char\n")
    option = "--passphrase-file"
    said = refused(tmp_path, "backup", "one.db", "b", option, "short")
    assert "short must hold a passphrase of at least 12 characters" in said
    succeed(tmp_path, "backup", "one.db", "plain")
    succeed(tmp_path, "backup", "one.db", "b", option, "right")
    whole, plain = (tmp_path / "b").read_bytes(), (tmp_path / "plain").read_bytes()
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    assert not any(plain[at : at + 16] in whole for at in range(0, len(plain), 16))
    assert "b is encrypted: say where its" in refused(tmp_path, "restore", "b", "two.db")
    said = refused(tmp_path, "restore", "b", "two.db", option, "wrong")
    assert "b doesn't open: it is of another passphrase, or changed" in said
    assert "plain is not encrypted" in refused(
        tmp_path, "restore", "plain", "two.db", option, "right"
    )
    for at in (30, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b").write_bytes(whole[:at])
        refused(tmp_path, "restore", "b", "two.db", option, "right")
        (tmp_path / "b").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        refused(tmp_path, "restore", "b", "two.db", option, "right")
    (tmp_path / "b").write_bytes(whole)
    assert not (tmp_path / "two.db").exists()
    succeed(tmp_path, "restore", "b", "two.db", option, "right")
    succeed(tmp_path, "backup", "two.db", "again")
    assert len((tmp_path / "again").read_bytes()) == len(plain)


def test_a_store_that_is_there_is_not_overwritten(
    filled: tuple[Store, Filled], url: str, tmp_path: Path
) -> None:
    store, contents = filled
    back_up(url, tmp_path / "backup")
    with pytest.raises(ParameterError, match="already, which is not overwritten"):
        restore(tmp_path / "backup", url)
    contents.check(store)


def test_of_two_that_restore_at_once_one_wins(tmp_path: Path) -> None:
    """The second comes while the first is at work, and is done before it."""
    store = open_store(str(tmp_path / "one.db"))
    contents = Filled(store)
    store.shut()
    file, made = tmp_path / "backup", str(tmp_path / "two.db")
    back_up(str(tmp_path / "one.db"), file)
    others = iter([made])
    with pytest.raises(ParameterError, match="already, which is not overwritten"):
        restore(file, made, lambda _: [restore(file, other) for other in others])
    assert {one.name for one in tmp_path.iterdir()} == {
        *("backup", "one.db", "one.db.counted", "one.db.lock", "two.db", "two.db.lock")
    }
    restored = open_store(made)
    contents.check(restored)
    restored.shut()


# The commands


def test_a_store_that_is_not_named_is_that_of_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "one.db"))
    tea = Filled(store).tea
    store.shut()
    monkeypatch.setenv("SUDARE_STORE", "one.db")
    assert succeed(tmp_path, "backup", "a.backup").err == "19 rows written\n"
    succeed(tmp_path, "export", tea.key[:9], "-o", "raw.parquet")
    assert "not overwritten" in refused(tmp_path, "restore", "a.backup")
    assert succeed(tmp_path, "token", "list").code == 0
    monkeypatch.setenv("SUDARE_STORE", "two.db")
    assert succeed(tmp_path, "restore", "a.backup").err == "19 rows restored\n"
    assert (tmp_path / "two.db").exists()
    monkeypatch.delenv("SUDARE_STORE")
    assert "sudare.db" in refused(tmp_path, "backup", "b.backup")
    succeed(tmp_path, "restore", "a.backup")
    assert succeed(tmp_path, "backup", "b.backup").err == "19 rows written\n"
    assert (tmp_path / "sudare.db").exists()


def test_the_commands_end_to_end(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "one.db"))
    contents = Filled(store)
    assert succeed(tmp_path, "backup", "one.db", "a.backup").err == "19 rows written\n"
    store.shut()
    assert succeed(tmp_path, "restore", "a.backup", "two.db").err == "19 rows restored\n"
    (tmp_path / "tea.json").write_bytes(contents.tea.to_json())
    for options, counts in (((), [1, 3, 3]), (("--window", 3), [0, 2, 0])):
        made = ("export", "two.db", contents.tea.key[:9], "-o", "raw.parquet", *options)
        assert succeed(tmp_path, *made).err == f"{sum(counts)} reports written\n"
        done = succeed(tmp_path, "aggregate", "tea.json", "raw.parquet")
        assert done.json()["aggregate"]["counts"] == counts


def test_single_reports_are_their_owners_alone(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "one.db"))
    key = Filled(store).tea.key
    store.shut()
    for file in ("reports.arrow", "reports.parquet"):
        succeed(tmp_path, "export", "one.db", key, "-o", file)
        assert (tmp_path / file).stat().st_mode & 0o777 == 0o600


def test_what_the_commands_refuse(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "one.db"))
    contents = Filled(store)
    store.shut()
    run(tmp_path, "backup", "one.db", "a.backup")
    key = contents.tea.key
    assert "no store" in refused(tmp_path, "backup", "none.db", "b.backup")
    assert "needs no restoring" in refused(tmp_path, "restore", "one.db", "two.db")
    assert "not overwritten" in refused(tmp_path, "restore", "a.backup", "one.db")
    assert "none.backup isn't there" in refused(tmp_path, "restore", "none.backup", "two.db")
    told = refused(tmp_path, "export", "one.db", "zz", "-o", "a.parquet")
    assert "no collection whose key" in told
    assert "3 collections" in refused(tmp_path, "export", "one.db", "", "-o", "a.parquet")
    assert "keeps no reports" in refused(
        tmp_path, "export", "one.db", contents.club.key, "-o", "a.parquet"
    )
    assert ".arrow or .parquet" in refused(tmp_path, "export", "one.db", key, "-o", "a.csv")


def test_a_backup_writes_over_nothing_least_of_all_its_own_store(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    store = open_store(str(path))
    tea = held(store, question())
    try:
        for target in (path, tmp_path / "one.db-wal"):
            before = target.read_bytes()
            with pytest.raises(ParameterError, match="is there already"):
                back_up(str(path), target)
            assert target.read_bytes() == before
        assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        back_up(str(path), tmp_path / "copy")
        assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    finally:
        store.shut()


def test_a_window_that_can_not_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    open_store(str(path)).shut()
    done = run(tmp_path, "export", path, "ab", "-o", tmp_path / "x.parquet", "--window", 10**22)
    assert done.code == 2
    assert "not in the range" in done.err


def test_restoring_may_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path / "store.db")
    held(store, question())
    store.shut()
    back_up(str(tmp_path / "store.db"), tmp_path / "backup")
    asked: list[bool] = []
    writing = SqliteStore.writing

    def noted(self: SqliteStore, *, long: bool = False) -> AbstractContextManager[Run]:
        asked.append(long)
        return writing(self, long=long)

    monkeypatch.setattr(SqliteStore, "writing", noted)
    restore(tmp_path / "backup", str(tmp_path / "other.db"))
    assert asked == [True]

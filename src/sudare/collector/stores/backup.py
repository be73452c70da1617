"""A whole store as one file, of one moment, while it goes on counting; and back into any database.

The file is a line that says what it is, then records (a length of 4 bytes, little-endian, and a
row as MessagePack: its table and its values), then an empty record and the SHA-256 of all before.
With a passphrase all of that is encrypted.
"""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from sudare.collector.stores.open import is_postgres, open_existing, open_store, path_of
from sudare.collector.stores.sqlite.acknowledged import Acknowledged
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.collector.stores.tables import Run, TableStore
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.encryption import Decrypted, Encrypted
from sudare.formats.file_kinds import BACKUP_HEAD, ENCRYPTED_HEAD
from sudare.formats.files import keep_entries, lock, regular, replacing

_DIGEST_BYTES = 32
_PIECE = 1 << 20

# In this order: a row comes after those that it refers to. The first column of each is the number
# of its collection, which a restored store chooses anew, except in tokens.
_TABLES = {
    "collections": "id, key, document, state, public, grace",
    "windows": "collection, window_number, closed, closed_round, n, counts",
    "released": "collection, window_number, n, counts",
    "reports": "collection, window_number, payload",
    "invitations": "collection, digest",
    "used": "collection, window_number, digest",
    "candidates": "collection, texts",
    "tokens": "name, digest, role, expires, label",
}
_ORDERED = {"collections", "reports"}


class _Source(Protocol):
    def read(self, size: int, /) -> bytes:
        """So many bytes, or all that are left."""


def back_up(
    url: str,
    file: Path,
    progress: Callable[[int], object] = lambda _: None,
    passphrase: bytes | None = None,
) -> int:
    """Write a store into a file, there whole or not at all, and tell how many rows it has.

    Args:
        url: the store's address; a collector may go on counting in it.
        file: where the backup goes; one that is there is left alone.
        progress: told the bytes of each row.
        passphrase: without which nobody can read the backup; None for a plain one.
    """
    if file.exists():
        raise ParameterError(f"{file} is there already, and a backup writes over nothing")
    store = open_existing(url)
    rows = 0
    try:
        with replacing(file, private=True) as temporary, temporary.open("wb") as target:
            sink = target if passphrase is None else Encrypted(target, passphrase)
            digest = hashlib.sha256()
            for record in _records(store):
                digest.update(record)
                sink.write(record)
                progress(len(record))
                rows += 1
            sink.write(digest.digest())
            if isinstance(sink, Encrypted):
                sink.finish()
    finally:
        store.shut()
    return rows - 2  # without the head and the end


def _records(store: TableStore) -> Iterator[bytes]:
    yield BACKUP_HEAD
    with store.snapshot() as each:
        for table, columns in _TABLES.items():
            order = " ORDER BY id" if table in _ORDERED else ""
            for row in each(f"SELECT {columns} FROM {table}{order}"):  # noqa: S608
                yield _record([table, *row])
        for row in store.snapshot_ids(each):
            yield _record(["names", *row])
    yield bytes(4)


def _record(row: list[Any]) -> bytes:
    data = msgspec.msgpack.encode(row)
    return len(data).to_bytes(4, "little") + data


@contextmanager
def _opened(file: Path, passphrase: bytes | None) -> Iterator[_Source]:
    """The bytes of a backup, decrypted if it is encrypted."""
    with regular(file).open("rb") as source:
        encrypted = source.read(len(ENCRYPTED_HEAD)) == ENCRYPTED_HEAD
        source.seek(0)
        if encrypted and passphrase is None:
            raise ParameterError(f"{file.name} is encrypted: say where its passphrase is")
        yield source if passphrase is None else Decrypted(source, passphrase, file.name)


def restore(
    file: Path,
    url: str,
    progress: Callable[[int], object] = lambda _: None,
    passphrase: bytes | None = None,
) -> int:
    """Make a store of a backup, and tell how many rows it has; one that is there is left alone."""
    _check_whole(file, passphrase)
    with _opened(file, passphrase) as source:
        return _restored(source, url, progress)


def _restored(source: _Source, url: str, progress: Callable[[int], object]) -> int:
    if is_postgres(url):
        store = open_store(url)
        try:
            return _fill(store, source, progress)
        finally:
            store.shut()
    path = path_of(url).resolve()
    _must_be_free(path)
    making = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        rows = _make(making, source, progress)
        alone = lock(path, "the store")  # nobody makes another one now
        try:
            _must_be_free(path)
            Acknowledged(path).forget()  # of a store that was here before
            making.rename(path)
            keep_entries(path.parent)
        finally:
            os.close(alone)
    finally:
        for leftover in ("", "-wal", "-shm", ".lock", ".counted"):
            making.with_name(making.name + leftover).unlink(missing_ok=True)
    return rows


def _must_be_free(path: Path) -> None:
    if path.exists():
        raise ParameterError(f"there is a store {path.name} already, which is not overwritten")


def _make(path: Path, source: _Source, progress: Callable[[int], object]) -> int:
    """A store of SQLite, whole in its one file."""
    store = SqliteStore(path)
    try:
        rows = _fill(store, source, progress)
    finally:
        store.shut()
    store = SqliteStore(path)  # compares ids and sums
    try:
        store.empty_log()
    finally:
        store.shut()
    return rows


def _check_whole(file: Path, passphrase: bytes | None) -> None:
    """Raise unless a file is a backup, to the last byte."""
    with _opened(file, passphrase) as source:
        end = source.read(len(BACKUP_HEAD))
        if end != BACKUP_HEAD:
            raise InvalidDocument(f"{file.name} is no backup of a store")
        digest = hashlib.sha256()
        while piece := source.read(_PIECE):
            end += piece
            digest.update(end[:-_DIGEST_BYTES])
            end = end[-_DIGEST_BYTES:]
        if end != digest.digest():
            raise InvalidDocument(f"the backup {file.name} is cut or changed: its digest differs")


def _fill(store: TableStore, source: _Source, progress: Callable[[int], object]) -> int:
    if store.held_collections() or store.unavailable or store.tokens():
        raise ParameterError("there is something in that store already, which is not overwritten")
    numbers: dict[int, int] = {}
    rows = 0
    with store.writing(long=True) as run:
        source.read(len(BACKUP_HEAD))
        for table, *values in _rows(source, progress):
            if table == "names":
                number, window, ids = values
                store.put_ids(run, numbers[number], window, ids)
            elif table == "collections":
                numbers[values[0]] = _insert(run, table, values[1:], "RETURNING id")
            elif table == "tokens":
                _insert(run, table, values)
            else:
                _insert(run, table, [numbers[values[0]], *values[1:]])
            rows += 1
    return rows


def _rows(source: _Source, progress: Callable[[int], object]) -> Iterator[list[Any]]:
    while size := int.from_bytes(source.read(4), "little"):
        yield msgspec.msgpack.decode(source.read(size), type=list[Any])
        progress(size + 4)


def _insert(run: Run, table: str, values: list[Any], returning: str = "") -> int:
    columns = _TABLES[table].removeprefix("id, ")
    marks = ", ".join("?" * len(values))
    found = run(f"INSERT INTO {table} ({columns}) VALUES ({marks}) {returning}", values)  # noqa: S608
    return int(found[0][0]) if found else 0

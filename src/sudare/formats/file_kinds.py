"""What a file is, by what stands in it: the one place that knows every kind of file of ours.

Whoever meets a file that can't be read as what was meant asks here what it is instead, to say so.
A name says nothing: only contents count. Nothing of what a file holds gets out, but its kind.
"""

import re
from contextlib import suppress
from enum import Enum
from os import SEEK_END
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import msgspec

STORE_ID = 0x53756461
"""SQLite's application id of a collector's store."""
OUTBOX_ID, OLD_OUTBOX_ID = 0x5D_0A_7E_02, 0x5D_0A_7E_01
"""SQLite's application id of a device's outbox, and of one that doesn't say what is doubtful."""
BACKUP_HEAD = b"sudare store 1\n"
"""How a backup of a store begins."""
ENCRYPTED_HEAD = b"sudare encrypted 1\n"
"""How a file that only a passphrase opens begins."""
REPORTS_MARK, OLD_REPORTS_MARK = b"reports 2", b"reports 1"
"""The value of ``sudare`` in the metadata of a file of reports, and of one of the format before."""

_HEAD = 1 << 16  # bytes looked at
_READ_WHOLE = 1 << 26  # bytes of a document that is parsed to know it


class FileKind(Enum):
    """A kind of file, or of folder, by the noun that names it."""

    COLLECTION = "collection"
    AGGREGATE = "aggregate"
    REPORTS = "file of reports"
    PLAN = "plan of `sudare discover`"
    RESULT = "result"
    LEDGER = "ledger"
    DIARY = "diary of a device"
    OUTBOX = "outbox of a device"
    TABLES = "document of noise tables"
    COUNT = "joint count"
    SECRET = "secret of a joint count"  # noqa: S105 - the noun, no password
    RECORDS = "file of records"
    STORE = "store of a collector"
    BACKUP = "backup of a store"
    ENCRYPTED = "encrypted backup"
    DEVICE = "folder of a device"
    PARTS = "folder of reports"
    DATABASE = "SQLite database"
    DATA = "table of data"
    CUT_DATA = "Parquet file that was cut or changed"
    SPREADSHEET = "spreadsheet or archive"
    PACKED = "compressed file"
    CERTIFICATE = "certificate"
    PRIVATE_KEY = "private key"
    PAGE = "HTML page"
    PICTURE = "picture"
    JSON = "JSON document of something else"
    TORN = "JSON document that was cut or changed"
    TEXT = "text file"
    BYTES = "file of something else"
    EMPTY = "empty file"
    FOLDER = "folder"
    SPECIAL = "device or a pipe"

    @property
    def noun(self) -> str:
        """The noun with its article: an aggregate."""
        return f"{'an' if self.value[0] in 'aeiouH' else 'a'} {self.value}"  # an HTML page

    @property
    def ours(self) -> bool:
        """Whether a file of the kind is written by Sudare, to be read by it again."""
        return self in _OURS


_OURS = frozenset(FileKind) - {
    *(FileKind.DATABASE, FileKind.DATA, FileKind.CUT_DATA, FileKind.SPREADSHEET, FileKind.PACKED),
    FileKind.JSON,
    *(FileKind.CERTIFICATE, FileKind.PRIVATE_KEY, FileKind.PAGE, FileKind.PICTURE, FileKind.TEXT),
    *(FileKind.BYTES, FileKind.TORN, FileKind.EMPTY, FileKind.FOLDER, FileKind.SPECIAL),
}
_NAMES = {
    "collection": FileKind.COLLECTION,
    "aggregate": FileKind.AGGREGATE,
    "discovery": FileKind.PLAN,
    "ledger": FileKind.LEDGER,
    "diary": FileKind.DIARY,
    "table": FileKind.TABLES,
    "count": FileKind.COUNT,
    "count-secret": FileKind.SECRET,
}
"""The kinds of JSON documents, by what they call themselves."""
_FORMATS = {FileKind.COUNT: {"2", "3"}}  # that are read; 1 alone of all others
_RESULT = {"collection", "key", "epsilon"}  # fields that every result has, and nothing else of ours
_NAMED = re.compile(rb'^\s*\{(?:.{0,4096}?,)?\s*"sudare"\s*:\s*"([a-z-]{1,20})"', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BEGINS = {
    rb"\Z": FileKind.EMPTY,
    rb"SQLite format 3\0": FileKind.DATABASE,
    rb"PAR1|ARROW1|\xff\xff\xff\xff": FileKind.DATA,
    rb"\x1f\x8b|\x28\xb5\x2f\xfd": FileKind.PACKED,
    rb"PK\x03\x04": FileKind.SPREADSHEET,
    rb"\x89PNG|%PDF|\xff\xd8\xff": FileKind.PICTURE,
    rb"(\xef\xbb\xbf)?\s*[{\[]": FileKind.JSON,
    rb"\s*-----BEGIN [A-Z ]*PRIVATE KEY-----": FileKind.PRIVATE_KEY,
    rb"\s*-----BEGIN CERTIFICATE-----": FileKind.CERTIFICATE,
    rb"(?i)\s*<(!doctype html|html)": FileKind.PAGE,
    rb"(?s)\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?(<!DOCTYPE svg[^>]*>\s*)?<svg": FileKind.PICTURE,
}
"""How files of a kind begin."""


class Found(NamedTuple):
    """What stands at a path.

    Attributes:
        kind: of the file or folder.
        version: of its format, where that is another than this program's.
        whole: False for a document that says what it is but doesn't end as one.
        key: of the collection, where a file of reports or an aggregate says it.
    """

    kind: FileKind
    version: str | None = None
    whole: bool = True
    key: str | None = None


def found_at(path: Path) -> Found:
    """What stands at a path; ``OSError`` if nothing does, or it can't be read.

    A pipe or a device is left alone: what is read from it is gone.
    """
    if path.is_dir():
        return Found(_folder(path))
    path.stat()  # raises if there is nothing
    if not path.is_file():
        return Found(FileKind.SPECIAL)
    with path.open("rb") as file:
        return found_in(file, path)


def found_in(file: IO[bytes], path: Path) -> Found:
    """What an open file is, which is at its beginning."""
    head = file.read(_HEAD)
    for known, kind in ((BACKUP_HEAD, FileKind.BACKUP), (ENCRYPTED_HEAD, FileKind.ENCRYPTED)):
        if (version := _other_version(head, known)) is not None:
            return Found(kind, version or None)
    matching = (kind for begins, kind in _BEGINS.items() if re.match(begins, head))
    kind = next(matching, FileKind.BYTES if _is_binary(head) else FileKind.TEXT)
    if kind is FileKind.DATA:
        return _reports(path) or Found(FileKind.CUT_DATA if _is_cut(file, head) else kind)
    if kind is FileKind.JSON:
        return _document(head + file.read(_READ_WHOLE))
    return Found(_database(head) if kind is FileKind.DATABASE else kind)


def _is_cut(file: IO[bytes], head: bytes) -> bool:
    """Whether a file that begins as Parquet doesn't end so."""
    if not head.startswith(b"PAR1") or not file.seekable():
        return False
    file.seek(0, SEEK_END)
    file.seek(max(0, file.tell() - 4))
    return file.read() != b"PAR1"


def _document(data: bytes) -> Found:
    """The kind of a JSON document; one that was cut is known by how it begins."""
    import msgspec

    try:
        read = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        named = _NAMED.match(data[:_HEAD])
        kind = _NAMES.get(named[1].decode()) if named else None
        if kind is not None:
            return Found(kind, whole=False)
        if _is_json(data):
            return Found(FileKind.JSON)
        return Found(FileKind.TORN if re.match(rb'\s*\{\s*"', data) else FileKind.TEXT)
    kind = _NAMES.get(_text(read.get("sudare")))
    if kind is None:
        return Found(FileKind.RESULT if read.keys() >= _RESULT else FileKind.JSON)
    version = bytes(read.get("format", b"1")).decode(errors="replace")[:20]
    return Found(
        kind,
        None if version in _FORMATS.get(kind, {"1"}) else version,
        key=_key(read.get("aggregate")),
    )


def _key(aggregate: "msgspec.Raw | None") -> str | None:
    """The key of the collection that an aggregate's body names."""
    import msgspec

    try:
        body = msgspec.json.decode(aggregate or b"{}", type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return _text(body.get("key")) or None


def _text(raw: "msgspec.Raw | None") -> str:
    """A JSON string; any other value is an empty one."""
    import msgspec

    try:
        return "" if raw is None else msgspec.json.decode(raw, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _is_json(data: bytes) -> bool:
    import msgspec

    try:
        msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _other_version(head: bytes, known: bytes) -> str | None:
    """Of a file that begins like a known one: its version if it is another, "" if it is this."""
    if head.startswith(known):
        return ""
    name = known.rpartition(b" ")[0]
    found = re.match(re.escape(name) + rb" ([0-9]{1,9})\n", head)
    return found[1].decode() if found else None


def _reports(path: Path) -> Found | None:
    """A file of reports, by its schema; None for any other table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata: dict[bytes, bytes] = {}
    with suppress(pa.ArrowException, OSError):
        with path.open("rb") as file:
            parquet = file.read(4) == b"PAR1"
        if parquet:
            metadata = pq.read_schema(path).metadata or {}
        else:
            with pa.OSFile(str(path)) as source:
                metadata = pa.ipc.open_stream(source).schema.metadata or {}
    mark = metadata.get(b"sudare", b"")
    if not mark.startswith(b"reports "):
        return None
    known = mark in {REPORTS_MARK, OLD_REPORTS_MARK}
    version = None if known else mark[8:28].decode(errors="replace")
    key = metadata.get(b"sudare.key", b"").decode(errors="replace")
    return Found(FileKind.REPORTS, version, key=key)


def _database(head: bytes) -> FileKind:
    """Whose a SQLite file is, by its header alone: opening it would make files beside it."""
    mark = int.from_bytes(head[68:72], "big")
    if mark == STORE_ID:
        return FileKind.STORE
    return FileKind.OUTBOX if mark in {OUTBOX_ID, OLD_OUTBOX_ID} else FileKind.DATABASE


def _folder(path: Path) -> FileKind:
    if (path / "secret").exists() and (path / "diary.json").exists():
        return FileKind.DEVICE
    if (path / "whole.arrow").exists() or (path / "whole.parquet").exists():
        return FileKind.PARTS
    return FileKind.FOLDER


def _is_binary(head: bytes) -> bool:
    """Whether bytes can't be text: they have controls, and not because they are UTF-16."""
    return _CONTROL.search(head) is not None and not head.startswith((b"\xff\xfe", b"\xfe\xff"))

"""What a file is: every kind that Sudare writes is known by its contents, whatever its name."""

import gzip
import os
from pathlib import Path

import pytest

from sudare.formats.file_kinds import FileKind, found_at
from support.absurd import sound_folder
from support.commands import succeed

KINDS = {
    "tea.json": FileKind.COLLECTION,
    "total.json": FileKind.AGGREGATE,
    "reports.arrow": FileKind.REPORTS,
    "reports.parquet": FileKind.REPORTS,
    "plan.json": FileKind.PLAN,
    "shares.json": FileKind.RESULT,
    "ledger.json": FileKind.LEDGER,
    "phone/diary.json": FileKind.DIARY,
    "phone/outbox.db": FileKind.OUTBOX,
    "table.json": FileKind.TABLES,
    "count.json": FileKind.COUNT,
    "secret.json": FileKind.SECRET,
    "store.db": FileKind.STORE,
    "a.backup": FileKind.BACKUP,
    "b.backup": FileKind.ENCRYPTED,
    "phone": FileKind.DEVICE,
    "monday": FileKind.PARTS,
    "folder": FileKind.FOLDER,
    "own.pem": FileKind.CERTIFICATE,
    "own.key": FileKind.PRIVATE_KEY,
    "tea.html": FileKind.PAGE,
    "tea.svg": FileKind.PICTURE,
    "tea.png": FileKind.PICTURE,
    "answers.csv": FileKind.TEXT,
    "records.bin": FileKind.BYTES,
}


def test_every_kind_is_known_by_its_contents(tmp_path: Path) -> None:
    with sound_folder(tmp_path) as (folder, _):
        succeed(folder, "randomize", "tea.json", "answers.csv", "-o", "reports.parquet")
        plots = [succeed(folder, "estimate", "tea.json", "total.json", "--json", "--plot", name)
                 for name in ("tea.html", "tea.svg", "tea.png")]  # fmt: skip
        (folder / "shares.json").write_bytes(plots[0].stdout)
        (folder / "words").write_text("correct horse battery\n")
        succeed(folder, "backup", "store.db", "b.backup", "--passphrase-file", "words")
        succeed(folder, "joint-count", "encrypt", "count.json", "bits.csv", "-o", "records.bin")
        for name, kind in KINDS.items():
            assert found_at(folder / name)[:3] == (kind, None, True), name
            if kind not in {FileKind.DEVICE, FileKind.PARTS, FileKind.FOLDER}:
                other = folder / "of another name"
                other.write_bytes((folder / name).read_bytes())
                assert found_at(other).kind is kind, name


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", FileKind.EMPTY),
        (b"{}", FileKind.JSON),
        (b"[1]", FileKind.JSON),
        (b'{"sudare": 7}', FileKind.JSON),
        (b'{"sudare": "tea"}', FileKind.JSON),
        (b'{"a": ', FileKind.TORN),
        (b"[a],b\n", FileKind.TEXT),
        ("grün\n".encode("latin-1"), FileKind.TEXT),
        ("grün\n".encode("utf-16"), FileKind.TEXT),
        (b"\x00\x01\x02", FileKind.BYTES),
        (gzip.compress(b"a", mtime=0), FileKind.PACKED),
        (b"PAR1", FileKind.DATA),
        (b"\xff\xff\xff\xff", FileKind.DATA),
        (b"SQLite format 3\0", FileKind.DATABASE),
        (b"{" * 100_000, FileKind.TEXT),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_anything_else_is_called_what_it_may_be(
    data: bytes, kind: FileKind, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(data)
    assert found_at(tmp_path / "file").kind is kind


def test_another_version_and_a_cut_document_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b'{"sudare": "collection", "format": 2}')
    assert found_at(file)[:3] == (FileKind.COLLECTION, "2", True)
    file.write_bytes(b"sudare store 7\n")
    assert found_at(file)[:3] == (FileKind.BACKUP, "7", True)
    file.write_bytes(b'{"sudare": "aggregate", "aggre')
    assert found_at(file)[:3] == (FileKind.AGGREGATE, None, False)


def test_a_pipe_is_left_alone_and_nothing_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # which has no writer, and would be waited for
    assert found_at(tmp_path / "pipe").kind is FileKind.SPECIAL
    with pytest.raises(FileNotFoundError):
        found_at(tmp_path / "none")


def test_nouns_have_their_article() -> None:
    kinds = (FileKind.AGGREGATE, FileKind.COLLECTION, FileKind.PAGE)
    assert [kind.noun for kind in kinds] == ["an aggregate", "a collection", "an HTML page"]

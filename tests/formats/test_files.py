"""Files that are there whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from sudare.errors import ParameterError
from sudare.formats.files import (
    create_whole,
    finite,
    lock,
    make_private,
    real,
    regular,
    replacing,
    require_writable,
    write_durably,
    write_folder,
    write_whole,
)
from support.synced import synced_contents, synced_entries


@pytest.mark.parametrize("before", [None, "old"])
def test_the_new_file_takes_its_place(before: str | None, tmp_path: Path) -> None:
    path = tmp_path / "total.json"
    if before is not None:
        path.write_text(before)
    with replacing(path) as temporary:
        assert temporary.parent == path.parent  # a rename across disks is no rename
        temporary.write_text("new")
        assert path.exists() == (before is not None)  # nothing shows until the end
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def fail_midway(path: Path, error: type[BaseException]) -> None:
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("before", [None, "old"])
def test_after_an_error_the_old_file_stands(
    before: str | None, error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "total.json"
    if before is not None:
        path.write_text(before)
    with pytest.raises(error):
        fail_midway(path, error)
    assert [file.read_text() for file in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_the_file_is_as_readable_as_any_other(mask: int, mode: int, tmp_path: Path) -> None:
    """Temporary files are private; the finished one follows the user's own umask."""
    path = tmp_path / "total.json"
    before = os.umask(mask)
    try:
        with replacing(path) as temporary:
            temporary.write_text("new")
        assert os.umask(mask) == mask  # asking for it did not change it
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("before", [None, 0o644, 0o600, 0o666])
def test_a_private_file_is_its_owners_alone(before: int | None, tmp_path: Path) -> None:
    """Whatever the umask, and whatever stood there: one that others could read is mended."""
    mask = os.umask(0)
    try:
        paths = [tmp_path / name for name in ("whole", "durable", "private")]
        if before is not None:
            for path in paths:
                path.write_text("old")
                path.chmod(before)
        write_whole(paths[0], b"new", private=True)
        write_durably(paths[1], b"new")
        make_private(paths[2])
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o600] * 3
    assert paths[2].read_text() == ("" if before is None else "old")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "none" / "total.json"):
        pass


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(IsADirectoryError), replacing(folder):
        pass
    assert list(tmp_path.iterdir()) == [folder]


def test_permissions_and_links_outlive_a_replacement(tmp_path: Path) -> None:
    secret, link = tmp_path / "secret", tmp_path / "link"
    secret.write_text("old")
    secret.chmod(0o600)
    link.symlink_to(secret)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert secret.read_text() == "new"
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with replacing(pipe) as target:
        assert target == pipe
    assert pipe.is_fifo()


def test_only_what_ends_is_read(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.write_text("whole")
    link.symlink_to(file)
    os.mkfifo(pipe)
    for check in (regular, finite):
        assert [check(path) for path in (file, link)] == [file, link]
        with pytest.raises(FileNotFoundError):
            check(tmp_path / "none")
        with pytest.raises(IsADirectoryError):
            check(tmp_path)
        with pytest.raises(ParameterError, match=r"^/dev/zero is n.* regular file"):
            check(Path("/dev/zero"))
    assert finite(pipe) == pipe
    with pytest.raises(ParameterError, match=r"pipe is not a regular file$"):
        regular(pipe)


def test_a_folder_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as error, replacing(tmp_path):
        pytest.fail("a folder can't be replaced")
    assert error.value.filename == str(tmp_path)


def test_links_in_a_circle_are_an_error_that_names_them(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for act in (real, lambda path: write_durably(path, b""), lambda path: real(path / "inside")):
        with pytest.raises(OSError, match="symbolic links") as caught:
            act(loop)
        assert str(caught.value.filename).startswith(str(loop))
    assert list(tmp_path.iterdir()) == [loop]
    assert real(tmp_path / "none" / ".." / "new") == tmp_path.resolve() / "new"


def test_a_folder_is_tried_before_it_is_needed(tmp_path: Path) -> None:
    require_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "none", Path("/proc/self/fd")):
        with pytest.raises(ParameterError, match="must be a folder that files can be made in"):
            require_writable(folder)


def test_a_lock_that_can_not_be_made_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        lock(tmp_path / "none" / "l.json", "the ledger")
    assert caught.value.filename == str(tmp_path / "none" / "l.json")


def test_a_file_is_made_once_and_outlasts_a_power_failure(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with synced_entries() as synced, synced_contents() as contents:
        create_whole(path, b"bytes")
    assert contents == [(path, b"bytes")]
    assert path.read_bytes() == b"bytes"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert synced == {path}
    with pytest.raises(FileExistsError):
        create_whole(path, b"others")
    assert path.read_bytes() == b"bytes"


def test_what_could_not_be_made_durable_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sudare.formats.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        create_whole(tmp_path / "secret", b"bytes")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    files = {"index.html": b"page", "assets/a.js": b"script"}
    write_folder(tmp_path / "new", files)
    for name, data in files.items():
        assert (tmp_path / "new" / name).read_bytes() == data
    for there in ("new", "file", "link"):
        if there == "file":
            (tmp_path / there).write_bytes(b"")
        elif there == "link":
            (tmp_path / there).symlink_to("nowhere")
        with pytest.raises(FileExistsError) as error:
            write_folder(tmp_path / there, {})
        assert error.value.filename == str(tmp_path / there)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError, match="other") as broken:  # a name that is a file and a folder
        write_folder(tmp_path / "other", {"a": b"", "a/b": b""})
    assert broken.value.filename == str(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        write_folder(tmp_path / "none" / "new", files)
    assert sorted(tmp_path.iterdir()) == before


def test_a_replaced_file_is_on_disk_before_it_has_its_name(tmp_path: Path) -> None:
    """Else the power could fail when the name is new and the contents aren't there yet."""
    path = tmp_path / "ledger.json"
    path.write_bytes(b"old")
    with synced_contents() as contents:
        write_durably(path, b"new")
    ((synced, held),) = contents
    assert (held, synced.parent, synced != path) == (b"new", tmp_path, True)
    assert path.read_bytes() == b"new"

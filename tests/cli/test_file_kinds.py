"""Files as arguments that are pipes or devices: refused where a file is meant, read where not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sudare.mechanisms.aggregate import Aggregate
from support.certificates import certificate
from support.commands import csv_of, process, refused, succeed, tea

TERMS = ("--epsilon", 1, "--delta", 1e-6)
DISJOINT = (*TERMS, "--disjoint")
LISTEN = ("party", "one", "--listen", "127.0.0.1:0", "--total", 1)
CONNECT = ("party", "two", "--connect", "127.0.0.1:1", "--timeout", 1)
KEYS = ("--certificate", "own.pem", "--private-key", "own.key")
FILES: dict[str, tuple[object, ...]] = {
    "certificate": ("serve", "--port", 0, "--certificate", "?", "--private-key", "own.key"),
    "private key": ("serve", "--port", 0, "--certificate", "own.pem", "--private-key", "?"),
    "peer": (*LISTEN, *DISJOINT, *KEYS, "--peer", "?"),
    "own certificate": (*LISTEN, *DISJOINT, "--certificate", "?", *KEYS[2:], "--peer", "own.pem"),
    "table": (*LISTEN, "--insecure", "--table", "?"),
    "count": (*LISTEN[:-2], "--insecure", "--count", "?", "--secret", "secret.json"),
    "secret": (*LISTEN[:-2], "--insecure", "--count", "count.json", "--secret", "?"),
    "records": (*CONNECT, "--insecure", "--count", "count.json", "--records", "?"),
    "table to check": ("table", "check", "?"),
    "store": ("serve", "--port", 0, "--store", "?"),
    "backup": ("restore", "?", "new.db"),
}
DOCUMENTS: dict[str, tuple[object, ...]] = {
    "collection": ("serve", "--port", 0, "?"),
    "answers": (
        "collection",
        "new",
        "x",
        "--question",
        "?!",
        "--answers-file",
        "?",
        "--epsilon",
        1,
    ),
    "truth": ("simulate", "stream", "--truth", "?"),
    "plan": ("discover", "decode", "?", "."),
}


def with_file(command: tuple[object, ...], file: str) -> list[object]:
    return [file if part == "?" else part for part in command]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    certificate(tmp_path, "own")
    os.mkfifo(tmp_path / "pipe")  # which has no writer, and would be waited for
    return tmp_path


@pytest.mark.parametrize("what", FILES)
def test_a_pipe_is_refused_where_a_file_is_meant(what: str, folder: Path) -> None:
    if "count.json" in FILES[what] or "secret.json" in FILES[what]:
        new = ("joint-count", "new", "smokers", *TERMS, "--people", 9)
        succeed(folder, *new, "-o", "count.json", "--secret", "secret.json")
    before = sorted(folder.iterdir())
    with process(folder, *with_file(FILES[what], "pipe")) as command:
        try:
            out, err = command.communicate(timeout=60)
        finally:
            command.kill()
    assert (command.returncode, out) == (2, b"")
    assert err.decode().splitlines()[-1].endswith("pipe is not a regular file")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("what", FILES | DOCUMENTS)
def test_a_device_is_refused_where_a_document_is_meant(what: str, folder: Path) -> None:
    """One that ends at once: one that doesn't would be read until there is no memory."""
    if what in {"secret", "records"}:
        new = ("joint-count", "new", "smokers", *TERMS, "--people", 9)
        succeed(folder, *new, "-o", "count.json", "--secret", "secret.json")
    command = with_file((FILES | DOCUMENTS)[what], os.devnull)
    assert refused(folder, *command).splitlines()[-1].startswith(f"{os.devnull} is n")
    assert not Path(f"{os.devnull}.lock").exists()


def test_a_device_folder_with_a_pipe_in_it_is_refused(tmp_path: Path) -> None:
    for name in ("secret", "diary.json", "outbox.db"):
        person = tmp_path / name
        succeed(tmp_path, "device", "new", person)
        (person / name).unlink()
        os.mkfifo(person / name)
        with process(tmp_path, "device", "ledger", person) as command:
            try:
                _, err = command.communicate(timeout=60)
            finally:
                command.kill()
        assert command.returncode == 2
        assert err.decode() == f"Error: {person / name} is not a regular file\n"


def test_substituted_processes_are_read_where_input_may_be_piped(tmp_path: Path) -> None:
    """As with `sudare randomize <(…) <(…)` in a shell."""
    file = tea(tmp_path)
    (tmp_path / "answers.csv").write_text(csv_of({"green": 30, "black": 10}))
    sudare = f"{sys.executable} -m sudare"
    commands = (
        f"{sudare} randomize <(cat {file}) <(cat answers.csv) -o reports.arrow",
        f"{sudare} aggregate {file} <(cat reports.arrow) -o total.json",
        f"cat {file} | {sudare} estimate /dev/stdin total.json > shares.txt",
    )
    shell = ["bash", "-c", " && ".join(commands)]
    subprocess.run(shell, cwd=tmp_path, check=True, timeout=120)
    assert Aggregate.from_json((tmp_path / "total.json").read_bytes()).n == 40
    assert "green" in (tmp_path / "shares.txt").read_text()

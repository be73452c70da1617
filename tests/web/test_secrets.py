"""No secret in a line that is printed or logged, in the process list, or in an address.

A collector, its administrator, a device and a browser, each a process of its own, with everything
between them recorded by a proxy.
"""

import base64
import contextlib
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import msgspec
import pytest
from playwright.sync_api import BrowserContext

from support.browsing import visit
from support.commands import PATIENCE, process, succeed

_LINE = re.compile(rb"(?:GET|HEAD|POST|PUT|DELETE|OPTIONS) (\S+) HTTP/1\.1\r\n")
BEARING = ("authorization", "sudare-invitation")  # the headers in which secrets travel


class ProcessList:
    """The arguments of every process of this machine that is there while it is watched."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ending.wait(0.01):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    self.seen.add(path.read_bytes())


class Wire:
    """A proxy on this machine that passes on what clients send to a collector, and keeps it."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").split(":")
        self._to = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.sent: list[bytearray] = []
        self._sockets = [self._listening]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # else whoever waits for it would go on waiting
        for thread in self._threads:
            thread.join()
        for one in self._sockets:
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(self._to)
                self._sockets += [client, server]
                self.sent.append(kept := bytearray())
                self._start(self._pass_on, client, server, kept)
                self._start(self._pass_on, server, client, bytearray())

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(65536):
                kept += part
                target.sendall(part)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    @property
    def everything(self) -> bytes:
        return b"\r\n".join(bytes(one) for one in self.sent)


@contextlib.contextmanager
def collecting(folder: Path) -> Iterator[Wire]:
    """A collector that a wire leads to; what it prints and logs is in files."""
    with (folder / "serve.out").open("wb") as out, (folder / "serve.err").open("wb") as err:
        running = process(
            folder, "serve", "--port", 0, "--json", stdin=None, stdout=out, stderr=err
        )
        try:
            ready = folder / "serve.out"
            deadline = time.monotonic() + PATIENCE
            while b"\n" not in ready.read_bytes() and time.monotonic() < deadline:
                time.sleep(0.05)
            wire = Wire(msgspec.json.decode(ready.read_bytes())["address"])
            with contextlib.closing(wire):
                yield wire
        finally:
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=PATIENCE)


class Desk:
    """Commands in processes of their own, and all that they have printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = b""

    def do(self, *words: object, code: int = 0) -> None:
        done = process(self.folder, *words, stdin=None)
        out, err = done.communicate(timeout=PATIENCE)
        assert done.returncode == code, err.decode()
        self.printed += out + err


def forms(secret: bytes) -> list[bytes]:
    """A secret as it may be written."""
    return [secret, secret.hex().encode(), base64.b64encode(secret).rstrip(b"=")]


def without_bearing(sent: bytes) -> bytes:
    """What was sent but for the headers in which secrets travel."""
    names = "|".join(BEARING).encode()
    return re.sub(rb"(?im)^(?:" + names + rb"): [^\r\n]*\r\n", b"", sent)


def test_no_secret_is_printed_logged_listed_or_part_of_an_address(
    context: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    answers = ("--answer", "yes", "--answer", "no", "--invited", "--minimum-reports", 1)
    succeed(
        tmp_path,
        *("collection", "new", "club", "--question", "A member?", *answers),
        *("--epsilon", 2, "-o", "club.json"),
    )
    desk = Desk(tmp_path)
    with ProcessList() as processes, collecting(tmp_path) as wire:
        at = wire.address
        desk.do("remote", "login", at, "--token-file", "sudare.db.admin-token")
        desk.do("remote", "add", "club.json", "--json")
        desk.do("remote", "invitations", "club", "--count", 3, "-o", "links.csv", "--png", "codes")
        desk.do("remote", "token", "new", "--role", "analyst", "-o", "ada.token")
        links = (tmp_path / "links.csv").read_text().split()[1:]
        (tmp_path / "invitation.txt").write_text(links[0])
        key = links[0].split("/s/")[1].split("#")[0]
        for device, code in (("phone", 0), ("tablet", 2)):  # the second time it is used
            desk.do("device", "new", device)
            invited = ("--device", device, "--invitation-file", "invitation.txt")
            desk.do("device", "answer", at, key, "yes", *invited, code=code)
        page = visit(context, links[1]).page
        page.get_by_role("radio").first.check()
        with page.expect_response(re.compile("/reports")) as posted:
            page.locator("button.main").click()
        assert posted.value.status == 202
        desk.do("remote", "results", "club", "--token-file", "ada.token", "--collector", at)
        desk.do("remote", "pause", "club", "--token-file", "ada.token", "--collector", at, code=2)
        (tmp_path / "wrong.token").write_text("sdr_guess_" + "0" * 43)
        desk.do("remote", "health", "--token-file", "wrong.token", "--collector", at, code=2)
        desk.do("remote", "show", "club")
        desk.do("remote", "logout")
    tokens = [
        (tmp_path / name).read_text().strip() for name in ("sudare.db.admin-token", "ada.token")
    ]
    secrets = {
        "an administrator's token": tokens[0].split("_", 2)[2].encode(),
        "an analyst's token": tokens[1].split("_", 2)[2].encode(),
        **{f"invitation {n}": link[-32:].encode() for n, link in enumerate(links)},
        "a device's secret": (tmp_path / "phone" / "secret").read_bytes(),
    }
    said = (
        desk.printed + (tmp_path / "serve.err").read_bytes() + (tmp_path / "serve.out").read_bytes()
    )
    sent = wire.everything
    lines = _LINE.findall(sent)
    places = {
        "printed or logged": said,
        "the process list": b"\n".join(processes.seen),
        "an address": b"\n".join(lines),
        "sent outside its header": without_bearing(sent),
    }
    # What is searched holds what it should: else nothing could be found in it.
    assert secrets["an administrator's token"] in sent
    assert secrets["invitation 0"] in sent
    assert secrets["invitation 1"] in sent
    assert f"/collections/{key}/invitations?count=3".encode() in lines
    assert any(b"ada.token" in arguments for arguments in processes.seen)
    assert b"in sudare.db.admin-token, for you alone" in said
    found = {
        (what, where)
        for what, secret in secrets.items()
        for where, text in places.items()
        for form in forms(secret)
        if form in text
    }
    assert found == set()


def test_a_secret_among_arguments_would_be_seen(tmp_path: Path) -> None:
    invitation = os.urandom(16).hex()
    succeed(tmp_path, "device", "new", "phone")
    words = ("device", "answer", "http://127.0.0.1:9", "0" * 64, "yes", "--device", "phone")
    with ProcessList() as processes:
        Desk(tmp_path).do(*words, "--invitation", invitation, "--patience", 0, code=2)
    assert any(invitation.encode() in arguments for arguments in processes.seen)

"""A collector on this machine that follows a script: what it takes, drops, refuses, and when.

It knows as much of the interface as a device sees: documents by key, reports by name.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from sudare import Collection
from sudare.formats.report_ids import ID_BYTES

TAKE, LOSE, DROP = "take", "take and drop the response", "drop the request"
MARK = {"Sudare-Api": "1"}


@dataclass(frozen=True)
class Say:
    """Another response than the interface's 202."""

    status: int
    code: str = "busy"
    headers: dict[str, str] = field(default_factory=dict)
    marked: bool = True
    body: bytes | None = None


@dataclass
class Scripted:
    """What a collector holds and does.

    Attributes:
        collections: by key; the document may be any bytes.
        script: what becomes of one upload after the other; after the last, all are taken.
        around: whether the script begins again instead.
        taken: the records that arrived under each name, in each window of each collection.
        bodies: (names of the reports, query, headers) of each upload, whatever became of it.
    """

    collections: dict[str, bytes] = field(default_factory=dict)
    script: Sequence[Any] = ()
    around: bool = False
    sizes: dict[str, int] = field(default_factory=dict)
    taken: dict[tuple[str, int], dict[bytes, set[bytes]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    bodies: list[tuple[list[bytes], str, dict[str, str]]] = field(default_factory=list)
    address: str = ""
    lock: Any = field(default_factory=threading.Lock)

    def hold(self, *collections: Collection) -> None:
        for collection in collections:
            self.collections[collection.key] = collection.to_json()
            self.sizes[collection.key] = collection.report_dtype.itemsize

    def names(self) -> list[bytes]:
        """Of all reports that counted."""
        return [name for window in self.taken.values() for name in window]

    def next_step(self) -> Any:
        at = len(self.bodies) - 1
        if self.around and self.script:
            return self.script[at % len(self.script)]
        return self.script[at] if at < len(self.script) else TAKE


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        key = urlsplit(self.path).path.rpartition("/")[2]
        document = self.server.scripted.collections.get(key)
        if document is None:
            self._say(Say(404, "unknown_collection"))
        else:
            self._respond(200, document, MARK)

    def do_POST(self) -> None:
        scripted, url = self.server.scripted, urlsplit(self.path)
        key, window = url.path.split("/")[2], int(parse_qs(url.query)["window"][0])
        data = self.rfile.read(int(self.headers["Content-Length"]))
        size = ID_BYTES + scripted.sizes[key]
        reports = [data[at : at + size] for at in range(0, len(data), size)]
        with scripted.lock:
            names = [report[:ID_BYTES] for report in reports]
            scripted.bodies.append((names, url.query, dict(self.headers)))
            step = scripted.next_step()
            if step in (TAKE, LOSE):
                held = scripted.taken[key, window]
                new = sum(name not in held for name in names)
                for report in reports:
                    held[report[:ID_BYTES]].add(report[ID_BYTES:])
        if step == TAKE:
            counts = {"new": new, "repeated": len(names) - new, "refused": 0}
            self._respond(202, msgspec.json.encode(counts), MARK)
        elif step in (LOSE, DROP):
            self.close_connection = True
        else:
            self._say(step)

    def _say(self, said: Say) -> None:
        told = {"error": {"code": said.code, "message": "as the script says"}}
        body = msgspec.json.encode(told) if said.body is None else said.body
        self._respond(said.status, body, {**(MARK if said.marked else {}), **said.headers})

    def _respond(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: tests look at what arrived."""


class _Server(ThreadingHTTPServer):
    scripted: Scripted

    def handle_error(self, *_: Any) -> None:
        """A device that was killed is no error here."""


@contextmanager
def serving(
    *collections: Collection, script: Sequence[Any] = (), around: bool = False
) -> Iterator[Scripted]:
    """A scripted collector, on a free port."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.scripted = Scripted(script=script, around=around)
    server.scripted.hold(*collections)
    server.scripted.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.scripted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

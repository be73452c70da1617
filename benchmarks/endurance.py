"""Does a collector's memory stay flat once windows close? ``--help`` for options.

A collector in a process of its own takes a million reports in each window, whose ids it has in
memory until the window closes. Its memory is read when the next window has begun and the last one
is closed.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from collecting import ASKED as OTHER
from collecting import BATCH, batches
from load import loaded
from report import RESULT, rows_table, save, significant
from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.mechanisms.unary import OUE

MILLION = 1_000_000
WINDOWS, SENDERS = 10, 2
FROM = 2  # windows until all that is made once is made
TICK = 1.5  # seconds: a window is closed once a second
ASKED = Collection(
    *("endurance", "Which?", tuple(map(str, range(128))), OUE.calibrate(128, 1.0), 1),
    Windows(1000, 60),
)


def serve(folder: str) -> None:
    """Be the server, until a signal comes; its time is that of the latest window sent to."""
    from starlette.types import Receive, Scope, Send

    from sudare.collector.http.app import create_app
    from sudare.collector.http.limits import Limits
    from sudare.collector.service import Service
    from sudare.collector.serving.server import listen
    from sudare.collector.serving.server import serve as answer
    from sudare.collector.stores.contract import HeldCollection, Role
    from sudare.collector.stores.open import open_store

    store = open_store(str(Path(folder) / "load.db"))
    store.add(HeldCollection(ASKED))
    now = [1000.0]
    service = Service(store, lambda: now[0])
    app = create_app(service, role_of=lambda _: Role.RELAY)

    async def timed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            found = re.search(rb"window=(\d+)", scope["query_string"])
            now[0] = max(now[0], 1001.0 + 60 * int(found[1] if found else 0))
        await app(scope, receive, send)

    listening, limits = listen("127.0.0.1", 0), Limits()
    answer(timed, service, listening, limits, lambda url: print(url, flush=True))
    windows = store.windows(ASKED.key)
    said = {"n": [window.n for window in windows], "closed": sum(one.closed for one in windows)}
    print(json.dumps(said), flush=True)
    store.shut()


def resident(process: "subprocess.Popen[str]") -> float:
    """The memory of a process, in MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def sent(window: int, reports: int) -> Iterator[bytes]:
    """Bodies of one window."""
    place = f"{ASKED.key}/reports?window={window}".encode()
    for _ in range(reports // BATCH):
        (one,) = batches(1)
        yield one.replace(f"{OTHER.key}/reports".encode(), place, 1)


def measure(windows: int, reports: int) -> list[float]:
    """The memory after each window."""
    found = []
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        command = [sys.executable, __file__, "--serve", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if process.stdout is None:
            raise SystemExit("the server has no output")
        port = int(process.stdout.readline().rpartition(":")[2])
        for window in track(range(windows), console=Console(stderr=True)):
            loaded(port, SENDERS, lambda number=window: sent(number, reports))  # type: ignore[misc]
            time.sleep(TICK)
            found.append(resident(process))
        process.terminate()
        said = json.loads(process.stdout.readline())
        process.wait()
    if said != {"n": [reports] * windows, "closed": windows - 1}:
        raise SystemExit(f"{windows} windows of {reports:,} reports were sent; there are {said}")
    return found


def main() -> None:
    """Measure, print the table, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of it, writes nothing")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    reports = MILLION // (10 if options.quick else 1)
    found = measure(WINDOWS, reports)
    measured: list[dict[str, Any]] = [
        {
            "job": f"collector, memory after {WINDOWS} windows of {reports:,} reports",
            "ours": significant(found[-1]),
            "peer": {"name": f"after {FROM} windows", "MiB": significant(found[FROM - 1])},
            "limit": None,
            "ratio": significant(found[FROM - 1] / found[-1]),
            "unit": "MiB",
        }
    ]
    Console(width=None if sys.stdout.isatty() else 150).print(rows_table(measured))
    print(json.dumps([significant(one) for one in found]))
    if not options.quick:
        save(measured, RESULT)


if __name__ == "__main__":
    main()

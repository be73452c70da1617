"""A noise by secret sharing: what three processes of ``examples/three_party_count.py`` take.

``python run.py --only sharing``. One opened total, and a hundred at once; seconds of the processor
of all three from the moment they are connected, and every byte that they send.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from cipher import ENTRY, SMALL, Row, row
from sudare.twoparty.noise.shipped_tables import shipped

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from support.ports import held_ports

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "three_party_count.py"
JOB = "sharing instead of a cipher, our tables, three processes"
TOTALS = (1, 100)
NAMES = (JOB,)
PATIENCE = 60  # seconds


def session(totals: int) -> tuple[float, int]:
    """Three processes over loopback: seconds of the processor of all, and all bytes sent."""
    with ExitStack() as running:
        ports = running.enter_context(held_ports(3, ""))
        parties = [part for port in ports for part in ("-P", f"localhost:{port}")]
        command = [sys.executable, str(EXAMPLE), "--no-log", *parties, "--totals", str(totals)]
        processes = [
            subprocess.Popen([*command, "--json", "-I", str(pid)], stdout=subprocess.PIPE)
            for pid in range(3)
        ]
        for process in processes:
            running.enter_context(process)
            running.callback(process.kill)
        told = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in processes]
    return sum(one["cpu_seconds"] for one in told), sum(one["bytes_sent"] for one in told)


def measured(wanted: Callable[[str], bool], sessions: int) -> list[Row]:
    """The best of several sessions."""
    proof = shipped(SMALL)
    if not wanted(JOB) or proof is None:
        return []
    rows = []
    for totals in TOTALS:
        found = [session(totals) for _ in range(sessions)]
        job = f"{JOB}, {totals} opened"
        plain = {"name": "plaintext tables", "B": totals * ENTRY * proof.scheme.entries}
        rows.append(row(job, min(seconds for seconds, _ in found), "s"))
        rows.append(row(f"{job}, bytes", max(size for _, size in found), "B", plain))
    return rows

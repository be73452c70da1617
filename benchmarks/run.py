"""How fast is Sudare, beside other libraries and the machine's limits? ``--help`` for options."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import cipher
import frequency
import limits
import rappor
import sharing
import streams
from jobs import FULL, JOBS, QUICK, Effort, Job
from plain import plain
from report import RESULT, Measured, Run, rows_table, save, table
from timing import best

HERE = Path(__file__).resolve().parent
PEERS_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"


def peers_process() -> subprocess.Popen[str]:
    """The peers' own Python, which measures a job when asked to."""
    return subprocess.Popen(
        [PEERS_PYTHON, "-m", "peers.measure"],
        cwd=HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line of the peers."""
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise SystemExit(f"the other libraries stopped with code {process.wait()}")
    return dict(json.loads(line))


def ask(process: subprocess.Popen[str], job: Job, effort: Effort) -> dict[str, float]:
    """Nanoseconds per person of each peer."""
    request = [job.name, effort.of_peers(job), effort.seconds]
    print(json.dumps(request), file=process.stdin, flush=True)
    return {name: 1e9 * seconds for name, seconds in answer(process).items()}


def measure(
    job: Job, effort: Effort, machine: limits.Limits, peers: subprocess.Popen[str]
) -> Measured:
    """Everyone at one job, one after another."""
    values = np.random.default_rng().integers(0, job.k, effort.people).astype(f"u{job.bits // 8}")
    nanoseconds = 1e9 / effort.people
    return Measured(
        job,
        ours=best(frequency.ours(job, values), effort.seconds) * nanoseconds,
        numpy=best(plain(job, values), effort.seconds) * nanoseconds,
        peers=ask(peers, job, effort),
        limit=frequency.limit(job, values, machine),
    )


def run(jobs: Sequence[Job], effort: Effort) -> Run:
    """Every job, with a line that shows where it is."""
    columns = TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn()
    progress = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    with peers_process() as peers, progress:
        task = progress.add_task("the machine's limits", total=len(jobs))
        versions = answer(peers)  # ready: from here on it rests unless asked
        machine = limits.measure(effort.seconds)
        measured = []
        for job in jobs:
            progress.update(task, description=job.name)
            measured.append(measure(job, effort, machine, peers))
            progress.advance(task)
    return Run(effort, versions, machine, measured)


def main() -> None:
    """Measure, print the table, keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        metavar="WORDS",
        help='only jobs whose name has these words, such as "OUE randomise" (repeatable)',
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the people, rough, writes nothing"
    )
    options = parser.parse_args()
    only: list[str] = options.only or [""]

    def wanted(name: str) -> bool:
        return any(words.lower() in name.lower() for words in only)

    jobs = [job for job in JOBS if wanted(job.name)]
    texts = [name for name in rappor.NAMES if wanted(name)]
    over_time = [name for name in streams.NAMES if wanted(name)]
    secret = [name for name in (*cipher.NAMES, *sharing.NAMES) if wanted(name)]
    if not jobs and not texts and not over_time and not secret:
        names = [job.name for job in JOBS]
        names += [*rappor.NAMES, *streams.NAMES, *cipher.NAMES, *sharing.NAMES]
        parser.error(f"no such job; there are: {', '.join(names)}")
    if (jobs or texts) and not PEERS_PYTHON.exists():
        parser.error("the other libraries are not installed: run `make bench` once")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core, the peers too
    console = Console(width=None if sys.stdout.isatty() else 150)
    rows: list[dict[str, Any]] = []
    if jobs:
        done = run(jobs, QUICK if options.quick else FULL)
        console.print(table(done))
        reached = sum(one.reached for one in done.measured)
        print(f"{reached} of {len(done.measured)} jobs are as fast as asked for")
        rows += [row for one in done.measured for row in one.rows()]
    if texts:
        size = rappor.QUICK if options.quick else rappor.FULL
        with console.status("RAPPOR, a few minutes"):
            measured = [row for _, found in rappor.measured(wanted, size) for row in found]
        console.print(rows_table(measured))
        rows += measured
    if over_time:
        sizes = streams.QUICK if options.quick else streams.FULL
        with console.status("figure 3, half a minute"):
            measured = streams.measured(wanted, sizes)
        console.print(rows_table(measured))
        rows += measured
    if secret:
        effort = cipher.QUICK if options.quick else cipher.FULL
        with console.status("ciphers and sessions, a minute or two"):
            measured = [row for _, found in cipher.measured(wanted, effort) for row in found]
            measured += sharing.measured(wanted, effort.sessions)
        console.print(rows_table(measured))
        rows += measured
    if not options.quick:
        save(rows, RESULT)
        print(f"written to {RESULT.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()

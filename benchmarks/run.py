"""How fast is Sudare, beside other libraries and the machine's limits? ``--help`` for options."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
import small_reports
import streams
from jobs import FULL, JOBS, QUICK, Effort, Job
from plain import plain
from report import RESULT, Measured, Run, rows_table, save, table
from timing import best_cpu

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
    """Nanoseconds per person of each peer that has the mechanism."""
    request = [job.name, effort.of_peers(job), effort.seconds]
    print(json.dumps(request), file=process.stdin, flush=True)
    return {name: 1e9 * seconds for name, seconds in answer(process).items()}


def measure(
    job: Job, effort: Effort, machine: limits.Limits, peers: subprocess.Popen[str]
) -> Measured:
    """Everyone at one job, one after another."""
    values = np.random.default_rng().integers(0, job.k, effort.people).astype(f"u{job.bits // 8}")
    nanoseconds, notebook = 1e9 / effort.people, plain(job, values)
    return Measured(
        job,
        ours=best_cpu(frequency.ours(job, values), effort.seconds) * nanoseconds,
        numpy=None if notebook is None else best_cpu(notebook, effort.seconds) * nanoseconds,
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


@dataclass(frozen=True)
class Section:
    """What is measured by a module of its own: the names, how long it takes, and its rows."""

    names: Sequence[str]
    status: str
    rows: Callable[[Callable[[str], bool], bool], list[dict[str, Any]]]


def _rappor(wanted: Callable[[str], bool], quick: bool) -> list[dict[str, Any]]:
    size = rappor.QUICK if quick else rappor.FULL
    return [row for _, found in rappor.measured(wanted, size) for row in found]


def _streams(wanted: Callable[[str], bool], quick: bool) -> list[dict[str, Any]]:
    return streams.measured(wanted, streams.QUICK if quick else streams.FULL)


def _ciphers(wanted: Callable[[str], bool], quick: bool) -> list[dict[str, Any]]:
    effort = cipher.QUICK if quick else cipher.FULL
    rows = [row for _, found in cipher.measured(wanted, effort) for row in found]
    return rows + sharing.measured(wanted, effort.sessions)


SECTIONS = (
    Section(small_reports.NAMES, "small reports, a minute", small_reports.measured),
    Section(rappor.NAMES, "RAPPOR, a few minutes", _rappor),
    Section(streams.NAMES, "figure 3, half a minute", _streams),
    Section((*cipher.NAMES, *sharing.NAMES), "ciphers and sessions, a minute or two", _ciphers),
)


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
    sections = [section for section in SECTIONS if any(map(wanted, section.names))]
    if not jobs and not sections:
        names = [job.name for job in JOBS] + [name for one in SECTIONS for name in one.names]
        parser.error(f"no such job; there are: {', '.join(names)}")
    needs_peers = jobs or any(section.rows is _rappor for section in sections)
    if needs_peers and not PEERS_PYTHON.exists():
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
    for section in sections:
        with console.status(section.status):
            measured = section.rows(wanted, options.quick)
        console.print(rows_table(measured))
        rows += measured
    if not options.quick:
        save(rows, RESULT)
        print(f"written to {RESULT.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()

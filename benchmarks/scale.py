"""What counting costs, from file to counts, by mechanism and stage, from 10⁶ to 10⁹ reports.

``python benchmarks/scale.py`` (some ten minutes, 4 GB of disk) measures, writes ``scale.json`` and
makes ``docs/explanation/scale.md`` of it; ``--quick`` takes a minute and writes nothing; ``--page``
makes the page of the figures that are there. Beside every file stands pyarrow, which only reads
it, in the same run. What a machine of this kind would take for more reports than were measured
follows from a line through the measured ones, and is marked.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from memory import peak_memory
from sudare import GRR, OUE, Glance, Mechanism, Rappor
from sudare.engines import local
from sudare.engines.pieces import gathered
from sudare.formats.report_files import ColumnSeal, read_columns, report_file
from sudare.formats.report_ids import ID_BYTES
from sudare.formats.wire import Columns, columns_of
from sudare.mechanisms.interface import Records
from timing import best_cpu

HERE = Path(__file__).resolve().parent
RECORD = HERE / "scale.json"
PAGE = HERE.parent / "docs" / "explanation" / "scale.md"
PART = 1 << 24  # reports of a file
BLOCK = 1 << 20  # reports made at random, and written again and again
PRICE = 0.05  # dollars for a core and an hour: about what clouds ask for a shared core in 2026
A_DAY = 10**10
LARGEST = 10**9
console = Console(stderr=True)


@dataclass(frozen=True)
class Job:
    """A mechanism, and up to how many of its reports this machine bears."""

    name: str
    mechanism: Mechanism
    most: int


JOBS = (
    Job("GRR, 43 answers", GRR.calibrate(43, 1.0), 10**9),
    Job("OUE, 1,024 answers", OUE.calibrate(1024, 1.0), 10**7),
    Job("RAPPOR, 128 bits, 64 cohorts", Rappor(128, 2, 64, 0.5, 0.5, 0.75), 10**8),
    Job("RAPPOR, 128 bits, 1,024 cohorts", Rappor(128, 2, 1024, 0.5, 0.5, 0.75), 10**7),
    Job("Glance, 50 rounds", Glance.calibrate(50, 4.0), 10**8),
)
JOB = {job.name: job for job in JOBS}


def reports_of(mechanism: Mechanism) -> Records:
    """Some reports, as random as any."""
    data = np.random.default_rng(1).bytes(BLOCK * mechanism.report_dtype.itemsize)
    reports = np.frombuffer(data, mechanism.report_dtype).copy()
    document = mechanism.document()
    bounds = {"answer": document.get("k"), "cohort": document.get("cohorts"), "bit": 2}
    for name in reports.dtype.names or ():
        if bounds.get(name):
            reports[name] %= bounds[name]
        if name == "round":
            reports[name] = 1 + reports[name] % document["rounds"]
    return reports


def write(folder: Path, mechanism: Mechanism, count: int, suffix: str = "parquet") -> list[Path]:
    """Files of so many reports, at most ``PART`` each."""
    block, paths = reports_of(mechanism), []
    for first in range(0, count, PART):
        path = folder / f"{first // PART:03}.{suffix}"
        left = min(PART, count - first)
        with report_file(path, mechanism.report_dtype, mechanism.key) as sink:
            for start in range(0, left, BLOCK):
                sink.write(block[: min(BLOCK, left - start)])
        paths.append(path)
    os.sync()  # else they are written to disk while they are being read
    return paths


def plainly(paths: list[Path]) -> None:
    """What pyarrow does to read the same files, on one core, and nothing else."""
    for path in paths:
        if path.suffix == ".parquet":
            file = pq.ParquetFile(path, pre_buffer=False)
            for _ in file.iter_batches(1 << 16, use_threads=False):
                pass
        else:
            with pa.OSFile(str(path)) as source:
                for _ in pa.ipc.open_stream(source):
                    pass


def stages(mechanism: Mechanism, path: Path, seconds: float) -> dict[str, float]:
    """Nanoseconds of the processor for a report, by stage, on one core."""
    file = pq.ParquetFile(path, pre_buffer=False)
    batches = [
        batch.replace_schema_metadata(None)
        for batch in file.iter_batches(1 << 16, use_threads=False)
    ]
    columns = [columns_of(mechanism.report_dtype, batch) for batch in batches]
    counted = list(gathered(mechanism, columns))  # as many at a time as the engine takes
    count = sum(map(len, columns))

    def sealed() -> None:
        seal = ColumnSeal()
        for each in columns:
            seal.add(each)

    def over(work: Callable[[Columns], object]) -> Callable[[], None]:
        def run() -> None:
            for each in counted:
                work(each)

        return run

    runs = {
        "read": lambda: plainly([path]),
        "decode": lambda: [columns_of(mechanism.report_dtype, batch) for batch in batches],
        "seal": sealed,
        "check": over(mechanism.check),
        "count": over(mechanism.tally),
    }
    return {name: 1e9 * best_cpu(run, seconds) / count for name, run in runs.items()}


def wall(run: Callable[[], object], times: int) -> float:
    """The shortest of some runs by the clock."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def apart(job: Job, paths: list[Path], cores: int) -> dict[str, float]:
    """Seconds and peak memory of counting files in a process of its own, without its start."""
    asked = [sys.executable, __file__, "--count", job.name, "--cores", str(cores)]
    done = subprocess.run(
        [*asked, *map(str, paths)], check=True, capture_output=True, text=True, cwd=HERE
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def count_here(job: Job, paths: list[Path], cores: int) -> dict[str, float]:
    """What ``apart`` runs: the best of two, after kernels and libraries are there."""
    local.aggregate(job.mechanism, [reports_of(job.mechanism)[: 1 << 16]], 1)

    def run() -> None:
        local.aggregate_files(job.mechanism, paths, workers=cores)

    cpu = time.process_time()
    seconds = wall(run, 1)
    cpu = time.process_time() - cpu
    if seconds < 20:
        seconds = min(seconds, wall(run, 2))
    return {"seconds": seconds, "cpu": cpu, "peak": peak_memory()}


def sizes(job: Job, *, quick: bool) -> Iterator[int]:
    """10⁶, 10⁷ … as far as this machine bears it."""
    size = 10**6
    while size <= min(job.most, 10**6 if quick else LARGEST):
        yield size
        size *= 10


def measured(job: Job, *, quick: bool) -> dict[str, Any]:
    """All figures of one mechanism."""
    seconds = 0.2 if quick else 1.0
    dtype = job.mechanism.report_dtype
    found: dict[str, Any] = {"mechanism": job.name, "wire": dtype.itemsize + ID_BYTES, "sizes": []}
    for size in sizes(job, quick=quick):
        console.print(f"{job.name}: {size:,} reports")
        with tempfile.TemporaryDirectory(prefix="sudare-scale-") as name:
            paths = write(Path(name), job.mechanism, size)
            found["sizes"].append(_at_size(job, paths, size))
            if size == 10**6 or (size == 10**7 and not quick):
                found |= _on_one_core(job.mechanism, paths, size, seconds)
    return found


def _at_size(job: Job, paths: list[Path], size: int) -> dict[str, float]:
    one, two = (apart(job, paths, cores) for cores in (1, 2))
    return {
        "reports": size,
        "pyarrow": wall(lambda: plainly(paths), 1 if size >= LARGEST else 3),
        "one core": one["seconds"],
        "two cores": two["seconds"],
        "peak": max(one["peak"], two["peak"]),
        "bytes": sum(path.stat().st_size for path in paths) / size,
    }


def _on_one_core(
    mechanism: Mechanism, paths: list[Path], size: int, seconds: float
) -> dict[str, Any]:
    """Stages; how fast it is beside pyarrow; and the way from an Arrow stream."""
    (stream,) = write(paths[0].parent, mechanism, size, "arrow")

    def from_stream() -> None:
        chunks = read_columns(stream, mechanism.report_dtype, mechanism.key)
        local.aggregate(mechanism, gathered(mechanism, chunks), 1)

    ours = best_cpu(lambda: local.aggregate_files(mechanism, paths, workers=1), seconds)
    return {
        "stages": stages(mechanism, paths[0], seconds),
        "ratio": best_cpu(lambda: plainly(paths), seconds) / ours,
        "stream": 1e9 * best_cpu(from_stream, seconds) / size,
    }


def line(rows: list[dict[str, float]], what: str) -> tuple[float, float]:
    """Seconds to begin with, and for each report, through the measured sizes."""
    n = np.array([row["reports"] for row in rows], float)
    y = np.array([row[what] for row in rows], float)
    if len(rows) == 1:
        return 0.0, float(y[0] / n[0])
    # Relative errors count: else the largest size alone would decide.
    slope, start = np.polyfit(n, y, 1, w=1 / y)
    return max(0.0, float(start)), float(slope)


def page(record: dict[str, Any]) -> str:
    """The page that says it all, from the figures."""
    jobs = record["jobs"]
    return TEMPLATE.format(
        stages="\n".join(_stage_row(job) for job in jobs),
        sizes="\n".join(_size_row(job) for job in jobs),
        bytes="\n".join(
            f"| {job['mechanism']} | {job['sizes'][-1]['bytes']:.2f} | {job['wire'] - ID_BYTES} "
            f"| {job['wire']} |"
            for job in jobs
        ),
        day="\n".join(_day_row(job) for job in jobs),
        machine=record["machine"],
        price=f"{PRICE:.2f}",
        peak=f"{max(row['peak'] for job in jobs for row in job['sizes']):.0f}",
        two=f"{_two_cores(jobs):.2f}",
    )


def _stage_row(job: dict[str, Any]) -> str:
    each = list(job["stages"].values())
    cells = [*(f"{value:.2f}" for value in each), f"{sum(each):.1f}", f"{job['ratio']:.2f}"]
    return f"| {job['mechanism']} | {' | '.join(cells)} | {job['stream']:.1f} |"


def _two_cores(jobs: list[dict[str, Any]]) -> float:
    largest = [job["sizes"][-1] for job in jobs]
    return min(float(row["one core"] / row["two cores"]) for row in largest)


def _size_row(job: dict[str, Any]) -> str:
    start, each = line(job["sizes"], "two cores")
    cells = [job["mechanism"]]
    by_size = {row["reports"]: row["two cores"] for row in job["sizes"]}
    for size in (10**6, 10**7, 10**8, 10**9):
        seconds = by_size.get(size)
        cells.append(f"*{start + each * size:.3g} s*" if seconds is None else f"{seconds:.3g} s")
    return f"| {' | '.join(cells)} |"


def _day_row(job: dict[str, Any]) -> str:
    _, each = line(job["sizes"], "one core")
    core_hours = A_DAY * each / 3600
    disk = A_DAY * job["sizes"][-1]["bytes"] / 1e9
    peak = max(row["peak"] for row in job["sizes"])
    return (
        f"| {job['mechanism']} | {core_hours:.2f} | {PRICE * core_hours:.2f} $ "
        f"| {60 * core_hours / 16:.1f} | {peak:.0f} MB | {disk:,.0f} GB |"
    )


TEMPLATE = """# What counting costs at scale

From files of reports to counts, by `sudare aggregate`, with everything that belongs to it: reading,
the collection's key, the seal, the check of every report. All figures are made by
`python benchmarks/scale.py`, which measured them on {machine} and wrote this page;
[`scale.json`](../../benchmarks/scale.json) has them all.

## By stage

Nanoseconds of one core for a report, from Parquet. *Read* is pyarrow alone, *decode* makes columns
of what it read, *seal* digests them, *check* looks at each report, *count* counts. *Of pyarrow* is
how fast it all is together, beside pyarrow that only reads the same files in the same run. The last
column is the whole way from an Arrow stream.

| mechanism | read | decode | seal | check | count | sum | of pyarrow | Arrow |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{stages}

## By size

Seconds by the clock on two cores. What stands in italics was not measured: it lies on the line
through the measured sizes.

| mechanism | 10⁶ | 10⁷ | 10⁸ | 10⁹ |
| --- | ---: | ---: | ---: | ---: |
{sizes}

At the largest size of each mechanism, two cores are {two} times as fast as one, or better. Memory
doesn't grow with the files: the most that any of these runs held is {peak} MB, libraries included.

## Bytes

A report on disk (Parquet, uncompressed, with its share of everything), as a bare record, and as it
is sent with its id.

| mechanism | on disk | record | sent |
| --- | ---: | ---: | ---: |
{bytes}

## Ten billion reports a day

By the line through the measured sizes, at {price} $ for an hour of a core (a price that you can
replace by yours): the hours of a core and what they cost, the minutes on a machine of 16 cores if
reading keeps up, the memory of each process, and the disk that a day takes.

| mechanism | core-hours | a day | minutes on 16 cores | memory | disk |
| --- | ---: | ---: | ---: | ---: | ---: |
{day}

One machine is enough for the counting; what takes more is keeping the files. Where they lie on a
cluster already, [Spark counts them there](../how-to/count-on-spark.md), with the same aggregate.
"""


def main() -> None:
    """Measure, write the record and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10⁶ reports each; write nothing")
    parser.add_argument("--page", action="store_true", help="make the page of scale.json anew")
    parser.add_argument("--only", help="the mechanisms whose name has this; the others stay")
    parser.add_argument("--count", metavar="MECHANISM", help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.count:
        print(json.dumps(count_here(JOB[chosen.count], chosen.paths, chosen.cores)))
        return
    if not chosen.page:
        had = json.loads(RECORD.read_text())["jobs"] if RECORD.exists() else []
        known = {job["mechanism"]: job for job in had}
        for job in JOBS:
            if not chosen.only or chosen.only.lower() in job.name.lower():
                known[job.name] = measured(job, quick=chosen.quick)
        record = {
            "machine": machine(),
            "jobs": [known[job.name] for job in JOBS if job.name in known],
        }
        if chosen.quick:
            print(json.dumps(record, indent=1))
            return
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(json.loads(RECORD.read_text())), encoding="utf-8")


def machine() -> str:
    """The processor and its cores, in words."""
    model = "a machine"
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        names = [each for each in cpu.read_text().splitlines() if each.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return f"{model}, {os.cpu_count()} cores"


if __name__ == "__main__":
    main()

"""Files of reports counted by Spark, beside the engine of this machine on the same cores.

``python benchmarks/spark.py`` writes files of random reports, counts them with both engines by
turns, and prints nanoseconds per report: of the clock, and of the processor (of Spark, all its
processes together), which others on the machine disturb less. Starting Spark is measured apart,
and so is the first count, in which its workers start. With ``--quick`` there are fewer reports, and
nothing is written; else ``result.json`` gets the figures.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from rappor import row
from report import RESULT, save, significant
from sudare import GRR, OUE, Collection, Rappor, Seeded
from sudare.engines import local, spark
from sudare.engines.pieces import Counted
from sudare.engines.spark_session import session
from sudare.formats.report_files import report_file

CORES = 2
CHUNK = 1 << 20
ROUNDS = 3
# The collection, how many chunks of reports a file has, and how many names the file has: counting
# doesn't care that the reports are the same, and the disk does.
JOBS = {
    "GRR, 1,000 answers": (
        Collection("g", "?", tuple(map(str, range(1000))), GRR.calibrate(1000, 1.0)),
        16,
        96,
    ),
    "OUE, 1,024 answers": (
        Collection("o", "?", tuple(map(str, range(1024))), OUE.calibrate(1024, 1.0)),
        1,
        120,
    ),
    "RAPPOR, 128 bits, 64 cohorts": (
        Collection("r", "?", (), Rappor(128, 2, 64, 0.5, 0.5, 0.75)),
        4,
        144,
    ),
}


def written(folder: Path, collection: Collection, chunks: int, names: int) -> list[Path]:
    """A file of so many chunks of reports, under so many names."""
    answers = [collection.answers[0] if collection.answers else "tea"] * CHUNK
    reports = collection.randomize(answers, Seeded(1))
    paths = [folder / f"{collection.name}{number}.parquet" for number in range(names)]
    with report_file(paths[0], collection.report_dtype, collection.key) as sink:
        for _ in range(chunks):
            sink.write(reports)
    for path in paths[1:]:
        path.hardlink_to(paths[0])
    return paths


def processor_seconds() -> float:
    """The processor's time of this process, and of all that it and they have started."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = path.read_text().rpartition(")")[2].split()
            stats[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    family = [os.getpid()]
    for known in family:
        family += [child for child, (parent, _) in stats.items() if parent == known]
    return sum(stats[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")


def measured(count: Callable[[], Counted]) -> tuple[Counted, tuple[float, float]]:
    """What a count gives, and its seconds by the clock and by the processor."""
    clock, processor = time.perf_counter(), processor_seconds()
    found = count()
    return found, (time.perf_counter() - clock, processor_seconds() - processor)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the reports")
    fewer = 10 if parser.parse_args().quick else 1
    rows = []
    with tempfile.TemporaryDirectory(prefix="sudare-spark-") as folder:
        files = {
            job: written(Path(folder), collection, chunks, names // fewer)
            for job, (collection, chunks, names) in JOBS.items()
        }
        begun = time.perf_counter()
        with session(f"local[{CORES}]") as opened:
            print(f"Spark, local[{CORES}], started in {time.perf_counter() - begun:.1f} s")
            for job, (collection, _, _) in JOBS.items():
                paths = files[job]
                ours = partial(local.aggregate_files, collection, paths, workers=CORES)
                theirs = partial(spark.aggregate_files, opened, paths, collection)
                ours()
                _, (first, _) = measured(theirs)
                tries = [(measured(ours), measured(theirs)) for _ in range(ROUNDS)]
                assert all(one[0].total == two[0].total for one, two in tries)  # noqa: S101
                n = tries[0][0][0].total.n
                print(f"{job}, {n:,} reports; first count on Spark {first:.1f} s")
                for clock, what in enumerate(("clock", "processor")):
                    one, two = (min(t[e][1][clock] for t in tries) / n * 1e9 for e in (0, 1))
                    print(
                        f"  {what}: local {one:.2f} ns, Spark {two:.2f} ns, {two / one:.2f} times"
                    )
                    peer = {"name": "this machine's engine", "ns": significant(one)}
                    asked = {"name": "1.5 times", "ns": significant(1.5 * one)}
                    name = f"Spark, {job}, {n:,} reports, {what}"
                    rows.append(row(name, two, "ns/report", peer, asked))
    if fewer == 1:
        save(rows, RESULT)


if __name__ == "__main__":
    main()

"""Whether plans come true: what they foresee beside what happens in simulated collections.

    python papers/planner/run.py --seed 1

writes result.json, the tables of README.md and figures/ beside this file; into --out, all but the
tables.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import came_true
import planned
import scatter
from rich.progress import Progress

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Plan, simulate, compare, draw."""
    arguments = _arguments()
    every = list(planned.cases())
    with Progress(transient=True) as progress:
        task = progress.add_task("collections", total=len(every))
        rows: list[dict[str, Any]] = []
        for row in tried(every, arguments.collections, arguments.seed, arguments.processes):
            rows.append(row)
            progress.advance(task)
    figures = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    scatter.errors(rows, figures / "errors.png")
    scatter.chances(rows, figures / "chances.png")
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    (arguments.out / "result.json").write_text(f"[\n  {lines}\n]\n")
    if arguments.out == HERE:
        came_true.refresh(HERE / "README.md", rows)
    off = [row for row in rows if not row["rough"] and came_true.is_off(row)]
    print(f"{len(rows)} plans, {len(off)} of them off, though not rough")
    for row in off:
        print(json.dumps(row))
    print(f"Written: {arguments.out / 'result.json'} and {figures}")


def tried(
    every: Sequence[planned.Case], collections: int, seed: int, processes: int
) -> Iterator[dict[str, Any]]:
    """The rows of all cases, in their order, each by a seed of its own."""
    jobs = [(case, collections, seed * len(every) + number) for number, case in enumerate(every)]
    if processes == 1:
        yield from map(_tried, jobs)
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each process has a core of its own
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_tried, jobs)


def _tried(job: tuple[planned.Case, int, int]) -> dict[str, Any]:
    case, collections, seed = job
    return case.tried(collections, seed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the simulated collections")
    parser.add_argument("--collections", type=int, default=10_000, help="for each figure")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=HERE, help="where the files are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""What was measured, as a table to read and as ``result.json``."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from jobs import EPSILON, Effort, Job
from limits import Limit, Limits

RESULT = Path(__file__).resolve().with_name("result.json")
UNIT = "ns/person"
NUMPY = "NumPy"


@dataclass(frozen=True)
class Measured:
    """A job, ours and each other's time in nanoseconds per person.

    ``numpy`` is None where nothing is written in NumPy; ``peers`` are those that have the
    mechanism.
    """

    job: Job
    ours: float
    numpy: float | None
    peers: dict[str, float]
    limit: Limit

    @property
    def times_peer(self) -> float:
        """How many times as fast as the faster peer."""
        return min(self.peers.values()) / self.ours

    @property
    def times_numpy(self) -> float | None:
        """How many times as fast as NumPy."""
        return None if self.numpy is None else self.numpy / self.ours

    @property
    def reached(self) -> bool:
        """Whether all that the job asks for is so."""
        return (
            self.times_peer >= self.job.times_peer
            and (self.times_numpy is None or self.times_numpy >= self.job.times_numpy)
            and self.of_limit >= self.job.of_limit
        )

    @property
    def of_limit(self) -> float:
        """The part of the machine's limit that is reached."""
        return self.limit.ns / self.ours

    def rows(self) -> list[dict[str, Any]]:
        """One object for each comparison, as in ``result.json``."""
        return [
            {
                "job": self.job.name,
                "ours": significant(self.ours),
                "peer": {"name": name, "ns": significant(ns)},
                "limit": {"name": self.limit.name, "ns": significant(self.limit.ns)},
                "ratio": significant(ns / self.ours),
                "unit": UNIT,
            }
            for name, ns in {**self.peers, NUMPY: self.numpy}.items()
            if ns is not None
        ]


@dataclass(frozen=True)
class Run:
    """What was measured at one time on one machine, and beside which versions of the peers."""

    effort: Effort
    peers: dict[str, str]
    limits: Limits
    measured: Sequence[Measured]


def significant(number: float) -> float:
    """Four significant digits: more would be noise."""
    return float(f"{number:.4g}")


def save(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write rows into the file; jobs that are not among them keep what was last measured."""
    kept = json.loads(path.read_text()) if path.exists() else []
    jobs: dict[str, list[dict[str, Any]]] = {row["job"]: [] for row in kept}
    fresh = list(rows)
    renewed = {row["job"] for row in fresh}
    for row in [row for row in kept if row["job"] not in renewed] + fresh:
        jobs.setdefault(row["job"], []).append(row)
    lines = [f"  {json.dumps(row)}" for rows_of_job in jobs.values() for row in rows_of_job]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def table(run: Run) -> Table:
    """The measurements, with what was asked for."""
    result = Table(
        title=f"{UNIT} of the processor, ε = {EPSILON:g}, best of several, one core",
        caption=caption(run),
        caption_justify="left",
    )
    result.add_column("job", no_wrap=True)
    for name in ("Sudare", NUMPY, *run.peers, "× faster peer", f"× {NUMPY}", "of the limit"):
        result.add_column(name, justify="right")
    for one in run.measured:
        result.add_row(
            one.job.name,
            *(
                "" if ns is None else readable(ns)
                for ns in (one.ours, one.numpy, *(one.peers.get(name) for name in run.peers))
            ),
            verdict(one.times_peer, one.job.times_peer),
            "" if one.times_numpy is None else verdict(one.times_numpy, one.job.times_numpy),
            f"{one.of_limit:.0%} {one.limit.name}"
            + (f", asked {one.job.of_limit:.0%}" if one.job.of_limit else ""),
        )
    return result


def rows_table(
    rows: Sequence[dict[str, Any]], title: str = "time of the processor, one core"
) -> Table:
    """Objects of ``result.json`` as they are, for jobs whose units differ."""
    result = Table(title=title)
    result.add_column("job")
    for name in ("Sudare", "unit", "peer", "its", "ratio", "limit"):
        result.add_column(name, justify="right")
    for one in rows:
        result.add_row(
            one["job"],
            readable(one["ours"]),
            one["unit"],
            *_named(one["peer"]),
            "" if one["ratio"] is None else f"{one['ratio']:.3g}",
            " ".join(_named(one["limit"])),
        )
    return result


def _named(compared: dict[str, Any] | None) -> tuple[str, str]:
    """A peer's or a limit's name and number."""
    if compared is None:
        return "", ""
    (number,) = (value for key, value in compared.items() if key != "name")
    return compared["name"], f"{number:.4g}"


def caption(run: Run) -> str:
    """Under which conditions the numbers hold."""
    peers = " and ".join(f"{name} {version}" for name, version in run.peers.items())
    people = {one.job.mechanism: run.effort.of_peers(one.job) for one in run.measured}
    fewer = ", ".join(f"{number:,} people for {name}" for name, number in people.items())
    keystream, memory = run.limits.keystream / 1e9, run.limits.memory / 1e9
    return (
        f"Sudare and {NUMPY}: an int64 array, {run.effort.people:,} people. "
        f"Sudare draws from the secure source and checks its input; {NUMPY} does neither.\n"
        f"{peers}: a list of Python integers, {fewer}.\n"
        "aggregate: count and estimate. In brackets: at least how many times as fast.\n"
        f"Limits of this machine: keystream {keystream:.1f} GB/s, reading memory {memory:.1f} GB/s."
    )


def verdict(times: float, wanted: float) -> str:
    """The ratio reached beside the one asked for, ticked or crossed."""
    mark = "[green]✓[/]" if times >= wanted else "[red]✗[/]"
    return f"{readable(times)} ({wanted:g}) {mark}"


def readable(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:#.3g}".rstrip(".") if number < 1000 else f"{number:,.0f}"

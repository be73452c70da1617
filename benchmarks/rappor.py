"""RAPPOR: its filters, its hashing, its counting and its decoder, beside peers and limits.

Every time is one of the processor, on one core. The decoder runs in a process of its own
(``decode.py``), for its memory; the other libraries in theirs (``peers/``).
"""

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from report import significant
from sudare import Rappor, System
from sudare.decoding.from_sums import hash_candidates
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.interface import Records
from sudare.mechanisms.strings import digests
from timing import best_cpu

HERE = Path(__file__).resolve().parent
PEERS_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"

MECHANISM = Rappor(bits=128, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
KEYSTREAM = 80  # bytes per filter: 2 planes for flips of ¼, 2 for q = ¾ and 1 for p = ½, of 16
RANDOMISE, AGGREGATE, HASH, DECODE = (
    f"RAPPOR {job}" for job in ("randomise", "aggregate", "hash", "decode")
)
CHUNKS = f"{AGGREGATE} in chunks"
Row = dict[str, Any]


@dataclass(frozen=True)
class Size:
    """How many people and candidates, and for how many seconds a measurement may be repeated."""

    people: int
    reports: int
    peer_people: int
    candidates: int
    more: int
    seconds: float
    draws: int


FULL = Size(1_000_000, 10_000_000, 5000, 100_000, 1_000_000, 1.5, draws=5)
QUICK = Size(100_000, 1_000_000, 500, 10_000, 100_000, 0.1, draws=1)


def row(job: str, ours: float, unit: str, peer: Row | None = None, limit: Row | None = None) -> Row:
    """An object of ``result.json``; the peer's number is the one that isn't its name."""
    compared = {} if peer is None else {key: peer[key] for key in peer if key != "name"}
    return {
        "job": job,
        "ours": significant(ours),
        "peer": peer,
        "limit": limit,
        "ratio": significant(next(iter(compared.values())) / ours) if compared else None,
        "unit": unit,
    }


def said(command: list[Any]) -> Row:
    """What a process answers as JSON."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=HERE,
        check=True,
        stdout=subprocess.PIPE,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # one core: a second one only spins
    )
    return dict(json.loads(done.stdout))


def clients(job: str, ours: float, limit: Row, peers: Row) -> list[Row]:
    """A row for each of the libraries that randomise and aggregate."""
    side = job.removeprefix("RAPPOR ")
    return [
        row(
            f"{job} 128 bits",
            1e9 * ours,
            "ns/person",
            {"name": name, "ns": significant(1e9 * peer[side])},
            limit,
        )
        for name, peer in peers.items()
    ]


def randomised(size: Size, peers: Row) -> list[Row]:
    """From Bloom filters to reports: both steps, beside the bare keystream that they take."""
    rng, n = System(), size.people
    cohorts = MECHANISM.assign(n, rng)
    kept = rng.words(2 * n).reshape(n, 2)
    words = np.empty(1 << 16, np.uint64)

    def stream() -> None:
        for _ in range(KEYSTREAM * n // words.nbytes):
            rng.fill(words)

    def run() -> None:
        MECHANISM.flip(kept, rng)
        MECHANISM.instant(kept, cohorts, rng)

    limit = 1e9 * best_cpu(stream, size.seconds) / n
    ours = best_cpu(run, size.seconds) / n
    return clients(RANDOMISE, ours, {"name": "keystream", "ns": significant(limit)}, peers)


def made_reports(mechanism: Rappor, size: Size) -> Records:
    """Reports of filters at random, so many that no cache holds them."""
    reports = np.empty(size.reports, mechanism.report_dtype)
    random = System()
    for start in range(0, size.reports, size.people):
        part = reports[start : start + size.people]
        cohorts = mechanism.assign(len(part), random)
        kept = random.words(2 * len(part)).reshape(-1, 2)
        part[:] = mechanism.instant(kept, cohorts, random)
    return reports


def read_once(reports: Records, seconds: float) -> float:
    """Nanoseconds to read a report from memory."""
    whole = reports.view(np.uint8)[: reports.nbytes // 8 * 8].view(np.uint64)
    return significant(1e9 * best_cpu(whole.sum, seconds) / len(reports))


def aggregated(size: Size, peers: Row) -> list[Row]:
    """Reports of 64 cohorts counted, beside reading them once."""
    reports = made_reports(MECHANISM, size)
    limit = {"name": "memory", "ns": read_once(reports, size.seconds)}
    ours = best_cpu(lambda: MECHANISM.aggregate(reports), size.seconds) / size.reports
    return clients(AGGREGATE, ours, limit, peers)


def in_chunks(size: Size) -> list[Row]:
    """Reports of few and of many cohorts counted chunk by chunk, beside reading them once."""
    rows = []
    for cohorts in (64, 1024):
        mechanism = replace(MECHANISM, cohorts=cohorts)
        reports = made_reports(mechanism, size)
        for chunk in (1 << 16, 1 << 18, 1 << 20):

            def run(
                mechanism: Rappor = mechanism, part: int = chunk, all_: Records = reports
            ) -> None:
                for start in range(0, len(all_), part):
                    mechanism.aggregate(all_[start : start + part])

            job = f"{CHUNKS} of {chunk:,}, {cohorts:,} cohorts"
            read = read_once(reports, size.seconds)
            peer = {"name": "reading them once", "ns": read}
            asked = {"name": "4 times", "ns": significant(4 * read)}
            ours = 1e9 * best_cpu(run, size.seconds) / size.reports
            rows.append(row(job, ours, "ns/report", peer, asked))
    return rows


def hashed(size: Size) -> list[Row]:
    """From texts to positions, beside a SHA-256 for each cohort and hash; and its two parts."""
    texts = [f"candidate number {i}" for i in range(size.candidates)]
    key, few = MECHANISM.key, texts[:: size.candidates // 1000]
    encoded = [text.encode() for text in texts]
    _, found = hash_candidates(key, texts)

    def rows() -> object:
        return design_rows(found, MECHANISM.cohorts, MECHANISM.hashes, MECHANISM.bits)

    def run() -> None:
        hash_candidates(key, texts)
        rows()

    each = 1e9 / size.candidates
    ours = best_cpu(run, size.seconds) * each
    peer = 1e9 * best_cpu(lambda: each_bit(few), size.seconds) / len(few)
    job = f"{HASH} {size.candidates:,} candidates"
    unit = "ns/candidate"
    sha = best_cpu(lambda: digests(key, encoded), size.seconds) * each
    return [
        row(job, ours, unit, {"name": "SHA-256 for each bit", "ns": significant(peer)}),
        row(f"{job}, SHA-256", sha, unit),
        row(f"{job}, mixing", best_cpu(rows, size.seconds) * each, unit),
    ]


def each_bit(texts: list[str]) -> list[int]:
    """As the document hashes: a digest for each text, cohort and hash function."""
    return [
        int.from_bytes(hashlib.sha256(b"%d %d %s" % (cohort, j, text.encode())).digest()[:8])
        % MECHANISM.bits
        for text in texts
        for cohort in range(MECHANISM.cohorts)
        for j in range(MECHANISM.hashes)
    ]


def medians(measured: list[Row]) -> Row:
    """Of each number over several draws of the people: some need more rounds than others."""
    return {key: statistics.median(one[key] for one in measured) for key in measured[0]}


def decoded(size: Size, hashes: int) -> list[Row]:
    """The decoder and its LASSO, beside skglm at each of its tolerances: medians over draws."""
    job = f"{DECODE} h={hashes}, {size.candidates:,} candidates"
    script = [sys.executable, "decode.py"]
    few, many = (hashes, 64), (hashes, 1024)
    draws, fits = [], []
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.npz"
        for draw in range(1, size.draws + 1):
            draws.append(said([*script, size.candidates, *few, size.seconds, draw, problem]))
            fits.append(said([PEERS_PYTHON, "-m", "peers.lasso", problem, size.seconds])["fits"])
    ours = medians(draws)
    theirs = {
        f"skglm, tol={tolerance}": medians([fit[tolerance] for fit in fits])
        for tolerance in fits[0]
    }
    more, most = (said([*script, size.more, *each, size.seconds, 1]) for each in (few, many))
    rows = [
        row(f"{job}{part}", ms, "ms", {"name": name, "ms": significant(1e3 * fit["seconds"])})
        for part, ms in (("", 1e3 * ours["find"]), (", LASSO alone", 1e3 * ours["lasso"]))
        for name, fit in theirs.items()
    ]
    rows += [  # all digits: they say how far the objectives agree
        row(f"{job}, {part}", ours[part], part, {"name": name, part: fit[part]})
        | {"ours": ours[part], "ratio": fit[part] / ours[part]}
        for part in ("objective", "gap")
        for name, fit in theirs.items()
    ]
    asked = {"name": "1 GB", "MiB": significant(1e9 / 1024**2)}
    rows += [
        row(f"{job}, with hashing", 1e3 * ours["whole"], "ms"),
        row(f"{job}, memory", ours["MiB"], "MiB", limit=asked),
        row(f"{DECODE} h={hashes}, {size.more:,} candidates", 1e3 * more["find"], "ms"),
        row(
            f"{DECODE} h={hashes}, {size.more:,} candidates, with hashing",
            1e3 * more["whole"],
            "ms",
        ),
        row(f"{DECODE} h={hashes}, {size.more:,} candidates, memory", more["MiB"], "MiB"),
    ]
    job, limit = f"{DECODE} h={hashes}, {size.more:,} candidates, 1,024 cohorts", 2e9 / 1024**2
    return [
        *rows,
        row(f"{job}, with hashing", 1e3 * most["whole"], "ms"),
        row(
            f"{job}, memory", most["MiB"], "MiB", limit={"name": "2 GB", "MiB": significant(limit)}
        ),
    ]


def measured(wanted: Callable[[str], bool], size: Size) -> Iterator[tuple[str, list[Row]]]:
    """The wanted jobs one after another, each with its rows."""
    peers: Row = {}
    if wanted(RANDOMISE) or wanted(AGGREGATE):
        peers = said([PEERS_PYTHON, "-m", "peers.rappor", size.peer_people, size.seconds])
    jobs: dict[str, Callable[[], list[Row]]] = {
        RANDOMISE: lambda: randomised(size, peers),
        AGGREGATE: lambda: aggregated(size, peers),
        CHUNKS: lambda: in_chunks(size),
        HASH: lambda: hashed(size),
        f"{DECODE} h=2": lambda: decoded(size, 2),
        f"{DECODE} h=1": lambda: decoded(size, 1),
    }
    for name, run in jobs.items():
        if wanted(name):
            yield name, run()


NAMES = (RANDOMISE, AGGREGATE, CHUNKS, HASH, f"{DECODE} h=2", f"{DECODE} h=1")

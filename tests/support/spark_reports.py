"""Collections of every shape of report, and reports of them, for engines that must agree."""

import time
from collections.abc import Callable, Iterator
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sudare import GRR, OUE, Collection, Glance, Rappor, Seeded
from sudare.formats.report_files import report_file
from sudare.formats.wire import Records

TEA = Collection("tea", "Which tea?", ("green", "black", "white"), GRR(3, 0.5))
WIDE = Collection(
    "wide", "Which one?", tuple(f"answer {n}" for n in range(1024)), OUE.calibrate(1024, 1.0)
)
WORDS = Collection("words", "Which word?", (), Rappor(128, 2, 64, 0.5, 0.5, 0.75))
ONLINE = Collection("online", "Online?", ("no", "yes"), Glance(8, 0.75))
EVERY = (TEA, WIDE, WORDS, ONLINE)


def some_reports(collection: Collection, people: int, seed: int) -> Records:
    """The reports of people who answer one thing and another."""
    numbers = np.arange(people)
    if collection is ONLINE:
        answers = (numbers[:, np.newaxis] + np.arange(8)) % 2
    elif collection is WORDS:
        answers = np.array([f"word {number % 50}" for number in numbers])
    else:
        answers = np.array(collection.answers)[numbers**2 % len(collection.answers)]
    return collection.randomize(answers, Seeded(seed))


def write_reports(path: Path, collection: Collection, reports: Records) -> Path:
    """A file of reports."""
    with report_file(path, collection.report_dtype, collection.key) as sink:
        sink.write(reports)
    return path


def write_parts(folder: Path, collection: Collection, reports: Records, files: int) -> list[Path]:
    """The same in several files of both kinds, the second of which has no reports."""
    ends = np.linspace(0, len(reports), files).astype(int)
    parts = [reports[start:end] for start, end in pairwise(ends)]
    parts.insert(1, reports[:0])
    return [
        write_reports(folder / f"{number}.{kind}", collection, part)
        for number, (part, kind) in enumerate(zip(parts, cycle(["parquet", "arrow"]), strict=False))
    ]


def slowed(
    work: Callable[[Iterator[Any]], Iterator[Any]],
    begun: str,
    seconds: float,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """A worker's work, of which a file tells that it has begun, and that takes its time."""
    Path(begun).touch()
    time.sleep(seconds)
    yield from work(batches)

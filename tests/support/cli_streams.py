"""What tests of streams on the command line share: a collection, states, and their reports."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare import Collection
from sudare.formats.report_files import read_reports
from support.commands import succeed

ROUNDS = 6
OUTPUT = ("-o", "reports.arrow")


def online(folder: Path, *options: object, name: str = "online", rounds: int = ROUNDS) -> str:
    """The name of a new collection's file."""
    succeed(
        folder,
        *("collection", "new", name, "--question", "Online?", "--rounds", rounds, "--epsilon", 2),
        *("--minimum-reports", 1, "-o", f"{name}.json", *options),
    )
    return f"{name}.json"


def agreed(folder: Path, file: str) -> Collection:
    return Collection.from_json((folder / file).read_bytes())


def streams(people: int, rounds: int = ROUNDS) -> NDArray[np.int64]:
    return (np.arange(people)[:, np.newaxis] * (3 + np.arange(rounds)) // 4) & 1


def csv_states(states: NDArray[np.int64], header: str | None = None) -> str:
    names = ",".join(str(number) for number in range(1, states.shape[1] + 1))
    rows = [",".join(str(state) for state in row) for row in states]
    return "\n".join([names if header is None else header, *rows]) + "\n"


def reports_of(folder: Path, file: str, name: str = "reports.arrow") -> bytes:
    collection = agreed(folder, file)
    chunks = read_reports(folder / name, collection.report_dtype, collection.key)
    return b"".join(chunk.tobytes() for chunk in chunks)

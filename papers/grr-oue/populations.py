"""The two data sets: a stand-in for the tea survey, and the clicks on trousers.

The document shows Dataset1 (14 answers, 5 teas) only in a figure, so ``TEAS`` is a skewed
stand-in of the same size. Dataset2 is "Clickstream Data for Online Shopping", UCI Machine
Learning Repository (2019), doi 10.24432/C5QK7X, CC BY 4.0: ``clothing.csv`` carries the counts
of the 43 models of main category 1.
"""

import csv
import gzip
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from record import Row

from sudare import SudareError

TEAS: Mapping[str, int] = {"お〜いお茶": 6, "伊右衛門": 4, "綾鷹": 2, "生茶": 1, "明大茶": 1}


@dataclass(frozen=True, eq=False)
class Population:
    """How many people hold each answer."""

    name: str
    labels: tuple[str, ...]
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """How many people there are."""
        return int(self.counts.sum())

    @classmethod
    def of(cls, name: str, counts: Mapping[str, int]) -> "Population":
        """The population of counts by answer."""
        return cls(name, tuple(counts), np.array(list(counts.values()), np.int64))


def teas() -> Population:
    """The stand-in for Dataset1."""
    return Population.of("Dataset1 (stand-in)", TEAS)


def clothing() -> Population:
    """Dataset2, from the counts carried here."""
    with Path(__file__).with_name("clothing.csv").open(newline="") as file:
        counts = {line["model"]: int(line["count"]) for line in csv.DictReader(file)}
    return Population.of("Dataset2", counts)


def rows(population: Population, clickstream: Path | None) -> list[Row]:
    """What the document says about Dataset2, checked on the file if there is one."""
    n, k = population.n, len(population.labels)
    size = [
        Row("data.rows", "rows of Dataset2", 49742, n, "equal" if n == 49742 else "differs"),
        Row("data.models", "models in Dataset2", 43, k, "equal" if k == 43 else "differs"),
    ]
    carried = "the counts in clothing.csv are those of the file"
    unit = "what a row of Dataset2 is"
    if clickstream is None:
        absent = "not checked: the file was not there"
        return [
            *size,
            Row("data.counts", carried, None, "no file", absent),
            Row("data.unit", unit, "a purchase", "no file", absent),
        ]
    models, sessions = _clicks(clickstream)
    wanted = dict(zip(population.labels, population.counts.tolist(), strict=True))
    equal = sum(models[model] == count for model, count in wanted.items())
    same = "confirmed" if models == wanted else "differs: clothing.csv is not this file's"
    several = sum(clicks > 1 for clicks in sessions.values())
    return [
        *size,
        Row("data.counts", carried, None, f"{equal} of {k} equal, {models.total()} rows", same),
        Row(
            "data.unit",
            unit,
            "a purchase",
            f"a click: {len(sessions)} sessions, {several} with several rows, "
            f"up to {max(sessions.values())}",
            "misprint: clicks; ε is spent on each, so a visitor spends it several times"
            if several
            else "confirmed",
        ),
    ]


def _clicks(clickstream: Path) -> tuple[Counter[str], Counter[str]]:
    """How often each model, and each session, stands in the rows of main category 1."""
    models, sessions = Counter[str](), Counter[str]()
    try:
        with gzip.open(clickstream, "rt", encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file, delimiter=";"):
                if line["page 1 (main category)"] == "1":
                    models[line["page 2 (clothing model)"]] += 1
                    sessions[line["session ID"]] += 1
    except (EOFError, KeyError, UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise SudareError(f"{clickstream.name} is not the clickstream file: {error}") from None
    if not models:
        raise SudareError(f"{clickstream.name} has no rows of main category 1")
    return models, sessions

"""The two data sets: a stand-in for the tea survey, and the clicks on trousers.

The document shows Dataset1 (14 answers, 5 teas) only in a figure, so ``TEAS`` is a skewed
stand-in of the same size. Dataset2 is "Clickstream Data for Online Shopping", UCI Machine
Learning Repository (2019), doi 10.24432/C5QK7X, CC BY 4.0: of its rows of main category 1,
``clothing.csv`` carries how many there are of each of 43 models, and ``sessions.csv`` how many
sessions have one, two, … of them. ``clicks.py`` compares both with the file itself.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from record import Row

# お〜いお茶, 伊右衛門, 綾鷹, 生茶, 明大茶: in letters that every machine has a font for.
TEAS: Mapping[str, int] = {
    "O~i Ocha": 6,
    "Iyemon": 4,
    "Ayataka": 2,
    "Namacha": 1,
    "Meidai-cha": 1,
}


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


def sessions() -> Counter[int]:
    """How many sessions there are with so many rows of Dataset2, from the counts carried here."""
    with Path(__file__).with_name("sessions.csv").open(newline="") as file:
        return Counter({int(line["rows"]): int(line["sessions"]) for line in csv.DictReader(file)})


def rows(population: Population, lengths: Counter[int]) -> list[Row]:
    """What the document says about Dataset2."""
    n, k = population.n, len(population.labels)
    in_sessions = sum(length * count for length, count in lengths.items())
    several = lengths.total() - lengths[1]
    return [
        Row("data.rows", "rows of Dataset2", 49742, n, "equal" if n == 49742 else "differs"),
        Row("data.models", "models in Dataset2", 43, k, "equal" if k == 43 else "differs"),
        Row(
            "data.sessions",
            "rows of Dataset2, counted by session instead of by model",
            49742,
            in_sessions,
            "equal" if in_sessions == n else "differs",
        ),
        Row(
            "data.unit",
            "what a row of Dataset2 is",
            "a purchase",
            f"a click: {lengths.total()} sessions, {several} with several rows, "
            f"up to {max(lengths)}",
            "misprint: clicks; ε is spent on each, so a visitor spends it several times"
            if several
            else "confirmed",
        ),
    ]

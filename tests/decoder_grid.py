"""RAPPOR's decoder over a grid of populations, sizes and candidate lists.

``python tests/decoder_grid.py`` redoes the tables of docs/reference/decoder-accuracy.md, which
``test_decoder_grid`` guards.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.mechanisms.rappor import Rappor
from sudare.planner import best_rappor
from texts import Trial, trial, zipf

EPSILON = 3.0
TEXTS = 100
RUNS = 20
PEOPLE = (10**3, 10**4, 10**5, 10**6, 10**7)
# What part of the texts is missing from the candidates, and how many candidates there are.
LISTS = {
    "a third missing": (1 / 3, 100),
    "exact": (0.0, 100),
    "2 times": (0.0, 200),
    "10 times": (0.0, 1000),
}
FALSE_RUNS = 200
FALSE_CANDIDATES = 10_000
FALSE_TEXTS = 300

FILE = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "decoder-accuracy.md"


def distributions() -> dict[str, NDArray[np.float64]]:
    """The shares of the texts, as the reference implementation's regression tests have them."""
    ranks = np.arange(TEXTS)
    shapes = {
        "uniform": np.ones(TEXTS),
        "normal": np.exp(-0.5 * ((ranks - TEXTS / 2) / (TEXTS / 6)) ** 2),
        "exponential": np.exp(-ranks / (TEXTS / 5)),
        "zipf 1": (ranks + 1) ** -1.0,
        "zipf 1.5": (ranks + 1) ** -1.5,
    }
    return {name: shape / shape.sum() for name, shape in shapes.items()}


@dataclass(frozen=True)
class Cell:
    """One corner of the grid, and what came out: means over its runs."""

    people: int
    distribution: str
    candidates: str
    found: float
    false: float
    variation: float
    coverage: float

    def limits(self, runs: int) -> tuple[float, float]:
        """Between which coverages chance alone leaves ``runs`` of it, but once in 10⁹.

        The intervals of one run are nearly independent; 6.1 deviations of a binomial.
        """
        texts = TEXTS * (2 / 3 if "missing" in self.candidates else 1)
        spread = 6.1 * float(np.sqrt(0.95 * 0.05 / (texts * runs)))
        return 0.95 - spread, 0.95 + spread


def total_variation(result: Trial) -> float:
    """Half the summed error of the shares, a candidate that isn't found counting as 0."""
    shown = np.zeros(result.truth.size)
    shown[result.findings.found] = np.maximum(result.findings.shares[result.findings.found], 0)
    return float(np.abs(shown - result.truth).sum()) / 2


def cell(people: int, distribution: str, candidates: str, runs: int, first: int = 0) -> Cell:
    """Decode so many surveys; trial i of a cell has its own people, noise and hash family."""
    missing, count = LISTS[candidates]
    mechanism = best_rappor(EPSILON, people, count).mechanism
    shares = distributions()[distribution]
    results = []
    for run in range(first, first + runs):
        held = np.random.default_rng([people, run]).multinomial(people, shares)
        results.append(trial(mechanism, held, count, 1000 * people + run, missing=missing))
    known = [np.flatnonzero(result.truth) for result in results]
    return Cell(
        people,
        distribution,
        candidates,
        float(np.mean([result.findings.found.size for result in results])),
        float(np.mean([result.false_share for result in results])),
        float(np.mean([total_variation(result) for result in results])),
        float(
            np.mean(np.concatenate([r.covered()[k] for r, k in zip(results, known, strict=True)]))
        ),
    )


def grid(runs: int) -> Iterator[Cell]:
    """Every cell."""
    for people, distribution, candidates in product(PEOPLE, distributions(), LISTS):
        yield cell(people, distribution, candidates, runs)


def false_discoveries(missing: float, mechanism: Rappor, people: int, runs: int) -> dict[str, Any]:
    """The share of discoveries that are false, over runs at a nominal 5 %."""
    held = zipf(FALSE_TEXTS, people)
    shares = [
        trial(mechanism, held, FALSE_CANDIDATES, 7_000_000 + run, missing=missing)
        for run in range(runs)
    ]
    false = np.array([result.false_share for result in shares])
    return {
        "mechanism": repr(mechanism),
        "people": people,
        "missing": "a third" if missing else "none",
        "found": float(np.mean([result.findings.found.size for result in shares])),
        "false": float(false.mean()),
        "stderr": float(false.std(ddof=1) / np.sqrt(runs)),
    }


def false_table(runs: int) -> Iterator[dict[str, Any]]:
    """Two designs and two sizes, with every text a candidate and with a third missing."""
    designs = [Rappor.calibrate(2.2, form="instant"), Rappor(128, 2, 64, 0.0, 0.5, 0.75)]
    for mechanism, people, missing in product(designs, (10**5, 10**7), (0.0, 1 / 3)):
        yield false_discoveries(missing, mechanism, people, runs)


def page(document: dict[str, Any]) -> str:
    """The tables as a page."""
    lines = PAGE_HEAD.splitlines()
    lines += ["| people | distribution | candidates | found | false | variation | coverage |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for row in document["grid"]:
        lines.append(
            f"| {row['people']:,} | {row['distribution']} | {row['candidates']} | "
            f"{row['found']:.1f} | {row['false']:.3f} | {row['variation']:.3f} | "
            f"{row['coverage']:.3f} |"
        )
    lines += FALSE_HEAD.splitlines()
    lines += ["| design | people | missing | found | false discoveries |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for row in document["false"]:
        lines.append(
            f"| `{row['mechanism']}` | {row['people']:,} | {row['missing']} | {row['found']:.1f} | "
            f"{row['false']:.4f} ± {row['stderr']:.4f} |"
        )
    return "\n".join(lines) + "\n"


PAGE_HEAD = f"""# How well free text is decoded

Written by `python tests/decoder_grid.py`; `make test` redoes it with fewer runs.

Each row is {RUNS} surveys at ε = {EPSILON:g} with the design of `sudare.planner.best_rappor`:
{TEXTS} texts, held according to a distribution; candidate lists that miss a third of the texts,
hold exactly them, or 2 and 10 times as many. *Found* is how many candidates pass at a false
discovery rate of 5 %, *false* the share of those that nobody holds, *variation* the total
variation between the decoded and the true shares (a text that isn't found counts as 0),
*coverage* how often the 95 % interval of a text that somebody holds contains its true share,
found or not.

"""
FALSE_HEAD = f"""
## False discoveries

{FALSE_RUNS} surveys of {FALSE_TEXTS} texts (Zipf) among {FALSE_CANDIDATES:,} candidates each, at a
nominal rate of 5 %: the mean share of false discoveries with its standard error.

"""


def main() -> None:
    """Redo the file and the page."""
    document: dict[str, Any] = {"grid": [], "false": []}
    for result in grid(RUNS):
        document["grid"].append(vars(result))
        sys.stderr.write(f"{result}\n")
    for row in false_table(FALSE_RUNS):
        document["false"].append(row)
        sys.stderr.write(f"{row}\n")
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    PAGE.write_text(page(document), "utf-8")


if __name__ == "__main__":
    main()

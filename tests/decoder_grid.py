"""RAPPOR's decoder over a grid of populations, sizes and candidate lists.

``python tests/decoder_grid.py`` redoes the tables of docs/reference/decoder-accuracy.md, which
``test_decoder_grid`` guards.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import dyadic
from sudare.mechanisms.rappor import Rappor
from sudare.planning.texts import best_rappor
from support.texts import Trial, trial, trials

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
PROMISE_RUNS = 200
SEVERAL = 5  # texts found in a survey, for its “other” to be looked at
FEWEST = 100  # intervals of which a share is given
MISSING = {"none": 0.0, "a tenth": 0.1, "a third": 1 / 3}

FILE = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "decoder-accuracy.md"


@dataclass(frozen=True)
class Survey:
    """A kind of survey for which the promise is tried: its filters, texts and candidates."""

    mechanism: Rappor
    distribution: str
    texts: int
    candidates: int


NARROW = Rappor(8, 2, 128, dyadic(0.45), dyadic(0.39), dyadic(0.61))
SURVEYS = {
    "8 × 2 × 128, uniform": Survey(NARROW, "uniform", 1000, 11_000),
    "8 × 2 × 128, normal": Survey(NARROW, "normal", 1000, 4000),
    "8 × 2 × 128, exponential": Survey(NARROW, "exponential", 1000, 4000),
    "8 × 2 × 128, few texts": Survey(NARROW, "uniform", 100, 1100),
    "16 × 1 × 64": Survey(replace(NARROW, bits=16, hashes=1, cohorts=64), "exponential", 100, 2000),
    "32 × 1 × 512": Survey(replace(NARROW, bits=32, hashes=1, cohorts=512), "zipf 1", 300, 2000),
    "128 × 1 × 64": Survey(Rappor.calibrate(2.2, form="instant"), "zipf 1", 300, 5000),
    "128 × 2 × 64": Survey(Rappor(128, 2, 64, 0.0, 0.5, 0.75), "zipf 1", 300, 5000),
    "128 × 8 × 8": Survey(Rappor(128, 8, 8, 0.0, 0.5, 0.75), "exponential", 300, 2000),
}
"""Bits × hashes × cohorts."""


def distributions(texts: int = TEXTS) -> dict[str, NDArray[np.float64]]:
    """The shares of the texts, as the reference implementation's regression tests have them."""
    ranks = np.arange(texts)
    shapes = {
        "uniform": np.ones(texts),
        "normal": np.exp(-0.5 * ((ranks - texts / 2) / (texts / 6)) ** 2),
        "exponential": np.exp(-ranks / (texts / 5)),
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


def promise(name: str, people: int, missing: str, runs: range) -> dict[str, Any]:
    """What came of the promises over runs at a nominal 5 % and 95 %, in sums that add up."""
    survey = SURVEYS[name]
    shares = distributions(survey.texts)[survey.distribution]
    sums = dict.fromkeys(("runs", "any", "false", "false²", "found", "held"), 0.0)
    sums |= dict.fromkeys(("intervals", "covered", "rests", "rests covered"), 0.0)
    for run in runs:
        held = np.random.default_rng([people, run]).multinomial(people, shares)
        strict, usual = trials(
            survey.mechanism,
            held,
            survey.candidates,
            10_000_000 + run,
            MISSING[missing],
            ("bonferroni", "benjamini-hochberg"),
        )
        findings, found = usual.findings, usual.findings.found
        low, high = findings.interval(0.95)
        inside = (low[found] <= usual.truth[found]) & (usual.truth[found] <= high[found])
        error = findings.explained - usual.truth[found].sum()
        sums["runs"] += 1
        sums["any"] += strict.false_share > 0
        sums["false"] += usual.false_share
        sums["false²"] += usual.false_share**2
        sums["found"] += found.size
        sums["held"] += int((usual.truth[strict.findings.found] > 0).sum())
        sums["intervals"] += found.size
        sums["covered"] += int(inside.sum())
        sums["rests"] += found.size > 0
        sums["rests covered"] += int(found.size and abs(error) <= 1.96 * findings.explained_stderr)
    return {"survey": name, "people": people, "missing": missing, **sums}


def promises(runs: int) -> Iterator[dict[str, Any]]:
    """Every kind of survey and size, with every text a candidate and with some missing."""
    cells = list(product(SURVEYS, PEOPLE[1:], MISSING))
    with ProcessPoolExecutor() as pool:
        waiting = [
            pool.submit(promise, name, people, missing, range(runs))
            for name, people, missing in cells
        ]
        for done in waiting:
            yield done.result()


def false_share(row: dict[str, Any]) -> tuple[float, float]:
    """The mean share of false discoveries, and its standard error."""
    mean = row["false"] / row["runs"]
    return mean, float(np.sqrt(max(row["false²"] / row["runs"] - mean**2, 0) / row["runs"]))


def _ratio(part: float, whole: float) -> str:
    return f"{part / whole:.3f}" if whole >= FEWEST else "–"


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
    lines += PROMISE_HEAD.splitlines()
    heads = ["survey", "texts", "candidates", "people", "missing", "any false", "false", "found"]
    heads += ["coverage", "of “other”"]
    lines += ["| " + " | ".join(heads) + " |", "| " + " | ".join(["---"] * len(heads)) + " |"]
    for row in document["promises"]:
        false, error = false_share(row)
        several = row["found"] >= SEVERAL * row["runs"]
        lines.append(
            f"| {row['survey']} | {SURVEYS[row['survey']].texts} | "
            f"{SURVEYS[row['survey']].candidates:,} | {row['people']:,} | {row['missing']} | "
            f"{row['any'] / row['runs']:.3f} | {false:.4f} ± {error:.4f} | "
            f"{row['found'] / row['runs']:.1f} | {_ratio(row['covered'], row['intervals'])} | "
            f"{_ratio(row['rests covered'], row['rests'] * several)} |"
        )
    return "\n".join(lines) + "\n"


PAGE_HEAD = f"""# How well free text is decoded

Written by `python tests/decoder_grid.py`; `make test` redoes it with fewer runs.

Each row is {RUNS} surveys at ε = {EPSILON:g} with the design of
`sudare.planning.texts.best_rappor`:
{TEXTS} texts, held according to a distribution; candidate lists that miss a third of the texts,
hold exactly them, or 2 and 10 times as many. *Found* is how many candidates pass at a false
discovery rate of 5 %, *false* the share of those that nobody holds, *variation* the total
variation between the decoded and the true shares (a text that isn't found counts as 0),
*coverage* how often the 95 % interval of a text that somebody holds contains its true share,
found or not.

"""
PROMISE_HEAD = f"""
## What is promised

{PROMISE_RUNS} surveys of each kind, at a nominal 5 % and 95 %: *any false* is how often
Bonferroni's correction let any candidate in that nobody holds (at most .05 is promised; one
standard error of so many runs is .015), *false* the mean share of those found by Benjamini and
Hochberg's that nobody holds, with its standard error, *found* how many those were, *coverage* how
often the interval of a text that was found holds its share (of at least {FEWEST}), *of “other”* how
often that of what is unexplained does (where {SEVERAL} texts are found on average). A kind is bits
× hashes × cohorts.

"""


def main() -> None:
    """Redo the file and the page."""
    document: dict[str, Any] = {"grid": [], "promises": []}
    for result in grid(RUNS):
        document["grid"].append(vars(result))
        sys.stderr.write(f"{result}\n")
    for row in promises(PROMISE_RUNS):
        document["promises"].append(row)
        sys.stderr.write(f"{row}\n")
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    PAGE.write_text(page(document), "utf-8")


if __name__ == "__main__":
    main()

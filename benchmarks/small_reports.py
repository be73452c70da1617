"""Small reports of a million answers: how long it takes to count and decode them, and its memory.

``python small_reports.py EPSILON`` says it as JSON, of 10⁷ people who answer by projective
geometry. The process makes their reports before: its memory is that of all of it.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from memory import peak_memory
from report import significant
from sudare import ProjectiveGeometry, System
from timing import best_cpu

HERE = Path(__file__).resolve().parent
PEOPLE, ANSWERS = 10_000_000, 1_000_000
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
QUICK = (1.0,)
SECONDS = 5.0  # that the counting may be repeated for
MOST_SECONDS, MOST_BYTES = 1.5, 1e9  # asked for
NAMES = tuple(f"small reports d={ANSWERS:,}, ε = {epsilon:g}" for epsilon in EPSILONS)


def counted(epsilon: float) -> dict[str, float]:
    """Seconds of the processor from reports to all shares with their errors, and MiB in all."""
    mechanism = ProjectiveGeometry.calibrate(ANSWERS, epsilon)
    answers = np.random.default_rng().integers(0, ANSWERS, PEOPLE, np.uint32)
    reports = mechanism.randomize(answers, System())
    seconds = best_cpu(lambda: mechanism.estimate(mechanism.aggregate(reports)), SECONDS)
    return {"seconds": seconds, "MiB": peak_memory()}


def measured(wanted: Callable[[str], bool], quick: bool) -> list[dict[str, Any]]:
    """The rows of ``result.json``: time and memory for each ε, each in a process of its own."""
    rows = []
    for epsilon, name in zip(EPSILONS, NAMES, strict=True):
        if not wanted(name) or (quick and epsilon not in QUICK):
            continue
        script = [sys.executable, "small_reports.py", str(epsilon)]
        said = subprocess.run(script, cwd=HERE, check=True, capture_output=True, text=True).stdout
        found = json.loads(said)
        asked = {"s": MOST_SECONDS, "MiB": significant(MOST_BYTES / 1024**2)}
        for part, key, unit in (("counted and decoded", "seconds", "s"), ("memory", "MiB", "MiB")):
            rows.append(
                {
                    "job": f"{name}, {PEOPLE:,} people, {part}",
                    "ours": significant(found[key]),
                    "peer": None,
                    "limit": {"name": "asked for", unit: asked[unit]},
                    "ratio": None,
                    "unit": unit,
                }
            )
    return rows


if __name__ == "__main__":
    print(json.dumps(counted(float(sys.argv[1]))))

"""What a report of each mechanism costs to make and to count, as ``sudare plan`` says it.

    python benchmarks/planning_costs.py

writes ``src/sudare/planning/costs.json``, which ships: for each mechanism, by the number of answers
that a collection lists, nanoseconds of one core for a report on the device and on the server, among
many. Half a minute, at a quiet moment.
"""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from report import significant
from sudare import System
from sudare.mechanisms import CATEGORICAL, CONTINUAL, REGISTRY
from sudare.mechanisms.interface import Mechanism
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.strings import digests
from sudare.mechanisms.wave import SquareWave
from sudare.mechanisms.window import Window
from sudare.planning.mechanism_choice import MechanismOptions, choose_several
from sudare.planning.several_questions import DESIGNS
from sudare.planning.texts import best_filter
from timing import best_cpu

COSTS = Path(__file__).resolve().parents[1] / "src" / "sudare" / "planning" / "costs.json"
EPSILON = 1.0
ANSWERS = (2, 5, 10, 43, 100, 300, 1000)
MOST = 3  # answers that a person selects
SIZES = (3, 5, 2)  # of several questions
STEPS = 100  # of a range of numbers
ROUNDS = 50
TEXTS = 100  # different ones that people give
PEOPLE = 1 << 15
SECONDS = 0.2  # that each is measured for


def mechanisms() -> Iterator[Mechanism]:
    """Every mechanism of the registry, those for lists of answers in several sizes."""
    for k in ANSWERS:
        for family in CATEGORICAL.values():
            yield family.calibrate(k, EPSILON)
        yield SetResponse.calibrate(k, min(k, MOST), EPSILON)
        yield Loloha.calibrate(k, EPSILON)
        yield Rappor.calibrate(EPSILON, form="basic", bits=k)
    yield Window.calibrate(STEPS, EPSILON)
    yield SquareWave.calibrate(STEPS, EPSILON)
    for design in DESIGNS:
        yield choose_several(MechanismOptions(EPSILON, design=design), SIZES)
    yield best_filter(EPSILON)
    for over_time in CONTINUAL.values():
        yield over_time.calibrate(ROUNDS, EPSILON)


def values_of(mechanism: Mechanism) -> Any:  # noqa: ANN401 - any domain's
    """What people answer, drawn at random."""
    rng = System()
    if isinstance(mechanism, Rappor) and mechanism.hashes:
        texts = [b"%d" % number for number in rng.below(TEXTS, PEOPLE)]
        return digests(mechanism.key, texts)
    if isinstance(mechanism, SetResponse):
        values = np.zeros((PEOPLE, mechanism.k), np.uint8)
        for _ in range(mechanism.most):
            values[np.arange(PEOPLE), rng.below(mechanism.k, PEOPLE)] = 1
        return values
    if isinstance(mechanism, Window | SquareWave):
        return rng.below(mechanism.steps + 1, PEOPLE)
    if mechanism.name in CONTINUAL:
        return rng.below(2, (PEOPLE, ROUNDS)).astype(np.uint8)
    if mechanism.name in DESIGNS:
        return np.column_stack([rng.below(size, PEOPLE) for size in SIZES])
    return rng.below(mechanism.domain.size, PEOPLE)


def measured(mechanism: Mechanism) -> tuple[int, float, float]:
    """The number of answers that a collection lists, and a report's nanoseconds, made and counted.

    A report over time is one of the several that a person may send.
    """
    rng, values = System(), values_of(mechanism)
    reports = mechanism.randomize(values, rng)
    making = best_cpu(lambda: mechanism.randomize(values, rng), SECONDS)
    counting = best_cpu(lambda: mechanism.aggregate(reports), SECONDS)
    each = [significant(1e9 * seconds / len(reports)) for seconds in (making, counting)]
    return mechanism.domain.size, each[0], each[1]


def machine() -> str:
    """The processor, by what it calls itself."""
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def main() -> None:
    """Measure each mechanism, and write what was found."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core
    costs: dict[str, list[tuple[int, float, float]]] = {}
    every = list(mechanisms())
    for mechanism in track(every, "measuring", console=Console(stderr=True), transient=True):
        costs.setdefault(mechanism.name, []).append(measured(mechanism))
    if missing := REGISTRY.keys() - costs.keys():
        raise SystemExit(f"not measured: {', '.join(sorted(missing))}")
    name = json.dumps(f"{machine()}, one core, Python {platform.python_version()}")
    lines = [f"{json.dumps(made)}: {json.dumps(sorted(found))}" for made, found in costs.items()]
    text = ",\n    ".join(lines)
    COSTS.write_text(f'{{\n  "machine": {name},\n  "costs": {{\n    {text}\n  }}\n}}\n', "utf-8")
    print(f"{len(every)} mechanisms measured; written: {COSTS.name}")


if __name__ == "__main__":
    main()

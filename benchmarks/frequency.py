"""Sudare at the jobs, through its public API: secure source, domain check, one thread."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jobs import EPSILON, Job
from limits import Limit, Limits
from sudare import GRR, OUE, HadamardResponse, LocalHashing, SubsetSelection, System
from sudare.mechanisms.interface import CategoricalMechanism

Values = NDArray[np.int64]
FAMILIES: dict[str, type[CategoricalMechanism]] = {
    "GRR": GRR,
    "OUE": OUE,
    "subset selection": SubsetSelection,
    "OLH": LocalHashing,
    "Hadamard": HadamardResponse,
}


def ours(job: Job, values: Values) -> Callable[[], object]:
    """The job as something to run; an aggregation gets its reports made beforehand."""
    mechanism, rng = calibrated(job), System()
    if job.side == "randomise":
        return lambda: mechanism.randomize(values, rng)
    reports = mechanism.randomize(values, rng)
    return lambda: mechanism.estimate(mechanism.aggregate(reports))


def limit(job: Job, values: Values, limits: Limits) -> Limit:
    """What the machine allows at most: it must cipher the bytes drawn, or read the reports."""
    rng = Counted()
    reports = calibrated(job).randomize(values, rng)
    if job.side == "randomise":
        return Limit("keystream", 1e9 * rng.drawn / len(values) / limits.keystream)
    return Limit("memory", 1e9 * reports.nbytes / len(values) / limits.memory)


def calibrated(job: Job) -> CategoricalMechanism:
    """The job's mechanism."""
    return FAMILIES[job.mechanism].calibrate(job.k, EPSILON)


class Counted(System):
    """A system source that counts the bytes drawn from it."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = 0

    def fill(self, words: NDArray[np.uint64]) -> None:
        """Overwrite ``words`` with fresh ones."""
        self.drawn += words.nbytes
        super().fill(words)

"""One answer of k: every mechanism's exact error beside the least that local privacy allows."""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

import numpy as np

from sudare import Seeded, System
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.interface import CategoricalMechanism

PEOPLE = 10_000
ANSWERS = (5, 43, 1024)
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0)
SECONDS = 0.15  # that a speed is measured for
MEASURED = 1 << 15  # people whose reports a speed is measured on


@dataclass(frozen=True)
class Row:
    """A mechanism for so many answers at an ε.

    Attributes:
        mechanism: its document's name.
        k: how many answers there are.
        epsilon: that was asked for; what is spent is never more.
        mse: the exact mean squared error of a share, of ``PEOPLE`` people.
        bound: the least mean squared error of any mechanism at this ε.
        bytes: of a report.
        forger_gain: by how many honest people a forged report moves the answer that it is for.
        simulated: the mean squared error of simulated collections.
        stderr: of ``simulated``.
        device_ns: nanoseconds of one core to make a report.
        server_ns: nanoseconds of one core to check and count a report.
    """

    mechanism: str
    k: int
    epsilon: float
    mse: float
    bound: float
    bytes: int
    forger_gain: float
    simulated: float
    stderr: float
    device_ns: float
    server_ns: float

    def document(self) -> dict[str, Any]:
        """The row as JSON values; its kind tells it from rows of other questions."""
        return {"kind": "choice", **asdict(self)}


def least_error(k: int, epsilon: float, people: int) -> float:
    """The least mean squared error of unbiased shares under local privacy of ``epsilon``.

    Of all channels that spend ε the best have, for each report, w answers under which it is e^ε
    times as likely as under all others, w the same for all, and all answers alike (Ye and Barg
    2018; Pan, arXiv 2603.11523). With E = e^ε and D = wE + k - w, such a one has
    n · error = (k-1)² D² / (k² w (k-w) (E-1)²) - (k-1)/k², whatever people answer.
    """
    e = math.exp(epsilon)
    sizes = np.arange(1, k)
    spread = (k - 1) ** 2 * (sizes * e + k - sizes) ** 2 / (sizes * (k - sizes) * (e - 1) ** 2)
    return float((spread.min() - (k - 1)) / k**2 / people)


def rows(repetitions: int, seed: int, progress: Callable[[], object]) -> Iterator[Row]:
    """Every mechanism for every number of answers and ε; ``progress`` is told of each."""
    rng = Seeded(seed)
    for k in ANSWERS:
        for name, family in CATEGORICAL.items():
            for epsilon in EPSILONS:
                mechanism = family.calibrate(k, epsilon)
                simulated, stderr = simulated_error(mechanism, repetitions, rng)
                device, server = _speeds(mechanism)
                yield Row(
                    mechanism=name,
                    k=k,
                    epsilon=epsilon,
                    mse=exact_error(mechanism),
                    bound=least_error(k, epsilon, PEOPLE),
                    bytes=mechanism.report_dtype.itemsize,
                    forger_gain=(1 - mechanism.others) / (mechanism.holder - mechanism.others),
                    simulated=simulated,
                    stderr=stderr,
                    device_ns=device,
                    server_ns=server,
                )
                progress()


def exact_error(mechanism: CategoricalMechanism) -> float:
    """The exact mean squared error of a share, of ``PEOPLE`` people."""
    return mean_squared_error(mechanism.holder, mechanism.others, PEOPLE, mechanism.k)


def simulated_error(
    mechanism: CategoricalMechanism, repetitions: int, rng: Seeded
) -> tuple[float, float]:
    """The mean squared error of simulated collections of a uniform population, and its error."""
    truth = np.full(mechanism.k, PEOPLE // mechanism.k)
    truth[: PEOPLE % mechanism.k] += 1
    shares = truth / PEOPLE
    squared = [
        float(np.mean((mechanism.estimate(mechanism.simulate(truth, rng)).values - shares) ** 2))
        for _ in range(repetitions)
    ]
    return float(np.mean(squared)), float(np.std(squared, ddof=1) / math.sqrt(repetitions))


def _speeds(mechanism: CategoricalMechanism) -> tuple[float, float]:
    """Nanoseconds of one core to make a report, and to check and count one."""
    rng = System()
    answers = rng.below(mechanism.k, MEASURED)
    reports = mechanism.randomize(answers, rng)
    return (
        _nanoseconds(lambda: mechanism.randomize(answers, rng)),
        _nanoseconds(lambda: mechanism.supported(mechanism.aggregate(reports))),
    )


def _nanoseconds(work: Callable[[], object]) -> float:
    best, until = math.inf, process_time() + SECONDS
    while process_time() < until or best == math.inf:
        begun = process_time()
        work()
        best = min(best, process_time() - begun)
    return float(f"{1e9 * best / MEASURED:.3g}")

"""How well streams are counted: one run to look at, or many to measure errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.estimation.rounds import StreamEstimate
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms import CONTINUAL
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.kshot import KShot
from sudare.mechanisms.over_time.population_sampler import Counts
from sudare.simulation.comparison import check_repetitions
from sudare.simulation.ldp_ids import Lpa, Lpu
from sudare.simulation.scenarios import true_shares

_CELLS = 2 * COMPILE_FROM  # shares drawn at a time: enough for compiled samplers


class Simulated(Protocol):
    """A mechanism, or another method that publishes shares, which can be tried on a stream."""

    def simulate_shares(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Floats:
        """The shares in state 1 of many simulations, a row each; NaN in a round without any."""


@dataclass(frozen=True)
class FixedGroups:
    """A mechanism whose rounds all have the same number of reporters."""

    mechanism: ContinualMechanism

    def simulate_shares(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Floats:
        """The mechanism's shares, with the same number of reporters in every round."""
        return self.mechanism.simulate_shares(truth, repetitions, rng, balanced=True)


Calibrate = Callable[[int, float], Simulated]

METHODS: Mapping[str, Calibrate] = MappingProxyType(
    {name: cls.calibrate for name, cls in CONTINUAL.items()}
    | {cls.name: cls.calibrate for cls in (Lpu, Lpa)}
)
"""Every method by its name: from rounds and ε to what can be tried."""


def fixed_groups(calibrate: Calibrate) -> Calibrate:
    """A method's variant with groups of fixed size: equally many reporters in every round."""

    def calibrated(rounds: int, epsilon: float) -> Simulated:
        made = calibrate(rounds, epsilon)
        if not isinstance(made, ContinualMechanism) or not made.sampled:
            raise ParameterError(
                "groups of fixed size are for glance and kshot: the others have them already, "
                "or hear everybody in every round"
            )
        return FixedGroups(made)

    return calibrated


def expecting(low: float, high: float) -> Calibrate:
    """KShot, calibrated for a share that is expected within a range."""
    return partial(KShot.calibrate, low=low, high=high)


@dataclass(frozen=True, eq=False)
class StreamErrors:
    """The errors of a stream's estimates, a number per repetition.

    Attributes:
        maximal: the largest absolute error among the rounds that have an estimate.
        squared: the mean squared error of these rounds.
        missing: how many rounds have none.
    """

    maximal: Floats
    squared: Floats
    missing: Counts


def stream_errors(
    method: Simulated,
    truth: ArrayLike,
    repetitions: int,
    rng: Keystream,
    *,
    progress: Callable[[int], object] = lambda _: None,
) -> StreamErrors:
    """The errors of a method on a stream, many times; ``progress`` hears how many more are done."""
    held = np.asarray(truth)
    shares = true_shares(held)
    maximal, squared = np.empty(repetitions), np.empty(repetitions)
    missing = np.empty(repetitions, np.int64)
    step = max(1, _CELLS // len(held))
    for start in range(0, repetitions, step):
        block = slice(start, min(start + step, repetitions))
        found = method.simulate_shares(held, block.stop - start, rng)
        errors = np.abs(found - shares)
        known = ~np.isnan(found)
        rounds = known.sum(axis=1)
        maximal[block] = np.fmax.reduce(errors, axis=1)  # passes over NaN
        np.copyto(errors, 0, where=~known)
        squared[block] = np.einsum("ij,ij->i", errors, errors) / rounds
        missing[block] = len(held) - rounds
        progress(block.stop - start)
    return StreamErrors(maximal, squared, missing)


# Comparisons


@dataclass(frozen=True)
class ErrorSummary:
    """The errors of one method on one stream at one ε.

    Attributes:
        stream: the stream's name.
        method: the method's name.
        epsilon: the ε that the method may spend.
        maximal: the mean of the maximal errors.
        stderr: the standard error of that mean.
        quantiles: of the maximal errors: the 5 %, 50 % and 95 % ones.
        squared: the mean squared error.
        missing: rounds without an estimate, per repetition.
    """

    stream: str
    method: str
    epsilon: float
    maximal: float
    stderr: float
    quantiles: tuple[float, float, float]
    squared: float
    missing: float


@dataclass(frozen=True, eq=False)
class MaximalErrorCurve:
    """The mean maximal error of one method on one stream at each ε, to be drawn."""

    label: str
    x: Floats
    y: Floats
    stderr: Floats
    theory: Floats | None = None


def compare_streams(  # noqa: PLR0913 - each is a part of the experiment
    streams: Mapping[str, ArrayLike],
    methods: Mapping[str, Calibrate],
    epsilons: Sequence[float],
    repetitions: int,
    rng: Keystream,
    *,
    progress: Callable[[int], object] = lambda _: None,
) -> list[ErrorSummary]:
    """The errors of every method on every stream at every ε, over many repetitions.

    Args:
        streams: by name, how many people are in state 0 and in state 1, a row per round.
        methods: by name, such as those of ``METHODS``.
        epsilons: the budgets for the whole stream.
        repetitions: how often each is repeated, at least twice.
        rng: a ``Seeded`` makes the experiment repeatable.
        progress: hears how many more repetitions are done.
    """
    check_repetitions(repetitions)
    outcomes = []
    for name, truth in streams.items():
        for method, calibrate in methods.items():
            for epsilon in epsilons:
                made = calibrate(len(np.asarray(truth)), epsilon)
                errors = stream_errors(made, truth, repetitions, rng, progress=progress)
                low, middle, high = np.quantile(errors.maximal, (0.05, 0.5, 0.95)).tolist()
                spread = float(errors.maximal.std(ddof=1))
                outcomes.append(
                    ErrorSummary(
                        stream=name,
                        method=method,
                        epsilon=float(epsilon),
                        maximal=float(errors.maximal.mean()),
                        stderr=spread / repetitions**0.5,
                        quantiles=(low, middle, high),
                        squared=float(errors.squared.mean()),
                        missing=float(errors.missing.mean()),
                    )
                )
    return outcomes


def error_series(outcomes: Iterable[ErrorSummary]) -> list[MaximalErrorCurve]:
    """The outcomes as curves over ε, one for each stream and method, in order of appearance."""
    groups: dict[tuple[str, str], list[ErrorSummary]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.stream, outcome.method), []).append(outcome)
    several = len({stream for stream, _ in groups}) > 1
    return [
        MaximalErrorCurve(
            label=f"{method}, {stream}" if several else method,
            x=np.array([one.epsilon for one in some]),
            y=np.array([one.maximal for one in some]),
            stderr=np.array([one.stderr for one in some]),
        )
        for (stream, method), some in groups.items()
    ]


# One run


@dataclass(frozen=True, eq=False)
class Run:
    """One stream, counted once by one method.

    Attributes:
        method: the method's name.
        truth: the true shares.
        shares: the estimates; NaN in a round without reports.
        estimate: the estimates with intervals, from a mechanism; other methods publish shares only.
    """

    method: str
    truth: Floats
    shares: Floats
    estimate: StreamEstimate | None

    @property
    def maximal_error(self) -> float:
        """The run's largest error over the rounds that have an estimate."""
        return float(np.nanmax(np.abs(self.shares - self.truth)))

    @property
    def missing(self) -> int:
        """How many rounds of the run have no estimate."""
        return int(np.isnan(self.shares).sum())

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """The run, a row per round: the true share, and its estimate."""
        if self.estimate is not None:
            known = self.estimate.rows(level)
        else:
            known = [
                {"round": number, "share": share}
                for number, share in enumerate(self.shares.tolist(), 1)
            ]
        return [
            {"round": row["round"], "truth": true, **row}
            for row, true in zip(known, self.truth.tolist(), strict=True)
        ]


def run_once(name: str, method: Simulated, truth: Counts, rng: Keystream) -> Run:
    """One run of a method on a stream, with all that a collector would see of it."""
    shares = true_shares(truth)
    if not isinstance(method, ContinualMechanism | FixedGroups):
        return Run(name, shares, method.simulate_shares(truth, 1, rng)[0], None)
    balanced = isinstance(method, FixedGroups)
    mechanism = method.mechanism if isinstance(method, FixedGroups) else method
    counts = mechanism.simulate_many(truth, 1, rng, balanced=balanced)[0]
    estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
    found = np.full(mechanism.rounds, np.nan)
    found[estimate.rounds - 1] = estimate.values
    return Run(name, shares, found, estimate)

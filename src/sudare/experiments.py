"""How well streams are counted: one run to look at, or many to measure errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sudare.absorption import Lpa, Lpu
from sudare.aggregate import Aggregate
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.estimate import Floats
from sudare.estimation.rounds import StreamEstimate
from sudare.keystream import Keystream
from sudare.mechanisms.borappor import Borappor
from sudare.mechanisms.glance import Glance
from sudare.mechanisms.harmony import Harmony
from sudare.mechanisms.kshot import KShot
from sudare.populations import Counts
from sudare.scenarios import true_shares

_CELLS = 1 << 20  # shares held at a time


class Simulated(Protocol):
    """What can be tried on a stream: a mechanism, or a method that publishes shares."""

    def simulate_shares(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Floats:
        """Shares of people in state 1, a row per repetition; NaN in a round without any."""
        ...


@dataclass(frozen=True)
class FixedGroups:
    """A mechanism whose rounds all have the same number of reporters."""

    mechanism: ContinualMechanism

    def simulate_shares(self, truth: ArrayLike, repetitions: int, rng: Keystream) -> Floats:
        """The mechanism's, balanced."""
        return self.mechanism.simulate_shares(truth, repetitions, rng, balanced=True)


Calibrate = Callable[[int, float], Simulated]

METHODS: Mapping[str, Calibrate] = MappingProxyType(
    {cls.name: cls.calibrate for cls in (Glance, Harmony, Borappor, KShot, Lpu, Lpa)}
)
"""Every method by its name: from rounds and ε to what can be tried."""


def fixed_groups(calibrate: Calibrate) -> Calibrate:
    """The same method with groups of fixed size."""

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
    """KShot, if the share is expected within a range."""
    return partial(KShot.calibrate, low=low, high=high)


@dataclass(frozen=True, eq=False)
class StreamErrors:
    """How far estimates are from the truth, a number per repetition.

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
    """The errors of many experiments; ``progress`` hears how many more are done."""
    held = np.asarray(truth)
    shares = true_shares(held)
    maximal, squared = np.empty(repetitions), np.empty(repetitions)
    missing = np.empty(repetitions, np.int64)
    step = max(1, min(_CELLS // len(held), -(-repetitions // 20)))  # so that progress is seen
    for start in range(0, repetitions, step):
        block = slice(start, min(start + step, repetitions))
        found = method.simulate_shares(held, block.stop - start, rng)
        errors = np.abs(found - shares)
        maximal[block] = np.nanmax(errors, axis=1)
        squared[block] = np.nanmean(errors**2, axis=1)
        missing[block] = np.isnan(found).sum(axis=1)
        progress(block.stop - start)
    return StreamErrors(maximal, squared, missing)


def maximal_errors(
    method: Simulated,
    truth: ArrayLike,
    repetitions: int,
    rng: Keystream,
    *,
    progress: Callable[[int], object] = lambda _: None,
) -> Floats:
    """The largest error over the rounds, for each of many experiments.

    Rounds without an estimate don't count; ``stream_errors`` says how many there were.
    """
    return stream_errors(method, truth, repetitions, rng, progress=progress).maximal


# Comparisons


@dataclass(frozen=True)
class Outcome:
    """The errors of one method on one stream at one ε.

    Attributes:
        stream: its name.
        method: its name.
        epsilon: what it may spend.
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
) -> list[Outcome]:
    """Count every stream by every method at every ε, many times.

    Args:
        streams: by name, how many people are in state 0 and in state 1, a row per round.
        methods: by name, such as those of ``METHODS``.
        epsilons: the budgets for the whole stream.
        repetitions: how often each is repeated, at least twice.
        rng: a ``Seeded`` makes the experiment repeatable.
        progress: hears how many more repetitions are done.
    """
    if repetitions < 2:
        raise ParameterError(f"a standard error needs at least 2 repetitions, got {repetitions}")
    outcomes = []
    for name, truth in streams.items():
        for method, calibrate in methods.items():
            for epsilon in epsilons:
                made = calibrate(len(np.asarray(truth)), epsilon)
                errors = stream_errors(made, truth, repetitions, rng, progress=progress)
                low, middle, high = np.quantile(errors.maximal, (0.05, 0.5, 0.95)).tolist()
                spread = float(errors.maximal.std(ddof=1))
                outcomes.append(
                    Outcome(
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


def error_series(outcomes: Iterable[Outcome]) -> list[MaximalErrorCurve]:
    """The outcomes as curves over ε, one for each stream and method, in order of appearance."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
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
    """A stream counted once.

    Attributes:
        method: its name.
        truth: the true shares.
        shares: the estimates; NaN in a round without reports.
        estimate: the same with intervals, from a mechanism; other methods publish shares only.
    """

    method: str
    truth: Floats
    shares: Floats
    estimate: StreamEstimate | None

    @property
    def maximal_error(self) -> float:
        """Over the rounds that have an estimate."""
        return float(np.nanmax(np.abs(self.shares - self.truth)))

    @property
    def missing(self) -> int:
        """How many rounds have none."""
        return int(np.isnan(self.shares).sum())

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """A row per round: what is true, and what is known."""
        if self.estimate is not None:
            known = self.estimate.rows(level)
        else:
            known = [
                {"round": number, "estimate": share}
                for number, share in enumerate(self.shares.tolist(), 1)
            ]
        return [
            {"round": row["round"], "truth": true, **row}
            for row, true in zip(known, self.truth.tolist(), strict=True)
        ]


def run_once(name: str, method: Simulated, truth: Counts, rng: Keystream) -> Run:
    """One experiment, with all that a collector would see of it."""
    balanced = isinstance(method, FixedGroups)
    mechanism = method.mechanism if isinstance(method, FixedGroups) else method
    shares = true_shares(truth)
    if not isinstance(mechanism, ContinualMechanism):
        return Run(name, shares, method.simulate_shares(truth, 1, rng)[0], None)
    counts = mechanism.simulate_many(truth, 1, rng, balanced=balanced)[0]
    estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
    found = np.full(mechanism.rounds, np.nan)
    found[estimate.rounds - 1] = estimate.values
    return Run(name, shares, found, estimate)

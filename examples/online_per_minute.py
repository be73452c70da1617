"""How many devices are online, minute by minute over a day, while no device tells its own day.

Each device draws some of the day's 1,440 minutes in advance and reports only then, with noise: one
ε for the whole day. Each minute is estimated when it is over, from the reports that have come by
then. A few are delayed, miss the end of their minute, and don't count any more.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare import KShot, Seeded, System
from sudare.estimation.rounds import StreamEstimate
from sudare.simulation.crowd import Crowd

DAY = 24 * 60
DELAYED = 0.01  # the share of reports that arrive a minute late
# The share online at some hours of the day; in between it follows a straight line.
HOURS = (0, 2, 5, 7, 9, 12, 14, 18, 21, 23, 24)
SHARES = (0.30, 0.16, 0.10, 0.32, 0.48, 0.56, 0.50, 0.66, 0.76, 0.48, 0.30)


def days(people: int, generator: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Everybody's state, minute by minute: people keep habits, and are early birds or night owls.

    Somebody is online when the share of their own clock is above their own threshold.
    """
    share = np.interp(np.arange(DAY) / 60, HOURS, SHARES).astype(np.float32)
    threshold = generator.random(people, np.float32)
    ahead = generator.normal(0, 60, people).astype(np.int64)
    for minute in range(DAY):
        yield threshold < share[(minute + ahead) % DAY]


def clock(number: int) -> str:
    """The time at which a minute, counted from 1, begins."""
    return f"{(number - 1) // 60:02}:{(number - 1) % 60:02}"


def plot(path: Path, truth: list[float], estimate: StreamEstimate) -> None:
    """The truth as a line, the estimates as dots, the band that holds all of them at once."""
    from matplotlib.figure import Figure

    hours = (estimate.rounds - 1) / 60
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="hour", ylabel="share online", xlim=(0, 24))
    low, high = estimate.simultaneous()
    axes.fill_between(hours, low, high, color="#cfe3f3", label="95 % band of the whole day")
    axes.plot(hours, estimate.values, ".", color="#0072B2", ms=2, label="estimates")
    axes.plot(np.arange(DAY) / 60, truth, color="#D55E00", label="truth")
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=150)


def main() -> None:
    """Watch a day."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--people", type=int, default=200_000, help="how many devices")
    parser.add_argument("--epsilon", type=float, default=4.0, help="for the whole day")
    parser.add_argument("--seed", type=int, help="repeat a day")
    parser.add_argument("--plot", type=Path, help="draw the day into this file")
    options = parser.parse_args()
    rng = System() if options.seed is None else Seeded(options.seed)
    generator = rng.generator()

    mechanism = KShot.calibrate(DAY, options.epsilon, low=min(SHARES), high=max(SHARES))
    crowd, total = Crowd(mechanism, options.people, rng), mechanism.zero
    print(f"{options.people:,} devices, ε = {mechanism.epsilon:.4f} for the whole day.")
    print(mechanism.odds)
    print("minute  online  estimate  95 % interval     reports")
    truth, late = list[float](), 0
    for number, online in enumerate(days(options.people, generator), 1):
        reports = crowd.observe(number, online)
        delayed = generator.random(len(reports)) < DELAYED
        late += int(delayed.sum())
        counted = mechanism.aggregate(reports[~delayed])
        total += counted
        truth.append(float(online.mean()))
        if number % 120 == 1:
            estimate = mechanism.estimate(counted) if counted.n else None
            print(row(truth[-1], number, estimate))

    estimate = mechanism.estimate(total)  # of each minute, the one that was given then
    shares = np.array(truth)[estimate.rounds - 1]
    low, high = estimate.interval()
    held = (low <= shares) & (shares <= high)
    print(f"{held.sum():,} of {held.size:,} intervals hold the truth of their minute.")
    print(f"{total.n:,} reports counted, {late:,} late.")
    if options.plot:
        plot(options.plot, truth, estimate)


def row(share: float, number: int, estimate: StreamEstimate | None) -> str:
    """A line of the table."""
    start = f"{clock(number)}   {share:6.1%}"
    if estimate is None:
        return f"{start}  no estimate: nobody reported"
    ((low,), (high,)) = estimate.interval()
    return f"{start}  {estimate.values[0]:8.1%}  {low:6.1%} to {high:6.1%}  {estimate.n:7}"


if __name__ == "__main__":
    main()

"""How many devices are online, minute by minute over a day, while no device tells its own day.

Each device draws some of the day's 1,440 minutes in advance and reports only then, with noise: one
ε for the whole day. Each minute is closed when it is over, and its estimate is final. A few reports
are delayed, miss the end of their minute, and are counted as late.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare import KShot, Seeded, System
from sudare.crowd import Crowd
from sudare.live import LiveCount, RoundEstimate

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


def plot(path: Path, truth: list[float], estimates: list[RoundEstimate | None]) -> None:
    """The truth as a line, the estimates as dots, the band that holds all of them at once."""
    from matplotlib.figure import Figure

    known = [one for one in estimates if one is not None]
    hours = [(one.round - 1) / 60 for one in known]
    low, high = zip(*(one.simultaneous() for one in known), strict=True)
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="hour", ylabel="share online", xlim=(0, 24))
    axes.fill_between(hours, low, high, color="#cfe3f3", label="95 % band of the whole day")
    axes.plot(hours, [one.value for one in known], ".", color="#0072B2", ms=2, label="estimates")
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
    crowd, live = Crowd(mechanism, options.people, rng), LiveCount(mechanism)
    print(f"{options.people:,} devices, ε = {mechanism.epsilon:.4f} for the whole day.")
    print(mechanism.odds)
    print("minute  online  estimate  95 % interval     reports")
    truth, estimates = list[float](), list[RoundEstimate | None]()
    waiting = np.empty(0, mechanism.report_dtype)
    for number, online in enumerate(days(options.people, generator), 1):
        reports = crowd.observe(number, online)
        delayed = generator.random(len(reports)) < DELAYED
        live.add(np.concatenate([waiting, reports[~delayed]]))  # those that waited are late by now
        waiting = reports[delayed]
        closed = live.close(number)
        estimates.append(closed if isinstance(closed, RoundEstimate) else None)
        truth.append(float(online.mean()))
        if number % 120 == 1:
            print(row(truth[-1], number, estimates[-1]))
    live.add(waiting)

    held = [
        low <= share <= high
        for share, one in zip(truth, estimates, strict=True)
        if one is not None
        for low, high in [one.interval()]
    ]
    print(f"{sum(held):,} of {len(held):,} intervals hold the truth of their minute.")
    print(f"{live.received.counted:,} reports counted, {live.received.late:,} late.")
    if options.plot:
        plot(options.plot, truth, estimates)


def row(share: float, number: int, estimate: RoundEstimate | None) -> str:
    """A line of the table."""
    start = f"{clock(number)}   {share:6.1%}"
    if estimate is None:
        return f"{start}  no estimate: nobody reported"
    low, high = estimate.interval()
    return f"{start}  {estimate.value:8.1%}  {low:6.1%} to {high:6.1%}  {estimate.reports:7}"


if __name__ == "__main__":
    main()

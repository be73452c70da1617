"""The time something takes: the best of several runs. Standard library only: the peers use it."""

import time
import timeit
from collections.abc import Callable

FEWEST, MOST = 3, 1000


def best(
    run: Callable[[], object], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The shortest of several runs, repeated for about ``seconds``, after one to warm up.

    The garbage collector rests meanwhile, as in ``timeit``.
    """
    run()
    until = time.perf_counter() + seconds
    times: list[float] = []
    while len(times) < FEWEST or (len(times) < MOST and time.perf_counter() < until):
        times.append(timeit.timeit(run, timer=clock, number=1))
    return min(times)


def best_cpu(run: Callable[[], object], seconds: float) -> float:
    """The same in seconds of the processor, which others on the machine disturb less."""
    return best(run, seconds, time.process_time)

"""The time something takes: the best of several runs. Standard library only: the peers use it."""

import time
import timeit
from collections.abc import Callable

FEWEST, MOST = 3, 1000


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest of several runs, repeated for about ``seconds``, after one to warm up.

    The garbage collector rests meanwhile, as in ``timeit``.
    """
    run()
    until = time.perf_counter() + seconds
    times: list[float] = []
    while len(times) < FEWEST or (len(times) < MOST and time.perf_counter() < until):
        times.append(timeit.timeit(run, number=1))
    return min(times)

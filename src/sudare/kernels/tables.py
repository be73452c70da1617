"""Laws written out: numbers drawn by a search in a table of chances, for laws that repeat."""

import math

import numpy as np

from sudare.kernels.compiler import compiled
from sudare.kernels.variates import Counts, Law, Logs, log_factorial

_GUIDES = 256  # places in a row at which a search may begin


@compiled
def widest(spread: float) -> int:
    """How many numbers hold all but what rounding takes of a law with this standard deviation."""
    return 2 * reach(spread) + 1


@compiled
def reach(spread: float) -> int:
    """How far from its middle a law with this standard deviation is written out."""
    return 30 + int(10 * spread)


@compiled
def new_guides(rows: int) -> Counts:
    """An empty table of where the search in each row begins."""
    return np.empty((rows, _GUIDES), np.int64)


@compiled
def poisson_row(mean: float, row: Logs, guides: Counts) -> int:
    """Write a Poisson law into a row; returns the number at its beginning."""
    first = max(0, int(mean) - reach(math.sqrt(mean)))
    for i in range(row.size):
        k = first + i
        row[i] = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0))
    _finish(row, guides)
    return first


@compiled
def binomial_row(n: int, law: Law, logs: Logs, row: Logs, guides: Counts) -> int:
    """Write a binomial law, of a chance above 0, into a row; returns the number it begins at."""
    p, hit, miss = law
    first = max(0, int(n * p) - reach(math.sqrt(n * p * (1 - p))))
    row[:] = 0
    for i in range(min(row.size, n - first + 1)):
        k = first + i
        ways = log_factorial(n, logs) - log_factorial(k, logs) - log_factorial(n - k, logs)
        row[i] = math.exp(ways + k * hit + (n - k) * miss)
    _finish(row, guides)
    return first


@compiled
def hypergeometric_row(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    good: int, bad: int, drawn: int, logs: Logs, row: Logs, guides: Counts
) -> int:
    """Write a hypergeometric law into a row; returns the number at its beginning."""
    people = good + bad
    share = good / max(1, people)  # of nobody none
    spread = math.sqrt(drawn * share * (1 - share))
    first = max(0, drawn - bad, int(drawn * share) - reach(spread))
    row[:] = 0
    all_ways = log_factorial(people, logs) - log_factorial(drawn, logs)
    all_ways -= log_factorial(people - drawn, logs)
    for i in range(min(row.size, min(good, drawn) - first + 1)):
        k = first + i
        ways = log_factorial(good, logs) - log_factorial(k, logs) - log_factorial(good - k, logs)
        ways += log_factorial(bad, logs) - log_factorial(drawn - k, logs)
        ways -= log_factorial(bad - drawn + k, logs)
        row[i] = math.exp(ways - all_ways)
    _finish(row, guides)
    return first


@compiled
def _finish(row: Logs, guides: Counts) -> None:
    """Make chances of at most so much of the chances, and note where to look first."""
    total = 0.0
    for i in range(row.size):
        total += row[i]
        row[i] = total
    k = 0
    for guide in range(guides.size):
        while row[k] <= guide / guides.size * total:
            k += 1
        guides[guide] = k
    for i in range(row.size):
        row[i] /= total


@compiled
def look_up(chance: float, row: Logs, guides: Counts) -> int:
    """The place of a uniform number in a row of a law that is written out."""
    k = guides[int(chance * guides.size)]
    while chance >= row[k]:
        k += 1
    return int(k)

"""Least squares on columns of zeros and ones that are kept as the positions of their ones."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

MOST_SWEEPS = 10_000


@compiled
def gather_sums(
    rows: NDArray[np.unsignedinteger], values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """The sum of ``values`` at the ones of each column.

    Args:
        rows: One line per column, the positions of its ones.
        values: One per position.
        sums: Receives one per column.
    """
    ones = rows.shape[1]
    even = ones - ones % 4
    for j in range(rows.shape[0]):
        # Four sums at a time: one alone would wait for each addition to end.
        a = b = c = d = 0.0
        for i in range(0, even, 4):
            a += values[rows[j, i]]
            b += values[rows[j, i + 1]]
            c += values[rows[j, i + 2]]
            d += values[rows[j, i + 3]]
        for i in range(even, ones):
            a += values[rows[j, i]]
        sums[j] = (a + b) + (c + d)


@compiled
def scatter_sums(
    rows: NDArray[np.unsignedinteger], values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Add each column's value to the positions of its ones.

    Args:
        rows: One line per column, the positions of its ones.
        values: One per column.
        sums: One per position; added to.
    """
    for j in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            sums[rows[j, i]] += values[j]


@compiled
def overlaps(
    rows: NDArray[np.unsignedinteger], weights: NDArray[np.float64], gram: NDArray[np.float64]
) -> None:
    """For each pair of columns, the summed weight of the positions where both have a one.

    Args:
        rows: One line per column, the positions of its ones.
        weights: One per position.
        gram: Square, zero; receives the sums.
    """
    columns, ones = rows.shape
    ends = np.zeros(weights.size + 1, np.int64)
    for j in range(columns):
        for i in range(ones):
            ends[np.int64(rows[j, i]) + 1] += 1
    for row in range(weights.size):
        ends[row + 1] += ends[row]
    # By position, the columns that have a one there.
    holders = np.empty(columns * ones, np.int64)
    places = ends[:-1].copy()
    for j in range(columns):
        for i in range(ones):
            holders[places[rows[j, i]]] = j
            places[rows[j, i]] += 1
    for row in range(weights.size):
        weight = weights[row]
        for a in range(ends[row], ends[row + 1]):
            for b in range(ends[row], ends[row + 1]):
                gram[holders[a], holders[b]] += weight


@compiled
def descend(
    gram: NDArray[np.float64],
    linear: NDArray[np.float64],
    penalty: float,
    tolerance: float,
    point: NDArray[np.float64],
) -> int:
    """Minimise ½ x'Gx - l'x + penalty · Σx over x ≥ 0, one coordinate at a time.

    Args:
        gram: G, symmetric, its diagonal positive.
        linear: l.
        penalty: The price of a unit of x.
        tolerance: Stop when no step of a sweep gains more than this.
        point: Where to start; changed in place.

    Returns:
        The number of sweeps.
    """
    gradient = linear - penalty
    for j in range(point.size):
        if point[j] != 0:
            gradient -= point[j] * gram[j]
    for sweep in range(MOST_SWEEPS):
        gained = 0.0
        for j in range(point.size):
            moved = max(0.0, point[j] + gradient[j] / gram[j, j]) - point[j]
            if moved != 0:
                gradient -= moved * gram[j]
                point[j] += moved
                gained = max(gained, moved * moved * gram[j, j])
        if gained <= tolerance:
            return sweep + 1
    return MOST_SWEEPS


@compiled
def left_out(  # noqa: PLR0913, PLR0917 - a pure function of arrays
    rows: NDArray[np.unsignedinteger],
    inverse: NDArray[np.float64],
    shares: NDArray[np.float64],
    rest: NDArray[np.float64],
    limits: NDArray[np.float64],
    weights: NDArray[np.float64],
    bits: int,
    classes: int,
    members: NDArray[np.intp],
    totals: NDArray[np.float64],
) -> None:
    """Score some columns of a fit as if each stood outside, with the others fitted without it.

    Args:
        rows: One line per column in the fit, the positions of its ones.
        inverse: Of the Gram matrix of the centred columns.
        shares: The columns' coefficients.
        rest: What the fit leaves at each position.
        limits: Where what the fit leaves is cut.
        weights: One per position.
        bits: Positions in each cohort.
        classes: What is cut is centred in each cohort and class of positions, modulo this.
        members: The columns to score.
        totals: Shape (2, members); receives the scores, and the sums of squares of what was
            scored.
    """
    columns, ones = rows.shape
    height = rest.size
    cohorts = height // bits
    back = np.empty(height)
    for place in range(members.size):
        j = members[place]
        scale = shares[j] / inverse[j, j]
        level = 0.0
        back[:] = 0
        for i in range(columns):
            amount = scale * inverse[i, j]
            level += amount
            for one in range(ones):
                back[rows[i, one]] += amount
        level *= ones / height
        power = 0.0
        for group in range(cohorts * classes):
            first, end = group // classes * bits + group % classes, (group // classes + 1) * bits
            mean = 0.0
            for row in range(first, end, classes):
                value = rest[row] + back[row] - level
                limit = limits[row]
                value = min(max(value, -limit), limit)
                back[row] = value
                mean += value
            mean *= classes / bits
            for row in range(first, end, classes):
                value = weights[row] * (back[row] - mean)
                back[row] = value
                power += value * value
        total = 0.0
        for one in range(ones):
            total += back[rows[j, one]]
        totals[0, place] = total
        totals[1, place] = power

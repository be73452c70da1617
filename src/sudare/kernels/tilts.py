"""Exponentially tilted sums, many tilts in a row."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled


@compiled
def tilted_sums(
    values: NDArray[np.float64],
    ratios: NDArray[np.float64],
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """For each tilt and column, the sums of w, w v and w v², where w gains a factor at each tilt.

    A product takes the place of an exponential. Columns lie side by side, so that the inner
    loop adds many of them at once without changing the order in any.

    Args:
        values: v.
        ratios: By what each w grows from a tilt to the next.
        weights: w before the first tilt; changed in place.
        sums: Shape (tilts, 3, columns); receives the sums.
    """
    rows, columns = values.shape
    for tilt in range(sums.shape[0]):
        plain, first, second = sums[tilt, 0], sums[tilt, 1], sums[tilt, 2]
        plain[:] = 0
        first[:] = 0
        second[:] = 0
        for i in range(rows):
            v, ratio, weight = values[i], ratios[i], weights[i]
            for j in range(columns):
                grown = weight[j] * ratio[j]
                weight[j] = grown
                plain[j] += grown
                first[j] += grown * v[j]
                second[j] += grown * v[j] * v[j]

"""A mean of numbers, unbiased, with its error."""

from dataclasses import dataclass, replace

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanEstimate(Estimate):
    """The mean of people's numbers as the only value, with its standard error.

    Attributes:
        squares: the mean square of what the reports count each.
    """

    squares: float

    def of_population(self) -> "MeanEstimate":
        """The mean in a population of which the n people are a random sample.

        Each report then counts the same number in the mean, so that the reports' own variance,
        over n - 1, is that of their mean, without bias.
        """
        if self.n < 2:
            raise ParameterError(f"a sample needs at least 2 people, got {self.n}")
        return replace(self, stderr=np.sqrt((self.squares - self.values**2) / (self.n - 1)))

    def scaled(self, low: float, step: float) -> "MeanEstimate":
        """The mean of the numbers low + step · v, where it is that of the numbers v."""
        mean = float(self.values[0])
        return replace(
            self,
            values=low + step * self.values,
            stderr=step * self.stderr,
            squares=low**2 + 2 * low * step * mean + step**2 * self.squares,
        )

"""A mean of numbers, unbiased, with its error."""

from dataclasses import dataclass, replace

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanEstimate(Estimate):
    """The mean of people's numbers as the only value, with its standard error.

    Attributes:
        spread: the mean square of how far what the reports count is from their mean.
    """

    spread: float

    def of_population(self) -> "MeanEstimate":
        """The mean in a population of which the n people are a random sample.

        Each report then counts the same number in the mean, so that the reports' own variance,
        over n - 1, is that of their mean, without bias. Never less than the noise's is taken: few
        reports may all be the same.
        """
        if self.n < 2:
            raise ParameterError(f"a sample needs at least 2 people, got {self.n}")
        sampled = np.sqrt([self.spread / (self.n - 1)])
        return replace(self, stderr=np.maximum(sampled, self.stderr))

    def scaled(self, low: float, step: float) -> "MeanEstimate":
        """The mean of the numbers low + step · v, where it is that of the numbers v."""
        return replace(
            self,
            values=low + step * self.values,
            stderr=step * self.stderr,
            spread=step**2 * self.spread,
        )

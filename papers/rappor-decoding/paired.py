"""Two ways on the same surveys: the mean of their differences, and what it says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scores import Score

FAR = 4  # standard errors: a difference beyond them is taken for real


@dataclass(frozen=True)
class Difference:
    """The mean of (second - first) over surveys, and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, first: Sequence[Score], second: Sequence[Score], name: str) -> "Difference":
        """Of one of the scores."""
        values = np.array(
            [getattr(b, name) - getattr(a, name) for a, b in zip(first, second, strict=True)]
        )
        return cls(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))

    @property
    def told_apart(self) -> bool:
        """Whether chance would rarely do it."""
        return abs(self.mean) > FAR * self.error

    @property
    def said(self) -> str:
        """The difference in standard errors."""
        return f"{self.mean:+.3f}, {abs(self.mean) / max(self.error, 1e-12):.1f} standard errors"

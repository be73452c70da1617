"""The exact conditional law of a mechanism, and the privacy that follows from it."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from sudare.chance.exact import exp_down
from sudare.errors import ParameterError

Law = Mapping[Hashable, Fraction]


@dataclass(frozen=True)
class Channel:
    """The law of the report that leaves a device, for each value that its person may have."""

    laws: Mapping[Hashable, Law]

    @property
    def worst_ratio(self) -> Fraction:
        """Max P(report | a) / P(report | b), over all reports and pairs of values: e^ε exactly.

        Raises where a report is possible under one value and impossible under another:
        then no ε holds.
        """
        outputs = {output for law in self.laws.values() for output in law}
        worst = Fraction(1)
        for output in outputs:
            chances = [law.get(output, Fraction(0)) for law in self.laws.values()]
            if min(chances) == 0:
                raise ParameterError("a report is impossible under one value: no epsilon holds")
            worst = max(worst, max(chances) / min(chances))
        return worst

    def delta(self, epsilon: float) -> Fraction:
        """The smallest δ of (ε, δ)-privacy, from above: e^ε is taken just below its value."""
        factor = exp_down(epsilon)
        return max(
            sum((max(Fraction(0), p - factor * b.get(y, 0)) for y, p in a.items()), Fraction(0))
            for a, b in permutations(self.laws.values(), 2)
        )

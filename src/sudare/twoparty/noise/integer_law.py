"""Laws of a whole number: how many ways lead to each value, as exact integers that convolve."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class IntegerLaw:
    """The law of a whole number: of ``total`` equal ways, ``counts[i]`` lead to ``least + i``."""

    least: int
    counts: tuple[int, ...]

    @classmethod
    def of(cls, entries: Mapping[int, int]) -> "IntegerLaw":
        """The law of a mapping from numbers to ways; none lead to the numbers between."""
        least, greatest = min(entries), max(entries)
        return cls(least, tuple(entries.get(x, 0) for x in range(least, greatest + 1)))

    def __getitem__(self, value: int) -> int:
        inside = 0 <= value - self.least < len(self.counts)
        return self.counts[value - self.least] if inside else 0

    def __mul__(self, other: "IntegerLaw") -> "IntegerLaw":
        """The law of the sum of two independent numbers."""
        return IntegerLaw(self.least + other.least, _convolved(self.counts, other.counts))

    def __sub__(self, other: "IntegerLaw") -> "IntegerLaw":
        """The law without the ways of another."""
        values = range(self.least, self.least + len(self.counts))
        return IntegerLaw(self.least, tuple(self[x] - other[x] for x in values))

    @property
    def greatest(self) -> int:
        """The greatest number that has a count."""
        return self.least + len(self.counts) - 1

    @property
    def total(self) -> int:
        """How many ways there are to all numbers together."""
        return sum(self.counts)

    @property
    def trimmed(self) -> "IntegerLaw":
        """The law without the impossible numbers at its ends."""
        possible = [i for i, count in enumerate(self.counts) if count]
        first, last = possible[0], possible[-1]
        return IntegerLaw(self.least + first, self.counts[first : last + 1])

    @property
    def symmetric(self) -> bool:
        """Whether x and -x have the same chance, for each x."""
        tight = self.trimmed
        return tight.greatest == -tight.least and tight.counts == tight.counts[::-1]

    @property
    def mean_size(self) -> Fraction:
        """E|Z| of a number Z of this law, exactly."""
        sizes = sum(abs(self.least + i) * count for i, count in enumerate(self.counts))
        return Fraction(sizes, self.total)

    @property
    def chances(self) -> dict[int, Fraction]:
        """The chance of each number that is possible, exactly."""
        total = self.total
        return {
            self.least + i: Fraction(count, total) for i, count in enumerate(self.counts) if count
        }


def _convolved(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """The product of two polynomials, as one product of two long integers (Kronecker)."""
    largest = max(left) * max(right) * min(len(left), len(right))
    width = largest.bit_length() // 8 + 1  # bytes that no coefficient of the product overflows
    product = _packed(left, width) * _packed(right, width)
    length = len(left) + len(right) - 1
    digits = product.to_bytes(width * length, "little")
    return tuple(
        int.from_bytes(digits[i : i + width], "little") for i in range(0, len(digits), width)
    )


def _packed(coefficients: tuple[int, ...], width: int) -> int:
    return int.from_bytes(b"".join(c.to_bytes(width, "little") for c in coefficients), "little")

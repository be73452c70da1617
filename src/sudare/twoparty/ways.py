"""Ways: how many ways lead to each whole number, as exact integers that convolve."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Ways:
    """``counts[i]`` ways lead to ``least + i``: a law before it is divided by its total."""

    least: int
    counts: tuple[int, ...]

    @classmethod
    def of(cls, entries: Mapping[int, int]) -> "Ways":
        """The ways to each number of a mapping, and none to the numbers between."""
        least, greatest = min(entries), max(entries)
        return cls(least, tuple(entries.get(x, 0) for x in range(least, greatest + 1)))

    def __getitem__(self, value: int) -> int:
        inside = 0 <= value - self.least < len(self.counts)
        return self.counts[value - self.least] if inside else 0

    def __mul__(self, other: "Ways") -> "Ways":
        """The ways to each sum of two independent numbers."""
        return Ways(self.least + other.least, _convolved(self.counts, other.counts))

    def __sub__(self, other: "Ways") -> "Ways":
        """The ways that are left without some of them."""
        values = range(self.least, self.least + len(self.counts))
        return Ways(self.least, tuple(self[x] - other[x] for x in values))

    @property
    def greatest(self) -> int:
        """The last number that is counted."""
        return self.least + len(self.counts) - 1

    @property
    def total(self) -> int:
        """All ways."""
        return sum(self.counts)

    @property
    def trimmed(self) -> "Ways":
        """The same from the least number that can be to the greatest."""
        possible = [i for i, count in enumerate(self.counts) if count]
        first, last = possible[0], possible[-1]
        return Ways(self.least + first, self.counts[first : last + 1])

    @property
    def symmetric(self) -> bool:
        """Whether x and -x are alike."""
        tight = self.trimmed
        return tight.greatest == -tight.least and tight.counts == tight.counts[::-1]

    @property
    def mean_size(self) -> Fraction:
        """E|Z|, exactly."""
        sizes = sum(abs(self.least + i) * count for i, count in enumerate(self.counts))
        return Fraction(sizes, self.total)

    @property
    def law(self) -> dict[int, Fraction]:
        """The chance of each number that can be."""
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

"""A circuit that samples inside a computation: the document's method (1), as cheap as we can.

A discrete Laplace noise is a difference of two geometric numbers, and the binary digits of a
geometric number are independent: digit k is 1 with chance 1 / (1 + e^(2^k ε/Δ)). So a noise is a
few biased coins. Each is a uniform number of shared random bits, compared with a public threshold.
The comparison is written once for whatever can multiply: plain bits, or shares of bits.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sudare.chance.exact import exp_enclosed
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.law import excess

MOST_DIGITS, WIDEST = 12, 60  # of the search for the smallest circuit

Element = Any  # a bit, or a share of one
Multiply = Callable[[list[Element], list[Element]], Awaitable[Sequence[Element]]]


class Depth(Enum):
    """How bits are compared: one after another, or in pairs of pairs."""

    CHAIN = "chain"  # the fewest multiplications
    TREE = "tree"  # the fewest rounds


@dataclass(frozen=True)
class Circuit:
    """Two coins of each digit, one for plus and one for minus.

    Attributes:
        digits: for each digit the threshold below which a coin's number shows 1.
        width: the bits of a coin's number.
    """

    digits: tuple[int, ...]
    width: int

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Of each coin."""
        return tuple(threshold for threshold in self.digits for _ in (1, -1))

    @property
    def values(self) -> tuple[int, ...]:
        """What each coin adds to the noise where it shows 1."""
        return tuple(sign << digit for digit in range(len(self.digits)) for sign in (1, -1))

    @property
    def random_bits(self) -> int:
        """Shared uniform bits that a noise takes."""
        return len(self.thresholds) * self.width

    @property
    def law(self) -> IntegerLaw:
        """The exact law of the noise."""
        law = IntegerLaw(0, (1,))
        for threshold, value in zip(self.thresholds, self.values, strict=True):
            law *= IntegerLaw.of({0: (1 << self.width) - threshold, value: threshold})
        return law

    async def noise(self, bits: Sequence[Element], depth: Depth, multiply: Multiply) -> Element:
        """The noise of these bits, each coin's from the lowest on."""
        numbers = [bits[at : at + self.width] for at in range(0, len(bits), self.width)]
        compare = below_by_chain if depth is Depth.CHAIN else below_by_tree
        coins = await compare(numbers, self.thresholds, multiply)
        return sum(value * coin for value, coin in zip(self.values, coins, strict=True))


@dataclass
class Counted:
    """Multiplies in the open, and counts: rounds, and multiplications in all of them."""

    rounds: int = 0
    multiplications: int = 0

    async def __call__(self, left: list[Element], right: list[Element]) -> list[Element]:
        """One round: all these products at once."""
        self.rounds += 1
        self.multiplications += len(left)
        return [a * b for a, b in zip(left, right, strict=True)]


def smallest_circuit(guarantee: Guarantee) -> Circuit:
    """The circuit of the fewest random bits that keeps the guarantee, exactly."""
    best: Circuit | None = None
    for digits in range(1, MOST_DIGITS + 1):
        for width in range(1, WIDEST + 1):
            if best is not None and 2 * digits * width >= best.random_bits:
                break
            circuit = Circuit(tuple(_threshold(guarantee, k, width) for k in range(digits)), width)
            if min(circuit.digits) and excess([(1, circuit.law)], guarantee) <= guarantee.delta:
                best = circuit
    if best is None:
        raise LookupError(f"no circuit of {MOST_DIGITS} digits and {WIDEST} bits keeps {guarantee}")
    return best


async def below_by_chain(
    numbers: Sequence[Sequence[Element]], thresholds: Sequence[int], multiply: Multiply
) -> list[Element]:
    """Whether each number lies below its threshold: a multiplication for each bit but the first.

    From the lowest bit x on: where the threshold has a 1, below is 1 - x + x · below, else
    (1 - x) · below. Below the threshold's lowest 1 nothing is decided.
    """
    first = [(threshold & -threshold).bit_length() - 1 for threshold in thresholds]
    below = [1 - number[at] for number, at in zip(numbers, first, strict=True)]
    for place in range(min(first) + 1, len(numbers[0])):
        active = [coin for coin, at in enumerate(first) if at < place]
        bits = [numbers[coin][place] for coin in active]
        both = await multiply(bits, [below[coin] for coin in active])
        for coin, bit, product in zip(active, bits, both, strict=True):
            one = thresholds[coin] >> place & 1
            below[coin] = 1 - bit + product if one else below[coin] - product
    return below


async def below_by_tree(
    numbers: Sequence[Sequence[Element]], thresholds: Sequence[int], multiply: Multiply
) -> list[Element]:
    """The same in ⌈log₂ width⌉ rounds, with two multiplications for most pairs.

    A bit takes ``below`` to a + b · below. Two such steps, one after the other, are one again.
    """
    steps = [
        [
            (1 - bit, bit) if threshold >> place & 1 else (0 * bit, 1 - bit)
            for place, bit in enumerate(number)
        ]
        for number, threshold in zip(numbers, thresholds, strict=True)
    ]
    while len(steps[0]) > 1:
        pairs = [(coin, at) for coin in range(len(steps)) for at in range(0, len(steps[0]) - 1, 2)]
        factors = [steps[coin][at + 1][1] for coin, at in pairs]
        starts = [steps[coin][at][0] for coin, at in pairs]
        # The lowest step of all begins with below = 0: what it would multiply by is not needed.
        later = [pair for pair in pairs if pair[1]]
        products = await multiply(
            factors + [steps[coin][at + 1][1] for coin, at in later],
            starts + [steps[coin][at][1] for coin, at in later],
        )
        moved = dict(zip(pairs, products[: len(pairs)], strict=True))
        scaled = dict(zip(later, products[len(pairs) :], strict=True))
        steps = [
            [
                (coin_steps[at + 1][0] + moved[coin, at], scaled.get((coin, at)))
                for at in range(0, len(coin_steps) - 1, 2)
            ]
            + (coin_steps[-1:] if len(coin_steps) % 2 else [])
            for coin, coin_steps in enumerate(steps)
        ]
    return [coin_steps[0][0] for coin_steps in steps]


def _threshold(guarantee: Guarantee, digit: int, width: int) -> int:
    """2^width / (1 + e^(2^digit ε/Δ)), rounded: 50 digits decide it."""
    low, high = (
        round((1 << width) / (1 + end)) for end in exp_enclosed(guarantee.rate * (1 << digit))
    )
    if low != high:
        raise ArithmeticError(f"50 digits leave the threshold of digit {digit} open")
    return low

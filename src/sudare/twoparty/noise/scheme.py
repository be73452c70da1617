"""A scheme: which small tables there are, and how a noise is drawn from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError

MOST_DRAWS = 8  # from one table: the patterns of equal indices grow like Bell's numbers
MOST_TABLES = 64
WIDEST = 1 << 16  # values that the noise may span
LARGEST_LAW = 1 << 22  # bits of a law written out: more would take minutes to prove
MOST_ENTRIES = 1 << 20  # of a table that is written out
USUAL_ENTRIES = 400  # of all tables: what is shipped or searched for unless said otherwise

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Scheme:
    """A scheme of tables for the noise Σ_t Σ_d signs[d] · T_t[i_td], each index uniform.

    The tables hold ``value: count``, how many entries have the value; no table is ever written
    out but to be used. Each is drawn from once for each sign. With ``distinct`` the indices
    into one table all differ, else each is drawn anew and they may coincide.

    The document's protocol is one table, signs (1, …, 1), not distinct; ours is several
    tables, signs (1, -1), distinct.
    """

    tables: tuple[Mapping[int, int], ...]
    signs: tuple[int, ...]
    distinct: bool

    def __post_init__(self) -> None:
        if not 1 <= len(self.tables) <= MOST_TABLES:
            raise ParameterError(
                f"a scheme has from 1 to {MOST_TABLES} tables, got {len(self.tables)}"
            )
        if not 1 <= len(self.signs) <= MOST_DRAWS:
            raise ParameterError(
                f"a table is drawn from 1 to {MOST_DRAWS} times, got {len(self.signs)}"
            )
        if not set(self.signs) <= {-1, 1}:
            raise ParameterError(f"a sign is 1 or -1, got {list(self.signs)}")
        if len(self.tables) > 1 and not self.distinct and len(self.signs) > 1:
            raise ParameterError(
                f"draws may coincide in a scheme of 1 table only, got {len(self.tables)} tables"
            )
        for table in self.tables:
            _check(table, len(self.signs) if self.distinct else 1)
        span = sum(max(table) - min(table) for table in self.tables) * len(self.signs)
        if span > WIDEST:
            raise ParameterError(f"the noise may span at most {WIDEST} values, got {span}")
        bits = span * len(self.signs) * sum(sum(t.values()).bit_length() for t in self.tables)
        if bits > LARGEST_LAW:
            raise ParameterError(
                f"a law of at most {LARGEST_LAW} bits can be proved, this one would take {bits}"
            )
        ordered = tuple(MappingProxyType(dict(sorted(table.items()))) for table in self.tables)
        object.__setattr__(self, "tables", ordered)

    @classmethod
    def of_differences(cls, tables: Iterable[Mapping[int, int]]) -> Self:
        """The scheme Z = Σ_t (T_t[i_t] - T_t[j_t]), i_t ≠ j_t, in its plainest form.

        A difference doesn't change when a table is shifted, so the commonest value becomes 0; a
        table of one value adds nothing and is left out; narrow tables come first.
        """
        plain = []
        for table in tables:
            centre = max(table, key=lambda value: (table[value], value))
            if len(table) > 1:
                plain.append({value - centre: count for value, count in table.items()})
        plain.sort(key=lambda table: (max(table) - min(table), sorted(table.items())))
        return cls(tuple(plain), (1, -1), distinct=True)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many entries each table has."""
        return tuple(sum(table.values()) for table in self.tables)

    @property
    def entries(self) -> int:
        """How many entries all tables have together: ciphertexts to send."""
        return sum(self.sizes)

    @property
    def draws(self) -> int:
        """How many entries are drawn for one noise."""
        return len(self.tables) * len(self.signs)

    @property
    def readable(self) -> list[dict[str, int]]:
        """The scheme's tables as JSON can hold them."""
        return [{str(value): count for value, count in t.items()} for t in self.tables]

    def shuffled(self, rng: Randomness) -> list[Integers]:
        """Every table's entries in an order that nobody else knows: the step of P1."""
        return [permuted(table, rng) for table in self._written()]

    def indices(self, rng: Randomness) -> list[list[int]]:
        """Which entries are drawn, table by table and sign by sign: the step of P2."""
        return [_indices(size, len(self.signs), self.distinct, rng) for size in self.sizes]

    def noise(self, tables: Sequence[Integers], indices: Sequence[Sequence[int]]) -> int:
        """The noise that these indices draw from tables in the open."""
        return sum(
            sign * int(table[index])
            for table, chosen in zip(tables, indices, strict=True)
            for sign, index in zip(self.signs, chosen, strict=True)
        )

    def check_written(self) -> None:
        """Raise where a table has more entries than are ever written out."""
        if max(self.sizes) > MOST_ENTRIES:
            raise ParameterError(
                f"a table of {max(self.sizes)} entries is not written out (up to {MOST_ENTRIES})"
            )

    def _written(self) -> list[Integers]:
        self.check_written()
        return [
            np.repeat(np.array(list(table), np.int64), list(table.values()))
            for table in self.tables
        ]


def _check(table: Mapping[int, int], least: int) -> None:
    if not table:
        raise ParameterError("a table needs entries, got none")
    if min(table.values()) < 1:
        raise ParameterError(f"a count must be at least 1, got {min(table.values())}")
    if sum(table.values()) < least:
        raise ParameterError(
            f"{least} distinct entries can't be drawn from a table of {sum(table.values())}"
        )


def permuted(entries: Integers, rng: Randomness) -> Integers:
    """Entries in a random order by Fisher and Yates, each with the same chance, exactly."""
    for last in range(len(entries) - 1, 0, -1):
        other = int(rng.below(last + 1, (1,))[0])
        entries[[last, other]] = entries[[other, last]]
    return entries


def _indices(size: int, draws: int, distinct: bool, rng: Randomness) -> list[int]:
    """Uniform indices; a distinct one is drawn among those left, and skips those taken."""
    chosen: list[int] = []
    for draw in range(draws):
        index = int(rng.below(size - draw if distinct else size, (1,))[0])
        if distinct:
            for taken in sorted(chosen):
                index += taken <= index
        chosen.append(index)
    return chosen

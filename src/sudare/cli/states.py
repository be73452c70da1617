"""People's states over time, read from tables of a row per person and a column per round."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sudare.cli.answers import Layout, as_text, read_columns
from sudare.errors import InvalidDocument

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.states import StateReader, States

_STATES = 1 << 21  # read at a time


def read_states(
    reader: "StateReader", path: Path, form: str, progress: Callable[[int, int], object]
) -> Iterator["States"]:
    """Everybody's states in chunks of people; ``progress`` hears bytes (or rows) done and in all.

    The rounds are the columns named 1, 2, 3 …, whatever else there is; else all columns, if there
    are as many and none is a number, in their order.
    """
    rounds = reader.rounds
    numbers = [str(number) for number in range(1, rounds + 1)]

    def wanted(names: list[str]) -> list[str]:
        numbered = set(numbers) <= set(names)
        states = [name for name in names if name in reader.spellings]
        if not numbered and any(name.isdecimal() for name in set(names).difference(states)):
            raise InvalidDocument(
                f"some columns are named by numbers, but not all of 1 to {rounds} are there: name "
                f"the columns of the rounds so, or use --format lines for a file without a header"
            )
        if not numbered and states:
            raise InvalidDocument(
                "the first line holds states where the columns' names should be: use "
                "--format lines for a file without a header"
            )
        chosen = numbers if numbered else names
        if len(chosen) != rounds:
            raise InvalidDocument(
                f"the input has {len(names)} columns and “{reader.collection}” {rounds} rounds: "
                f"have one column for each, or name those of the rounds 1 to {rounds}"
            )
        found = Counter(names)
        if any(found[name] > 1 for name in chosen):
            raise InvalidDocument("two columns have the same name: which round is which?")
        return chosen

    layout = Layout(
        wanted, _as_text, numbers, ",", quoted=True, hint=f"every row is a person's {rounds} states"
    )
    step = max(1, _STATES // rounds)
    first = 0
    for columns in read_columns(path, layout, form, progress, step):
        people = len(columns[0])
        for start in range(0, people, step):
            part = [column.slice(start, step) for column in columns]
            yield _states(reader, part, first + start)
        first += people


def _as_text(number: int, values: "pa.Array") -> "pa.Array":
    import pyarrow as pa

    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    return as_text(values, f"the column of round {number + 1}")


def _states(reader: "StateReader", columns: list["pa.Array"], first: int) -> "States":
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array(reader.spellings)
    numbers = np.array([*reader.spellings.values(), -1], np.int8)
    which = pc.index_in(pa.concat_arrays(columns), value_set=known).fill_null(len(known))
    states = numbers[which.to_numpy()].reshape(reader.rounds, -1)
    return reader.known(np.ascontiguousarray(states.T), first)

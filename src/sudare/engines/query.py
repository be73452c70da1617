"""Reports in somebody else's query: Arrow in, Arrow out, for DuckDB, Polars and pandas.

``randomize`` turns a column of answers into reports. ``weights`` gives each report a number for
each answer, so that ``SUM`` of it is the unbiased number of people with that answer. A query
engine then filters, groups and adds; `docs/how-to/use-reports-in-a-query.md` shows how.

A ``RecordBatch`` gives a ``RecordBatch``. Anything else that speaks Arrow (``pyarrow.Table``, a
data frame of Polars or pandas, a relation of DuckDB) gives a ``pyarrow.Table``.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged
from sudare.answers.table import Layout, as_text
from sudare.chance.randomness import Randomness
from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MixedCollections,
    ParameterError,
)
from sudare.formats.file_kinds import REPORTS_MARK
from sudare.formats.wire import from_batch, to_batch
from sudare.mechanisms.interface import Mechanism, Records

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 14  # weighed at a time, answer by answer: they stay in a cache

Tabular = Any
"""A ``pyarrow.RecordBatch``, or whatever has Arrow's ``__arrow_c_stream__``."""


class Kind(Protocol):
    """A question, as far as a query asks it."""

    @property
    def rounds(self) -> int:
        """How many rounds a window has; 0 if it isn't divided."""

    def layout(self, column: str | None) -> Layout:
        """Which columns of a table of answers are read."""

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """Columns of text as the mechanism's values, and which rows hold no answer."""

    def refusal(self, columns: "list[pa.Array]") -> str:
        """What is wrong with a row that holds no answer, without a word of what it holds."""

    @property
    def weight_names(self) -> Sequence[str]:
        """The names of what a report has a weight for."""

    def weights(self, reports: Records, number: int) -> NDArray[np.float64]:
        """What each checked report counts of one of ``weight_names``."""

    def weights_described(self) -> str:
        """For what each report has a weight, as the refusal of anything else ends."""


class Asked(Protocol):
    """A collection, as far as a query knows it."""

    @property
    def name(self) -> str:
        """The collection's short name."""

    @property
    def key(self) -> str:
        """The collection's identity."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism by which an answer becomes a report."""

    @property
    def kind(self) -> Kind:
        """The question that the collection asks."""


def report_schema(collection: Asked) -> "pa.Schema":
    """The Arrow columns of a collection's reports, with its key in the metadata."""
    nobody = to_batch(np.empty(0, collection.mechanism.report_dtype))
    return nobody.schema.with_metadata(
        {"sudare": REPORTS_MARK.decode(), "sudare.key": collection.key}
    )


def randomize(
    answers: Tabular,
    collection: Asked,
    column: str | None = None,
    rng: Randomness | None = None,
) -> Tabular:
    """The reports of a table of answers: a row is a person, who has never reported before.

    Only the reports come back, in the order of the rows; no other column does. One that is wrong
    or missing is refused by the number of its row, before anything is randomised in its batch.
    Every call draws anew and spends ε anew: keep the reports, and let no query repeat this.

    Args:
        answers: a table with a column of labels or texts; over time, a column for each round; where
            several answers may be selected, or several questions are asked, a column for each, too.
        collection: whose question they answer.
        column: that holds the answers; ``answer`` unless it is named. Over time there is none to
            name: the columns are 1, 2, 3 …, or all, if they are as many as the rounds.
        rng: the system's cryptographic randomness unless an experiment says otherwise.

    Returns:
        Reports in the columns of ``report_schema``.
    """
    schema = report_schema(collection)

    def reports(batch: "pa.RecordBatch", first: int) -> "pa.RecordBatch":
        values = _values(batch, collection.kind, column, first)
        made = to_batch(collection.mechanism.randomize(values, rng))
        return made.replace_schema_metadata(schema.metadata)

    return _each_batch(answers, reports)


def weights(reports: Tabular, collection: Asked, answers: Sequence[str] | None = None) -> Tabular:
    """A table of reports with a column of weights for each answer: their sum counts people.

    ``SUM(w)`` is the unbiased estimate of the number of people with that answer, and
    ``SUM(w) / COUNT(*)`` of their share: the same as ``Collection.estimate`` gives, but for the
    rounding of a sum of floats, and for any part of the reports that a query may choose by columns
    that have nothing to do with the noise. ``SQRT(SUM(w * (w - 1)))`` is its standard error: of the
    noise alone, with an unbiased square. ``SUM(w * w)`` is that square plus ``SUM(w)``: in the mean
    too large by the number of people with the answer.

    Over time sum in one round: ``GROUP BY round`` gives the number of its reporters in each state.
    Sums over rounds count people as often as they report, and have no such error. Free text has
    weights for bits, to be summed in each cohort, and none for texts.

    Args:
        reports: a table with the columns of ``report_schema``, in any integer or binary type that
            holds them. Other columns stay, so that a query can group by them.
        collection: that these are reports of.
        answers: the labels whose weights are wanted; all of them unless named.

    Returns:
        The table, with a column of float64 for each answer behind its own columns.
    """
    kind = collection.kind
    numbers = {name: number for number, name in enumerate(kind.weight_names)}
    wanted = _wanted(kind, list(numbers) if answers is None else answers)

    def weighed(batch: "pa.RecordBatch", first: int) -> "pa.RecordBatch":
        import pyarrow as pa

        _check_free(batch.schema.names, wanted)
        records = _records(batch, collection, first)
        # One block, not an array each: fresh memory page by page costs more than all else here.
        columns = np.empty((len(wanted), len(records)))
        for start in range(0, len(records), _ROWS):
            rows = slice(start, start + _ROWS)
            for name, column in zip(wanted, columns, strict=True):
                column[rows] = kind.weights(records[rows], numbers[name])
        fields = [pa.field(name, pa.float64(), nullable=False) for name in wanted]
        return pa.RecordBatch.from_arrays(
            [*batch.columns, *columns],
            schema=pa.schema([*batch.schema, *fields], batch.schema.metadata),
        )

    return _each_batch(reports, weighed)


def _each_batch(
    table: Tabular, change: "Callable[[pa.RecordBatch, int], pa.RecordBatch]"
) -> Tabular:
    """A batch changed, or all batches of a table; ``change`` is told the number of the first row.

    A table without rows still has columns, which one empty batch makes known.
    """
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        return change(table, 0)
    if not hasattr(table, "__arrow_c_stream__"):
        raise ParameterError(
            f"a table is a RecordBatch, or something else that speaks Arrow, got a "
            f"{type(table).__name__}"
        )
    whole = pa.table(table)
    first, changed = 0, []
    for batch in whole.to_batches() or [pa.RecordBatch.from_pylist([], whole.schema)]:
        changed.append(change(batch, first))
        first += batch.num_rows
    return pa.Table.from_batches(changed)


def _values(batch: "pa.RecordBatch", kind: Kind, column: str | None, first: int) -> NDArray[Any]:
    """The answers of a table as the mechanism's values; a wrong row is refused by its number."""
    import pyarrow as pa

    layout, names = kind.layout(column), batch.schema.names
    if not kind.rounds:
        _check_there(names, layout.found_in(names))
    undecoded = np.zeros(batch.num_rows, np.bool_)
    columns = []
    for name in layout.wanted(names):
        try:
            columns.append(as_text(batch.column(name), layout.truths, undecoded))
        except pa.ArrowException:  # whose words may hold a cell's
            raise InvalidDocument(
                f"the column {name!r} is of the type {batch.schema.field(name).type}, which is no "
                f"text"
            ) from None
    values, wrong, _ = kind.encode_columns(columns)
    wrong = wrong | undecoded
    if wrong.any():
        row = int(np.argmax(wrong))
        fault = (
            "the answer isn't UTF-8 text"
            if undecoded[row]
            else kind.refusal([cells.slice(row, 1) for cells in columns])
        )
        raise InvalidAnswer(f"row {first + row}: {fault} (nothing of its batch was randomised)")
    return values


def _wanted(kind: Kind, names: Sequence[str]) -> list[str]:
    """The names of weights, if there are such, and each is named once."""
    if isinstance(names, str):
        raise ParameterError("answers must be a list of labels, got a single text")
    known = set(kind.weight_names)
    for name in names:
        if name not in known:
            raise ParameterError(f"there are no weights for {name!r}: {kind.weights_described()}")
    if len(set(names)) != len(names):
        raise ParameterError("an answer is named twice; its weights are one column")
    return list(names)


def _check_free(names: Sequence[str], wanted: Sequence[str]) -> None:
    taken = set(names).intersection(wanted)
    if taken:
        raise ParameterError(
            f"the table has a column {min(taken)!r}, as an answer is called whose weights were "
            f"asked for: rename that column"
        )


def _check_there(names: Sequence[str], wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in names:
            raise InvalidDocument(f"the table has no column {name!r}")
        if names.count(name) > 1:
            raise InvalidDocument(f"the table has more than one column {name!r}; rename the others")


def _records(batch: "pa.RecordBatch", collection: Asked, first: int) -> Records:
    """The reports in a table, checked, whatever other columns it has."""
    import pyarrow as pa

    found = (batch.schema.metadata or {}).get(b"sudare.key", collection.key.encode()).decode()
    if found != collection.key:
        raise MixedCollections(
            f"the reports belong to the collection {found[:12]}…, not to “{collection.name}” "
            f"({collection.key[:12]}…)"
        )
    schema = report_schema(collection).remove_metadata()
    _check_there(batch.schema.names, schema.names)
    columns = [_as_field(batch.column(field.name), field) for field in schema]
    reports = from_batch(
        collection.mechanism.report_dtype, pa.RecordBatch.from_arrays(columns, schema=schema)
    )
    try:
        collection.mechanism.check(reports)
    except InvalidReport as error:
        raise InvalidReport(f"counted from row {first}, {error}") from None
    return reports


def _as_field(values: "pa.Array", field: "pa.Field") -> "pa.Array":
    """A column in the type that reports have: query engines widen integers, and know no widths."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    bits = pa.types.is_fixed_size_binary(field.type)
    alike = _is_binary(values.type) if bits else pa.types.is_integer(values.type)
    if alike:
        try:
            return values.cast(field.type)
        except pa.ArrowInvalid:  # out of range, or of another width
            pass
    raise InvalidDocument(
        f"the column {field.name!r} ({values.type}) doesn't hold reports of this collection, which "
        f"are {field.type}"
    )


def _is_binary(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )

"""Reports counted and drawn by Spark, with nothing but DataFrames and ``mapInArrow``.

So it runs where Spark gives no more than that: on a cluster, through Spark Connect, on serverless
offers. The collection travels as its document. A worker needs this package, in the same version,
and nothing else. What a worker finds wrong comes back as a row, never as an error of Spark's, whose
messages may quote what they were computing: so the caller gets one sentence, and it is ours.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sudare.chance.randomness import System
from sudare.collection.document import Collection
from sudare.errors import (
    EngineUnavailable,
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    SudareError,
)
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Records = NDArray[np.void]
_Batches = Iterator["pa.RecordBatch"]

_TOGETHER = 1 << 18  # rows counted by one call: Spark's own batches have 10,000
_CELLS = 1 << 24  # bytes of reports in one batch of those drawn
_SMALL = 1 << 12  # bytes of counts that a hundred thousand tasks may send to the driver
_GROUPS = 32  # sums that reach the driver, where counts are larger
_PARTIAL = "n long, counts binary, fault string"
# Spark has no unsigned numbers: each goes into the next larger one.
_SIGNED = {1: ("short", np.int16), 2: ("int", np.int32), 4: ("long", np.int64)}
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TEXTS = ("string", "boolean", *_WHOLE)


def aggregate(dataframe: "DataFrame", collection: Collection) -> Aggregate:
    """The aggregate of the reports in a table's rows: the same, bit for bit, as on one machine.

    Args:
        dataframe: any that has the collection's columns, such as ``answer``, ``bits`` or ``round``
            and ``bit``: whole numbers of any type, and bits as binary. It may have others.
        collection: whose reports they are. Rows carry no key: that they are its reports, and not
            another's of the same shape, only the caller knows.
    """
    names = _report_columns(dataframe, collection)
    count = partial(_count_rows, collection.to_json())
    return _total(_mapped(dataframe.select(*names), count, _PARTIAL), collection)


def randomize(
    dataframe: "DataFrame", collection: Collection, column: str | None = None, *, kept: bool = True
) -> "DataFrame":
    """The reports of the answers in a table's column, a row each, drawn by the workers.

    Every answer is looked at before the first is randomised: if one is wrong, none is.

    Args:
        dataframe: a row per person.
        collection: the question that they answered.
        column: the answers, ``answer`` unless another is named. Over time there is no such column:
            each round's states are in one that its number names.
        kept: whether the reports are drawn at once, and kept by the workers for as long as the
            result is in use. If not, Spark draws them anew whenever it computes the result, and
            each time costs everybody ε again: write them to a file, once, and use that.
    """
    names = _answer_columns(dataframe, collection, column)
    answers = dataframe.select(*map(_quoted, names))
    document = collection.to_json()
    _refuse_wrong_answers(answers, document)
    reports = _mapped(answers, partial(_draw_rows, document), _report_schema(collection))
    if not kept:
        return reports
    with _one_sentence(secret=True):
        return reports.localCheckpoint(eager=True)


# On the driver.


def _report_columns(dataframe: "DataFrame", collection: Collection) -> list[str]:
    """The columns of a collection's reports, if the table has each once and of a fitting type."""
    wanted = {
        name: "binary" if collection.report_dtype[name].shape else "a whole number"
        for name in collection.report_dtype.names or ()
    }
    types = _types(dataframe)
    for name, kind in wanted.items():
        found = types.get(name, [])
        if len(found) != 1:
            listed = ", ".join(f"{name} ({kind})" for name, kind in wanted.items())
            raise InvalidDocument(
                f"reports of “{collection.name}” have the columns {listed}; the table has "
                f"{counted(len(found), 'column')} named {name}"
            )
        if found[0] not in (_WHOLE if kind != "binary" else ("binary",)):
            raise InvalidDocument(
                f"the column {name} is {found[0]}; in reports of “{collection.name}” it is {kind}"
            )
    return list(wanted)


def _answer_columns(
    dataframe: "DataFrame", collection: Collection, column: str | None
) -> list[str]:
    """The columns of a collection's answers, if the table has each once and of a fitting type."""
    types = _types(dataframe)
    names = collection.kind.layout(column).names
    for name in names:
        found = types.get(name, [])
        if len(found) != 1:
            raise InvalidDocument(
                f"the table has {counted(len(found), 'column')} named {name!r}; "
                f"“{collection.name}” needs {len(names)} there, each once"
            )
        if found[0] not in _TEXTS:
            raise InvalidDocument(
                f"the column {name!r} is {found[0]}; answers are strings, whole numbers or truths"
            )
    return names


def _types(dataframe: "DataFrame") -> dict[str, list[str]]:
    """The types of the columns of each name."""
    found: dict[str, list[str]] = {}
    with _one_sentence():
        for name, kind in dataframe.dtypes:
            found.setdefault(name, []).append(kind)
    return found


def _quoted(name: str) -> str:
    """A column's name as Spark reads it, whatever signs are in it."""
    return "`" + name.replace("`", "``") + "`"


def _mapped(
    dataframe: "DataFrame", work: Callable[[_Batches], _Batches], schema: str
) -> "DataFrame":
    with warnings.catch_warnings():  # that pandas is newer than pyspark knows: none is used
        warnings.filterwarnings("ignore", ".*pandas", FutureWarning)
        return dataframe.mapInArrow(work, schema)


def _total(partials: "DataFrame", collection: Collection) -> Aggregate:
    """The sum of all partial aggregates; where they are large, of sums that workers made."""
    if collection.zero.counts.nbytes > _SMALL:
        # By the number of the task, which is the same if it must be done again: a group that lost
        # some of its rows gets those and no others.
        grouped = partials.selectExpr("*", f"spark_partition_id() % {_GROUPS} AS place")
        partials = _mapped(grouped.repartition(_GROUPS, "place"), _sum_rows, _PARTIAL)
    n, counts, fault = _summed(_collected(partials).to_batches())
    if fault is not None:
        raise InvalidReport(fault)
    zero = collection.zero
    return zero if counts is None else Aggregate(zero.key, n, counts.reshape(zero.counts.shape))


def _collected(dataframe: "DataFrame", *, secret: bool = False) -> "pa.Table":
    with _one_sentence(secret=secret), warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*pandas", FutureWarning)
        return dataframe.toArrow()


@contextmanager
def _one_sentence(*, secret: bool = False) -> Iterator[None]:
    """Errors of Spark's as one of ours; of what is secret, without a word that Spark said."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        _give_up(error, secret=secret)


def _give_up(error: Any, *, secret: bool) -> NoReturn:  # noqa: ANN401 - pyspark is untyped here
    from importlib.metadata import version

    told = str(error)
    if "No module named 'sudare" in told:
        sentence = (
            f"a worker has no package sudare: install sudare {version('sudare')} in the Python of "
            f"every worker (PYSPARK_PYTHON names it)"
        )
    elif "PYTHON_VERSION_MISMATCH" in told:
        sentence = (
            "a worker has another version of Python than this one: name one of the same version "
            "by PYSPARK_PYTHON"
        )
    else:
        sentence = f"Spark gave up ({error.getCondition() or type(error).__name__})"
    raise EngineUnavailable(sentence) from (None if secret else error)


def _refuse_wrong_answers(answers: "DataFrame", document: bytes) -> None:
    found = _collected(
        _mapped(answers, partial(_judge_rows, document), "rows long, wrong long, fault string"),
        secret=True,
    )
    faults = [fault for fault in found["fault"].to_pylist() if fault is not None]
    if faults:
        rows, wrong = sum(found["rows"].to_pylist()), sum(found["wrong"].to_pylist())
        raise InvalidAnswer(f"{counted(wrong, 'row')} of {rows:,} can't be randomised: {faults[0]}")


def _report_schema(collection: Collection) -> str:
    dtype = collection.report_dtype
    return ", ".join(
        f"{name} {'binary' if dtype[name].shape else _SIGNED[dtype[name].itemsize][0]}"
        for name in dtype.names or ()
    )


# On the workers.


def _count_rows(document: bytes, batches: _Batches) -> _Batches:
    """The partial aggregate of one task's rows, as one row."""
    collection = Collection.from_json(document)
    total = collection.zero
    try:
        for reports in _together(collection.report_dtype, batches):
            total += collection.aggregate(reports)
    except SudareError as error:
        for _ in batches:  # a worker that leaves rows behind is of no use to the next task
            pass
        yield _partial(0, None, str(error))
    else:
        yield _partial(total.n, total.counts, None)


def _together(dtype: np.dtype[np.void], batches: _Batches) -> Iterator[Records]:
    """The reports of batches, so many at a time that a call is worth its while."""
    held: list[Records] = []
    for batch in batches:
        held.append(_reports_of(dtype, batch))
        if sum(map(len, held)) >= _TOGETHER:
            yield np.concatenate(held)
            held = []
    if held:
        yield np.concatenate(held)


def _sum_rows(batches: _Batches) -> _Batches:
    """The sum of the partial aggregates that reach one task, as one row."""
    yield _partial(*_summed(batches))


def _summed(
    batches: "Iterator[pa.RecordBatch] | list[pa.RecordBatch]",
) -> tuple[int, NDArray[np.int64] | None, str | None]:
    n, counts, fault = 0, None, None
    for batch in batches:
        for row in batch.to_pylist():
            fault = fault or row["fault"]
            n += row["n"]
            if row["counts"] is not None:
                one = np.frombuffer(row["counts"], "<i8")
                counts = one.copy() if counts is None else counts + one
    return n, counts, fault


def _partial(n: int, counts: NDArray[np.int64] | None, fault: str | None) -> "pa.RecordBatch":
    import pyarrow as pa

    data = None if counts is None else counts.astype("<i8").tobytes()
    columns = [pa.array([n], pa.int64()), pa.array([data], pa.binary()), pa.array([fault])]
    columns[2] = columns[2].cast(pa.string())
    return pa.RecordBatch.from_arrays(columns, ["n", "counts", "fault"])


def _reports_of(dtype: np.dtype[np.void], batch: "pa.RecordBatch") -> Records:
    """The reports in the columns that Spark made of them."""
    reports = np.empty(batch.num_rows, dtype)
    for name in dtype.names or ():
        column = batch.column(name)
        if column.null_count:
            raise InvalidReport(
                f"the column {name} has {counted(column.null_count, 'missing value')}"
            )
        if len(column):
            read = _bits_of if dtype[name].shape else _numbers_of
            reports[name] = read(name, dtype[name], column)
    return reports


def _numbers_of(name: str, dtype: np.dtype[Any], column: "pa.Array") -> NDArray[Any]:
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    most = np.iinfo(dtype).max
    if numbers.min() < 0 or numbers.max() > most:
        wrong = int(np.count_nonzero((numbers < 0) | (numbers > most)))
        raise InvalidReport(
            f"the column {name} has {counted(wrong, 'number')} outside 0 to {most} among "
            f"{counted(len(numbers), 'row')}"
        )
    return numbers


def _bits_of(name: str, dtype: np.dtype[Any], column: "pa.Array") -> NDArray[Any]:
    import pyarrow as pa

    wide = pa.types.is_large_binary(column.type)
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64 if wide else np.int32)
    ends = ends[column.offset : column.offset + len(column) + 1]
    wrong = int(np.count_nonzero(np.diff(ends) != dtype.itemsize))
    if wrong:
        raise InvalidReport(
            f"the column {name} has {counted(wrong, 'value')} of other than "
            f"{counted(dtype.itemsize, 'byte')} among {counted(len(column), 'row')}"
        )
    flat = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    return flat.view(dtype.base).reshape(len(column), *dtype.shape)


def _judge_rows(document: bytes, batches: _Batches) -> _Batches:
    """How many rows of one task there are, how many hold no answer, and what is wrong with one."""
    import pyarrow as pa

    kind = Collection.from_json(document).kind
    rows, wrong, fault = 0, 0, None
    for batch in batches:
        columns = _texts(batch, kind.layout(None).truths)
        judged = kind.encode_columns(columns).wrong
        rows, wrong = rows + batch.num_rows, wrong + int(np.count_nonzero(judged))
        if fault is None and judged.any():
            first = int(np.argmax(judged))
            fault = kind.refusal([column.slice(first, 1) for column in columns])
    found = {"rows": [rows], "wrong": [wrong], "fault": pa.array([fault], pa.string())}
    yield pa.RecordBatch.from_pydict(found)


def _draw_rows(document: bytes, batches: _Batches) -> _Batches:
    """The reports of one task's answers, by the secure randomness of its own process."""
    collection, rng = Collection.from_json(document), System()
    kind = collection.kind
    step = max(1, _CELLS // collection.report_dtype.itemsize)
    for batch in batches:
        for start in range(0, batch.num_rows, kind.rows_at_once):
            texts = _texts(batch.slice(start, kind.rows_at_once), kind.layout(None).truths)
            values, wrong = kind.encode_columns(texts)
            if wrong.any():  # the table was another when its answers were looked at
                raise InvalidAnswer("the table's answers have changed while they were randomised")
            reports = collection.mechanism.randomize(values, rng)
            for first in range(0, len(reports), step):
                yield _columns_of(reports[first : first + step])


def _texts(batch: "pa.RecordBatch", truths: tuple[str, str]) -> "list[pa.Array]":
    import pyarrow as pa
    import pyarrow.compute as pc

    return [
        pc.if_else(column, truths[1], truths[0])
        if pa.types.is_boolean(column.type)
        else column.cast(pa.string())
        for column in batch.columns
    ]


def _columns_of(reports: Records) -> "pa.RecordBatch":
    """Reports as columns of the types that Spark has."""
    import pyarrow as pa

    columns = []
    for name in reports.dtype.names or ():
        dtype, column = reports.dtype[name], np.ascontiguousarray(reports[name])
        if dtype.shape:
            ends = np.arange(len(reports) + 1, dtype=np.int32) * dtype.itemsize
            buffers = [None, pa.py_buffer(ends), pa.py_buffer(column)]
            columns.append(pa.Array.from_buffers(pa.binary(), len(reports), buffers))
        else:
            columns.append(pa.array(column.astype(_SIGNED[dtype.itemsize][1])))
    return pa.RecordBatch.from_arrays(columns, list(reports.dtype.names or ()))

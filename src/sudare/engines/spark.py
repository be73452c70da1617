"""Reports counted and drawn by Spark, with nothing but DataFrames and ``mapInArrow``.

So it runs where Spark gives no more than that: on a cluster, through Spark Connect, on serverless
offers. The collection travels as its document. A worker needs this package, in the same version,
and nothing else. What a worker finds wrong comes back as a row, never as an error of Spark's, whose
messages may quote what they were computing: so the caller gets one sentence, and it is ours.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged
from sudare.answers.table import as_text
from sudare.chance.randomness import System
from sudare.collection.document import Collection
from sudare.engines.pieces import (
    FAULTS,
    Counted,
    Part,
    Piece,
    Skipped,
    added,
    count,
    examined,
    pieces_of,
)
from sudare.errors import (
    BadFile,
    EngineUnavailable,
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MechanismUnavailable,
    SudareError,
)
from sudare.formats.numbers import counted
from sudare.formats.report_files import ReportFile
from sudare.formats.wire import Columns, Records
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.interface import Question

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_Batches = Iterator["pa.RecordBatch"]

_ROWS_TOGETHER = 1 << 16  # counted by one call: Spark's own batches have 10,000
_BYTES_TOGETHER = 1 << 21
_DRAWN_BYTES = 1 << 24  # of reports in one batch of those drawn
_TASKS = 8  # at least, where there are as many pieces: enough for a few cores to share evenly
_TASK_BYTES = 1 << 30  # of files that one task reads: handing it out takes as long as reading 2^28
_SENT_BYTES = 1 << 26  # of counts that may reach the driver one by one
_SMALL = 1 << 12  # bytes of counts of which any number of tasks may send theirs
_GROUPS = 8  # sums that reach the driver otherwise
_PARTIAL = "file int, task int, n long, counts binary, digests binary, kind string, fault string"
_NO_FILE = -1
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
    rows = dataframe.select(*_report_columns(dataframe, collection))
    partials = _mapped(rows, partial(_count_rows, collection.to_json()), _PARTIAL)
    large = collection.zero.counts.nbytes > _SMALL
    found = _gathered(partials, collection, [], in_groups=large)
    for fault in found.faults.values():
        raise fault
    return found.total


def aggregate_files(
    session: "SparkSession",
    paths: Sequence[Path],
    collection: Collection,
    *,
    skip_bad: bool = False,
) -> Counted:
    """The aggregate of files of reports, read by the workers, each checked against its seal.

    Args:
        session: of a Spark whose workers reach the files by the same paths as this machine.
        paths: of the files.
        collection: whose reports they are.
        skip_bad: whether to leave out and list what can't be counted, instead of refusing all.

    Raises:
        BadFile: names a file that is of another collection, cut or changed, or holds a report out
            of range.
    """
    files, skipped = examined(collection, paths, skip_bad=skip_bad)
    result = Counted(collection.zero, [], skipped)
    tasks = _tasks(files)
    if not tasks:
        return result
    # A task for each number of a range: of rows that were spread anew, Spark may lose some for good
    # with the worker that held them.
    numbers = session.range(len(tasks), numPartitions=len(tasks))
    work = partial(_count_tasks, collection.to_json(), tasks)
    large = len(tasks) * collection.zero.counts.nbytes > _SENT_BYTES
    found = _gathered(_mapped(numbers, work, _PARTIAL), collection, files, in_groups=large)
    result.total = found.total
    for number, file in enumerate(files):
        fault = found.faults.get(number)
        if fault is None:
            result.files.append(file)
        elif isinstance(fault, EngineUnavailable):
            raise fault
        elif not skip_bad:
            raise BadFile(file.path, fault)
        else:
            result.skipped.append(Skipped(file.path, str(fault)))
    return result


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
    layout = collection.kind.layout(column)
    names = layout.names if collection.kind.rounds else layout.found_in(dataframe.columns)
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


_Task = list[tuple[int, Piece]]


def _tasks(files: Sequence[ReportFile]) -> list[_Task]:
    """The pieces of files as tasks of about the same size, each of neighbours."""
    here = [replace(file, path=file.path.absolute()) for file in files]  # workers stand elsewhere
    pieces = [(number, piece) for number, file in enumerate(here) for piece in pieces_of(file)]
    sizes = np.array([1 + piece.reports * piece.file.dtype.itemsize for _, piece in pieces], int)
    tasks = min(len(pieces), max(_TASKS, int(sizes.sum()) // _TASK_BYTES))
    places = (np.cumsum(sizes) - sizes) * tasks // max(1, int(sizes.sum()))
    parted = groupby(zip(places.tolist(), pieces, strict=True), key=lambda each: each[0])
    return [[piece for _, piece in neighbours] for _, neighbours in parted]


@dataclass
class _Sum:
    """Partial aggregates as they come: those of whole files, and of parts until all are there.

    Attributes:
        collection: whose they are.
        files: that they are of, if any.
        total: of whole files that are what their seals say.
        faults: of the others, by their number.
    """

    collection: Collection
    files: Sequence[ReportFile]
    total: Aggregate
    faults: dict[int, SudareError] = field(default_factory=dict)
    _parts: dict[int, tuple[Aggregate, dict[int, bytes]]] = field(default_factory=dict)

    def take(self, rows: Iterable[dict[str, Any]]) -> None:
        """Take in rows of ``_PARTIAL``, in whatever order."""
        key, shape = self.total.key, self.total.counts.shape
        for row in rows:
            number = row["file"]
            if row["fault"] is not None:
                self.faults.setdefault(number, _KINDS[row["kind"]](row["fault"]))
                continue
            counts = np.frombuffer(row["counts"], "<i8").reshape(shape)
            found = Aggregate(key, row["n"], counts)
            if number == _NO_FILE:
                self.total += found
            else:
                held, digests = self._parts.get(number, (self.collection.zero, {}))
                self._parts[number] = held + found, digests | {row["task"]: row["digests"]}

    def close(self) -> None:
        """Add the files whose parts have all come, if their seals say the same."""
        for number, (held, digests) in self._parts.items():
            if number in self.faults:
                continue
            joined = b"".join(digests[task] for task in sorted(digests))
            try:
                part = Part(held.n, held.counts, joined)
                self.total += added(self.collection, self.files[number], [part])
            except FAULTS as error:
                self.faults[number] = error

    def rows(self) -> _Batches:
        """The same as few rows."""
        yield _row(_NO_FILE, total=self.total)
        for number, fault in self.faults.items():
            yield _row(number, fault=fault)


_KINDS: dict[str, type[SudareError]] = {
    kind.__name__: kind for kind in (*FAULTS, EngineUnavailable)
}


def _gathered(
    partials: "DataFrame", collection: Collection, files: Sequence[ReportFile], *, in_groups: bool
) -> _Sum:
    """The sum of all partial aggregates; in groups, it is of sums that workers have made."""
    if in_groups:
        # All parts of a file meet in one group. The numbers of tasks are the same if they must be
        # done again: a group that lost some of its rows gets those and no others.
        place = f"CASE WHEN file < 0 THEN spark_partition_id() ELSE file END % {_GROUPS} AS place"
        grouped = partials.selectExpr("*", place).repartition(_GROUPS, "place")
        partials = _mapped(grouped, partial(_sum_rows, collection.to_json(), files), _PARTIAL)
    found = _Sum(collection, files, collection.zero)
    for batch in _collected(partials).to_batches():
        found.take(batch.to_pylist())
    found.close()
    return found


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
    elif MechanismUnavailable.__name__ in told:
        sentence = (
            "a worker can't use the collection's mechanism: install the package that has it, in "
            "the same version, in the Python of every worker (PYSPARK_PYTHON names it)"
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
        yield _row(_NO_FILE, fault=InvalidReport(str(error)))
    else:
        yield _row(_NO_FILE, total=total)


def _together(dtype: np.dtype[np.void], batches: _Batches) -> Iterator[Columns]:
    """The reports of batches, so many at a time that a call is worth its while."""
    most = min(_ROWS_TOGETHER, _BYTES_TOGETHER // dtype.itemsize)
    held: list[Columns] = []
    for batch in batches:
        held.append(_reports_of(dtype, batch))
        if sum(map(len, held)) >= most:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(some: list[Columns]) -> Columns:
    if len(some) == 1:
        return some[0]
    dtype = some[0].dtype
    names = dtype.names or ()
    return Columns(dtype, {name: np.concatenate([each[name] for each in some]) for name in names})


def _count_tasks(document: bytes, tasks: list[_Task], batches: _Batches) -> _Batches:
    """The partial aggregates of the tasks whose numbers reach this one."""
    collection = Collection.from_json(document)
    for batch in batches:
        for task in batch.column(0).to_pylist():
            yield from _count_task(collection, task, tasks[task])


def _count_task(collection: Collection, task: int, pieces: _Task) -> _Batches:
    """One row for all files that this task has wholly, one for each that it has a part of."""
    total = collection.zero
    for number, neighbours in groupby(pieces, key=lambda each: each[0]):
        own = [piece for _, piece in neighbours]
        file = own[0].file
        try:
            parts = [count(collection, piece) for piece in own]
            if own == pieces_of(file):
                total += added(collection, file, parts)
            else:
                found = sum(
                    (Aggregate(collection.key, part.n, part.counts) for part in parts),
                    collection.zero,
                )
                digests = b"".join(part.digests for part in parts)
                yield _row(number, task, total=found, digests=digests)
        except FAULTS as error:
            yield _row(number, fault=error)
        except OSError:
            sentence = (
                f"a worker can't read {file.path}: every worker must reach the files, by the same "
                f"paths as this machine"
            )
            yield _row(number, fault=EngineUnavailable(sentence))
    yield _row(_NO_FILE, task, total=total)


def _sum_rows(document: bytes, files: Sequence[ReportFile], batches: _Batches) -> _Batches:
    """The sum of the partial aggregates that reach one task."""
    collection = Collection.from_json(document)
    found = _Sum(collection, files, collection.zero)
    for batch in batches:
        found.take(batch.to_pylist())
    found.close()
    yield from found.rows()


def _row(
    file: int,
    task: int = 0,
    *,
    total: Aggregate | None = None,
    digests: bytes = b"",
    fault: SudareError | None = None,
) -> "pa.RecordBatch":
    """A row of ``_PARTIAL``: the reports of a part of a file, of many, or of none; or a fault."""
    import pyarrow as pa

    row = [
        (file, pa.int32()),
        (task, pa.int32()),
        (0 if total is None else total.n, pa.int64()),
        (None if total is None else total.counts.astype("<i8").tobytes(), pa.binary()),
        (digests, pa.binary()),
        (None if fault is None else type(fault).__name__, pa.string()),
        (None if fault is None else str(fault), pa.string()),
    ]
    names = [name.split()[0] for name in _PARTIAL.split(", ")]
    return pa.RecordBatch.from_arrays([pa.array([cell], kind) for cell, kind in row], names)


def _reports_of(dtype: np.dtype[np.void], batch: "pa.RecordBatch") -> Columns:
    """The reports in the columns that Spark made of them."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in dtype.names or ():
        column = batch.column(name)
        if column.null_count:
            raise InvalidReport(
                f"the column {name} has {counted(column.null_count, 'missing value')}"
            )
        read = _bits_of if dtype[name].shape else _numbers_of
        arrays[name] = read(name, dtype[name], column)
    return Columns(dtype, arrays)


def _numbers_of(name: str, dtype: np.dtype[Any], column: "pa.Array") -> NDArray[Any]:
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    most = np.iinfo(dtype).max
    if numbers.min(initial=0) < 0 or numbers.max(initial=0) > most:
        wrong = int(np.count_nonzero((numbers < 0) | (numbers > most)))
        raise InvalidReport(
            f"the column {name} has {counted(wrong, 'number')} outside 0 to {most} among "
            f"{counted(len(numbers), 'row')}"
        )
    return numbers.astype(dtype)


def _bits_of(name: str, dtype: np.dtype[Any], column: "pa.Array") -> NDArray[Any]:
    import pyarrow as pa

    if not len(column):  # nor any buffers, perhaps
        return np.empty((0, *dtype.shape), dtype.base)
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
        columns, judged = _judged(kind, batch)
        rows, wrong = rows + batch.num_rows, wrong + int(np.count_nonzero(judged.wrong))
        if fault is None and judged.wrong.any():
            first = int(np.argmax(judged.wrong))
            fault = kind.refusal([column.slice(first, 1) for column in columns])
    found = {"rows": [rows], "wrong": [wrong], "fault": pa.array([fault], pa.string())}
    yield pa.RecordBatch.from_pydict(found)


def _draw_rows(document: bytes, batches: _Batches) -> _Batches:
    """The reports of one task's answers, by the secure randomness of its own process."""
    collection, rng = Collection.from_json(document), System()
    most = collection.kind.rows_at_once
    step = max(1, _DRAWN_BYTES // collection.report_dtype.itemsize)
    for batch in batches:
        for start in range(0, batch.num_rows, most):
            _, (values, wrong, _) = _judged(collection.kind, batch.slice(start, most))
            if wrong.any():  # the table was another when its answers were looked at
                raise InvalidAnswer("the table's answers have changed while they were randomised")
            reports = collection.mechanism.randomize(values, rng)
            for first in range(0, len(reports), step):
                yield _columns_of(reports[first : first + step])


def _judged(kind: Question, batch: "pa.RecordBatch") -> "tuple[list[pa.Array], Judged]":
    """Columns of answers as texts, their values, and which rows hold none."""
    undecoded = np.zeros(batch.num_rows, bool)
    truths = kind.layout(None).truths
    columns = [as_text(column, truths, undecoded) for column in batch.columns]
    values, wrong, _ = kind.encode_columns(columns)
    return columns, Judged(values, wrong | undecoded)


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

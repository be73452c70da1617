"""Reports as bytes and files: what was written is read, and nothing else."""

import io
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import (
    GRR,
    OUE,
    JointQuestions,
    Loloha,
    Mechanism,
    Rappor,
    SampledQuestions,
    SetResponse,
    SplitQuestions,
    SquareWave,
    Window,
)
from sudare.chance.randomness import Seeded
from sudare.errors import InvalidDocument, MixedCollections, SudareError
from sudare.formats.report_files import Sink, read_reports, report_file, report_stream
from sudare.formats.wire import Records, from_batch, from_bytes, to_batch, to_bytes
from sudare.mechanisms import CATEGORICAL, CONTINUAL, REGISTRY
from support.enumeration import random_values

KEY = "0123456789ab" + 52 * "f"
SUFFIXES = (".arrow", ".parquet")
COHORT = np.dtype([("cohort", "<u2"), ("bits", "<u8", (2,)), ("round", "u1")])
DTYPES = {
    "grr": np.dtype([("answer", "u1")]),
    "grr of 300": np.dtype([("answer", "<u2")]),
    "unary of 43": np.dtype([("bits", "<u8", (1,))]),
    "unary of 70": np.dtype([("bits", "<u8", (2,))]),
    "cohort and bits": COHORT,
}
SOME: dict[str, list[Mechanism]] = {
    name: [family.calibrate(k, 1.0) for k in (2, 3, 64, 65, 300)]
    for name, family in CATEGORICAL.items()
}
SOME |= {
    name: [family.calibrate(rounds, 1.0) for rounds in (1, 50, 300)]
    for name, family in CONTINUAL.items()
}
SOME["set"] = [SetResponse.calibrate(k, most, 1.0) for k, most in ((2, 1), (9, 9), (300, 4))]
SOME["window"] = [Window.calibrate(steps, 1.0) for steps in (1, 4, 1000)]
SOME["wave"] = [SquareWave.calibrate(steps, 1.0, bins) for steps, bins in ((1, 2), (999, 250))]
SOME["loloha"] = [Loloha.calibrate(k, 1.0) for k in (2, 43, 300)]
PARTS = GRR.calibrate(300, 1.0), OUE.calibrate(70, 1.0), GRR(2, 0.75)
SOME["sample"], SOME["split"] = [SampledQuestions(PARTS)], [SplitQuestions(PARTS)]
SOME["joint"] = [JointQuestions((7, 10), OUE.calibrate(70, 1.0))]
SOME["rappor"] = [Rappor(bits, 1, 9, 0.5, 0.25, 0.75) for bits in (2, 64, 128, 1024)]
dtypes = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
suffixes = pytest.mark.parametrize("suffix", SUFFIXES)


def noise(dtype: np.dtype[np.void], count: int) -> Records:
    """Records of arbitrary bytes: the wire does not ask what they mean."""
    words = Seeded(count).words(count * dtype.itemsize)
    return words.view(np.uint8)[: count * dtype.itemsize].view(dtype)


def write(path: Path, reports: Records, splits: Sequence[int] = (), key: str = KEY) -> Path:
    with report_file(path, reports.dtype, key) as sink:
        for batch in np.split(reports, sorted(splits)):
            sink.write(batch)
    return path


def read(source: Path | io.BytesIO, dtype: np.dtype[np.void], key: str = KEY) -> Records:
    return np.concatenate([np.empty(0, dtype), *read_reports(source, dtype, key)])


def same(one: Records, other: Records) -> bool:
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


# Round trips


@pytest.mark.parametrize("suffix", [*SUFFIXES, "pipe"])
@pytest.mark.parametrize("name", REGISTRY)
@given(data=st.data())
def test_reports_of_every_mechanism_survive_a_file(
    name: str, suffix: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever the number of answers and people, and however the batches are cut."""
    mechanism = data.draw(st.sampled_from(SOME[name]))
    n = data.draw(st.integers(0, 400))
    splits = data.draw(st.lists(st.integers(0, n), max_size=4))
    reports = mechanism.randomize(random_values(mechanism, n, Seeded(n + 1)), Seeded(n))
    if suffix == "pipe":
        pipe = io.BytesIO()
        with report_stream(pipe, reports.dtype, mechanism.key) as sink:
            for batch in np.split(reports, sorted(splits)):
                sink.write(batch)
        found = read(io.BytesIO(pipe.getvalue()), reports.dtype, mechanism.key)
    else:
        path = tmp_path_factory.mktemp("wire") / f"reports{suffix}"
        write(path, reports, splits, mechanism.key)
        found = read(path, reports.dtype, mechanism.key)
    assert same(found, reports)
    assert mechanism.aggregate(found) == mechanism.aggregate(reports)


@dtypes
@given(n=st.integers(0, 100))
def test_bytes_and_batches_round_trip(dtype: np.dtype[np.void], n: int) -> None:
    reports = noise(dtype, n)
    data = to_bytes(reports)
    assert len(data) == n * dtype.itemsize
    assert same(from_bytes(dtype, data), reports)
    assert same(from_batch(dtype, to_batch(reports)), reports)


@dtypes
@given(cut=st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_a_slice_of_a_batch_is_a_slice_of_its_reports(
    dtype: np.dtype[np.void], cut: tuple[int, int]
) -> None:
    low, high = sorted(cut)
    reports = noise(dtype, 40)
    assert same(from_batch(dtype, to_batch(reports).slice(low, high - low)), reports[low:high])


def test_strided_reports_are_written_as_they_read(tmp_path: Path) -> None:
    reports = noise(COHORT, 20)[::-3]
    assert same(read(write(tmp_path / "reports.arrow", reports), COHORT), reports)


@dtypes
@suffixes
def test_every_record_type_survives_a_file(
    dtype: np.dtype[np.void], suffix: str, tmp_path: Path
) -> None:
    reports = noise(dtype, 1000)
    assert same(read(write(tmp_path / f"reports{suffix}", reports, [0, 7, 900]), dtype), reports)


def test_numbers_are_numbers_to_other_readers(tmp_path: Path) -> None:
    """A cluster reads the Parquet file with its own tools: columns by their names."""
    reports = noise(COHORT, 50)
    table = pq.read_table(write(tmp_path / "reports.parquet", reports))
    assert table.column_names == ["cohort", "bits", "round"]
    assert table["cohort"].to_pylist() == reports["cohort"].tolist()
    assert table["bits"].to_pylist() == [row.tobytes() for row in reports["bits"]]


@pytest.mark.parametrize("size", [1, 18, 20])
def test_bytes_of_no_whole_number_of_reports_are_refused(size: int) -> None:
    with pytest.raises(InvalidDocument, match=rf"19 bytes each can.t have {size} bytes? in all"):
        from_bytes(COHORT, bytes(size))


# Damage


@suffixes
@pytest.mark.parametrize("dtype", [DTYPES["grr"], COHORT], ids=["grr", "cohort and bits"])
def test_damage_is_refused_or_harmless(
    dtype: np.dtype[np.void], suffix: str, tmp_path: Path
) -> None:
    """Every truncation, and changes of every byte: never another set of reports."""
    reports = noise(dtype, 3)
    path = write(tmp_path / f"reports{suffix}", reports, [2])
    whole = path.read_bytes()
    cuts = [whole[:size] for size in range(len(whole))]
    changes = [
        whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :]
        for at in range(len(whole))
        for mask in (0x01, 0x80)
    ]
    refusals = 0
    for data in (*cuts, *changes):
        path.write_bytes(data)
        try:
            found = read(path, dtype)
        except SudareError:
            refusals += 1
        else:
            assert same(found, reports)
    assert refusals > len(cuts) + len(changes) // 2  # most bytes matter; padding does not


def test_a_stream_that_lost_its_last_batch_is_refused(tmp_path: Path) -> None:
    """Arrow itself would be content: only the seal knows."""
    path = tmp_path / "reports.arrow"
    schema = to_batch(noise(COHORT, 0)).schema
    named = schema.with_metadata({"sudare": "reports 1", "sudare.key": KEY})
    with pa.ipc.new_stream(str(path), named) as writer:
        writer.write_batch(to_batch(noise(COHORT, 3)))
    with pytest.raises(InvalidDocument, match="holds 3 reports, and its seal is missing"):
        read(path, COHORT)


def test_a_swap_of_two_batches_is_refused(tmp_path: Path) -> None:
    dtype = DTYPES["unary of 43"]
    one, two = noise(dtype, 4), noise(dtype, 8)[4:]
    path = write(tmp_path / "reports.arrow", np.concatenate([one, two]), [4])
    data = path.read_bytes()
    assert data.count(one.tobytes()) == data.count(two.tobytes()) == 1
    swapped = data.replace(one.tobytes(), b"?" * 32).replace(two.tobytes(), one.tobytes())
    path.write_bytes(swapped.replace(b"?" * 32, two.tobytes()))
    with pytest.raises(InvalidDocument, match="its seal is another"):
        read(path, dtype)


# Files of something else


@suffixes
def test_reports_of_another_collection_are_refused(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"reports{suffix}", noise(COHORT, 3))
    with pytest.raises(MixedCollections, match="belong to the collection 0123456789ab…"):
        read(path, COHORT, "another")


@suffixes
@pytest.mark.parametrize(
    "other", [DTYPES["grr"], np.dtype(COHORT.descr[::-1])], ids=["fewer columns", "other order"]
)
def test_other_columns_are_refused(other: np.dtype[np.void], suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"reports{suffix}", noise(other, 3))
    with pytest.raises(InvalidDocument, match="cohort"):
        read(path, COHORT)


def test_a_batch_of_other_columns_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="1 other column"):
        from_batch(COHORT, to_batch(noise(DTYPES["grr"], 3)))


def test_missing_values_are_refused() -> None:
    dtype = DTYPES["grr"]
    schema = to_batch(noise(dtype, 0)).schema
    batch = pa.RecordBatch.from_arrays([pa.array([1, None, 2], pa.uint8())], schema=schema)
    with pytest.raises(InvalidDocument, match="the column answer has 1 missing value"):
        from_batch(dtype, batch)


def arrow_table(path: Path) -> None:
    table = pa.table({"answer": pa.array([1, 2], pa.uint8())})
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


def parquet_table(path: Path) -> None:
    pq.write_table(pa.table({"answer": pa.array([1, 2], pa.uint8())}), path)


@pytest.mark.parametrize(
    ("suffix", "make"),
    [
        (".arrow", arrow_table),
        (".parquet", parquet_table),
        (".arrow", parquet_table),
        (".parquet", arrow_table),
        (".arrow", lambda path: path.write_bytes(b"")),
        (".parquet", lambda path: path.write_bytes(b"")),
        (".arrow", lambda path: path.write_text("answer\ngreen\n")),
        (".parquet", lambda path: path.write_text("answer\ngreen\n")),
    ],
)
def test_other_files_are_refused(
    suffix: str, make: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / f"reports{suffix}"
    make(path)
    with pytest.raises(InvalidDocument, match="not a file of reports"):
        read(path, DTYPES["grr"])


@suffixes
def test_a_missing_file_is_missing(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / f"reports{suffix}", COHORT)


# Writers that fail


def fail_midway(target: AbstractContextManager[Sink]) -> None:
    with target as sink:
        sink.write(noise(COHORT, 1000))
        raise RuntimeError


@suffixes
@pytest.mark.parametrize("before", [None, b"yesterday's"])
def test_a_writer_that_fails_leaves_what_was_there(
    suffix: str, before: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / f"reports{suffix}"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(RuntimeError):
        fail_midway(report_file(path, COHORT, KEY))
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([before] if before else [])


def test_a_pipe_that_fails_has_no_seal() -> None:
    pipe = io.BytesIO()
    with pytest.raises(RuntimeError):
        fail_midway(report_stream(pipe, COHORT, KEY))
    with pytest.raises(InvalidDocument, match="holds 1,000 reports, and its seal is missing"):
        read(io.BytesIO(pipe.getvalue()), COHORT)

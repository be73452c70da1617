"""Files of reports counted in pieces: the sum of the whole, or the name of what is wrong."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from sudare import Aggregate, Mechanism, Rappor
from sudare.engines import local, pieces
from sudare.errors import BadFile
from sudare.formats import report_files
from sudare.formats.report_files import examine, report_file
from sudare.formats.report_ids import identified_dtype
from sudare.mechanisms import CATEGORICAL, CONTINUAL
from sudare.mechanisms.interface import Records

MECHANISMS: dict[str, Mechanism] = {
    "grr": CATEGORICAL["grr"].calibrate(43, 1.0),
    "grr of 300": CATEGORICAL["grr"].calibrate(300, 1.0),
    "grr of 70,000": CATEGORICAL["grr"].calibrate(70_000, 1.0),
    "oue": CATEGORICAL["oue"].calibrate(1024, 1.0),
    "rappor": Rappor(128, 2, 64, 0.5, 0.5, 0.75),
    "rappor of many cohorts": Rappor(64, 1, 300, 0.5, 0.5, 0.75),
    "glance": CONTINUAL["glance"].calibrate(50, 4.0),
    "kshot": CONTINUAL["kshot"].calibrate(20, 4.0),
}
GRR = MECHANISMS["grr"]
mechanisms = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)


def made(mechanism: Mechanism, count: int, seed: int = 1) -> Records:
    """Reports of any value at all that the mechanism could have made."""
    data = np.random.default_rng(seed).bytes(count * mechanism.report_dtype.itemsize)
    reports = np.frombuffer(data, mechanism.report_dtype).copy()
    document = mechanism.document()
    bounds = {"answer": document.get("k"), "cohort": document.get("cohorts"), "bit": 2}
    for name in reports.dtype.names or ():
        if bounds.get(name):
            reports[name] %= bounds[name]
        if name == "round":
            reports[name] = 1 + reports[name] % document["rounds"]
    mechanism.check(reports)
    return reports


def write(path: Path, reports: Records, key: str = GRR.key) -> Path:
    with report_file(path, reports.dtype, key) as sink:
        for start in range(0, len(reports), 50_000):
            sink.write(reports[start : start + 50_000])
    return path


@mechanisms
@pytest.mark.parametrize("workers", [1, 2])
def test_any_pieces_add_up_to_the_whole(
    mechanism: Mechanism, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "_PIECE", 10_000)
    monkeypatch.setattr(report_files, "_GROUP_ROWS", 4096)
    paths, whole = [], mechanism.zero
    for number, count in enumerate((30_001, 0, 1, 8192)):
        reports = made(mechanism, count, number)
        whole += mechanism.aggregate(reports)
        suffix = ".arrow" if number % 3 == 1 else ".parquet"
        paths.append(write(tmp_path / f"{number}{suffix}", reports, mechanism.key))
    heard: list[tuple[int, int]] = []
    counted = local.aggregate_files(
        mechanism, paths, workers=workers, progress=lambda *told: heard.append(told)
    )
    assert (counted.total, counted.skipped) == (whole, [])
    assert [file.path for file in counted.files] == paths
    assert len(pieces.pieces_of(examine(paths[0], mechanism.report_dtype, mechanism.key))) == 3
    assert heard[-1][0] == heard[-1][1] >= whole.n


@pytest.mark.parametrize("suffix", [".arrow", ".parquet"])
def test_ids_are_left_alone(suffix: str, tmp_path: Path) -> None:
    reports = made(GRR, 1000)
    joined = np.zeros(1000, identified_dtype(GRR.report_dtype))
    joined["answer"] = reports["answer"]
    path = write(tmp_path / f"r{suffix}", joined)
    assert local.aggregate_files(GRR, [path]).total == GRR.aggregate(reports)
    assert examine(path, GRR.report_dtype, GRR.key).identified


def flipped(path: Path) -> None:
    """Change a bit of the reports: near the end of the first column."""
    whole = bytearray(path.read_bytes())
    column = pq.read_metadata(path).row_group(0).column(0)
    start = column.dictionary_page_offset or column.data_page_offset
    whole[start + column.total_compressed_size - 20] ^= 1
    path.write_bytes(whole)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def unsealed(path: Path) -> None:
    pq.write_table(pq.read_table(path), path)


def fewer(path: Path) -> None:
    file = pq.ParquetFile(path)
    table = file.read_row_groups([0])
    metadata = {**(table.schema.metadata or {}), **file.metadata.metadata}
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=4096)


def of_another(path: Path) -> None:
    write(path, made(GRR, 10), key="f" * 64)


def out_of_range(path: Path) -> None:
    reports = made(GRR, 5000)
    reports["answer"][4321] = 43
    write(path, reports)


def foreign(path: Path) -> None:
    path.write_text("answer\ngreen\n")


FAULTS: dict[str, tuple[Any, str]] = {
    "a bit flipped": (flipped, "is another|is damaged"),
    "cut": (cut, "this is not a file of reports"),
    "without a seal": (unsealed, "its seal is missing"),
    "a row group gone": (fewer, "its seal is another"),
    "of another collection": (of_another, "belong to the collection ffffffffffff…"),
    "a report out of range": (out_of_range, "says 43; answers are numbered 0 to 42"),
    "no report file": (foreign, "this is not a file of reports"),
}
faults = pytest.mark.parametrize("fault", FAULTS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(report_files, "_GROUP_ROWS", 4096)
    monkeypatch.setattr(pieces, "_PIECE", 4096)
    return [write(tmp_path / f"{n}.parquet", made(GRR, 10_000, n)) for n in range(3)]


def whole_of(*numbers: int) -> Aggregate:
    return sum((GRR.aggregate(made(GRR, 10_000, n)) for n in numbers), GRR.zero)


@faults
@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_file_among_good_ones_is_named(fault: str, workers: int, folder: list[Path]) -> None:
    harm, sentence = FAULTS[fault]
    assert local.aggregate_files(GRR, folder, workers=workers).total == whole_of(0, 1, 2)
    harm(folder[1])
    with pytest.raises(BadFile, match=sentence) as raised:
        local.aggregate_files(GRR, folder, workers=workers)
    assert raised.value.path == folder[1]


@faults
def test_a_bad_file_can_be_left_out(fault: str, folder: list[Path]) -> None:
    harm, sentence = FAULTS[fault]
    harm(folder[1])
    counted = local.aggregate_files(GRR, folder, skip_bad=True, workers=2)
    assert counted.total == whole_of(0, 2)
    assert [file.path for file in counted.files] == folder[::2]
    assert [one.path for one in counted.skipped] == [folder[1]]
    assert re.search(sentence, counted.skipped[0].reason)

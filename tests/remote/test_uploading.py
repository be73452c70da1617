"""Ids of reports in files: the same each time, others for other files, never for something else."""

import stat
from pathlib import Path

import numpy as np
import pytest

from sudare import Seeded
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.report_ids import identified_dtype, part
from sudare.remote.uploading import batches, ids_beside
from support.analysts import TEA


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "reports.arrow"
    path.write_bytes(b"some reports")
    return path


def test_a_files_ids_are_the_same_each_time_and_its_own(file: Path) -> None:
    first = ids_beside(file, TEA.key, 0).next(1000)
    again = ids_beside(file, TEA.key, 0)
    assert np.array_equal(first, np.concatenate([again.next(400), again.next(600)]))
    assert len({tuple(row) for row in first.tolist()}) == 1000
    beside = file.with_name("reports.arrow.ids")
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    twin = file.with_name("other.arrow")
    twin.write_bytes(file.read_bytes())
    assert not np.isin(ids_beside(twin, TEA.key, 0).next(1000), first).any()


def test_a_file_that_was_sent_as_something_else_is_refused(file: Path) -> None:
    ids_beside(file, TEA.key, 3)
    with pytest.raises(ParameterError, match="was uploaded before for window 3"):
        ids_beside(file, TEA.key, 4)
    with pytest.raises(ParameterError, match=f"for the collection {TEA.key[:12]}…"):
        ids_beside(file, "0" * 64, 3)
    file.write_bytes(b"other reports")
    with pytest.raises(ParameterError, match="with other contents"):
        ids_beside(file, TEA.key, 3)
    file.with_name("reports.arrow.ids").write_bytes(b"{}")
    with pytest.raises(InvalidDocument, match=r"reports\.arrow\.ids: this is not the ids"):
        ids_beside(file, TEA.key, 3)


def test_bodies_hold_every_report_once_and_at_most_so_many(file: Path) -> None:
    reports = TEA.randomize(["green", "black"] * 125, Seeded(1))
    ids = ids_beside(file, TEA.key, 0)
    bodies = list(batches([reports[:120], reports[120:]], ids, 100))
    width = 16 + TEA.report_dtype.itemsize
    assert [len(body) // width for body in bodies] == [100, 20, 100, 30]
    packed = np.frombuffer(b"".join(bodies), identified_dtype(TEA.report_dtype))
    sent = part(TEA.report_dtype, packed)
    assert np.array_equal(sent.reports, reports)
    assert np.array_equal(sent.ids, ids_beside(file, TEA.key, 0).next(250))

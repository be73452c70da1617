"""Folders of reports on the command line: written, counted, refused, each id once."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare import Aggregate
from sudare.formats import report_sets
from sudare.formats.report_sets import window_of
from support.commands import Result, refused, run, succeed

NEW = ("collection", "new", "tea", "--question", "Which?", "--answer", "green", "--answer", "black")


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    succeed(tmp_path, *NEW, "--epsilon", "1", "-o", "tea.json")
    (tmp_path / "answers.csv").write_text("answer\n" + "green\nblack\n" * 5000)
    return tmp_path


def randomize(tea: Path, output: str, *options: object) -> Result:
    return succeed(tea, "randomize", "tea.json", "answers.csv", "-o", output, *options)


def total(tea: Path, *arguments: object) -> Aggregate:
    return Aggregate.from_json(succeed(tea, "aggregate", "tea.json", *arguments).stdout)


def test_a_folder_is_written_and_counted(tea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_sets, "_PART", 1)  # whatever comes next gets a file of its own
    randomize(tea, "lake")
    assert [path.name for path in (tea / "lake").iterdir()] == ["part-00000.parquet"]
    assert total(tea, "lake").n == 10_000
    (tea / "lake" / "_SUCCESS.parquet").write_text("another program's note")
    (tea / "lake" / "window=7").mkdir()
    randomize(tea, "lake/window=7/more.arrow")
    assert total(tea, "lake").n == 20_000
    assert total(tea, "lake", "--window", "7").n == 10_000
    assert window_of(tea / "lake/window=7/more.arrow") == 7
    said = refused(tea, "aggregate", "tea.json", "lake", "--window", "8", "-o", "t.json")
    assert said == "lake holds no files of reports of window 8: they end in .arrow or .parquet"


def test_a_folder_that_is_there_stays_as_it_is(tea: Path) -> None:
    randomize(tea, "lake")
    said = refused(tea, "randomize", "tea.json", "answers.csv", "-o", "lake", "--force")
    assert said == "lake is there already; name a new folder"
    (tea / "empty").mkdir()
    said = refused(tea, "aggregate", "tea.json", "empty", "-o", "t.json")
    assert said == "empty holds no files of reports: they end in .arrow or .parquet"


def test_answers_that_are_refused_leave_no_folder(tea: Path) -> None:
    (tea / "answers.csv").write_text("answer\n" + "green\n" * 9 + "red\n")
    before = sorted(tea.rglob("*"))
    found = run(tea, "randomize", "tea.json", "answers.csv", "-o", "lake")
    assert found.code == 2
    assert found.err.startswith("Error: line 11 of answers.csv: the answer is not one of the 2")
    assert sorted(tea.rglob("*")) == before


def test_what_was_counted_as_json(tea: Path) -> None:
    randomize(tea, "lake")
    (tea / "lake" / "cut.parquet").write_bytes(b"PAR1 and no more")
    said = refused(tea, "aggregate", "tea.json", "lake", "--json")
    assert said.startswith("lake/cut.parquet")
    found = succeed(tea, "aggregate", "tea.json", "lake", "--json", "--skip-bad", "-o", "t.json")
    told = found.json()
    kept = Aggregate.from_json((tea / "t.json").read_bytes())
    assert told.pop("seconds") >= 0
    (skipped,) = told.pop("skipped")
    assert skipped["file"] == "lake/cut.parquet"
    assert told == {
        "collection": kept.key,
        "n": 10_000,
        "counts": kept.counts.tolist(),
        "files": 1,
        "engine": "local",
    }
    assert "left out: 1 file\n  lake/cut.parquet: " in found.err
    assert run(tea, "aggregate", "tea.json", "lake/part-00000.parquet", "--json").stdout[:1] == b"{"


def test_each_id_counts_once_across_files(tea: Path) -> None:
    randomize(tea, "lake", "--ids")
    part = tea / "lake/part-00000.parquet"
    (tea / "lake/copy.parquet").write_bytes(part.read_bytes())
    randomize(tea, "lake/new.arrow", "--ids")
    assert total(tea, "lake").n == 30_000
    assert "--once counts each id once" in succeed(tea, "aggregate", "tea.json", "lake").err
    found = succeed(tea, "aggregate", "tea.json", "lake", "--once", "--json")
    both = [total(tea, part), total(tea, "lake/new.arrow")]
    assert found.json()["counts"] == sum(each.counts for each in both).tolist()  # type: ignore[union-attr]
    assert found.err == (
        "20,000 reports counted; 10,000 reports with an id that was there before\n"
    )
    assert pq.read_schema(part).field("id").type == pa.binary(16)


def test_the_first_report_of_an_id_counts(tea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sudare.engines import once

    monkeypatch.setattr(once, "_PARTITION", 1000)
    randomize(tea, "a.parquet", "--ids")
    randomize(tea, "b.parquet", "--ids")
    whole = pq.read_table(tea / "a.parquet")
    other = pq.read_table(tea / "b.parquet")
    mixed = other.set_column(0, whole.schema.field("id"), whole.column("id"))
    batch = mixed.combine_chunks().to_batches()[0]
    from sudare import Collection
    from sudare.formats.report_files import report_file
    from sudare.formats.report_ids import identified_dtype
    from sudare.formats.wire import from_batch

    survey = Collection.from_json((tea / "tea.json").read_bytes())
    dtype = identified_dtype(survey.report_dtype)
    with report_file(tea / "b.parquet", dtype, survey.key) as sink:
        sink.write(from_batch(dtype, batch.replace_schema_metadata(None)))
    for first, second in (("a", "b"), ("b", "a")):
        names = f"{first}.parquet", f"{second}.parquet"
        assert total(tea, *names, "--once") == total(tea, f"{first}.parquet")


def test_once_needs_ids(tea: Path) -> None:
    randomize(tea, "lake")
    said = refused(tea, "aggregate", "tea.json", "lake", "--once", "-o", "t.json")
    assert said == "lake/part-00000.parquet: its reports have no ids to count them by"
    succeed(tea, "aggregate", "tea.json", "lake", "-o", "total.json")
    said = refused(tea, "aggregate", "tea.json", "lake", "total.json", "--once", "-o", "t.json")
    assert said == "--once takes files of reports: stdin and aggregates have no ids"


def test_windows_of_a_stream_are_counted_by_themselves(tmp_path: Path) -> None:
    new = ("collection", "new", "on", "--question", "On?", "--rounds", "4", "--epsilon", "2")
    succeed(tmp_path, *new, "--window", "1h", "--start", "2030-01-01T00:00", "-o", "on.json")
    (tmp_path / "states.csv").write_text("1,2,3,4\n" + "0,1,1,0\n" * 500)
    for window in (1, 2):
        (tmp_path / "lake" / f"window={window}").mkdir(parents=True)
        output = f"lake/window={window}/r.parquet"
        succeed(tmp_path, "randomize", "on.json", "states.csv", "-o", output)
    said = refused(tmp_path, "aggregate", "on.json", "lake", "-o", "t.json")
    assert said == "there are 2 windows, each with its own rounds: choose one with --window"
    succeed(tmp_path, "aggregate", "on.json", "lake", "--window", "2", "-o", "t.json")

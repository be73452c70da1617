"""Reports counted and drawn by Spark on this machine are what they are without it."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from sudare import Collection, SetResponse
from sudare.engines import pieces, spark
from sudare.errors import (
    BadFile,
    EngineUnavailable,
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
)
from sudare.formats.report_files import ReportFile
from sudare.mechanisms import categorical
from support.chance import assert_follows, rejects
from support.other_packages import install
from support.spark_cluster import spark_session
from support.spark_reports import (
    EVERY,
    ONLINE,
    TEA,
    WIDE,
    WORDS,
    some_reports,
    write_parts,
    write_reports,
)

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:.*pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # py4j's sockets
]


LABELS = ("red", "green", "blue")
COLOURS = Collection("colours", "Which?", LABELS, SetResponse.calibrate(3, 2, 1.0))


@pytest.fixture(scope="module")
def local() -> Iterator[SparkSession]:
    with spark_session("local[2]") as opened:
        yield opened


@pytest.mark.parametrize("collection", EVERY, ids=lambda each: each.name)
def test_rows_are_counted_as_on_one_machine(
    collection: Collection, local: SparkSession, tmp_path: Path, seed: int
) -> None:
    reports = some_reports(collection, 3000, seed)
    for part in range(3):
        some = reports[part * 1000 : (part + 1) * 1000]
        write_reports(tmp_path / f"{part}.parquet", collection, some)
    table = local.read.parquet(str(tmp_path))
    assert spark.aggregate(table, collection) == collection.aggregate(reports)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of few reports are cut, and fall into several tasks."""
    monkeypatch.setattr(pieces, "_PIECE", 1 << 14)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("collection", EVERY, ids=lambda each: each.name)
def test_files_are_counted_as_on_one_machine(
    collection: Collection, local: SparkSession, tmp_path: Path, seed: int
) -> None:
    reports = some_reports(collection, 100_000, seed)
    paths = write_parts(tmp_path, collection, reports, 2)
    assert len(pieces.pieces_of(examined(collection, paths)[0])) > 1
    found = spark.aggregate_files(local, paths, collection)
    assert found.total == collection.aggregate(reports)
    assert [file.path for file in found.files] == paths
    assert found.skipped == []


@pytest.mark.usefixtures("small_pieces")
def test_many_large_counts_are_added_up_by_workers(
    local: SparkSession, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "_SENT_BYTES", 0)
    reports = some_reports(WORDS, 100_000, seed)
    paths = write_parts(tmp_path, WORDS, reports, 4)
    assert spark.aggregate_files(local, paths, WORDS).total == WORDS.aggregate(reports)


def examined(collection: Collection, paths: list[Path]) -> list[ReportFile]:
    return pieces.examined(collection, paths, skip_bad=False)[0]


def damaged(path: Path) -> Path:
    """The same file with a bit of a report turned, which only its seal knows."""
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    return path


@pytest.mark.usefixtures("small_pieces")
def test_bad_files_are_named_or_left_out(local: SparkSession, tmp_path: Path, seed: int) -> None:
    reports = some_reports(WIDE, 50_000, seed)
    paths = write_parts(tmp_path, WIDE, reports, 4)
    other = write_reports(tmp_path / "other.parquet", TEA, some_reports(TEA, 10, seed))
    with pytest.raises(BadFile, match=r"other\.parquet: the reports belong to the collection"):
        spark.aggregate_files(local, [*paths, other], WIDE)
    damaged(paths[2])
    with pytest.raises(BadFile, match=rf"{paths[2].name}: ") as raised:
        spark.aggregate_files(local, paths, WIDE)
    assert isinstance(raised.value.cause, InvalidDocument)
    found = spark.aggregate_files(local, [*paths, other], WIDE, skip_bad=True)
    good = [path for path in paths if path != paths[2]]
    assert [file.path for file in found.files] == good
    assert sorted(each.path for each in found.skipped) == sorted([paths[2], other])
    assert found.total == spark.aggregate_files(local, good, WIDE).total
    assert found.total.n == 50_000 - 16_667


def test_a_file_that_workers_dont_reach_is_named(
    local: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has seen it; a worker, on another machine, doesn't."""
    (path,) = write_parts(tmp_path, TEA, some_reports(TEA, 10, 1), 2)[:1]
    seen = spark._tasks

    def gone(files: list[ReportFile]) -> object:
        made = seen(files)
        path.unlink()
        return made

    monkeypatch.setattr(spark, "_tasks", gone)
    with pytest.raises(EngineUnavailable, match=r"a worker can't read .*0\.parquet: every worker"):
        spark.aggregate_files(local, [path], TEA)


def test_no_files_are_no_reports(local: SparkSession) -> None:
    assert spark.aggregate_files(local, [], TEA).total == TEA.zero
    nobody = local.createDataFrame([], "answer string")
    assert spark.randomize(nobody, TEA, kept=False).count() == 0


def test_no_rows_are_no_reports(local: SparkSession) -> None:
    for collection in (TEA, WIDE):
        empty = local.createDataFrame([], spark._report_schema(collection))
        assert spark.aggregate(empty, collection) == collection.zero


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_an_answer_may_be_of_any_whole_type(kind: str, local: SparkSession) -> None:
    table = local.range(5).selectExpr("id AS other", f"cast(id % 3 AS {kind}) AS answer")
    assert spark.aggregate(table, TEA).counts.tolist() == [2, 2, 1]


@dataclass(frozen=True)
class Mistake:
    """A table that holds no reports of a collection, and what is said of it."""

    collection: Collection
    rows: list[tuple[Any, ...]]
    schema: str
    error: type[Exception]
    sentence: str


MISTAKES = [
    Mistake(TEA, [(0,)], "tea int", InvalidDocument, "the table has 0 columns named answer"),
    Mistake(
        TEA, [("0",)], "answer string", InvalidDocument, "is string; in reports of “tea” it is"
    ),
    Mistake(WIDE, [(0,)], "bits int", InvalidDocument, "is int; in reports of “wide” it is binary"),
    Mistake(TEA, [(0,), (None,)], "answer int", InvalidReport, "answer has 1 missing value"),
    Mistake(TEA, [(-1,)], "answer int", InvalidReport, "1 number outside 0 to 255 among 1 row"),
    Mistake(TEA, [(256,)], "answer int", InvalidReport, "1 number outside 0 to 255 among 1 row"),
    Mistake(TEA, [(0,), (3,)], "answer int", InvalidReport, "answers are numbered 0 to 2"),
    Mistake(WIDE, [(b"7" * 127,)], "bits binary", InvalidReport, "1 value of other than 128 bytes"),
    Mistake(WORDS, [(64, b"7" * 16)], "cohort int, bits binary", InvalidReport, "cohort"),
    Mistake(ONLINE, [(9, 1)], "round int, bit int", InvalidReport, "round"),
    Mistake(ONLINE, [(1, 2)], "round int, bit int", InvalidReport, "bit"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.sentence)
def test_what_is_no_table_of_reports_is_refused(mistake: Mistake, local: SparkSession) -> None:
    table = local.createDataFrame(mistake.rows, mistake.schema)
    with pytest.raises(mistake.error) as raised:
        spark.aggregate(table, mistake.collection)
    assert mistake.sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def table_of_teas(local: SparkSession, people: int) -> DataFrame:
    teas = "CASE id % 4 WHEN 0 THEN 'black' WHEN 1 THEN 'white' ELSE 'green' END"
    return local.range(people, numPartitions=4).selectExpr("id", f"{teas} AS `my tea`")


def test_reports_are_drawn_by_the_law(local: SparkSession) -> None:
    people = 40_000
    drawn = spark.randomize(table_of_teas(local, people), TEA, "my tea")
    counts = Counter(
        {row["answer"]: row["count"] for row in drawn.groupBy("answer").count().collect()}
    )
    held = np.array([2, 1, 1]) / 4  # green, black, white
    keep, lie = 0.5, 0.25  # of TEA's GRR
    law = {answer: float(lie + held[answer] * (keep - lie)) for answer in range(3)}
    assert sum(counts.values()) == people
    assert_follows(counts, law, people)
    assert rejects(counts, {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, people)


def test_no_two_tasks_draw_alike(local: SparkSession) -> None:
    """Spark forks its workers: each must have randomness of its own."""
    same = local.range(4096, numPartitions=8).selectExpr("'answer 7' AS answer")
    drawn = spark.randomize(same, WIDE)
    assert drawn.distinct().count() == 4096


def test_reports_are_drawn_once(local: SparkSession) -> None:
    drawn = spark.randomize(table_of_teas(local, 1000), TEA, "my tea")
    first, second = (spark.aggregate(drawn, TEA) for _ in range(2))
    assert first == second
    again = spark.randomize(local.range(50).selectExpr("'answer 7' AS answer"), WIDE, kept=False)
    assert again.collect() != again.collect()  # whoever asks for that gets it


def test_reports_of_every_shape_are_drawn(local: SparkSession) -> None:
    words = local.range(100).selectExpr("concat('word ', id) AS answer")
    assert spark.aggregate(spark.randomize(words, WORDS), WORDS).n == 100
    rounds = [f"(id + {number}) % 2 = 1 AS `{number}`" for number in range(1, 9)]
    online = spark.randomize(local.range(100).selectExpr(*rounds), ONLINE)
    assert spark.aggregate(online, ONLINE).n == 100
    flags = local.range(100).selectExpr("id % 2 AS red", "id % 3 = 1 AS green", "'0' AS blue")
    assert spark.aggregate(spark.randomize(flags, COLOURS), COLOURS).n == 100


UNLISTED = "Ceylon-4711"


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (
            f"CASE WHEN id = 7 THEN '{UNLISTED}' ELSE 'green' END",
            "1 row of 10 can't be randomised: the answer is not one of the 3 answers of “tea”",
        ),
        (
            "CASE WHEN id < 2 THEN NULL ELSE 'green' END",
            "2 rows of 10 can't be randomised: the answer is missing",
        ),
    ],
)
def test_a_wrong_answer_is_refused_and_never_said(
    expression: str, sentence: str, local: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    table = local.range(10).selectExpr(f"{expression} AS answer")
    with pytest.raises(InvalidAnswer) as raised:
        spark.randomize(table, TEA)
    assert str(raised.value).startswith(sentence)
    assert raised.value.__cause__ is None
    assert UNLISTED not in "".join(capfd.readouterr())


def test_a_table_that_spark_cant_compute_says_no_answer(local: SparkSession) -> None:
    """Spark's own messages quote what can't be cast."""
    table = local.range(10).selectExpr(f"cast(concat('{UNLISTED}', id) AS int) AS answer")
    with pytest.raises(EngineUnavailable) as raised:
        spark.randomize(table, TEA)
    assert str(raised.value) == "Spark gave up (CAST_INVALID_INPUT)"
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("schema", "column", "sentence"),
    [
        (
            "tea string",
            None,
            "the table has 0 columns named 'answer'; “tea” needs 1 there, each once",
        ),
        (
            "tea double",
            "tea",
            "the column 'tea' is double; answers are strings, whole numbers or truths",
        ),
    ],
)
def test_columns_that_hold_no_answers_are_refused(
    schema: str, column: str | None, sentence: str, local: SparkSession
) -> None:
    with pytest.raises(InvalidDocument) as raised:
        spark.randomize(local.createDataFrame([], schema), TEA, column)
    assert str(raised.value) == sentence


def test_a_worker_without_the_package_is_told(
    local: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')  # no installed package
    python.chmod(0o755)
    monkeypatch.setattr(local.sparkContext, "pythonExec", str(python))
    with pytest.raises(EngineUnavailable) as raised:
        spark.aggregate(local.range(3).selectExpr("id AS answer"), TEA)
    assert re.fullmatch(
        r"a worker has no package sudare: install sudare [\d.]+ in the Python of every worker "
        r"\(PYSPARK_PYTHON names it\)",
        str(raised.value),
    )


def test_a_worker_without_the_package_of_a_mechanism(
    local: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process has it, and Spark's workers have not."""
    install(tmp_path / "site", monkeypatch)
    mechanism = categorical("dice").calibrate(3, 1.0)
    dice = Collection("dice", "Which?", ("a", "b", "c"), mechanism)
    table = local.createDataFrame([(0,), (2,)], "answer long")
    with pytest.raises(
        EngineUnavailable, match=r"a worker can't use the collection's mechanism: install the pack"
    ):
        spark.aggregate(table, dice)

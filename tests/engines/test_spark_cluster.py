"""On a real cluster, through a Spark Connect server, with a worker lost: the same counts."""

import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from sudare import Collection
from sudare.engines import pieces, spark
from sudare.errors import InvalidAnswer
from support import spark_reports
from support.spark_cluster import Cluster, cluster, connect_server, spark_session
from support.spark_reports import EVERY, TEA, WORDS, some_reports, write_parts

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:.*pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # py4j's sockets
]


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_PIECE", 1 << 14)


def agree(
    session: SparkSession, folder: Path, seed: int, collections: Sequence[Collection] = EVERY
) -> None:
    """Files, rows, and reports that are drawn, as one machine has them."""
    for collection in collections:
        reports = some_reports(collection, 40_000, seed)
        (folder / collection.name).mkdir()
        paths = write_parts(folder / collection.name, collection, reports, 3)
        expected = collection.aggregate(reports)
        assert spark.aggregate_files(session, paths, collection).total == expected
        parquet = [str(path) for path in paths if path.suffix == ".parquet"]
        rows = spark.aggregate(session.read.parquet(*parquet), collection)
        files = spark.aggregate_files(session, [Path(path) for path in parquet], collection)
        assert rows == files.total
    drawn = spark.randomize(session.range(1000).selectExpr("'green' AS answer"), TEA)
    assert spark.aggregate(drawn, TEA) == spark.aggregate(drawn, TEA)
    with pytest.raises(InvalidAnswer, match=r"^1,000 rows of 1,000 can't be randomised: [^\n]*$"):
        spark.randomize(session.range(1000).selectExpr("'Ceylon' AS answer"), TEA)


@pytest.mark.usefixtures("small_pieces")
def test_a_connect_server_counts_the_same(tmp_path: Path, seed: int) -> None:
    (tmp_path / "logs").mkdir()
    with (
        connect_server(tmp_path / "logs") as address,
        spark_session(remote=address) as session,
    ):
        start = seed % len(EVERY)  # the cluster counts all: here two are enough, others each time
        agree(session, tmp_path, seed, (EVERY * 2)[start : start + 2])


@pytest.mark.usefixtures("small_pieces")
def test_a_cluster_counts_the_same_though_a_worker_dies(
    standalone: Cluster, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed when all pieces are counted and sums begin: half of the counts are gone with it."""
    with spark_session(standalone.master) as session:
        agree(session, tmp_path, seed)
        reports = some_reports(WORDS, 60_000, seed)
        paths = write_parts(tmp_path, WORDS, reports, 4)
        monkeypatch.setattr(spark, "_SENT_BYTES", 0)
        monkeypatch.setattr(spark, "_mapped", partial(slowly, spark._mapped, tmp_path))
        cloudpickle.register_pickle_by_value(spark_reports)  # type: ignore[no-untyped-call]  # workers don't have the tests
        killer = threading.Thread(target=kill_in_time, args=(standalone, tmp_path / "_sum_rows"))
        killer.start()
        found = spark.aggregate_files(session, paths, WORDS)
        killer.join()
    assert len(standalone.workers) == 1
    assert found.total == WORDS.aggregate(reports)


def slowly(mapped: Any, folder: Path, dataframe: Any, work: Any, schema: str) -> Any:
    """As ``mapped``, of work that tells when it begins, and takes its time."""
    begun = str(folder / work.func.__name__)
    return mapped(dataframe, partial(spark_reports.slowed, work, begun, 0.5), schema)


def kill_in_time(standalone: Cluster, begun: Path) -> None:
    until = time.monotonic() + 300
    while not begun.exists() and time.monotonic() < until:
        time.sleep(0.02)
    standalone.kill_a_worker()

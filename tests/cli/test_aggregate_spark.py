"""``sudare aggregate --engine spark`` says what ``--engine local`` says."""

from pathlib import Path

import pytest

from support.commands import contents, refused, succeed
from support.ports import held_ports
from support.spark_cluster import BRISK
from support.spark_reports import TEA, WIDE, some_reports, write_parts, write_reports

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:.*pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # py4j's sockets
]

SPARK = ("--engine", "spark", "--master", "local[2]")


@pytest.fixture
def folder(tmp_path: Path, seed: int) -> Path:
    """A folder of reports, one of them bad, and their collection."""
    (tmp_path / "tea.json").write_bytes(TEA.to_json())
    (tmp_path / "lake").mkdir()
    write_parts(tmp_path / "lake", TEA, some_reports(TEA, 5000, seed), 4)
    write_reports(tmp_path / "lake" / "wide.parquet", WIDE, some_reports(WIDE, 10, seed))
    return tmp_path


def test_both_engines_print_one_document(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in BRISK.items():
        monkeypatch.setenv(name, value)
    command = ("aggregate", "tea.json", "lake", "--skip-bad", "--json")
    local, spark = (succeed(folder, *command, *engine).json() for engine in ((), SPARK))
    assert [local.pop("engine"), spark.pop("engine")] == ["local", "spark"]
    assert min(local.pop("seconds"), spark.pop("seconds")) >= 0
    assert local == spark
    assert (local["n"], local["files"], len(local["skipped"])) == (5000, 4, 1)
    said = refused(folder, *command[:3], *SPARK, "-o", "total.json")
    assert "wide.parquet" in said
    assert "total.json" not in contents(folder)


def test_options_of_another_engine_are_refused(folder: Path) -> None:
    command = ("aggregate", "tea.json", "lake")
    assert "are for --engine spark" in refused(folder, *command, "--master", "local[2]")
    assert "--once counts on this machine" in refused(folder, *command, *SPARK, "--once")
    assert "--cores is for this machine" in refused(folder, *command, *SPARK, "--cores", 2)


def test_a_cluster_that_isnt_there_is_one_sentence(folder: Path) -> None:
    before = contents(folder)
    with held_ports(1) as (port,):
        for address in (
            ("--master", f"spark://127.0.0.1:{port}"),
            ("--remote", f"sc://127.0.0.1:{port}"),
        ):
            command = ("aggregate", "tea.json", "lake", "--skip-bad", "--engine", "spark", *address)
            assert "doesn't answer" in refused(folder, *command, "-o", "total.json")
    assert contents(folder) == before

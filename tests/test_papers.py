"""The documents redone: what is committed is what was expected, and runs again anywhere."""

import gzip
import json
import math
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAPERS = sorted(path.parent for path in ROOT.glob("papers/*/run.py"))
GRR_OUE = ROOT / "papers" / "grr-oue"
SMALL = ("--repetitions", "4", "--many", "20")  # too few to find anything, enough to run it all

Rows = dict[str, dict[str, Any]]


def read(path: Path) -> Rows:
    """A result file's rows by id, each of the agreed form."""
    rows = json.loads(path.read_text("utf-8"))
    assert all(list(row) == ["id", "what", "document", "ours", "verdict"] for row in rows)
    assert all(row["what"] and row["verdict"] for row in rows)
    named = {row["id"]: row for row in rows}
    assert len(named) == len(rows)
    return named


def expected(folder: Path) -> Rows:
    table: Rows = json.loads((folder / "expected.json").read_text("utf-8"))
    return table


def check(row: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert row["verdict"].startswith(wanted["verdict"]), row
    if isinstance(wanted["ours"], str):
        assert row["ours"] == wanted["ours"]
    else:
        assert math.isclose(row["ours"], wanted["ours"], rel_tol=0, abs_tol=wanted["within"]), row


def run(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(GRR_OUE / "run.py"), "--out", str(out)]
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("papers")
    finished = run(out, *SMALL, "--seed", "7")
    assert finished.returncode == 0, finished.stderr
    assert "L[f_A]" in finished.stdout
    return out


@pytest.mark.parametrize("folder", PAPERS, ids=lambda folder: folder.name)
def test_what_is_committed_is_what_was_expected(folder: Path) -> None:
    rows, wanted = read(folder / "result.json"), expected(folder)
    assert rows.keys() == wanted.keys()
    for identifier, row in rows.items():
        if not row["verdict"].startswith("not checked"):  # run again where the data isn't
            check(row, wanted[identifier])


def test_what_owes_nothing_to_chance_repeats_under_another_seed(small: Path) -> None:
    rows, wanted = read(small / "result.json"), expected(GRR_OUE)
    assert rows.keys() == wanted.keys()
    repeating = [identifier for identifier, row in wanted.items() if row["repeats"]]
    assert len(repeating) > 30
    for identifier in repeating:
        check(rows[identifier], wanted[identifier])


def test_every_figure_is_drawn_and_committed(small: Path) -> None:
    names = {path.name for path in (small / "figures").iterdir()}
    assert names == {path.name for path in (GRR_OUE / "figures").iterdir()}
    assert {f"figure-3.{number}.png" for number in range(3, 9)} < names


def test_other_clicks_than_those_carried_are_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(GRR_OUE))
    populations = import_module("populations")
    columns = "session ID;page 1 (main category);page 2 (clothing model)"
    clicks = tmp_path / "clicks.csv.gz"
    clicks.write_bytes(gzip.compress(f"{columns}\n1;1;A1\n1;1;A1\n2;2;B1\n".encode()))
    rows = {row.id: row for row in populations.rows(populations.clothing(), clicks)}
    assert rows["data.counts"].verdict.startswith("differs")
    assert rows["data.unit"].ours == "a click: 1 sessions, 1 with several rows, up to 2"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--repetitions", "1"), "at least 2 repetitions, got 1"),
        (("--clickstream", "nowhere.csv.gz"), "nowhere.csv.gz"),
        (("--clickstream", __file__), "test_papers.py is not the clickstream file"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(
    options: tuple[str, str], sentence: str, tmp_path: Path
) -> None:
    finished = run(tmp_path, "--many", "20", *options)
    assert finished.returncode == 2
    assert sentence in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "result.json").exists()

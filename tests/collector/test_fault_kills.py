"""``sudare serve`` killed under load, again and again, and started again on the same file."""

from pathlib import Path

from support.fault_fuzz import leaks
from support.fault_kills import killed


def test_a_killed_collector_loses_nothing_and_counts_nothing_twice(
    tmp_path: Path, seed: int
) -> None:
    found = killed(tmp_path, str(tmp_path / "store.db"), 8, seed)
    assert found.clean, found
    assert found.acknowledged > 500
    assert found.faults["kill"] == 8
    assert found.faults["lost answer"] > 8
    logged = "".join(path.read_text() for path in tmp_path.glob("log-*"))
    assert leaks(logged) == []


def test_one_that_acknowledges_before_the_commit_is_caught_by_a_kill(
    tmp_path: Path, seed: int
) -> None:
    assert killed(tmp_path, str(tmp_path / "store.db"), 2, seed, variant="hasty").losses


def test_one_that_forgets_names_is_caught_by_a_kill(tmp_path: Path, seed: int) -> None:
    assert killed(tmp_path, str(tmp_path / "store.db"), 1, seed, variant="forgetful").doubles

"""Files that an earlier version made are read, continued and compared: ``golden/before``."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sudare import Aggregate, Collection, Discovery, Ledger
from support.before import (
    FOLDER,
    Step,
    address_of,
    ask_again,
    assert_same,
    moved,
    rows,
    run_again,
    served,
    take,
)
from support.commands import refused, succeed, together


@cache
def expected(part: str) -> Any:
    return msgspec.json.decode((FOLDER / "expected.json").read_bytes())[part]


def names(folder: str) -> list[str]:
    return sorted(path.name for path in (FOLDER / folder).iterdir())


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """The set in another place, where it may be changed."""
    return Path(shutil.copytree(FOLDER, tmp_path / "before"))


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The same, for those who only read."""
    folder = Path(shutil.copytree(FOLDER, tmp_path_factory.mktemp("unchanged") / "before"))
    held = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield folder
    assert {path: path.read_bytes() for path in held} == held


def take_all(part: str, folder: Path, collector: httpx.Client) -> None:
    for step in map(_by_who_may, expected(part)):
        found = take(step, folder, collector, expected("tokens"))
        if step.get("ask", "").startswith(f"GET /collections/{expected('keys')['homepage']}/"):
            # It showed rows of cohorts with fewer reports than the minimum.
            assert (found["status"], found["says"]["error"]["code"]) == (409, "too_few_reports")
        else:
            assert_same(found, step)


def _by_who_may(step: Step) -> Step:
    """Anybody could ask how many reports there are; now only those may who bear a token."""
    counted = step.get("ask", "").endswith(("GET /collections", "/standing"))
    return {**step, "as": "analyst"} if counted else step


# Read


@pytest.mark.parametrize("name", names("collections"))
def test_a_collection_has_its_key_and_its_document(name: str) -> None:
    document = (FOLDER / "collections" / name).read_bytes()
    collection = Collection.from_json(document)
    assert collection.key == expected("keys")[collection.name]
    assert collection.to_json() == document


@pytest.mark.parametrize("name", names("aggregates"))
def test_reports_add_up_to_their_aggregate(name: str, unchanged: Path) -> None:
    reports = f"reports/{Path(name).stem}.arrow"
    counted = succeed(unchanged, "aggregate", f"collections/{name}", reports).stdout
    assert counted.strip() == (FOLDER / "aggregates" / name).read_bytes().strip()
    assert Aggregate.from_json(counted) == Aggregate.from_json(
        (FOLDER / "aggregates" / name).read_bytes()
    )


@pytest.mark.parametrize("name", names("reports"))
def test_the_same_answers_and_noise_are_the_same_reports(
    name: str, unchanged: Path, tmp_path: Path
) -> None:
    stem, made = Path(name).stem, tmp_path / name
    seeded = ("--insecure-seed", 7, "-o", made)
    succeed(unchanged, "randomize", f"collections/{stem}.json", f"answers/{stem}.csv", *seeded)
    before = rows(FOLDER / "reports" / name)
    assert rows(made).equals(before)  # in files of another format, whose seal is another
    assert {**before.schema.metadata, b"sudare": b"reports 2"} == rows(made).schema.metadata


def test_the_same_words_and_noise_are_the_same_reports(unchanged: Path, tmp_path: Path) -> None:
    plan, made = "discovery/plan.json", tmp_path / "monday"
    seeded = ("--insecure-seed", 7, "-o", made)
    succeed(unchanged, "discover", "randomize", plan, "discovery/answers.csv", *seeded)
    for name in names("discovery/monday"):
        assert rows(made / name).equals(rows(FOLDER / "discovery/monday" / name))
    document = (FOLDER / plan).read_bytes()
    assert Discovery.from_json(document).to_json() == document


@pytest.mark.parametrize("step", expected("commands"), ids=lambda step: step["run"])
def test_a_command_says_what_it_said(step: Step, unchanged: Path) -> None:
    assert_same(run_again(step, unchanged), step)


def test_a_ledger_is_written_as_it_was() -> None:
    for party in ("one", "two"):
        document = (FOLDER / f"ledger-{party}.json").read_bytes()
        assert Ledger.from_json(document).to_json() == document


def test_a_backup_is_written_as_it_was(before: Path) -> None:
    succeed(before, "backup", "store.db", "again.backup")
    assert (before / "again.backup").read_bytes() == (FOLDER / "store.backup").read_bytes()


@pytest.mark.parametrize("name", ["mood", "homepage"])
def test_kept_reports_are_exported_as_they_were_counted(name: str, before: Path) -> None:
    key = expected("keys")[name]
    ask = f"GET /collections/{key}/aggregate?window=all"
    counted = next(step["says"] for step in expected("requests") if step["ask"] == ask)
    for file in ("exported.arrow", "exported.parquet"):
        succeed(before, "export", "store.db", key, "-o", file)
        assert succeed(before, "aggregate", f"collections/{name}.json", file).json() == counted


# Go on


@pytest.mark.parametrize("kept", ["store.db", "store.backup"])
def test_a_store_is_served_as_it_was_and_goes_on(kept: str, before: Path) -> None:
    """New reports count, those it knows don't; closed windows and rounds take none."""
    if kept == "store.backup":
        (before / "store.db").unlink()
        succeed(before, "restore", "store.backup", "store.db")
    with served(before / "store.db") as collector:
        take_all("requests", before, collector)
        for path in sorted((FOLDER / "collections").iterdir()):
            key = expected("keys")[path.stem]
            document = ask_again({"ask": f"GET /collections/{key}"}, collector, {})
            if path.stem == "shift":  # which no collector can hold
                assert document["status"] == 404
            else:
                assert document["says"] == msgspec.json.decode(path.read_bytes())


def test_a_device_goes_on(before: Path) -> None:
    """What waits is delivered, an answer has its old noise, a round is told once, ε adds up."""
    with served(before / "store.db") as collector:
        moved(before / "device", address_of(collector))
        take_all("device", before, collector)


def test_a_count_over_encrypted_answers_is_opened_and_paid_for(before: Path) -> None:
    common = ("--count", "waiting/count.json", "--insecure", "--json", "--ledger")
    one = (*common, "ledger-one.json", "--secret", "waiting/secret.json")
    two = (*common, "ledger-two.json", "--records", "waiting/records.bin")
    says = [done.json() for done in together(before, one, two)]
    for found, step in zip(says, expected("count"), strict=True):
        new = {name: found.pop(name) for name in ("candidates", "deterrence")}
        assert new == {"candidates": 1, "deterrence": 0.0}  # its document promised no proof
        assert_same({**step, "says": found}, step)
        assert_near(found["result"]["total"], before / "waiting/count.json")
    assert "once already" in refused(before, "party", "one", "--listen", "127.0.0.1:0", *one)


def test_records_without_proofs_are_still_added_up(before: Path) -> None:
    """Those of a count that was opened, once nothing remembers it."""
    for mark in (*before.glob("opened/*.opened"), *before.glob("opened/*.answered")):
        mark.unlink()
    common = ("--count", "opened/count.json", "--insecure", "--json")
    secret, records = "opened/secret.json", "opened/records.bin"
    for done in together(before, (*common, "--secret", secret), (*common, "--records", records)):
        assert_near(done.json()["result"]["total"], before / "opened/count.json")


def assert_near(total: int, count: Path) -> None:
    """A total is off by no more than its tables can draw, once added and once taken away."""
    tables = msgspec.json.decode(count.read_bytes())["table"]["tables"]
    most = sum(max(map(int, table)) - min(map(int, table)) for table in tables)
    truth = (FOLDER / "bits.csv").read_text().split()[1:].count("1")
    assert abs(total - truth) <= most

"""The fuzzing command: a share of each kind, what it once found, and that it would find a fault."""

import json
from pathlib import Path

import pytest

import fuzz
from support import hostile


@pytest.mark.parametrize("kind", ["documents", "messages", "commands"])
def test_hostile_input_is_refused_or_taken_for_what_it_says(kind: str, seed: int) -> None:
    """Both happen, so that either could have gone wrong; uploads and requests have own tests."""
    fates = fuzz.tried(kind, seed)
    assert fates.keys() == {"taken", "refused"}


@pytest.mark.parametrize("entry", fuzz.kept(), ids=lambda entry: f"{entry['kind']} {entry['seed']}")
def test_what_was_found_once_stays_mended(entry: dict[str, object]) -> None:
    fuzz.tried(str(entry["kind"]), int(str(entry["seed"])))


def test_a_fault_is_found_named_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that isn't ours, from a reader that forgets to check."""
    monkeypatch.setattr(fuzz, "SEEDS", tmp_path / "seeds.json")
    fuzz.SEEDS.write_text("[]")
    careless = hostile.Kind((b'{"n": 1}',), lambda data: 1 // json.loads(data)["n"])
    monkeypatch.setattr(hostile, "_kinds", lambda: {"careless": careless})
    fates, findings = fuzz.fuzz(["documents"], 1, 0.0)
    assert (findings, fates["documents"].total()) == (1, 0)
    (entry,) = fuzz.kept()
    assert entry["kind"] == "documents"
    assert f"found by documents, seed {entry['seed']}" in capsys.readouterr().err
    with pytest.raises((LookupError, TypeError, ValueError, ArithmeticError)) as caught:
        fuzz.tried("documents", entry["seed"])
    assert f"{type(caught.value).__name__}: {caught.value}"[:200] == entry["found"]


def test_what_has_no_end_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_: int) -> fuzz.Fates:
        while True:
            pass

    monkeypatch.setitem(fuzz.KINDS, "documents", endless)
    with pytest.raises(fuzz.NoEnd, match=r"no end after 0\.05 seconds"):
        fuzz.tried("documents", 1, patience=0.05)


def test_a_seed_says_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same one tries the same things, or a finding could not be had again."""
    seen: list[list[bytes]] = []
    drawn = hostile.Kind.drawn

    def noted(kind: hostile.Kind, rng: object) -> bytes:
        data = drawn(kind, rng)  # type: ignore[arg-type]  # as it is called
        seen[-1].append(data)
        return data

    monkeypatch.setattr(hostile.Kind, "drawn", noted)
    for number in (7, 7, 8):
        seen.append([])
        hostile.documents(number, 50)
    assert seen[0] == seen[1] != seen[2]

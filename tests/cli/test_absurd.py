"""Absurd values: a share of those that tests/absurd.py tries, and that it would find a fault."""

from pathlib import Path

import pytest

from absurd import findings
from support.absurd import Try, leaves, tries

SHARE = 24  # one of so many is tried here, another with every seed
EVER = {("simulate survey", "99999999999999999999")}
"""What once was a traceback."""


def test_no_value_is_a_traceback(seed: int, tmp_path: Path) -> None:
    chosen = [
        one
        for one in tries()
        if one.number % SHARE == seed % SHARE or (one.command, one.value) in EVER
    ]
    assert len(chosen) > 200
    assert dict(findings(chosen, tmp_path)) == {}


def test_every_command_that_can_be_called_is_tried() -> None:
    with_values = {
        words
        for words, command in leaves()
        if any(not getattr(each, "is_flag", False) for each in command.params)
    }
    assert {one.command for one in tries()} == with_values


def test_a_fault_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that isn't ours; two sentences; one that names nothing."""
    command = dict(leaves())["epsilon"]
    (option,) = (each for each in command.params if each.name == "plot")
    one = Try("epsilon", option, "x.png")

    def careless(**_: object) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(command, "callback", careless)
    (tmp_path / "one").mkdir()
    assert dict(findings([one], tmp_path / "one")) == {str(one): "ZeroDivisionError: a mistake"}

    def silent(**_: object) -> None:
        raise SystemExit(2)

    monkeypatch.setattr(command, "callback", silent)
    (tmp_path / "two").mkdir()
    assert "it is not one sentence" in dict(findings([one], tmp_path / "two"))[str(one)]

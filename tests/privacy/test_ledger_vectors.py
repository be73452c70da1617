"""The ledger's rules as vectors, which the browser's ledger passes as well (web/test)."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sudare import Collection, Device
from sudare.chance.exact import float_up
from sudare.errors import (
    BudgetExceeded,
    InvalidAnswer,
    ParameterError,
    RoundPassed,
    SudareError,
)
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger

GOLDEN = msgspec.json.decode((Path(__file__).parents[1] / "golden/ledger.json").read_bytes())
SAYS: dict[type[SudareError], str] = {
    BudgetExceeded: "over budget",
    ParameterError: "invalid",
    RoundPassed: "passed",
    InvalidAnswer: "no answer",
}


def after(ledger: Ledger, step: dict[str, Any]) -> tuple[Ledger, str]:
    """The ledger after a step, and what it says to it."""
    try:
        if "cap" in step:
            return replace(ledger, cap=step["cap"]), "done"
        if "charge" in step:
            key, epsilon, window = step["charge"]
            new = ledger.charge(key, epsilon, window=window)
        else:
            new = ledger.keep(*step["keep"])
    except SudareError as error:
        return ledger, SAYS[type(error)]
    return new, "free" if new is ledger else "paid"


@pytest.mark.parametrize("known", GOLDEN["ledgers"], ids=lambda known: known["about"])
def test_the_ledger_says_what_the_vectors_say(known: dict[str, Any]) -> None:
    ledger = Ledger(known["cap"])
    for step in known["steps"]:
        ledger, said = after(ledger, step)
        assert said == step["says"], step
        assert str(ledger.spent().epsilon) == step["spent"]
        assert (None if ledger.left is None else str(ledger.left)) == step["left"]
        assert Ledger.from_json(ledger.to_json()) == ledger
    assert {key: str(ledger.spent(key).epsilon) for key in ledger.keys} == known["collections"]
    left = None if ledger.left is None else -float_up(-ledger.left)
    assert {"spent": float_up(ledger.spent().epsilon), "left": left} == known["shown"]


def told(device: Device, collection: Collection, step: dict[str, Any]) -> str | None:
    """The record that leaves a device in a step, if any does, in hexadecimal digits."""
    if "round" in step:
        report = device.observe(collection, step["round"], step["state"])
    else:
        report = device.report(collection, step["answer"], window=step.get("window"))
    return None if report is None else report.tobytes().hex()


@pytest.mark.parametrize("known", GOLDEN["devices"], ids=lambda known: known["about"])
def test_a_device_charges_by_itself(known: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    collection = Collection.from_json(known["document"].encode())
    device = Device(bytes(range(32)), Diary(Ledger(known["cap"])))
    for step in known["steps"]:
        if "now" in step:
            now = step["now"]
            monkeypatch.setattr("sudare.device.current_window.time.time", lambda now=now: now)
        record = None
        try:
            record = told(device, collection, step)
            said = "told"
        except SudareError as error:
            said = SAYS[type(error)]
        assert said == step["says"], step
        assert step.get("record", record) == record, step
        assert device.diary.ledger.spent().epsilon == Fraction(step["spent"])

"""What a report costs to make and to count, as measured on one machine when this was built."""

from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from sudare.mechanisms.interface import Mechanism


class Cost(NamedTuple):
    """The cost of one report."""

    device_ns: float
    """Nanoseconds to randomise it, among many."""
    server_ns: float
    """Nanoseconds to check and count it, among many."""


class _Measured(msgspec.Struct):
    """What was measured: of each mechanism, by the number of listed answers, a report's cost."""

    machine: str
    costs: dict[str, list[tuple[int, float, float]]]


def cost_of(mechanism: Mechanism | None) -> Cost | None:
    """The cost of a mechanism's report: that of the next longer list that was measured, if any."""
    if mechanism is None:
        return None
    sizes = _measured().costs.get(mechanism.name, [])
    own = mechanism.domain.size or 0
    found = next((cost for cost in sizes if cost[0] >= own), None)
    return None if found is None else Cost(*found[1:])


def measured_on() -> str:
    """The machine that costs were measured on."""
    return _measured().machine


@cache
def _measured() -> _Measured:
    data = resources.files("sudare.planning").joinpath("costs.json").read_bytes()
    return msgspec.json.decode(data, type=_Measured)

"""Table 1: how errors depend on ε, measured as slopes of the exact mean maximal errors."""

import math

from record import Row
from setting import EPSILONS, FLOOR, exact

CASES = {"general": 0.5, "dense": 0.9995, "sparse": 0.0005}
SMALL = (0.05, 0.1)
MIDDLE = (2, 5)  # where noise still outweighs what sampling costs a dense stream
LARGE = (EPSILONS[-1], FLOOR)
_NEAR = 0.06  # of a slope


def small_slope(method: str, case: str) -> float:
    """Of log error against log ε, near 0: 1/ε has -1."""
    low, high = SMALL
    return _log_ratio(method, case, SMALL) / math.log(high / low)


def slope(method: str, case: str, epsilons: tuple[int, int]) -> float:
    """Of log error against ε: e^(-ε/2) has -½, a constant 0."""
    low, high = epsilons
    return _log_ratio(method, case, epsilons) / (high - low)


def _log_ratio(method: str, case: str, epsilons: tuple[float, float]) -> float:
    before, after = (exact(method, CASES[case], epsilon).mean for epsilon in epsilons)
    return math.log(after / before)


def rows() -> list[Row]:
    """Three slopes for each method and case."""
    return [
        row for method in ("glance", "harmony") for case in CASES for row in _rows(method, case)
    ]


def _rows(method: str, case: str) -> list[Row]:
    name, what = f"table1.{method}.{case}", f"table 1, {method}, {case} (μ = {CASES[case]})"
    small = small_slope(method, case)
    middle, large = (slope(method, case, epsilons) for epsilons in (MIDDLE, LARGE))
    claimed = -0.5 if method == "glance" and case != "general" else 0.0
    return [
        Row(
            f"{name}.small",
            f"{what}: slope of log error against log ε, from ε = {SMALL[0]} to {SMALL[1]}",
            -1.0,
            small,
            "equal: 1/ε" if abs(small + 1) < _NEAR else "differs",
        ),
        Row(
            f"{name}.middle",
            f"{what}: slope of log error against ε, from {MIDDLE[0]} to {MIDDLE[1]}",
            claimed,
            middle,
            _verdict(claimed, middle),
        ),
        Row(
            f"{name}.large",
            f"{what}: slope of log error against ε, from {LARGE[0]} to {LARGE[1]}",
            claimed,
            large,
            "equal: constant"
            if claimed == 0 and abs(large) < _NEAR
            else "differs: a floor; e^(-ε/2) is a transient, unless all are in one state"
            if abs(large) < _NEAR
            else "equal",
        ),
    ]


def _verdict(claimed: float, found: float) -> str:
    if abs(claimed - found) < 2 * _NEAR:
        return "equal"
    if found < -0.3:
        return "differs: it falls like Glance's; only dense streams hold Harmony up"
    return "differs: not constant yet"

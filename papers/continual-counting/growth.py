"""Section 1.1: how errors grow with the number of rounds, from exact laws."""

import math

from record import Row
from setting import BETA, exact

PEOPLE, EPSILON = 32_000, 1.0
ROUNDS = (10, 40, 160, 640)
METHODS = {  # at which share, and the exponent of T beside √log T
    "borappor": (0.5, 1.0),
    "harmony": (1.0, 0.5),
    "glance": (0.5, 0.5),
}
_NEAR = 0.03  # of an exponent: √log T itself is .09 in this range


def error(method: str, rounds: int) -> float:
    """The document's error α at β = .1: exceeded with that probability."""
    share, _ = METHODS[method]
    return exact(method, share, EPSILON, rounds, PEOPLE).quantile(1 - BETA)


def exponent(method: str, *, log: bool) -> float:
    """The slope of log error against log T between the two largest T, with or without √log T."""
    low, high = ROUNDS[-2:]
    ratio = error(method, high) / error(method, low)
    if log:
        ratio /= math.sqrt(math.log(high) / math.log(low))
    return math.log(ratio) / math.log(high / low)


def rows() -> list[Row]:
    """Errors by T, and their exponents."""
    return [
        *(_exponent_row(method, log=log) for method in METHODS for log in (True, False)),
        *(_error_row(method, rounds) for method in METHODS for rounds in ROUNDS),
    ]


def _exponent_row(method: str, *, log: bool) -> Row:
    printed, found = METHODS[method][1], exponent(method, log=log)
    name = f"section1.{method}.{'exponent' if log else 'power'}"
    what = (
        f"section 1.1, {method}: exponent of T in its error, from T = {ROUNDS[-2]} to {ROUNDS[-1]}"
    )
    if not log:
        verdict = "measured: the logarithm adds to the power" if found > printed else "measured"
        return Row(name, f"{what}, without √log T", None, found, verdict)
    return Row(
        name,
        f"{what}, beside √log T",
        printed if method != "glance" else None,
        found,
        "equal" if abs(found - printed) < _NEAR else "differs",
    )


def _error_row(method: str, rounds: int) -> Row:
    share, printed = METHODS[method]
    found = error(method, rounds)
    scaled = found / (rounds**printed * math.sqrt(math.log(rounds)))
    return Row(
        f"section1.{method}.{rounds}",
        f"section 1.1, {method}, μ = {share:g}, T = {rounds}, N = {PEOPLE:,}, ε = {EPSILON:g}: "
        f"the exact error at β = {BETA}",
        None,
        found,
        f"measured: {scaled:.3g} times T^{printed:g} √log T",
    )

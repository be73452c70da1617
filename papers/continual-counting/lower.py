"""Beyond the document: lower bounds on Glance's error, which section 5.1.3 leaves open.

README.md proves them: on some stream of μ = ½, and if everybody is in state 1, some round is off
by more than the bound with probability at least 1 - β.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from math import comb

from closed_forms import coth
from record import Row
from setting import BETA, FLOOR, PEOPLE, ROUNDS, exact

from sudare.errors import ParameterError
from sudare.planning.bounds.continual import Setting, general_bound

SHARES = {"half": 0.5, "dense": 1.0}
MANY_ROUNDS, EPSILONS, BETAS = (16, 50, 200), (0.1, 2.0, 4.0, 8.0), (0.1, 0.01)
MIDDLE = (3.0, 4.5)  # where a dense stream's error falls like e^(-ε/2)
GAPS = (16, 64, 256, 1024)  # rounds, for the factor that is left below Claims 1 and 2
_KURTOSIS = {"half": 3, "dense": 4}  # E Z⁴ is at most so many times (E Z²)²
_EACH = 200  # people in a round, there
_SMALL = (8, 16, 24)  # people, for moments as fractions
_TOLD = (Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(1))  # p - q
_NEAR = 0.03  # of an exponent


def lower_bound(stream: str, setting: Setting) -> float:
    """The error that some round exceeds with probability at least 1 - β.

    Half the people in state 1: θ √((T/8N) (coth²(ε/2) - 2/T)).
    Everybody: θ √(T/2N) / (2 sinh(ε/2)).
    """
    rounds, people = setting.rounds, setting.people
    lost = _KURTOSIS[stream] * -math.expm1(2 / rounds * math.log(0.75 * setting.beta))
    for needed, holds in _conditions(stream, setting, lost).items():
        if not holds:
            raise ParameterError(f"a lower bound on Glance's error needs {needed}, got {setting}")
    theta = math.sqrt(1 - math.sqrt(lost))
    if stream == "half":
        return theta * math.sqrt(rounds / (8 * people) * (coth(setting.epsilon) ** 2 - 2 / rounds))
    return theta * math.sqrt(rounds / (2 * people)) / (2 * math.sinh(setting.epsilon / 2))


def _conditions(stream: str, setting: Setting, lost: float) -> dict[str, bool]:
    rounds, people = setting.rounds, setting.people
    enough = rounds * math.log(4 * rounds / setting.beta)
    many = {"so many rounds that 1 - (3β/4)^(2/T) is below 1/κ": lost < 1}
    if stream == "half":
        even = {"an even number of people": people % 2 == 0, "at least 8 rounds": rounds >= 8}
        return {**many, **even, "at least T log(4T/β) people": people >= enough}
    lies = 1 / (4 * math.cosh(setting.epsilon / 2) ** 2)  # pq
    return {
        **many,
        "at least 8T log(4T/β) people": people >= 8 * enough,
        "a lie to be expected in half a round": people * lies >= 2 * rounds,
    }


def settings(stream: str) -> Iterator[Setting]:
    """Those of a grid that meet the conditions: as few people as may be, and many."""
    for rounds in MANY_ROUNDS:
        for epsilon in EPSILONS:
            for beta in BETAS:
                least = math.ceil(rounds * math.log(4 * rounds / BETAS[-1]))
                for people in (least + least % 2, PEOPLE):
                    setting = Setting(rounds, people, epsilon, beta)
                    try:
                        lower_bound(stream, setting)
                    except ParameterError:  # the grid is wider than the conditions
                        continue
                    yield setting


def rows() -> list[Row]:
    """The bounds against exact laws, their rates, and the moments that they rest on."""
    return [
        *(row for stream in SHARES for row in _stream_rows(stream)),
        *_rate_rows(),
        *(_gap_row(rounds) for rounds in GAPS),
        *_moment_rows(),
    ]


def _stream_rows(stream: str) -> list[Row]:
    found, failed, ratios = list(settings(stream)), 0, []
    for setting in found:
        law = exact("glance", SHARES[stream], setting.epsilon, setting.rounds, setting.people)
        bound = lower_bound(stream, setting)
        failed += bool(law.cdf(bound) > setting.beta)
        ratios.append(law.quantile(setting.beta) / bound)
    what = f"lower bound for Glance, {stream} (μ = {SHARES[stream]:g}), {len(found)} settings"
    return [
        Row(
            f"lower.{stream}.failed",
            f"{what}: those where the exact chance of an error within it is above β",
            None,
            failed,
            "refuted" if failed else "confirmed",
        ),
        Row(
            f"lower.{stream}.least",
            f"{what}: the least of the exact β-quantile over the bound",
            None,
            min(ratios),
            "confirmed: at least 1" if min(ratios) >= 1 else "refuted",
        ),
        Row(
            f"lower.{stream}.most",
            f"{what}: the largest of the exact β-quantile over the bound",
            None,
            max(ratios),
            "measured",
        ),
    ]


def _rate_rows() -> list[Row]:
    def at(epsilon: float) -> Setting:
        return Setting(ROUNDS, PEOPLE, epsilon, BETA)

    def fall(stream: str, low: float, high: float) -> float:
        return math.log(lower_bound(stream, at(high)) / lower_bound(stream, at(low)))

    what = "section 5.1.3: Glance's lower bound isn't proved, but thought to be"
    dense = "Corollary 5's rate as a lower bound: everybody in state 1"
    low, high = MIDDLE
    exponents = [
        (
            "small",
            f"{what} 1/ε as ε → 0: exponent of ε in ours",
            -1.0,
            fall("half", 0.05, 0.1) / math.log(2),
        ),
        (
            "large",
            f"{what} constant as ε → ∞: exponent of e^ε in ours, from ε = 8 to {FLOOR}",
            0.0,
            fall("half", 8, FLOOR) / (FLOOR - 8),
        ),
        (
            "dense.small",
            f"{dense}, exponent of ε as ε → 0",
            -1.0,
            fall("dense", 0.05, 0.1) / math.log(2),
        ),
        (
            "dense.middle",
            f"{dense}, exponent of e^ε from ε = {low:g} to {high:g}",
            -0.5,
            fall("dense", low, high) / (high - low),
        ),
    ]
    return [
        Row(
            f"lower.rate.{name}",
            text,
            printed,
            found,
            "confirmed: proved" if abs(found - printed) < _NEAR else "differs",
        )
        for name, text, printed, found in exponents
    ]


def _gap_row(rounds: int) -> Row:
    setting = Setting(rounds, _EACH * rounds, 8.0, BETA)
    gap = general_bound(setting) / lower_bound("half", setting)
    logs = gap / math.sqrt(math.log(4 * rounds / BETA))
    return Row(
        f"lower.gap.{rounds}",
        f"Claims 1 and 2 together over the lower bound, T = {rounds}, {_EACH} people a round, "
        f"ε = 8, β = {BETA}",
        None,
        gap,
        f"measured: {logs:.2f} times √log(4T/β)",
    )


def moments(people: int, reporters: int, told: Fraction) -> tuple[Fraction, Fraction]:
    """E Z² and E Z⁴ of Z = (those who say 1) - m/2, enumerated; half the people are in state 1."""
    keep, half = (1 + told) / 2, people // 2
    second = fourth = Fraction(0)
    for held in range(max(0, reporters - half), min(half, reporters) + 1):
        drawn = Fraction(comb(half, held) * comb(half, reporters - held), comb(people, reporters))
        for true in range(held + 1):
            for lies in range(reporters - held + 1):
                chance = drawn * _binomial(held, true, keep)
                chance *= _binomial(reporters - held, lies, 1 - keep)
                off = true + lies - Fraction(reporters, 2)
                second, fourth = second + chance * off**2, fourth + chance * off**4
    return second, fourth


def _binomial(number: int, hits: int, chance: Fraction) -> Fraction:
    return comb(number, hits) * chance**hits * (1 - chance) ** (number - hits)


def _moment_rows() -> list[Row]:
    wrong = above = tried = 0
    for people in _SMALL:
        for reporters in range(1, people // 4 + 1):
            for told in _TOLD:
                second, fourth = moments(people, reporters, told)
                closed = Fraction(reporters, 4) * (
                    1 - told**2 * Fraction(reporters - 1, people - 1)
                )
                wrong += second != closed
                above += fourth > _KURTOSIS["half"] * second**2
                tried += 1
    what = f"lower bound for Glance, {tried} cases of 8 to 24 people as fractions"
    return [
        Row(
            "lower.moments.second",
            f"{what}: those whose E Z² isn't (m/4) (1 - (p - q)² (m - 1)/(N - 1))",
            None,
            wrong,
            "refuted" if wrong else "confirmed",
        ),
        Row(
            "lower.moments.fourth",
            f"{what}, m ≤ N/4: those whose E Z⁴ is above 3 (E Z²)²",
            None,
            above,
            "refuted" if above else "confirmed",
        ),
    ]

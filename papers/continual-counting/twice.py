"""Section 5.1.2: whether noise and sampling together are at most twice the error."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import parts
from record import Row
from setting import BETA, PEOPLE

from sudare import Glance
from sudare.chance.exact import exact_law

SAID, PROVED = 2, 3  # for every run, and on average
EPSILON = 2.5
_ROUNDS = 2


@dataclass(frozen=True)
class Outcome:
    """What happened once, as fractions."""

    chance: Fraction
    noise: Fraction
    sampling: Fraction
    error: Fraction

    @property
    def ratio(self) -> Fraction | float:
        """Both parts over the error; infinite if they cancel."""
        both = self.noise + self.sampling
        if self.error:
            return both / self.error
        return math.inf if both else Fraction(1)


def largest(
    shares: Sequence[Fraction], keep: Fraction, reporters: Sequence[Sequence[int]]
) -> tuple[Fraction, Fraction, Fraction]:
    """The largest noise, sampling and error of any round with reporters.

    Args:
        shares: μ_t.
        keep: the chance that a reporter tells the truth.
        reporters: how many there are in each round, are in state 1, and say 1.
    """
    noise, sampling, error = [], [], []
    for share, (number, held, said) in zip(shares, reporters, strict=True):
        if number:
            estimate = (Fraction(said, number) - (1 - keep)) / (2 * keep - 1)
            sampled = Fraction(held, number)
            noise.append(abs(estimate - sampled))
            sampling.append(abs(sampled - share))
            error.append(abs(estimate - share))
    return max(noise), max(sampling), max(error)


def outcomes(people: int, epsilon: float) -> Iterator[Outcome]:
    """Everything that can happen in two rounds: Glance's own code down every path of chance.

    The first half of the people are in state 1 in both rounds, the others in state 0.
    """
    mechanism = Glance.calibrate(_ROUNDS, epsilon)
    states = [1] * (people // 2) + [0] * (people - people // 2)
    streams = np.repeat(np.array(states, np.uint8)[:, np.newaxis], _ROUNDS, axis=1)
    law = exact_law(lambda rng: tuple(mechanism.perturb(streams, rng).tolist()))
    share, keep = Fraction(sum(states), people), Fraction(mechanism.keep)
    for reports, chance in law.items():
        counts = np.zeros((_ROUNDS, 3), np.int64)
        for state, (number, bit) in zip(states, reports, strict=True):
            counts[number - 1] += (1, state, bit)
        yield Outcome(chance, *largest([share] * _ROUNDS, keep, counts.tolist()))


def rows(runs: Sequence[parts.Runs]) -> list[Row]:
    """Two and four people, as fractions; then many, in runs."""
    return [*_two_rows(), *_four_rows(), *(row for each in runs for row in _run_rows(each))]


def _two_rows() -> list[Row]:
    found = list(outcomes(2, EPSILON))
    worst = max(found, key=lambda outcome: outcome.ratio)
    keep = Fraction(Glance.calibrate(_ROUNDS, EPSILON).keep)
    odds = keep / (1 - keep)
    closed = (3 * odds - 1) / (odds + 1)
    edge = Fraction(3)  # where that is 2
    what = "section 5.1.2: both parts over the error, two people in opposite states, two rounds"
    return [
        Row(
            "twice.two",
            f"{what}, ε = {EPSILON}: its largest value, (3e^ε - 1)/(e^ε + 1)",
            SAID,
            float(worst.ratio),
            _refuted(worst.ratio) if worst.ratio == closed else "differs",
        ),
        Row(
            "twice.two.chance",
            f"{what}, ε = {EPSILON}: the exact chance that it is above 2",
            0.0,
            float(_chance(found)),
            "refuted" if _chance(found) > 0 else "confirmed",
        ),
        Row(
            "twice.two.edge",
            f"{what}: the ε from which it can be above 2, ln 3",
            None,
            math.log(edge),
            "equal" if (3 * edge - 1) / (edge + 1) == SAID else "differs",
        ),
        _mean_row("two", what, found),
    ]


def _four_rows() -> list[Row]:
    found = list(outcomes(4, EPSILON))
    cancelled = sum((each.chance for each in found if each.ratio == math.inf), Fraction(0))
    what = "section 5.1.2: both parts over the error, four people, two rounds"
    return [
        Row(
            "twice.four.chance",
            f"{what}, ε = {EPSILON}: the exact chance that it is above 2",
            0.0,
            float(_chance(found)),
            "refuted" if _chance(found) > 0 else "confirmed",
        ),
        Row(
            "twice.four.cancelled",
            f"{what}, ε = {EPSILON}: the exact chance that the parts cancel and there is no error",
            0.0,
            float(cancelled),
            "refuted: no factor would do" if cancelled else "measured",
        ),
        _mean_row("four", what, found),
    ]


def _chance(found: Sequence[Outcome]) -> Fraction:
    return sum((each.chance for each in found if each.ratio > SAID), Fraction(0))


def _mean_row(name: str, what: str, found: Sequence[Outcome]) -> Row:
    both = sum((each.chance * (each.noise + each.sampling) for each in found), Fraction(0))
    ratio = both / sum((each.chance * each.error for each in found), Fraction(0))
    return Row(
        f"twice.{name}.mean",
        f"{what}, ε = {EPSILON}: the exact mean of one over that of the other; at most {PROVED}",
        None,
        float(ratio),
        "measured: below 2" if ratio < SAID else "measured" if ratio <= PROVED else "refuted",
    )


def _refuted(ratio: Fraction | float) -> str:
    return "refuted: they may cancel" if ratio > SAID else "confirmed"


def _run_rows(runs: parts.Runs) -> list[Row]:
    ratios = (runs.noise + runs.sampling) / runs.errors
    at = int(ratios.argmax())
    counts = np.stack([runs.reporters[at], runs.held[at], runs.said[at]], axis=1)
    shares = [Fraction(int(ones), PEOPLE) for ones in parts.STREAMS[runs.stream][:, 1]]
    noise, sampling, error = largest(shares, Fraction(runs.keep), counts.tolist())
    above, name = float((ratios > SAID).mean()), f"{runs.stream}.{runs.epsilon:g}"
    quantiles = [
        float(np.quantile(part, 1 - BETA / 2) / np.quantile(runs.errors, 1 - BETA))
        for part in (runs.noise, runs.sampling)
    ]
    means = (runs.noise.mean() + runs.sampling.mean()) / runs.errors.mean()
    what = f"section 5.1.2, {runs.stream} stream, ε = {runs.epsilon:g}: both parts over the error"
    return [
        Row(
            f"twice.runs.{name}.largest",
            f"{what}, the largest of the runs, from its counts as a fraction",
            SAID,
            float((noise + sampling) / error),
            _refuted((noise + sampling) / error) if above else "measured: no run is above 2",
        ),
        Row(
            f"twice.runs.{name}.share",
            f"{what}: the share of the runs above 2",
            0.0,
            above,
            "refuted" if above else "measured: none",
        ),
        Row(
            f"twice.runs.{name}.mean",
            f"{what}, the means; at most {PROVED}",
            None,
            float(means),
            "measured: below 2" if means < SAID else "measured",
        ),
        Row(
            f"twice.runs.{name}.quantiles",
            f"{what}, as the document defines an error: quantiles at 1 - β/2 over one at 1 - β",
            SAID,
            sum(quantiles),
            "measured: below 2" if sum(quantiles) <= SAID else "refuted",
        ),
    ]

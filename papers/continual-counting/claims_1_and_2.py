"""Claims 1 and 2: how often each bound holds, exactly and in runs, and how loose it is."""

from collections.abc import Sequence

import numpy as np
import parts
from record import Row
from scipy import stats
from setting import BETA, FLOOR, PEOPLE, READINGS, ROUNDS, Counts, Floats, at, exact

from sudare import Glance
from sudare.planning.bounds.continual import Setting, sampling_bound, solved_theta

EPSILONS = (1.0, 4.0, 8.0)
_FEW = 1_000  # people: 20 in a round
CASES = ((PEOPLE, 0.5), (PEOPLE, 1.0), (_FEW, 0.5), (_FEW, 1.0))  # N and μ
_CUT = 1e-18  # of each law of reporters, at either end; added to the chance of failing
_TIE = 1e-9  # an error so near to a bound has reached it


def rows(runs: Sequence[parts.Runs]) -> list[Row]:
    """Exact chances, what the bounds are beside exact quantiles, and runs."""
    return [*_exact_rows(), *_loose_rows(), *(row for each in runs for row in _run_rows(each))]


def noise_failure(setting: Setting, share: float, bounds: Sequence[float]) -> list[float]:
    """The most that the chance of |μ̂_t - μ̃_t| ≥ each bound in any round can be.

    T times that of one round, where those in state 1 who report and those in state 0 are
    independent numbers.
    """
    keep = Glance.calibrate(setting.rounds, setting.epsilon).keep
    (held, chances), (others, weights) = _reporters(setting, share)
    rows = np.arange(others.size)[:, np.newaxis]
    said = np.arange(others.max() + 2)  # by those in state 0
    least = np.asarray(stats.binom.sf(said - 1, others[:, np.newaxis], 1 - keep))  # P(≥ said)
    most = np.asarray(stats.binom.cdf(said - 1, others[:, np.newaxis], 1 - keep))  # P(< said)
    failing = np.full(len(bounds), 4 * _CUT)
    for number, chance in zip(held.tolist(), chances.tolist(), strict=True):
        ones = np.arange(number + 1)
        law = stats.binom.pmf(ones, number, keep)
        mean = keep * number + (1 - keep) * others
        for index, bound in enumerate(bounds):
            reach = bound * (2 * keep - 1) * (number + others)
            above = np.ceil(mean + reach - _TIE)[:, np.newaxis] - ones
            below = np.floor(mean - reach + _TIE)[:, np.newaxis] - ones + 1
            high, low = (np.clip(end, 0, said[-1]).astype(np.int64) for end in (above, below))
            off = np.minimum(1.0, least[rows, high] + most[rows, low])  # nobody reports: once
            failing[index] += chance * (weights @ (off @ law))
    return (setting.rounds * failing).tolist()


def sampling_failure(setting: Setting, share: float, bound: float) -> float:
    """The most that the chance of |μ̃_t - μ_t| ≥ ``bound`` in any round can be."""
    (held, chances), (others, weights) = _reporters(setting, share)
    everybody = np.maximum(1, held[:, np.newaxis] + others)  # nobody: off by μ itself, at least
    off = np.abs(held[:, np.newaxis] / everybody - share) >= bound - _TIE
    return setting.rounds * float(4 * _CUT + chances @ off @ weights)


def _reporters(setting: Setting, share: float) -> tuple[tuple[Counts, Floats], ...]:
    """How many report in a round, with their chances: of those in state 1, and in state 0."""
    ones, found = round(share * setting.people), []
    for people in (ones, setting.people - ones):
        law, numbers = stats.binom(people, 1 / setting.rounds), np.arange(people + 1)
        kept = numbers[(law.cdf(numbers) > _CUT) & (law.sf(numbers - 1) > _CUT)]
        found.append((kept, law.pmf(kept)))
    return tuple(found)


def _exact_rows() -> list[Row]:
    found = []
    for people, share in CASES:
        place = f"{people}.{share:g}"
        what = f"T = {ROUNDS}, N = {people:,}, μ = {share:g}"
        settings = [Setting(ROUNDS, people, epsilon, BETA) for epsilon in EPSILONS]
        for setting in settings:
            bounds = [theta(setting) for theta in READINGS.values()]
            chances = noise_failure(setting, share, bounds)
            found += [
                _exact_row(
                    f"claim1.{reading}.{place}.{setting.epsilon:g}",
                    f"Claim 1, θ {reading}, {what}, ε = {setting.epsilon:g}",
                    chance,
                )
                for reading, chance in zip(READINGS, chances, strict=True)
            ]
        chance = sampling_failure(settings[0], share, sampling_bound(settings[0]))
        found.append(_exact_row(f"claim2.{place}", f"Claim 2, {what}, any ε", chance))
    return found


def _exact_row(name: str, what: str, chance: float) -> Row:
    return Row(
        name,
        f"{what}: the exact chance that it fails is at most",
        BETA / 2,
        chance,
        "confirmed" if chance <= BETA / 2 else "refuted",
    )


def _loose_rows() -> list[Row]:
    noise = [
        (f"claim1.loose.{e:g}", f"Claim 1, θ solved, ε = {e:g}", solved_theta(at(e)), (1.0, e))
        for e in EPSILONS
    ]
    sampling = ("claim2.loose", "Claim 2", sampling_bound(at(1.0)), (0.5, float(FLOOR)))
    return [
        Row(
            name,
            f"{what}: the bound over the exact quantile at 1 - β/2, μ = {place[0]:g}",
            "at least 1",
            ratio,
            "confirmed" if ratio >= 1 else "refuted",
        )
        for name, what, bound, place in (*noise, sampling)
        for ratio in [bound / exact("glance", *place).quantile(1 - BETA / 2)]
    ]


def _run_rows(runs: parts.Runs) -> list[Row]:
    setting = at(runs.epsilon)
    found = []
    for name, errors, bound in (
        ("1", runs.noise, solved_theta(setting)),
        ("2", runs.sampling, sampling_bound(setting)),
    ):
        holds = float((errors < bound).mean())
        found.append(
            Row(
                f"claim{name}.runs.{runs.stream}.{runs.epsilon:g}",
                f"Claim {name}, {runs.stream} stream, ε = {runs.epsilon:g}: share of the runs in "
                f"which it holds",
                1 - BETA / 2,
                holds,
                f"confirmed: the largest error is {errors.max() / bound:.2f} of the bound"
                if holds >= 1 - BETA / 2
                else "refuted",
            )
        )
    return found

"""The document's own statements: condition (2) in section 6, Theorems 4 and 5, Corollary 5."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import reversal
from closed_forms import dense_rate
from record import Row
from setting import BETA, EPSILONS, READINGS, ROUNDS, at, exact, population

from sudare import Glance, Harmony, Seeded
from sudare.planning.bounds.continual import (
    Setting,
    condition_edge,
    dense_or_sparse,
    divergence,
    harmony_lower_bound,
    noise_exponent,
    printed_theta,
    solved_theta,
)
from sudare.planning.bounds.maximal import MaximalError, harmony_maximum
from sudare.simulation.experiments import stream_errors

STREAMS = {"everybody in state 1": 1.0, "half": 0.5, "nobody": 0.0}
_SMALLER = 10_000  # people, for whom the law is computed at once
_FEW = 200  # people, so few that some rounds have no reports
_LARGE = (10, 20, 30)


def steps(repetitions: int) -> int:
    """How many experiments there are in all."""
    return repetitions * (len(STREAMS) + 1)


def rows(repetitions: int, rng: Seeded, progress: Callable[[int], object]) -> list[Row]:
    """Every statement."""
    return [
        *_theta_rows(),
        *_condition_rows(),
        *_theorem4_rows(repetitions, rng, progress),
        *_theorem5_rows(),
        *_corollary5_rows(),
        _undefined_row(repetitions, rng, progress),
        *_text_rows(),
    ]


def _theta_rows() -> list[Row]:
    setting = at(4.0)
    root, printed = solved_theta(setting), printed_theta(setting)
    solves = math.isclose(noise_exponent(4.0, root), setting.L, rel_tol=1e-9)
    return [
        Row(
            "theta",
            "(1): θ as printed, in units of the root of its own condition (T = 50, N = 10⁴, ε = 4)",
            1.0,
            printed / root,
            "misprint: the ½ of the quadratic formula is lost; valid, but twice as large"
            if solves and printed > 1.5 * root
            else "equal",
        ),
        Row(
            "divergence",
            "section 5.2: D(a‖b) is infinite for a ≤ 0 or a ≥ 1; at a = 0, b = ½",
            "+∞",
            divergence(0.0, 0.5),
            "misprint: finite at a = 0 and a = 1" if divergence(0, 0.5) < math.inf else "equal",
        ),
    ]


def _condition_rows() -> list[Row]:
    found = []
    for reading, theta in READINGS.items():
        edge = condition_edge(at(1.0), 0.5, theta)
        fails = not any(
            dense_or_sparse(at(epsilon), 0.5, theta) for epsilon in np.arange(2.5, 8.1, 0.1)
        )
        found.append(
            Row(
                f"section6.condition.{reading}.0.5",
                f"section 6, θ {reading}: (2) fails at μ = 0.5 from ε = 2.5 on; it fails from",
                2.5,
                edge,
                "confirmed" if fails else "refuted",
            )
        )
        for share in (0.9995, 0.995):
            edge = condition_edge(at(1.0), share, theta)
            holds = all(dense_or_sparse(at(e), share, theta) for e in np.arange(1, 8.1, 0.1))
            found.append(
                Row(
                    f"section6.condition.{reading}.{share}",
                    f"section 6, θ {reading}: (2) holds at μ = {share} on 1 ≤ ε ≤ 8; it does up to",
                    "at least 8",
                    edge if math.isfinite(edge) else "every ε",
                    "confirmed"
                    if holds
                    else "refuted: so the text's μ, or the printed θ, is meant",
                )
            )
    return found


def _theorem4_rows(repetitions: int, rng: Seeded, progress: Callable[[int], object]) -> list[Row]:
    setting = reversal.at(8.0)
    bound, mechanism = harmony_lower_bound(setting), Harmony.calibrate(setting.rounds, 8.0)
    found = []
    for name, share in STREAMS.items():
        truth = population(share, setting.rounds, setting.people)
        errors = stream_errors(mechanism, truth, repetitions, rng, progress=progress).maximal
        found.append(
            _theorem4_row(
                f"theorem4.runs.{share:g}",
                f"figure 2's setting at ε = 8, {name}: share of runs",
                setting.beta,
                float((errors > bound).mean()),
                as_meant=share == 1,
            )
        )
    return [*found, *map(_exact_theorem4, (math.log(2), 10.0))]


def _exact_theorem4(excess: float) -> Row:
    beta = math.exp(-excess) / (_SMALLER + 1) ** 2
    setting = Setting(10, _SMALLER, 8.0, beta)
    return _theorem4_row(
        f"theorem4.exact.{excess:.3g}",
        f"T = 10, N = {_SMALLER:,}, ε = 8, everybody in state 1, β = {beta:.2g}: the exact chance",
        beta,
        float(1 - _everybody().cdf(harmony_lower_bound(setting))),
        as_meant=True,
    )


@cache
def _everybody() -> MaximalError:
    """The law of Harmony's error if everybody is in state 1."""
    keep = Harmony.calibrate(10, 8.0).keep
    return harmony_maximum(keep, _SMALLER, population(1.0, 10, _SMALLER)[:, 1])


def _theorem4_row(identifier: str, what: str, beta: float, above: float, *, as_meant: bool) -> Row:
    if above >= 1 - beta:
        verdict = "confirmed"
    elif as_meant and above >= beta:
        verdict = "misprint: “with probability at least β”, which holds"
    else:
        verdict = "refuted" if as_meant else "refuted: nor is this the stream"
    return Row(
        identifier,
        f"Theorem 4: Harmony's error is above the bound with probability 1 - β; {what} above it",
        1 - beta,
        above,
        verdict,
    )


def _theorem5_rows() -> list[Row]:
    found = []
    for reading, theta in READINGS.items():
        for share in (0.9995, 0.995):
            settings = [at(epsilon) for epsilon in EPSILONS]
            under = [each for each in settings if dense_or_sparse(each, share, theta)]
            worst = max(
                1 - float(exact("glance", share, each.epsilon).cdf(2 * theta(each)))
                for each in under
            )
            found.append(
                Row(
                    f"theorem5.{reading}.{share}",
                    f"Theorem 5, θ {reading}, μ = {share}: the largest exact chance of an error "
                    f"above 2θ, at the {len(under)} of ε = 1 … 8 where (2) holds; at most β",
                    BETA,
                    worst,
                    "confirmed" if worst <= BETA else "refuted",
                )
            )
    return found


def _corollary5_rows() -> list[Row]:
    settings = [at(epsilon) for epsilon in _LARGE]
    products = [2 * solved_theta(each) / _product(each) for each in settings]
    sums = [2 * solved_theta(each) / dense_rate(each) for each in settings]
    grown, kept = products[-1] / products[0], sums[-1] / sums[0]
    verdict = (
        "misprint: a sum, √(T log(T/β) / (e^ε N)) + T log(T/β) / N: no constant makes up for it"
        if grown > 10 and 0.5 < kept < 2
        else "confirmed"
    )
    return [
        *(
            Row(
                f"corollary5.product.{each.epsilon:g}",
                f"Corollary 5: 2θ over the product as printed, ε = {each.epsilon:g}",
                "bounded",
                ratio,
                verdict,
            )
            for each, ratio in zip(settings, products, strict=True)
        ),
        *(
            Row(
                f"corollary5.sum.{each.epsilon:g}",
                f"Corollary 5 with a sum: 2θ over it, ε = {each.epsilon:g}",
                None,
                ratio,
                "equal: bounded" if 0.5 < kept < 2 else "differs",
            )
            for each, ratio in zip(settings, sums, strict=True)
        ),
    ]


def _product(setting: Setting) -> float:
    """√(T log(T/β) / (e^ε N)) · √(T log(T/β) / N), as printed."""
    rate = setting.rounds * math.log(setting.rounds / setting.beta) / setting.people
    return rate * math.exp(-setting.epsilon / 2)


def _undefined_row(repetitions: int, rng: Seeded, progress: Callable[[int], object]) -> Row:
    found = stream_errors(
        Glance.calibrate(ROUNDS, 4.0),
        population(0.5, ROUNDS, _FEW),
        repetitions,
        rng,
        progress=progress,
    )
    expected = ROUNDS * (1 - 1 / ROUNDS) ** _FEW
    return Row(
        "undefined",
        f"section 4.1: μ̂_t divides by the number of reporters; rounds of {ROUNDS} in which nobody "
        f"of {_FEW} reports ({expected:.3f} expected)",
        0.0,
        float(found.missing.mean()),
        "misprint: undefined there; such a round has no estimate" if expected > 0 else "confirmed",
    )


def _text_rows() -> list[Row]:
    fewest = replace(at(1.0), people=at(1.0).least_people)
    return [
        Row(
            "text.theorem5",
            "Theorem 5 and Corollary 5: what is estimated",
            "|μ̂ - μ̃|",
            "|μ̂ - μ|",
            "misprint: with μ̃ it is Claim 1 again, without need of (2)",
        ),
        Row("text.reporters", "section 4.1: η_t", "t ∈ τ_n", "t = τ_n", "misprint: τ_n is a round"),
        Row(
            "text.error",
            "section 3.2: the definition of an error α",
            "max = α with probability 1 - β",
            "max ≤ α with probability at least 1 - β",
            "misprint: an equality has hardly any probability",
        ),
        Row(
            "text.order",
            "section 5.2.3: where Glance's bound has no better order than Harmony's",
            "in ε",
            "in T and N",
            "misprint: the sentences before it say that it is better in ε",
        ),
        Row(
            "text.people",
            "Claims 1 and 2: N > T log(4T/β); the fewest people at T = 50, β = .1",
            ROUNDS * math.log(4 * ROUNDS / BETA),
            fewest.people,
            "equal" if fewest.L > 0 else "differs",
        ),
    ]

"""Beyond the document: the exact ε of k reports of one memoised answer, from ε₁ to ε∞."""

from collections.abc import Iterable
from itertools import pairwise

from formulas import REPORT, SINGLE, F, H, permanent_epsilon
from record import Row

import laws
from sudare import Rappor
from sudare.chance.exact import log_up

MANY = 200


def exact_epsilons(mechanism: Rappor, reports: Iterable[int]) -> list[float]:
    """What so many reports of one answer cost, exactly."""
    return [mechanism.epsilon_of(count) for count in reports]


def repeated_rows() -> list[Row]:
    """The closed form against the enumerated law, and how fast ε∞ is reached."""
    return [*_enumerated_rows(), *_curve_rows()]


def _enumerated_rows() -> list[Row]:
    found = []
    for count in (1, 2, 3):
        enumerated = laws.channel(SINGLE, count).worst_ratio
        found.append(
            Row(
                f"repeated.{count}",
                f"the ε of {count} report{'s' * (count > 1)} of one answer, enumerated (h = 1)",
                None,
                log_up(enumerated),
                "equal: to the closed form" if enumerated == SINGLE.ratio_of(count) else "differs",
            )
        )
    return found


def _curve_rows() -> list[Row]:
    ratios = [REPORT.ratio_of(count) for count in range(1, MANY + 1)]
    lasting = REPORT.lifetime_ratio
    rising = all(a < b for a, b in pairwise(ratios))
    curve = [log_up(ratio) for ratio in ratios]
    limit = REPORT.lifetime_epsilon
    half, near = (
        next(count for count, epsilon in enumerate(curve, 1) if epsilon > part * limit)
        for part in (0.5, 0.99)
    )
    return [
        Row(
            "repeated.rising",
            f"section 2.2: every repetition costs more, and all together at most ε∞: "
            f"the ε of {MANY} reports (h = 2)",
            permanent_epsilon(F, H),
            curve[-1],
            "confirmed" if rising and lasting is not None and ratios[-1] < lasting else "refuted",
        ),
        Row(
            "repeated.composition",
            "the exact ε of 3 reports (h = 2)",
            None,
            curve[2],
            f"measured: composition would say {3 * curve[0]:.3f}",
        ),
        Row(
            "repeated.half",
            "reports after which half of ε∞ is spent (h = 2)",
            None,
            half,
            "measured",
        ),
        Row(
            "repeated.near",
            "reports after which 99 % of ε∞ is spent (h = 2)",
            None,
            near,
            "measured",
        ),
    ]

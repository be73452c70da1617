"""The same wish under other models of trust: who must be trusted, and how many people it takes."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sudare.planning.kinds.interface import Kind
from sudare.planning.kinds.joint_total import USUAL_DELTA, shipped_measure
from sudare.planning.measures import Measure, TotalMeasure
from sudare.planning.wish import Wish

Model = Literal["randomised", "two_parties", "curator"]


@dataclass(frozen=True)
class TrustModel:
    """What a wish takes where somebody is trusted.

    Attributes:
        model: answers that are randomised before they are sent, when nobody need be trusted; two
            parties, of whom one has to be honest; or a curator, who sees every answer.
        epsilon: the budget.
        delta: the chance with which its part may be exceeded, for each count that a person changes.
        people: how many are asked.
        error: what is then reached of the goal.
        exact: whether the noise is one that ships; else it is the least that there can be.
    """

    model: Model
    epsilon: float
    delta: float
    people: int
    error: float
    exact: bool

    def document(self) -> dict[str, Any]:
        """The model as JSON values."""
        return asdict(self)


def trust_models(
    kind: Kind, wish: Wish, epsilon: float, alone: tuple[int, float]
) -> tuple[TrustModel, ...]:
    """The models for a plan that was found, at its ε; none where the kind has no plain counts.

    With people given, the models differ in the error; else in how many people reach it.

    Args:
        kind: what is asked.
        wish: of whom, and how sure.
        epsilon: the budget that was found.
        alone: people, and the value of the goal, where nobody need be trusted.
    """
    changed = kind.counts_changed
    if changed is None or wish.population:
        return ()
    rate = epsilon / wish.visits / changed
    best = TotalMeasure.of_best(rate, wish)
    shipped = shipped_measure(rate, wish)

    def model(name: Model, measure: Measure, delta: float, *, exact: bool) -> TrustModel:
        if wish.value is None:
            people = wish.people or 0
        else:
            fewest = math.ceil(measure.reports(wish.goal, wish.value / kind.scale))
            people = wish.people or wish.asked(max(1, fewest))
        reached = kind.scale * measure.foreseen(wish.goal, wish.reports(people))
        return TrustModel(name, epsilon, delta, people, reached, exact)

    return (
        TrustModel("randomised", epsilon, 0.0, *alone, exact=True),
        model("two_parties", shipped or best, USUAL_DELTA, exact=shipped is not None),
        model("curator", best, 0.0, exact=True),
    )

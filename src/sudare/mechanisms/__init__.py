"""An answer into a report, reports into counts, counts into an unbiased estimate.

Here is the registry that documents name mechanisms by. Each has a file with its ε beside it:

``grr``: one answer of k, sometimes a lie.
``unary``: a bit per answer, each flipped on its own; OUE and SUE.
``set_response``: several answers of k, reported as a set that meets them or not.
``points``: one point of many, which supports some answers; projective geometry and Hadamard.
``rappor``: an answer as bits, randomised once for good and again for every report.
``glance``: over time: one round per person.
``harmony``: over time: one round per person, and 0 in all others.
``borappor``: over time: every round, with a T-th of the budget each.
``kshot``: over time: several rounds per person, with noise drawn for all of them together.

``interface``: what every mechanism is.
``continual``: what every mechanism over time is.
``domain``: the values that a person may answer.
``strings``: free text as an answer, known by its digest.
``bloom``: which bits a text sets.
``aggregate``: tallies that merge.
``population_sampler``: reports of whole populations drawn at once, for simulations.
"""

from typing import Any

from sudare.errors import InvalidDocument
from sudare.mechanisms.borappor import Borappor
from sudare.mechanisms.continual import ContinualMechanism
from sudare.mechanisms.glance import Glance
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.harmony import Harmony
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism
from sudare.mechanisms.kshot import KShot
from sudare.mechanisms.points import HadamardResponse, ProjectiveGeometry
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.unary import OUE, SUE

CATEGORICAL: dict[str, type[CategoricalMechanism]] = {
    cls.name: cls for cls in (GRR, OUE, SUE, ProjectiveGeometry, HadamardResponse)
}
CONTINUAL: dict[str, type[ContinualMechanism]] = {
    cls.name: cls for cls in (Glance, Harmony, Borappor, KShot)
}
REGISTRY: dict[str, type[Mechanism]] = {
    **CATEGORICAL,
    SetResponse.name: SetResponse,
    Rappor.name: Rappor,
    **CONTINUAL,
}


def from_document(document: dict[str, Any]) -> Mechanism:
    """The mechanism that a document describes."""
    name = document.get("name")
    if not isinstance(name, str) or name not in REGISTRY:
        raise InvalidDocument(f"the mechanism must be one of {', '.join(REGISTRY)}")
    return REGISTRY[name].from_document(document)

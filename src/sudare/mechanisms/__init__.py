"""The mechanisms, one file each, and the registry that documents name them by."""

from typing import Any

from sudare.continual import ContinualMechanism
from sudare.errors import InvalidDocument
from sudare.mechanism import CategoricalMechanism, Mechanism
from sudare.mechanisms.borappor import Borappor
from sudare.mechanisms.glance import Glance
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.harmony import Harmony
from sudare.mechanisms.kshot import KShot
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.unary import OUE, SUE

CATEGORICAL: dict[str, type[CategoricalMechanism]] = {cls.name: cls for cls in (GRR, OUE, SUE)}
CONTINUAL: dict[str, type[ContinualMechanism]] = {
    cls.name: cls for cls in (Glance, Harmony, Borappor, KShot)
}
REGISTRY: dict[str, type[Mechanism]] = {**CATEGORICAL, Rappor.name: Rappor, **CONTINUAL}


def from_document(document: dict[str, Any]) -> Mechanism:
    """The mechanism that a document describes."""
    name = document.get("name")
    if not isinstance(name, str) or name not in REGISTRY:
        raise InvalidDocument(f"the mechanism must be one of {', '.join(REGISTRY)}")
    return REGISTRY[name].from_document(document)

"""The mechanisms, one file each, and the registry that documents name them by."""

from typing import Any

from sudare.errors import InvalidDocument
from sudare.mechanism import CategoricalMechanism, Mechanism
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.unary import OUE, SUE

CATEGORICAL: dict[str, type[CategoricalMechanism]] = {cls.name: cls for cls in (GRR, OUE, SUE)}
REGISTRY: dict[str, type[Mechanism]] = {**CATEGORICAL, Rappor.name: Rappor}


def from_document(document: dict[str, Any]) -> Mechanism:
    """The mechanism that a document describes."""
    name = document.get("name")
    if not isinstance(name, str) or name not in REGISTRY:
        raise InvalidDocument(f"the mechanism must be one of {', '.join(REGISTRY)}")
    return REGISTRY[name].from_document(document)

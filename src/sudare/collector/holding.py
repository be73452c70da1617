"""What a collector can hold."""

from sudare.collection import Collection
from sudare.errors import ParameterError


def check_held(collection: Collection) -> None:
    """Refuse a collection of which a collector could never show anything."""
    if collection.over_time and collection.windows is None:
        raise ParameterError(
            f"“{collection.name}” counts over time and has no windows, so a collector can't know "
            f"when its rounds end: make it with --window"
        )

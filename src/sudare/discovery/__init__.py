"""Texts that nobody has listed, found from reports of their parts."""

from sudare.discovery.joining import Discovered, discover
from sudare.discovery.plan import Discovery

__all__ = ["Discovered", "Discovery", "discover"]

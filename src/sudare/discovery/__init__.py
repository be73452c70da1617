"""Texts that nobody has listed, found from reports of their parts.

``plan``: the public document that devices and collector share.
``budget``: what it costs a person, and the mechanisms that a budget allows.
``spelling``: a text as letters, with a sign for every other character.
``joining``: grams found, joined to texts, and put to the test.
"""

from sudare.discovery.joining import Discovered, discover
from sudare.discovery.plan import Discovery

__all__ = ["Discovered", "Discovery", "discover"]

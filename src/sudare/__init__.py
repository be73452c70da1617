"""Private statistics without having to be trusted with the answers."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudare.aggregate import Aggregate
    from sudare.association import Association, associate
    from sudare.channel import Channel
    from sudare.client import Collector
    from sudare.collection import Collection
    from sudare.crowd import Crowd
    from sudare.decoding import Decoded, decode
    from sudare.device import Device
    from sudare.discovery import Discovered, Discovery, discover
    from sudare.domain import Categories, Streams
    from sudare.errors import SudareError
    from sudare.estimate import Estimate
    from sudare.exact import exact_law
    from sudare.likelihood_decoding import decode_reports
    from sudare.live import LiveCount
    from sudare.mechanism import Mechanism
    from sudare.mechanisms.borappor import Borappor
    from sudare.mechanisms.glance import Glance
    from sudare.mechanisms.grr import GRR
    from sudare.mechanisms.harmony import Harmony
    from sudare.mechanisms.kshot import KShot
    from sudare.mechanisms.rappor import Rappor
    from sudare.mechanisms.unary import OUE, SUE
    from sudare.outbox import Outbox
    from sudare.participant import Participant
    from sudare.privacy.diary import Diary
    from sudare.privacy.ledger import Ledger
    from sudare.randomness import Randomness, Scripted, Seeded, System

# Where each public name lives. Loaded when asked for: the command line must start at once.
_HOMES = {
    "GRR": "sudare.mechanisms.grr",
    "OUE": "sudare.mechanisms.unary",
    "SUE": "sudare.mechanisms.unary",
    "Aggregate": "sudare.aggregate",
    "Association": "sudare.association",
    "Borappor": "sudare.mechanisms.borappor",
    "Categories": "sudare.domain",
    "Channel": "sudare.channel",
    "Collection": "sudare.collection",
    "Collector": "sudare.client",
    "Crowd": "sudare.crowd",
    "Decoded": "sudare.decoding",
    "Device": "sudare.device",
    "Diary": "sudare.privacy.diary",
    "Discovered": "sudare.discovery",
    "Discovery": "sudare.discovery",
    "Estimate": "sudare.estimate",
    "Glance": "sudare.mechanisms.glance",
    "Harmony": "sudare.mechanisms.harmony",
    "KShot": "sudare.mechanisms.kshot",
    "Ledger": "sudare.privacy.ledger",
    "LiveCount": "sudare.live",
    "Mechanism": "sudare.mechanism",
    "Outbox": "sudare.outbox",
    "Participant": "sudare.participant",
    "Rappor": "sudare.mechanisms.rappor",
    "Randomness": "sudare.randomness",
    "Scripted": "sudare.randomness",
    "Seeded": "sudare.randomness",
    "Streams": "sudare.domain",
    "SudareError": "sudare.errors",
    "System": "sudare.randomness",
    "associate": "sudare.association",
    "decode": "sudare.decoding",
    "decode_reports": "sudare.likelihood_decoding",
    "discover": "sudare.discovery",
    "exact_law": "sudare.exact",
}

__all__ = [
    "GRR",
    "OUE",
    "SUE",
    "Aggregate",
    "Association",
    "Borappor",
    "Categories",
    "Channel",
    "Collection",
    "Collector",
    "Crowd",
    "Decoded",
    "Device",
    "Diary",
    "Discovered",
    "Discovery",
    "Estimate",
    "Glance",
    "Harmony",
    "KShot",
    "Ledger",
    "LiveCount",
    "Mechanism",
    "Outbox",
    "Participant",
    "Randomness",
    "Rappor",
    "Scripted",
    "Seeded",
    "Streams",
    "SudareError",
    "System",
    "associate",
    "decode",
    "decode_reports",
    "discover",
    "exact_law",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'sudare' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

"""Private statistics without having to be trusted with the answers."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudare.chance.channel import Channel
    from sudare.chance.exact import exact_law
    from sudare.chance.randomness import Randomness, Scripted, Seeded, System
    from sudare.collection.document import Collection
    from sudare.decoding.from_sums import Decoded
    from sudare.device.collector_client import CollectorClient
    from sudare.device.device import Device
    from sudare.device.outbox import Outbox
    from sudare.device.participant import Participant
    from sudare.discovery import Discovered, Discovery, discover
    from sudare.errors import SudareError
    from sudare.estimation.estimate import Estimate
    from sudare.mechanisms.aggregate import Aggregate
    from sudare.mechanisms.domain import (
        AnswerGroups,
        Categories,
        Numbers,
        Questions,
        Selections,
        Streams,
    )
    from sudare.mechanisms.grr import GRR
    from sudare.mechanisms.interface import Mechanism
    from sudare.mechanisms.loloha import Loloha
    from sudare.mechanisms.over_time.borappor import Borappor
    from sudare.mechanisms.over_time.glance import Glance
    from sudare.mechanisms.over_time.harmony import Harmony
    from sudare.mechanisms.over_time.kshot import KShot
    from sudare.mechanisms.points import HadamardResponse, LocalHashing, ProjectiveGeometry
    from sudare.mechanisms.rappor import Rappor
    from sudare.mechanisms.set_response import SetResponse
    from sudare.mechanisms.several import JointQuestions, SampledQuestions, SplitQuestions
    from sudare.mechanisms.subset import SubsetSelection
    from sudare.mechanisms.unary import OUE, SUE
    from sudare.mechanisms.wave import SquareWave
    from sudare.mechanisms.window import Window
    from sudare.planning.plans import plan
    from sudare.privacy.diary import Diary
    from sudare.privacy.ledger import Ledger
    from sudare.questions.association import Association, associate
    from sudare.questions.interface import Part
    from sudare.questions.text import decode, decode_reports
    from sudare.simulation.crowd import Crowd

# Where each public name lives. Loaded when asked for: the command line must start at once.
_HOMES = {
    "GRR": "sudare.mechanisms.grr",
    "OUE": "sudare.mechanisms.unary",
    "SUE": "sudare.mechanisms.unary",
    "Aggregate": "sudare.mechanisms.aggregate",
    "AnswerGroups": "sudare.mechanisms.domain",
    "Association": "sudare.questions.association",
    "Borappor": "sudare.mechanisms.over_time.borappor",
    "Categories": "sudare.mechanisms.domain",
    "Channel": "sudare.chance.channel",
    "Collection": "sudare.collection.document",
    "CollectorClient": "sudare.device.collector_client",
    "Crowd": "sudare.simulation.crowd",
    "Decoded": "sudare.decoding.from_sums",
    "Device": "sudare.device.device",
    "Diary": "sudare.privacy.diary",
    "Discovered": "sudare.discovery",
    "Discovery": "sudare.discovery",
    "Estimate": "sudare.estimation.estimate",
    "Glance": "sudare.mechanisms.over_time.glance",
    "HadamardResponse": "sudare.mechanisms.points",
    "Harmony": "sudare.mechanisms.over_time.harmony",
    "JointQuestions": "sudare.mechanisms.several",
    "KShot": "sudare.mechanisms.over_time.kshot",
    "Ledger": "sudare.privacy.ledger",
    "LocalHashing": "sudare.mechanisms.points",
    "Loloha": "sudare.mechanisms.loloha",
    "Mechanism": "sudare.mechanisms.interface",
    "Numbers": "sudare.mechanisms.domain",
    "Outbox": "sudare.device.outbox",
    "Part": "sudare.questions.interface",
    "Participant": "sudare.device.participant",
    "ProjectiveGeometry": "sudare.mechanisms.points",
    "Questions": "sudare.mechanisms.domain",
    "Rappor": "sudare.mechanisms.rappor",
    "Randomness": "sudare.chance.randomness",
    "SampledQuestions": "sudare.mechanisms.several",
    "Scripted": "sudare.chance.randomness",
    "Seeded": "sudare.chance.randomness",
    "Selections": "sudare.mechanisms.domain",
    "SetResponse": "sudare.mechanisms.set_response",
    "SplitQuestions": "sudare.mechanisms.several",
    "SquareWave": "sudare.mechanisms.wave",
    "Streams": "sudare.mechanisms.domain",
    "SubsetSelection": "sudare.mechanisms.subset",
    "SudareError": "sudare.errors",
    "System": "sudare.chance.randomness",
    "Window": "sudare.mechanisms.window",
    "associate": "sudare.questions.association",
    "decode": "sudare.questions.text",
    "decode_reports": "sudare.questions.text",
    "discover": "sudare.discovery",
    "exact_law": "sudare.chance.exact",
    "plan": "sudare.planning.plans",
}

__all__ = [
    "GRR",
    "OUE",
    "SUE",
    "Aggregate",
    "AnswerGroups",
    "Association",
    "Borappor",
    "Categories",
    "Channel",
    "Collection",
    "CollectorClient",
    "Crowd",
    "Decoded",
    "Device",
    "Diary",
    "Discovered",
    "Discovery",
    "Estimate",
    "Glance",
    "HadamardResponse",
    "Harmony",
    "JointQuestions",
    "KShot",
    "Ledger",
    "LocalHashing",
    "Loloha",
    "Mechanism",
    "Numbers",
    "Outbox",
    "Part",
    "Participant",
    "ProjectiveGeometry",
    "Questions",
    "Randomness",
    "Rappor",
    "SampledQuestions",
    "Scripted",
    "Seeded",
    "Selections",
    "SetResponse",
    "SplitQuestions",
    "SquareWave",
    "Streams",
    "SubsetSelection",
    "SudareError",
    "System",
    "Window",
    "associate",
    "decode",
    "decode_reports",
    "discover",
    "exact_law",
    "plan",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'sudare' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

"""What tests of stores share: small collections, groups of reports, and what a store says."""

import hashlib
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Allowance, Group, HeldCollection, ReportFate, Store
from sudare.formats.report_ids import ReportIds
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.glance import Glance

HOURLY = Windows(0, 3600)
ROUNDS = 4
_numbers = count(1)


@dataclass(frozen=True)
class Rules:
    """How a collection counts."""

    minimum: int = 1
    windows: Windows | None = HOURLY
    keeps_reports: bool = False
    invited: bool = False


def question(name: str = "tea", rules: Rules | None = None) -> Collection:
    """Three answers, one byte a report."""
    rules = rules or Rules()
    return Collection(
        name,
        "Which tea?",
        ("green", "black", "oolong"),
        GRR(3, 0.5),
        rules.minimum,
        rules.windows,
        rules.keeps_reports,
        rules.invited,
    )


def stream(minimum: int = 1) -> Collection:
    """A state over four rounds."""
    mechanism = Glance.calibrate(ROUNDS, 1.0)
    return Collection("awake", "Are you awake?", ("no", "yes"), mechanism, minimum, HOURLY)


def held(store: Store, collection: Collection) -> Collection:
    """A collection that a store holds from now on."""
    assert store.add(HeldCollection(collection))
    return collection


def new_ids(size: int) -> ReportIds:
    """Ids that no other call of this process gives."""
    start = next(_numbers)
    digests = [hashlib.sha256(f"{start} {i}".encode()).digest()[:16] for i in range(size)]
    return np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)


def answers(*values: int) -> Records:
    """Reports that say so."""
    reports = np.empty(len(values), GRR(3, 0.5).report_dtype)
    reports["answer"] = values
    return reports


def rounds(collection: Collection, *pairs: tuple[int, int]) -> Records:
    """Reports of rounds and bits."""
    return np.array(list(pairs), collection.report_dtype)


def group(
    collection: Collection, values: Records, own: ReportIds | None = None, **more: object
) -> Group:
    """Reports with names of their own, unless they are given."""
    window = more.get("window", 0)
    assert isinstance(window, int)
    given = more.get("invitations")
    assert given is None or isinstance(given, np.ndarray)
    allowance = more.get("allowance")
    assert allowance is None or isinstance(allowance, Allowance)
    own = new_ids(len(values)) if own is None else own
    return Group(collection, window, own, values, given, allowance)


def digests(*texts: str) -> NDArray[np.uint8]:
    """The hashes of invitations, a row each."""
    whole = b"".join(hashlib.sha256(text.encode()).digest() for text in texts)
    return np.frombuffer(whole, np.uint8).reshape(-1, 32)


def fates(store: Store, *groups: Group) -> list[list[ReportFate]]:
    """What becomes of groups that are committed together."""
    return [[ReportFate(fate) for fate in one] for one in store.commit(groups)]


def total(store: Store, collection: Collection, window: int = 0) -> tuple[int, list[int]]:
    """How many have counted in a window, and their sum: of one that releases everything."""
    released = store.release(collection.key, window)
    if released is None:
        return 0, []
    (held,) = [one for one in store.windows(collection.key) if one.window == window]
    found = released.aggregate
    assert held.n == found.n
    return found.n, found.counts.ravel().tolist()

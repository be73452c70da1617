"""Compiling what a collection's reports need before the first of them comes."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sudare.collection import Collection
from sudare.collector.opening import open_store
from sudare.collector.store import Group, Standing
from sudare.collector.writer import parted
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.named import NAME_BYTES, Named, join, names_of


def warm(collections: Iterable[Collection]) -> None:
    """Take reports of these through all that a commit does, in a store that is thrown away.

    Kernels are compiled once on a machine, which takes seconds: never while somebody waits.
    """
    groups = [tiny(collection, count) for collection in collections for count in (1, 2)]
    with tempfile.TemporaryDirectory(prefix="sudare-") as folder:
        store = open_store(str(Path(folder) / "warming.db"))
        try:
            for group in groups:
                store.add(Standing(group.collection))
            for group in groups:  # one by one, as the first reports come
                (fates,) = store.commit([group])
                if len(fates) != len(group.names):
                    raise ParameterError(
                        f"{len(group.names)} reports of “{group.collection.name}” had "
                        f"{len(fates)} fates"
                    )
        finally:
            store.shut()


def tiny(collection: Collection, count: int) -> Group:
    """A few reports that a device might send, as an upload brings them."""
    reports = np.zeros(count, collection.report_dtype)
    if isinstance(collection.mechanism, ContinualMechanism):
        reports["round"] = 1
    names = bytes([count]) + bytes(NAME_BYTES * count - 1)
    named = parted(collection, join(Named(names_of(names), reports)).tobytes())
    collection.mechanism.check(named.reports)
    invitations = np.zeros((count, 32), np.uint8) if collection.invited else None
    return Group(collection, 0, named.names, named.reports, invitations)

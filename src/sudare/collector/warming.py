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
from sudare.kernels import COMPILE_FROM
from sudare.named import Named, join, names_of


def warm(collections: Iterable[Collection]) -> None:
    """Take reports of these through all that a commit does, in a store that is thrown away.

    Kernels are compiled once on a machine, which takes seconds: never while somebody waits.
    """
    groups = [
        sent(collection, count)
        for collection in collections
        for count in (1, 2, many(collection))  # of few, most is done without kernels
    ]
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


def many(collection: Collection) -> int:
    """As few reports as kernels count."""
    return 2 + COMPILE_FROM // max(1, collection.report_dtype.itemsize // 8)


def sent(collection: Collection, count: int) -> Group:
    """Reports that devices might send, as an upload brings them."""
    reports = np.zeros(count, collection.report_dtype)
    if isinstance(collection.mechanism, ContinualMechanism):
        reports["round"] = 1
    names = names_of(np.arange(2 * count, dtype="<u8").tobytes())
    named = parted(collection, join(Named(names, reports)).tobytes())
    collection.mechanism.check(named.reports)
    invitations = np.zeros((count, 32), np.uint8) if collection.invited else None
    return Group(collection, 0, named.names, named.reports, invitations)

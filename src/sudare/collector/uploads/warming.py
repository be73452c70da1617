"""Compiling what a collection's reports need before the first of them comes."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sudare.collection.document import Collection
from sudare.collector.stores.contract import Group, HeldCollection
from sudare.collector.stores.open import open_store
from sudare.collector.uploads.writer import parted
from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.formats.report_ids import IdentifiedReports, ids_of, join
from sudare.kernels import COMPILE_FROM


def warm(collections: Iterable[Collection]) -> None:
    """Compile what these collections' reports need, by a commit to a store that is thrown away.

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
                store.add(HeldCollection(group.collection))
            for group in groups:  # one by one, as the first reports come
                (fates,) = store.commit([group])
                if len(fates) != len(group.ids):
                    raise ParameterError(
                        f"{counted(len(group.ids), 'report')} of “{group.collection.name}” had "
                        f"{len(fates)} fates"
                    )
        finally:
            store.shut()


def many(collection: Collection) -> int:
    """About the fewest reports of a collection for which compiled kernels are used."""
    return 2 + COMPILE_FROM // max(1, collection.report_dtype.itemsize // 8)


def sent(collection: Collection, count: int) -> Group:
    """Some reports that devices might send to a collection, as an upload brings them."""
    reports = collection.kind.blank_reports(count)
    ids = ids_of(np.arange(2 * count, dtype="<u8").tobytes())
    identified = parted(collection, join(IdentifiedReports(ids, reports)).tobytes())
    collection.mechanism.check(identified.reports)
    invitations = np.zeros((count, 32), np.uint8) if collection.invited else None
    return Group(collection, 0, identified.ids, identified.reports, invitations)

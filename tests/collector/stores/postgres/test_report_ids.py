"""Ids as PostgreSQL keeps them: what leaves the database says nothing of when they came."""

from collections.abc import Iterator
from typing import Any

import pytest

from sudare.collector.stores.postgres import report_ids
from sudare.collector.stores.postgres.report_ids import all_ids
from support.stores import new_ids


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
def test_a_copy_of_ids_is_in_an_order_of_their_own(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them once, each part sorted by its bytes, whatever the order in the table."""
    monkeypatch.setattr(report_ids, "_BLOCK", block)
    rows = [new_ids(size).astype("<u8").tobytes() for size in (5, 1, 40, 3)]
    asked = list[str]()

    def each(query: str) -> Iterator[tuple[Any, ...]]:
        asked.append(query)
        if len(asked) == 1:
            return iter([("ids_12_34",)])
        return iter(enumerate(rows, 1))

    found = list(all_ids(each))
    assert "FROM ids_12_34 ORDER BY id" in asked[1]
    copied = list[bytes]()
    for number, window, ids in found:
        assert (number, window) == (12, 34)
        own = [ids[at : at + 16] for at in range(0, len(ids), 16)]
        assert own == sorted(own)
        copied += own
    came = [row[at : at + 16] for row in rows for at in range(0, len(row), 16)]
    assert sorted(copied) == sorted(came)
    assert copied != came
    assert len(found) == {1: 4, 7: 2, 1 << 16: 1}[block]

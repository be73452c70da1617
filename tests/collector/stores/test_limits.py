"""What a store relies on unless it is told otherwise, and the numbers that stand for fates."""

import inspect
from collections.abc import Callable

import pytest

from sudare.collector.stores.contract import HeldCollection, ReportFate, State, Store
from sudare.collector.stores.export import find_collection
from sudare.collector.stores.id_set import MOST_MEMORY
from sudare.collector.stores.migrations import missing_statements
from sudare.collector.stores.open import open_store
from sudare.collector.stores.sqlite.database import Database
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.errors import ParameterError
from support.memory_store import MemoryStore
from support.stores import question


@pytest.mark.parametrize("opens", [open_store, SqliteStore, Database])
def test_nobody_accepts_a_loss_unasked(opens: Callable[..., object]) -> None:
    defaults = inspect.signature(opens).parameters
    assert defaults["accept_loss"].default is False
    assert "counting" not in defaults or defaults["counting"].default is True


def test_a_collection_is_open_and_its_own_unless_it_is_said() -> None:
    held = HeldCollection(question())
    assert held == HeldCollection(question(), State.OPEN, public=False, grace=0)
    assert held == HeldCollection(question(), number=7)  # another store's number is the same


def test_fates_are_numbered_and_an_id_takes_64_bytes_at_most() -> None:
    assert [int(fate) for fate in ReportFate] == list(range(7))
    assert MOST_MEMORY == 64


def test_a_store_lacks_what_came_after_its_version() -> None:
    scripts = [["a", "b"], ["c"]]
    found = [missing_statements(version, scripts) for version in range(3)]
    assert found == [["a", "b", "c"], ["c"], []]
    with pytest.raises(ParameterError, match="of format 3, this version of Sudare knows up to 2"):
        missing_statements(3, scripts)


def test_a_collection_is_found_by_the_beginning_of_its_key() -> None:
    store: Store = MemoryStore()
    tea, coffee = question("tea"), question("coffee")
    for each in (tea, coffee):
        store.add(HeldCollection(each))
    same = next(at for at in range(64) if tea.key[at] != coffee.key[at])
    assert find_collection(store, tea.key[: same + 1]) == tea
    for beginning, sentence in (
        (tea.key[:same], f"has 2 collections whose key begins with '{tea.key[:same]}'"),
        (tea.key + "0", f"no collection whose key begins with '{tea.key[:12]}'"),
        ("\x1b[2J", "no collection whose key begins with ''"),
    ):
        with pytest.raises(ParameterError) as caught:
            find_collection(store, beginning)
        assert sentence in str(caught.value)

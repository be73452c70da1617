"""The diary: what is noted is on disk before it is true, and true only if it is."""

from collections.abc import Callable

import pytest

from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger


class DiskFullError(OSError):
    """No room on the disk."""


CHANGES: dict[str, Callable[[Diary], None]] = {
    "a round": lambda diary: diary.note("a", 9, 0.5, 4),
    "an answer": lambda diary: diary.note_answer("a", None, lambda held: held.charge("a", 0.5)),
    "a window": lambda diary: diary.note_answer(
        "a", 7, lambda held: held.charge("a", 0.5, window=7)
    ),
    "a cap": lambda diary: diary.cap(3.0),
    "a cap of collections": lambda diary: diary.cap_collections(3.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_diary_whose_save_fails_is_as_it_was(change: Callable[[Diary], None]) -> None:
    """Else a report that never left would be paid for, or a cap hold that is nowhere written."""
    full = True
    kept = list[bytes]()

    def save(document: bytes) -> None:
        if full:
            raise DiskFullError
        kept.append(document)

    ledger = Ledger(5.0).charge("a", 0.5, window=2)
    diary = Diary(ledger, {"a": 3}, save)
    before = diary.to_json()
    with pytest.raises(DiskFullError):
        change(diary)
    assert (diary.ledger, diary.last("a"), diary.to_json()) == (ledger, 3, before)
    full = False
    change(diary)  # as if nothing had been
    assert kept == [diary.to_json()] != [before]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_diary_is_saved_before_it_changes(change: Callable[[Diary], None]) -> None:
    seen = list[tuple[Ledger, int]]()
    diary = Diary(Ledger(5.0), {"a": 3}, lambda _: seen.append((diary.ledger, diary.last("a"))))
    change(diary)
    assert seen == [(Ledger(5.0), 3)]

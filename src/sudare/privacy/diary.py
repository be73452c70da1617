"""A device's diary: how far it has come in each collection, and what that has cost.

Noise drawn in advance protects one state of a round, not two: told again with another state, the
round would give away that they differ. So a round is noted before its report leaves the device, and
so is a window that is answered, and every cost. A crash in between loses that report and never
repeats one: too much may have been charged, never too little.
"""

import os
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Self

import msgspec

from sudare.errors import ParameterError, RoundPassed, SudareError
from sudare.formats.files import lock, real, regular, write_durably
from sudare.formats.seals import seal, unseal
from sudare.privacy.ledger import Ledger, LedgerBody

MOST_ROUND = 1 << 53  # beyond it, JSON's numbers aren't whole everywhere


class Diary:
    """A device's memory: the last round or window that it told of each collection, and its ledger.

    A diary without ``save`` lives as long as the process does. A device that can be started again
    keeps it in a file: ``Diary.open``. That can be open once at a time, until ``close``.
    """

    def __init__(
        self,
        ledger: Ledger | None = None,
        last: Mapping[str, int] | None = None,
        save: Callable[[bytes], None] | None = None,
    ) -> None:
        """A diary with what was told and spent before.

        Args:
            ledger: what was spent before; nothing, without a cap, unless given.
            last: the last round of each collection, by the collection's key; of one that is
                answered in windows, the last window, counted from 1.
            save: keeps the diary's document. It is called before a report is released; if it
                raises, there is none, and the diary is as it was.
        """
        self.ledger = ledger or Ledger()
        self._last = dict(last or {})
        self._save = save
        self._lock = threading.Lock()
        self._closed = False
        self._release: Callable[[], object] | None = None

    @classmethod
    def open(cls, path: Path, ledger: Ledger | None = None) -> Self:
        """The diary in a file, which is kept up to date; a new one if there is no such file.

        Two diaries of one file would tell a round twice. So a lock on a file beside it (``.lock``)
        is held until the diary is closed, or forgotten, or the process ends; whoever comes second
        is refused. A process that forks must open it afterwards. Where Python has no ``fcntl``, as
        on Windows, nothing is locked: there, take care that it is opened once.

        Args:
            path: where it is.
            ledger: that of a new diary. One that exists has its own.
        """
        path = real(path)
        held = lock(path, "the diary")
        save = partial(write_durably, path)
        try:
            known = regular(path).read_bytes() if path.exists() else None
            diary = cls(ledger, save=save) if known is None else cls.from_json(known, save)
        except BaseException:
            os.close(held)
            raise
        diary._release = weakref.finalize(diary, os.close, held)  # noqa: SLF001 - its own
        return diary

    def close(self) -> None:
        """Note nothing more, and leave the diary's file to others."""
        with self._lock:
            self._closed = True
            if self._release is not None:
                self._release()

    def _check_open(self) -> None:
        if self._closed:
            raise ParameterError("the diary is closed: open it again (nothing was sent)")

    def last(self, key: str) -> int:
        """The last round observed of a collection, or window answered from 1 on; 0 for none."""
        return self._last.get(key, 0)

    def note(self, key: str, number: int, epsilon: float, window: int) -> None:
        """Note that a round is being observed, and pay for its window if that is new.

        Whoever comes here first may report; a round that isn't later than the last one is refused.
        """
        with self._lock:  # two threads, one round: the second is told so
            self._check_open()
            last = self.last(key)
            if number <= last:
                raise RoundPassed(
                    f"round {number} can't be observed any more: round {last} was the last one "
                    f"(nothing was sent)"
                )
            ledger = self.ledger.charge(key, epsilon, window=window)
            self._enter(ledger, {**self._last, key: number})

    def note_answer(self, key: str, window: int | None, pay: Callable[[Ledger], Ledger]) -> None:
        """Note that an answer is being told, and pay for it.

        Args:
            key: the collection's.
            window: the window that is answered, where the collection has any. One that isn't later
                than the last one is refused.
            pay: the ledger after it, of the ledger before.
        """
        with self._lock:
            self._check_open()
            if window is None:
                self._enter(pay(self.ledger), self._last)
                return
            last = self.last(key)
            if window < last:
                raise RoundPassed(
                    f"window {window} can't be answered any more: window {last - 1} was the last "
                    f"one, and each is answered once (nothing was sent)"
                )
            self._enter(pay(self.ledger), {**self._last, key: window + 1})

    def _enter(self, ledger: Ledger, last: dict[str, int]) -> None:
        """Note what is new: durably, or not at all. The lock is held."""
        self._check_open()
        if self._save is not None:
            document = _document(ledger, last)
            self._check_reads_back(document, ledger, last)
            self._save(document)
        self.ledger, self._last = ledger, last

    def _check_reads_back(self, document: bytes, ledger: Ledger, last: dict[str, int]) -> None:
        """A document that couldn't be opened again would end the device: it is never saved."""
        try:
            again = type(self).from_json(document)
        except SudareError as error:
            raise ParameterError(f"the diary can't hold this: {error} (nothing was sent)") from None
        if (again.ledger, again._last) != (ledger, last):  # noqa: SLF001 - its own
            raise ParameterError("the diary can't hold this exactly (nothing was sent)")

    def cap(self, epsilon: float | None) -> None:
        """Set the ε that may be spent in a lifetime, from now on; None for no limit."""
        with self._lock:
            self._enter(replace(self.ledger, cap=epsilon), self._last)

    def cap_collections(self, epsilon: float | None) -> None:
        """Set the ε that may be spent on any one collection, from now on; None for no limit."""
        with self._lock:
            self._enter(replace(self.ledger, collection_cap=epsilon), self._last)

    def to_json(self) -> bytes:
        """A document that reads back to the same diary, sealed by a digest."""
        with self._lock:
            return _document(self.ledger, self._last)

    @classmethod
    def from_json(cls, data: bytes, save: Callable[[bytes], None] | None = None) -> Self:
        """The diary of a document; one that was cut or changed is refused."""
        body = unseal(data, "diary", _Body, "a diary")
        return cls(Ledger.from_body(body.ledger), body.last, save)


def _document(ledger: Ledger, last: Mapping[str, int]) -> bytes:
    return seal("diary", _Body(ledger.body(), dict(last)))


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    ledger: LedgerBody
    last: dict[str, Annotated[int, msgspec.Meta(ge=1, le=MOST_ROUND)]]

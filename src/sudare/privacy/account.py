"""A ledger in a file: a charge is on disk before what it pays for happens.

A crash in between has paid for something that nobody saw; nothing is ever seen unpaid.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sudare.errors import InvalidDocument, ParameterError, SudareError
from sudare.formats.files import lock, real, write_durably
from sudare.privacy.ledger import Ledger


class Account:
    """A ledger in a file. ``Account.held`` opens one, which can be open once at a time."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        """An account of a ledger and the file it is kept in; ``held`` is the way to have one."""
        self.path = path
        self.ledger = ledger

    @classmethod
    @contextmanager
    def held(cls, path: Path) -> Iterator[Self]:
        """The account in a file that exists, for nobody else until the block ends."""
        cls.read(path)  # beside what is no ledger, no lock is made
        path = real(path)
        held = lock(path, "the ledger")
        try:
            yield cls(path, cls.read(path))
        finally:
            os.close(held)

    @staticmethod
    def read(path: Path) -> Ledger:
        """The ledger of a file, held by nobody; an error names the file."""
        if not path.exists():
            raise ParameterError(f"there is no ledger {path}: make one with `sudare ledger new`")
        if not path.is_file():  # a pipe would be waited for, and can't be written over
            raise ParameterError(f"{path}: a ledger is a regular file")
        try:
            return Ledger.from_json(path.read_bytes())
        except SudareError as error:
            raise InvalidDocument(f"{path}: {error}") from None

    @staticmethod
    def create(path: Path, ledger: Ledger) -> None:
        """Write a new ledger; one that is there already is left alone, and refused."""
        if path.is_dir():
            raise ParameterError(f"{path}: a ledger is a file, and this is a folder")
        path = real(path)
        _refuse_existing(path)
        held = lock(path, "the ledger")
        try:
            _refuse_existing(path)
            write_durably(path, ledger.to_json())
        finally:
            os.close(held)

    def charge(self, key: str, epsilon: float, *, delta: float) -> None:
        """Charge the ledger, on disk when this returns; raises ``BudgetExceeded`` beyond a cap."""
        ledger = self.ledger.charge(key, epsilon, delta=delta)
        write_durably(self.path, ledger.to_json())
        self.ledger = ledger


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise ParameterError(f"{path.name} is there already, and a ledger is not written over")

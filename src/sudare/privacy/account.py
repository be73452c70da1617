"""A ledger in a file: a charge is on disk before what it pays for happens.

A crash in between has paid for something that nobody saw; nothing is ever seen unpaid.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sudare.errors import ParameterError
from sudare.files import lock, write_durably
from sudare.privacy.ledger import Ledger


class Account:
    """The ledger in a file. ``Account.held`` opens one, which can be open once at a time."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        """A ledger, and where it is kept; ``held`` is the way to have one."""
        self.path = path
        self.ledger = ledger

    @classmethod
    @contextmanager
    def held(cls, path: Path) -> Iterator[Self]:
        """The account in a file that exists, for nobody else until the block ends."""
        path = path.resolve()
        Ledger.from_json(path.read_bytes())  # beside what is no ledger, no lock is made
        held = lock(path, "the ledger")
        try:
            yield cls(path, Ledger.from_json(path.read_bytes()))
        finally:
            os.close(held)

    @staticmethod
    def create(path: Path, ledger: Ledger) -> None:
        """Write a new ledger; one that is there already is left alone, and refused."""
        path = path.resolve()
        _refuse_existing(path)
        held = lock(path, "the ledger")
        try:
            _refuse_existing(path)
            write_durably(path, ledger.to_json())
        finally:
            os.close(held)

    def charge(self, key: str, epsilon: float, *, delta: float) -> None:
        """Pay, on disk when this returns; raises ``BudgetExceeded`` where a cap forbids it."""
        ledger = self.ledger.charge(key, epsilon, delta=delta)
        write_durably(self.path, ledger.to_json())
        self.ledger = ledger


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise ParameterError(f"{path.name} is there already, and a ledger is not written over")

"""Somebody who takes part: a device in a folder, which answers collectors and keeps the account.

An answer goes through four steps, each durable before the next: it is charged in the diary, made
into a report, put into the outbox, and sent. A crash after the first loses the report and not the
charge; a crash after the third sends it later. Nothing is sent that wasn't charged.
"""

import os
import secrets
import time
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Self, SupportsIndex

from sudare.client import Collector, check_key
from sudare.collection import Collection
from sudare.device import ID_BYTES, SECRET_BYTES, Device, answered_window
from sudare.errors import InvalidDocument, ParameterError
from sudare.files import write_whole
from sudare.outbox import Delivery, Outbox, Waiting
from sudare.privacy.charges import Spent
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger


class Fate(StrEnum):
    """Where a report is."""

    TAKEN = "taken"
    """The collector has it, durably."""
    WAITING = "waiting"
    """In the outbox."""
    REFUSED = "refused"
    """The collector will never take it."""


@dataclass(frozen=True)
class Sent:
    """Exactly what left a device, or waits to, and what it cost.

    Attributes:
        collection: what was answered.
        id: the report's name, 16 bytes.
        window: that it is of.
        round: within the window, over time; else 0.
        record: what it says: all that anybody is told.
        cost: what was charged for it.
        spent: what all reports of this device have cost.
        left: how much ε may still be spent; None where there is no cap.
        fate: where it is.
        reason: why it isn't with the collector.
    """

    collection: Collection
    id: bytes
    window: int
    round: int
    record: bytes = field(repr=False)
    cost: Spent
    spent: Spent
    left: Fraction | None
    fate: Fate
    reason: str | None

    @property
    def odds(self) -> str:
        """What was done with the answer, in plain words."""
        return self.collection.mechanism.odds


class Participant:
    """A device in a folder: its secret, its diary, its outbox, the collections it knows.

    The folder has one holder at a time, until ``close``.
    """

    def __init__(self, folder: Path, device: Device, outbox: Outbox) -> None:
        self.folder = folder
        self.device = device
        self.outbox = outbox

    @classmethod
    def new(cls, folder: Path, ledger: Ledger | None = None) -> Self:
        """A new device in a folder, with the caps of a ledger.

        Whoever copies the folder copies the device: its noise could be removed, its rounds told
        twice. It is made for its owner alone.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "secret"
        if path.exists():
            raise ParameterError(f"{folder} holds a device already")
        caps = ledger or Ledger()
        diary = Diary.open(folder / "diary.json", caps)
        try:  # written at once, also over what a crash left of a device without a secret
            diary.cap(caps.cap)
            diary.cap_collections(caps.collection_cap)
        finally:
            diary.close()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, secrets.token_bytes(SECRET_BYTES))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The device of a folder."""
        path, diary = folder / "secret", folder / "diary.json"
        if not path.exists():
            raise ParameterError(f"{folder} holds no device: `sudare device new` makes one")
        if not diary.exists():  # a new one would tell again what was told
            raise InvalidDocument(f"{folder} has lost its diary: it can't know what was told")
        held = Diary.open(diary)
        try:
            return cls(folder, Device(path.read_bytes(), held), Outbox(folder / "outbox.db"))
        except BaseException:
            held.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the folder to others."""
        self.outbox.close()
        self.device.diary.close()

    @property
    def ledger(self) -> Ledger:
        """What was spent, and the caps."""
        return self.device.diary.ledger

    def known(self, key: str) -> Collection | None:
        """A collection that was fetched before."""
        path = self._path(key)
        if not path.exists():
            return None
        collection = Collection.from_json(path.read_bytes())
        if collection.key != key:
            raise InvalidDocument(f"{path.name} is not the collection {key[:12]}… that it was")
        return collection

    def agree(self, collector: Collector, key: str) -> Collection:
        """The collection of a key, fetched once: a document never changes under its key."""
        collection = self.known(key)
        if collection is None:
            collection = collector.fetch(key, self.ledger)
            self.learn(collection)
        return collection

    def learn(self, collection: Collection) -> None:
        """Know a collection whose document came another way, as with an application."""
        self.ledger.admit(collection.epsilon)
        self._path(collection.key).parent.mkdir(exist_ok=True)
        write_whole(self._path(collection.key), collection.to_json())

    def _path(self, key: str) -> Path:
        return self.folder / "collections" / f"{check_key(key)}.json"

    def answer(  # noqa: PLR0913 - options, by name
        self,
        collector: Collector,
        key: str,
        answer: str,
        *,
        window: SupportsIndex | None = None,
        invitation: str | None = None,
        patience: float | None = 10.0,
    ) -> Sent:
        """Answer a collection: charge, randomise, keep, send.

        Args:
            collector: where the report goes.
            key: the collection that was agreed to.
            answer: one of its labels, or free text.
            window: the window that is answered; unless given, that which is open by the clock.
            invitation: the token, where people are invited.
            patience: seconds to try; then it waits for ``send``. None connects to nobody at all.
        """
        collection = self._agreed(collector, key, invitation, offline=patience is None)
        number = answered_window(collection, window)
        before = self.ledger.spent()
        record = self.device.report(collection, answer, window=number)
        report = self._keep(
            Waiting(
                secrets.token_bytes(ID_BYTES),
                collector.address,
                key,
                number,
                0,
                record.tobytes(),
                invitation,
            )
        )
        return self._sent(collector, collection, report, before, patience)

    def observe(  # noqa: PLR0913 - likewise
        self,
        collector: Collector,
        key: str,
        state: str | int,
        *,
        number: SupportsIndex | None = None,
        invitation: str | None = None,
        patience: float | None = 10.0,
    ) -> Sent | None:
        """Tell the state in a round of a stream; nothing is sent where it isn't the device's round.

        Args:
            collector: where the report goes.
            key: the collection that was agreed to.
            state: one of its two labels, or 0 or 1.
            number: of the round, over all windows; unless given, that which is on by the clock.
            invitation: as for ``answer``.
            patience: as for ``answer``.
        """
        collection = self._agreed(collector, key, invitation, offline=patience is None)
        observer = self.device.observer(collection)
        if number is None:
            if collection.windows is None:
                raise ParameterError(f"“{collection.name}” has no clock: say which round it is")
            number = collection.windows.round_at(time.time(), observer.mechanism.rounds)
        before = self.ledger.spent()
        made = observer.observe(number, state)
        if made is None:
            return None
        report = self._keep(
            Waiting(
                self.device.report_id(collection, number),
                collector.address,
                key,
                observer.window_of(number),
                int(made["round"][0]),
                made.tobytes(),
                invitation,
            )
        )
        return self._sent(collector, collection, report, before, patience)

    def send(self, collector: Collector, *, patience: float = 60.0) -> Delivery:
        """Hand a collector what waits for it."""
        return self.outbox.send(collector, patience=patience)

    def _agreed(
        self, collector: Collector, key: str, invitation: str | None, *, offline: bool
    ) -> Collection:
        collection = self.known(key) if offline else self.agree(collector, key)
        if collection is None:
            raise ParameterError(
                f"the collection {key[:12]}… isn't known here yet: answer it, or fetch it, once "
                f"with a connection (nothing was sent)"
            )
        if collection.invited and invitation is None:
            raise ParameterError(f"“{collection.name}” asks for an invitation (nothing was sent)")
        return collection

    def _keep(self, report: Waiting) -> Waiting:
        self.outbox.put(report)
        return report

    def _sent(
        self,
        collector: Collector,
        collection: Collection,
        report: Waiting,
        before: Spent,
        patience: float | None,
    ) -> Sent:
        """Send a report that is kept, and say where it is."""
        reason: str | None = None
        if patience is not None:
            reason = self.send(collector, patience=patience).reason
        fate = Fate.TAKEN
        if any(other.id == report.id for other in self.outbox.waiting()):
            fate = Fate.WAITING
        for refusal in self.outbox.refusals():
            if refusal.id == report.id:
                fate, reason = Fate.REFUSED, refusal.reason
        spent = self.ledger.spent()
        cost = Spent(spent.epsilon - before.epsilon, spent.delta - before.delta)
        about = (report.id, report.window, report.round, report.record)
        if fate is Fate.TAKEN:
            reason = None
        return Sent(collection, *about, cost, spent, self.ledger.left, fate, reason)

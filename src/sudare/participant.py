"""Somebody who takes part: a device in a folder, which answers collectors and keeps the account.

An answer goes through four steps, each durable before the next: it is charged in the diary, made
into a report, put into the outbox, and sent. A crash after the first loses the report and not the
charge; a crash after the third sends it later. Nothing is sent that wasn't charged.
"""

import os
import secrets
from pathlib import Path
from typing import Self, SupportsIndex

from sudare.client import Collector, check_invitation, check_key
from sudare.collection import Collection
from sudare.device import ID_BYTES, SECRET_BYTES, Device
from sudare.errors import InvalidDocument, ParameterError
from sudare.files import regular, write_whole
from sudare.moments import answered_window, observed_round
from sudare.outbox import Delivery, Outbox, Waiting, check_patience
from sudare.privacy.charges import Spent
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger
from sudare.sent import Fate, Sent

__all__ = ["Fate", "Participant", "Sent"]


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
            return cls(
                folder, Device(regular(path).read_bytes(), held), Outbox(folder / "outbox.db")
            )
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
        collection = Collection.from_json(regular(path).read_bytes())
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
        collection = self._agreed(collector, key, invitation, patience)
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
        collection = self._agreed(collector, key, invitation, patience)
        observer = self.device.observer(collection)
        number = observed_round(collection, number)
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
        self, collector: Collector, key: str, invitation: str | None, patience: float | None
    ) -> Collection:
        """The collection, if all but the answer is as it must be: nothing is charged before."""
        if patience is not None:
            check_patience(patience)
        if invitation is not None:
            check_invitation(invitation)
        collection = self.known(key) if patience is None else self.agree(collector, key)
        if collection is None:
            raise ParameterError(
                f"the collection {key[:12]}… isn't known here yet: answer it, or fetch it, once "
                f"with a connection (nothing was sent)"
            )
        if collection.invited and invitation is None:
            raise ParameterError(f"“{collection.name}” asks for an invitation (nothing was sent)")
        if invitation is not None and not collection.invited:  # it would tell who answers
            raise ParameterError(
                f"“{collection.name}” is open to all: an invitation has no place here (nothing "
                f"was sent)"
            )
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
        delivery = None if patience is None else self.send(collector, patience=patience)
        fate, reason = Fate.TAKEN, None
        if any(other.id == report.id for other in self.outbox.waiting()):
            fate = Fate.WAITING
            if delivery is not None:
                reason = delivery.reason_of(report)
        for refusal in self.outbox.refusals():
            if refusal.id == report.id:
                fate = Fate.DOUBTFUL if refusal.doubtful else Fate.REFUSED
                reason = refusal.reason
        spent = self.ledger.spent()
        cost = Spent(spent.epsilon - before.epsilon, spent.delta - before.delta)
        about = (report.id, report.window, report.round, report.record)
        return Sent(collection, *about, cost, spent, self.ledger.left, fate, reason)

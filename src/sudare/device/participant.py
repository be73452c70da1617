"""Somebody who takes part: a device in a folder, which answers collectors and keeps the account.

An answer goes through four steps, each durable before the next: it is charged in the diary, made
into a report, put into the outbox, and sent. A crash after the first loses the report and not the
charge; a crash after the third sends it later. Nothing is sent that wasn't charged.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Self, SupportsIndex

from sudare.collection.document import Collection
from sudare.device.collector_client import CollectorClient, check_invitation, check_key
from sudare.device.current_window import answered_window, observed_round
from sudare.device.device import SECRET_BYTES, Device
from sudare.device.outbox import Delivery, Fate, Outbox, Waiting, check_patience
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.files import create_whole, keep_entries, regular, write_whole
from sudare.formats.report_ids import ID_BYTES
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger, Spent


@dataclass(frozen=True)
class Sent:
    """A report exactly as it left a device, or waits to, and what it cost.

    Attributes:
        collection: what was answered.
        id: of the report, 16 bytes.
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
        """How the answer was randomised, in plain words."""
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
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for made in missing:
            keep_entries(made.parent)
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
        create_whole(path, secrets.token_bytes(SECRET_BYTES))
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The device that a folder holds."""
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
        """Leave the device's folder to others."""
        self.outbox.close()
        self.device.diary.close()

    @property
    def ledger(self) -> Ledger:
        """The ledger of this device: what it has spent, and the caps that its owner set."""
        return self.device.diary.ledger

    def known(self, key: str) -> Collection | None:
        """The collection of a key, if it was fetched before or learnt; None if not."""
        path = self._path(key)
        if not path.exists():
            return None
        collection = Collection.from_json(regular(path).read_bytes())
        if collection.key != key:
            raise InvalidDocument(f"{path.name} is not the collection {key[:12]}… that it was")
        return collection

    def agree(self, collector: CollectorClient, key: str) -> Collection:
        """The collection of a key, fetched once: a document never changes under its key."""
        collection = self.known(key)
        if collection is None:
            collection = collector.fetch(key, self.ledger)
            self.learn(collection)
        return collection

    def learn(self, collection: Collection) -> None:
        """Keep a collection whose document came another way, as with an application."""
        self.ledger.admit(collection.epsilon)
        self._path(collection.key).parent.mkdir(exist_ok=True)
        # What somebody takes part in is theirs to know.
        write_whole(self._path(collection.key), collection.to_json(), private=True)

    def _path(self, key: str) -> Path:
        return self.folder / "collections" / f"{check_key(key)}.json"

    def answer(  # noqa: PLR0913 - options, by name
        self,
        collector: CollectorClient,
        key: str,
        answer: str | Sequence[str] | Mapping[str, str],
        *,
        window: SupportsIndex | None = None,
        invitation: str | None = None,
        patience: float | None = 10.0,
    ) -> Sent:
        """Answer a collection: the answer is charged, randomised, kept and sent.

        Args:
            collector: where the report goes.
            key: the collection that was agreed to.
            answer: one of its labels, or free text; where several may be selected, a list of
                labels, or one text with a semicolon between them; of several questions, one label
                for each.
            window: the window that is answered; unless given, that which is open by the clock.
            invitation: the token, where people are invited.
            patience: seconds to try; then it waits for ``send``. None connects to nobody at all.
        """
        collection = self._agreed(collector, key, invitation, patience)
        number = answered_window(collection, window)
        before = self.ledger.spent()
        record = self.device.report(collection, answer, window=number)
        about = (collector.address, key, number, 0, record.tobytes(), invitation)
        report = Waiting(secrets.token_bytes(ID_BYTES), *about)
        return self._hand_over(collector, collection, report, before, patience)

    def observe(  # noqa: PLR0913 - likewise
        self,
        collector: CollectorClient,
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
            invitation: the token, where people are invited.
            patience: seconds to try; then it waits for ``send``. None connects to nobody at all.
        """
        collection = self._agreed(collector, key, invitation, patience)
        observer = self.device.observer(collection)
        number = observed_round(collection, number)
        before = self.ledger.spent()
        made = observer.observe(number, state)
        if made is None:
            return None
        place = (observer.window_of(number), int(made["round"][0]))
        about = (collector.address, key, *place, made.tobytes(), invitation)
        report = Waiting(self.device.report_id(collection, number), *about)
        return self._hand_over(collector, collection, report, before, patience)

    def has_answered(self, collection: Collection, number: int) -> bool:
        """Whether a window was answered already or, over time, a round observed.

        A collection without windows is answered once.

        Args:
            collection: that is asked about.
            number: of the window; of a round, over all windows.
        """
        last = self.device.diary.last(collection.key)
        if collection.kind.rounds:
            return last >= number
        return collection.key in self.ledger.keys if collection.windows is None else last > number

    def send(self, collector: CollectorClient, *, patience: float = 60.0) -> Delivery:
        """Send a collector the reports that wait for it."""
        return self.outbox.send(collector, patience=patience)

    def _agreed(
        self, collector: CollectorClient, key: str, invitation: str | None, patience: float | None
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

    def _hand_over(
        self,
        collector: CollectorClient,
        collection: Collection,
        report: Waiting,
        before: Spent,
        patience: float | None,
    ) -> Sent:
        """Keep a report, send it, and say where it is."""
        self.outbox.put(report)
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

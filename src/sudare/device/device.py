"""A person's device: it turns an answer into a report, and repeats itself where it must.

What a mechanism draws once and for all (a cohort, the permanent bits of an answer, the rounds of a
stream and their noise) is derived from the device's secret. Nothing that grows is stored, a crash
can't make it draw again, and two devices, or two collections on one device, have nothing in common.
"""

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from sudare.chance.randomness import Derived, Randomness, System
from sudare.collection.document import Collection
from sudare.device.current_window import answered_window, check_number, observed_round
from sudare.errors import InvalidAnswer, ParameterError
from sudare.formats.report_ids import ID_BYTES
from sudare.mechanisms.interface import Mechanism, Records
from sudare.mechanisms.over_time.continual import Plans
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import MOST_WINDOW, Ledger
from sudare.questions.states import stream_question

SECRET_BYTES = 32


@dataclass(frozen=True)
class Device:
    """Somebody's device, known by a secret that never leaves it.

    Attributes:
        secret: 32 random bytes, kept for the device's life; see ``Device.new``.
        diary: how far the device has come in each collection, and its owner's ledger. Without a
            file (``Diary.open``) it is forgotten when the process ends.
    """

    secret: bytes = field(repr=False)
    diary: Diary = field(default_factory=Diary, repr=False, compare=False)
    _observers: dict[str, "Observer"] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SECRET_BYTES:
            raise ParameterError(f"a device's secret is {SECRET_BYTES} bytes")

    @classmethod
    def new(cls, diary: Diary | None = None) -> Self:
        """A device with a fresh secret from the operating system."""
        return cls(secrets.token_bytes(SECRET_BYTES), diary or Diary())

    def report(
        self,
        collection: Collection,
        answer: str | Sequence[str] | Mapping[str, str],
        rng: Randomness | None = None,
        *,
        window: SupportsIndex | None = None,
    ) -> Records:
        """The report of an answer, which is charged to the ledger and may leave the device.

        What it costs is noted in the diary before it is made; what the ledger's caps leave no room
        for raises ``BudgetExceeded``. Each window of a collection is answered once, in order: one
        that isn't later than the last raises ``RoundPassed``.

        Args:
            collection: the document that the device agreed to.
            answer: a label of the collection, or free text; where several may be selected, a list
                of labels, or one text with a semicolon between them; of several questions, one
                label for each, in their order or by their names.
            rng: the system's randomness, for the part that is drawn anew each time.
            window: the window that is answered; unless given, the one that is open by the clock.
        """
        if collection.kind.rounds:
            raise ParameterError(
                f"“{collection.name}” is observed over time: use observe (nothing was sent)"
            )
        number = answered_window(collection, window)
        mechanism = collection.mechanism
        value = mechanism.domain.check(collection.encode([answer]))
        self.diary.note_answer(
            collection.key,
            None if collection.windows is None else number,
            partial(self._pay, collection, value, number),
        )
        kept = partial(self._derived, collection)
        return mechanism.report_again(value, kept, rng or System())

    def _pay(
        self, collection: Collection, value: NDArray[Any], window: int, ledger: Ledger
    ) -> Ledger:
        """The ledger after one more report of a value.

        Where noise is kept, the reports that rest on it are paid for together. The ledger knows
        what it is kept for, the value or what values share, by a digest, which without the secret
        says nothing of it.
        """
        mechanism, key = collection.mechanism, collection.key
        if mechanism.memoised:
            about = mechanism.remembers(value, partial(self._derived, collection))
            known = self._digest(collection, b"ledger", about)[:ID_BYTES].hex()
            reports = ledger.reports_of(key, known) + 1
            return ledger.keep(key, known, reports, _cost(mechanism, reports))
        paid = None if collection.windows is None else window
        return ledger.charge(key, _cost(mechanism, 1), window=paid)

    def observe(
        self, collection: Collection, number: SupportsIndex, state: str | int
    ) -> Records | None:
        """The report of a state in a round, or None in a round that isn't the device's.

        It is that of ``Observer.observe``, charged and noted before it is made.
        """
        return self.observer(collection).observe(number, state)

    def observer(self, collection: Collection) -> "Observer":
        """The device's observer of a collection's stream, the same each time."""
        held = self._observers.get(collection.key)
        return held or self._observers.setdefault(collection.key, Observer(self, collection))

    def plan(self, collection: Collection, window: SupportsIndex) -> Plans:
        """The plan that the device has drawn for a window of rounds: never to leave it."""
        mechanism = stream_question(collection).stream
        window = check_number(window, "window", 0, MOST_WINDOW)
        return mechanism.draw(1, self._derived(collection, b"stream", window.to_bytes(8)))

    def report_id(self, collection: Collection, number: SupportsIndex) -> bytes:
        """The id of the device's report of a round: 16 bytes that say nothing else.

        Sent again, a report has the same one, so that a collector counts it once. Without the
        secret, no two can be seen to be of one device.

        Args:
            collection: the one that is observed.
            number: of the round, counted from 1 over all windows, as for ``observe``. The round
                that a report names comes again in every window: its id would too, and show that
                the reports are of one device.
        """
        return self._digest(collection, b"report", check_number(number).to_bytes(8))[:ID_BYTES]

    def _derived(self, collection: Collection, purpose: bytes, value: bytes) -> Derived:
        """The stream of a digest."""
        return Derived(self._digest(collection, purpose, value))

    def _digest(self, collection: Collection, purpose: bytes, value: bytes) -> bytes:
        """HMAC-SHA-256(secret, key ‖ purpose ‖ 0 ‖ value)."""
        about = bytes.fromhex(collection.key) + purpose + b"\0" + value
        return hmac.digest(self.secret, about, "sha256")


class Observer:
    """A device that is told its owner's state in every round, and reports in its own.

    Rounds are counted on: after the last round of the plan, T, the next window begins, with a plan
    of its own, and costs ε once more. What was observed stands in the device's diary, not here.
    """

    def __init__(self, device: Device, collection: Collection) -> None:
        self.device = device
        self.collection = collection
        self.question = stream_question(collection)
        self.mechanism = self.question.stream
        self._drawn: tuple[int, Plans] | None = None

    @cached_property
    def epsilon(self) -> float:
        """The ε that observing one window of rounds costs."""
        return self.mechanism.epsilon

    @property
    def last(self) -> int:
        """The last round of the stream that was observed; 0 if there is none."""
        return self.device.diary.last(self.collection.key)

    @property
    def window(self) -> int:
        """The window of the last round that was observed, counted from 0."""
        return self.window_of(max(1, self.last))

    def window_of(self, number: SupportsIndex) -> int:
        """The window of a round, counted from 0."""
        return (check_number(number) - 1) // self.mechanism.rounds

    def observe(self, number: SupportsIndex, state: str | int) -> Records | None:
        """The report of a state in a round, or None in a round that isn't the device's.

        The report names the round within its window, which is ``window``. Rounds may be left out,
        as when the device was off. One that isn't later than the last raises ``RoundPassed``; a
        window that the ledger's cap leaves no room for raises ``BudgetExceeded``. The round is
        noted before the report is made, so that it is never told twice.

        Args:
            number: of the round, counted from 1 over all windows.
            state: one of the collection's two labels, or 0 or 1, as a number or a text.
        """
        number = observed_round(self.collection, number)
        held = self.question.state(state)
        if held < 0:
            raise InvalidAnswer(
                f"a state of “{self.collection.name}” is 0 or 1, or one of its two labels, got "
                f"something else (nothing was sent)"
            )
        window, place = divmod(number - 1, self.mechanism.rounds)
        self.device.diary.note(self.collection.key, number, self.epsilon, window)
        plan = self._plan(window)
        (at,) = np.nonzero(plan.rounds[0] == place + 1)
        if not at.size:
            return None
        return self.mechanism.report(place + 1, held, plan.heard[0, at], plan.noise[0, at])

    def _plan(self, window: int) -> Plans:
        drawn = self._drawn
        if drawn is None or drawn[0] != window:
            drawn = self._drawn = window, self.device.plan(self.collection, window)
        return drawn[1]


@lru_cache(maxsize=4096)  # exact logarithms: slower than the report itself
def _cost(mechanism: Mechanism, reports: int) -> float:
    """What so many reports of one value cost together."""
    return mechanism.epsilon_of(reports)

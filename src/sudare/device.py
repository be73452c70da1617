"""A person's device: it turns an answer into a report, and repeats itself where it must.

What a mechanism draws once and for all (a cohort, the permanent bits of an answer) is derived
from the device's secret. Nothing that grows is stored, a crash can't make it draw again, and two
devices, or two collections on one device, have nothing in common.
"""

import hmac
import secrets
from dataclasses import dataclass, field
from typing import Self

from sudare.collection import Collection
from sudare.errors import ParameterError
from sudare.mechanism import MemoisedMechanism, Records
from sudare.randomness import Derived, Randomness, System

SECRET_BYTES = 32


@dataclass(frozen=True)
class Device:
    """Somebody's device, known by a secret that never leaves it.

    Attributes:
        secret: 32 random bytes, kept for the device's life; see ``Device.new``.
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SECRET_BYTES:
            raise ParameterError(f"a device's secret is {SECRET_BYTES} bytes")

    @classmethod
    def new(cls) -> Self:
        """A device with a fresh secret from the operating system."""
        return cls(secrets.token_bytes(SECRET_BYTES))

    def report(self, collection: Collection, answer: str, rng: Randomness | None = None) -> Records:
        """One report of an answer: what leaves the device.

        Args:
            collection: the document that the device agreed to.
            answer: a label of the collection, or free text.
            rng: the system's randomness, for the part that is drawn anew each time.
        """
        fresh = rng or System()
        mechanism, value = collection.mechanism, collection.encode([answer])
        if not isinstance(mechanism, MemoisedMechanism):
            return mechanism.randomize(value, fresh)
        checked = mechanism.domain.check(value)
        assigned = mechanism.assign(1, self._derived(collection, b"assign", b""))
        kept = mechanism.permanent(
            checked, assigned, self._derived(collection, b"permanent", checked.tobytes())
        )
        return mechanism.instant(kept, assigned, fresh)

    def _derived(self, collection: Collection, purpose: bytes, value: bytes) -> Derived:
        """The stream of HMAC-SHA-256(secret, key ‖ purpose ‖ 0 ‖ value)."""
        about = bytes.fromhex(collection.key) + purpose + b"\0" + value
        return Derived(hmac.digest(self.secret, about, "sha256"))

"""The two parties as state machines without I/O: a state and a message give the next of both.

    P1: Listening ──hello──▶ Offering ──sum──▶ Sealed ──open──▶ Opened
    P2: Starting ──greet──▶ Greeting ──tables──▶ Answering ──result──▶ Informed

A state is a value: a message that doesn't fit raises and changes nothing, and no state goes
back. P1 draws keys (unless devices hold its public key) and an order of the tables for each
session, P2 its indices, so no noise is ever used twice. Whoever runs a machine writes down on
disk, *before* ``Sealed.open``, that this key opens; and P2, before it sends the sum, that its
total is answered.

Both parties are believed to follow the protocol, and not to tell each other what they hold.
"""

import hashlib
from dataclasses import dataclass, field

from sudare.chance.randomness import Randomness
from sudare.errors import InvalidMessage, ParameterError
from sudare.twoparty.ciphers.interface import Cipher, Keys
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.messages import HALF, Step, Transcript

_TOTAL = 8  # bytes of a result, signed


@dataclass(frozen=True)
class NoisyTotal:
    """An opened total, and what it cost the people counted."""

    total: int
    epsilon: float
    delta: float
    mean_noise: float
    session: str


@dataclass(frozen=True)
class TotalOfP2:
    """P2's total: in clear, or as a sum of devices' ciphertexts under P1's public key."""

    total: int | None = field(default=None, repr=False)
    ciphertext: bytes = b""
    public: bytes = b""

    def under(self, cipher: Cipher, public: bytes) -> bytes:
        """P2's total as a ciphertext under P1's key."""
        if self.total is not None:
            return cipher.encrypt(public, self.total)
        if public != self.public:
            raise InvalidMessage(
                f"the tables are under the key {fingerprint(public)}, the devices used "
                f"{fingerprint(self.public)}"
            )
        return self.ciphertext


@dataclass(frozen=True)
class Listening:
    """P1 at the beginning of a session. It has keys only if devices have encrypted to it."""

    agreement: Agreement
    cipher: Cipher
    keys: Keys | None = None

    def receive(self, hello: bytes, rng: Randomness) -> tuple["Offering", bytes]:
        """P2's greeting in, P1's shuffled tables under encryption out."""
        agreement = self.agreement
        _check_cipher(agreement, self.cipher)
        scheme = agreement.proof.scheme  # proved before use
        transcript, (terms,) = Transcript(agreement.key).receive(Step.HELLO, hello, 1)
        agreement.check_terms(terms)
        keys = self.keys or self.cipher.keys()
        tables = [self.cipher.encrypt_table(keys, table.tolist()) for table in scheme.shuffled(rng)]
        transcript, message = transcript.named(_half(rng)).send(Step.TABLES, keys.public, *tables)
        return Offering(agreement, self.cipher, keys, transcript), message


@dataclass(frozen=True)
class Offering:
    """P1 with its tables sent. It has forgotten their order: it could only do harm."""

    agreement: Agreement
    cipher: Cipher
    keys: Keys
    transcript: Transcript

    def receive(self, answer: bytes) -> "Sealed":
        """P1's next state, with P2's encrypted sum; nothing is opened yet."""
        transcript, (ciphertext,) = self.transcript.receive(Step.SUM, answer, 1)
        return Sealed(self.agreement, self.cipher, self.keys, transcript, ciphertext)


@dataclass(frozen=True)
class Sealed:
    """P1 with the one ciphertext that it may open, once its key is marked as used."""

    agreement: Agreement
    cipher: Cipher
    keys: Keys
    transcript: Transcript
    ciphertext: bytes = field(repr=False)

    @property
    def silence(self) -> bytes:
        """The empty result of a blind P2, sent before opening: its time tells of the total."""
        return self.transcript.send(Step.RESULT, b"")[1]

    def open(self, own: int = 0) -> tuple["Opened", bytes]:
        """The noisy total, P1's own total added, and the message that tells P2 so.

        A value that no total of so many people can lead to, whatever the noise, is refused.
        """
        agreement, law = self.agreement, self.agreement.proof.law.trimmed
        agreement.check_own(own)
        high = agreement.largest_total + law.greatest
        found = self.cipher.decrypt(self.keys, self.ciphertext, law.least, high)
        noisy = _noisy(agreement, found + own, self.transcript)
        if agreement.p2_blind:
            return Opened(noisy), self.silence
        told = noisy.total.to_bytes(_TOTAL, signed=True)
        return Opened(noisy), self.transcript.send(Step.RESULT, told)[1]


@dataclass(frozen=True)
class Opened:
    """P1 at the end of a session: it knows the noisy total."""

    result: NoisyTotal


@dataclass(frozen=True)
class Starting:
    """P2 at the beginning of a session."""

    agreement: Agreement
    cipher: Cipher
    holding: TotalOfP2

    def greet(self, rng: Randomness) -> tuple["Greeting", bytes]:
        """P2's next state and its greeting, with the terms that it agreed to."""
        agreement = self.agreement
        _check_cipher(agreement, self.cipher)
        if self.holding.total is not None:
            agreement.check_total(self.holding.total)
        _ = agreement.proof  # proved before use
        transcript = Transcript(agreement.key).named(_half(rng))
        transcript, message = transcript.send(Step.HELLO, agreement.terms)
        return Greeting(agreement, self.cipher, self.holding, transcript), message


@dataclass(frozen=True)
class Greeting:
    """P2 with its greeting sent, waiting for P1's tables."""

    agreement: Agreement
    cipher: Cipher
    holding: TotalOfP2
    transcript: Transcript

    def receive(self, tables: bytes, rng: Randomness) -> tuple["Answering", bytes]:
        """P1's tables in, P2's re-randomised sum of its total and the entries drawn out."""
        cipher, scheme = self.cipher, self.agreement.proof.scheme
        parts = 1 + len(scheme.tables)
        transcript, (public, *held) = self.transcript.receive(Step.TABLES, tables, parts)
        found = self.holding.under(cipher, public)
        for table, size, chosen in zip(held, scheme.sizes, scheme.indices(rng), strict=True):
            for sign, index in zip(scheme.signs, chosen, strict=True):
                entry = cipher.entry(public, table, index, size)
                found = (cipher.add if sign > 0 else cipher.subtract)(found, entry)
        transcript, message = transcript.send(Step.SUM, cipher.rerandomise(public, found))
        return Answering(self.agreement, transcript), message


@dataclass(frozen=True)
class Answering:
    """P2 with its sum made. From the moment that it is sent, the total counts as released."""

    agreement: Agreement
    transcript: Transcript

    def receive(self, result: bytes) -> "Informed":
        """P2's next state, with the result that P1 has sent."""
        transcript, (told,) = self.transcript.receive(Step.RESULT, result, 1)
        if len(told) != (0 if self.agreement.p2_blind else _TOTAL):
            raise InvalidMessage(f"a result has {_TOTAL} bytes, or none for a blind P2")
        if self.agreement.p2_blind:
            return Informed(None)
        return Informed(_noisy(self.agreement, int.from_bytes(told, signed=True), transcript))


@dataclass(frozen=True)
class Informed:
    """P2 at the end of a session; it knows the result unless it agreed not to."""

    result: NoisyTotal | None


def fingerprint(public: bytes) -> str:
    """A short text that tells a public key from others."""
    return hashlib.sha256(public).hexdigest()[:16]


def _noisy(agreement: Agreement, total: int, transcript: Transcript) -> NoisyTotal:
    guarantee, mean = agreement.document.guarantee, agreement.proof.mean
    return NoisyTotal(
        total, guarantee.epsilon, guarantee.delta, float(mean), transcript.session.hex()
    )


def _check_cipher(agreement: Agreement, cipher: Cipher) -> None:
    if cipher.name != agreement.cipher:
        raise ParameterError(
            f"the cipher {agreement.cipher!r} is agreed on, this one is {cipher.name!r}"
        )


def _half(rng: Randomness) -> bytes:
    """One party's half of a session's name."""
    return bytes(rng.below(256, (HALF,)).tolist())

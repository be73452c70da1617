"""The two parties as state machines without I/O: a state and a message give the next of both.

    P1: Listening ──hello──▶ Bound ──choice──▶ Offering ──sum──▶ Sealed ──open──▶ Opened
    P2: Starting ──greet──▶ Greeting ──commitments──▶ Choosing ──tables──▶ Answering
        ──result──▶ Informed

A state is a value: a message that doesn't fit raises and changes nothing, and no state goes
back. P1 draws keys (unless devices hold its public key) and an order of the tables for each
session, P2 its indices, so no noise is ever used twice. Whoever runs a machine writes down on
disk, *before* ``Sealed.open``, that this key opens; and P2, before it sends the sum, that its
total is answered.

P1 proves by cut and choose that its tables are a shuffle of the agreed ones. What either party
could do all the same is in ``docs/explanation/secure-sampling.md``. They are believed not to tell
each other what they hold.
"""

import hashlib
from dataclasses import dataclass, field

from sudare.chance.randomness import Randomness
from sudare.errors import InvalidMessage, ParameterError
from sudare.twoparty.ciphers.interface import Cipher, Keys
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.candidates import (
    DIGEST,
    SEED,
    Candidate,
    check_opened,
    check_used,
    digest,
    split,
)
from sudare.twoparty.protocol.messages import HALF, Step, Transcript

_TOTAL = 8  # bytes of a result, signed
_CHOICE = 4  # bytes of a candidate's position


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

    def check_key(self, public: bytes) -> None:
        """Raise where the devices used another key than P1's tables."""
        if self.total is None and public != self.public:
            raise InvalidMessage(
                f"the tables are under the key {fingerprint(public)}, the devices used "
                f"{fingerprint(self.public)}"
            )

    def under(self, cipher: Cipher, public: bytes) -> bytes:
        """P2's total as a ciphertext under P1's key, which was checked."""
        return self.ciphertext if self.total is None else cipher.encrypt(public, self.total)


@dataclass(frozen=True)
class Listening:
    """P1 at the beginning of a session. It has keys only if devices have encrypted to it."""

    agreement: Agreement
    cipher: Cipher
    keys: Keys | None = None

    def receive(self, hello: bytes, rng: Randomness) -> tuple["Bound", bytes]:
        """P2's greeting in; P1's key and the digests of its candidates out."""
        agreement = self.agreement
        _check_cipher(agreement, self.cipher)
        scheme = agreement.proof.scheme  # proved before use
        transcript, (terms,) = Transcript(agreement.key).receive(Step.HELLO, hello, 1)
        agreement.check_terms(terms)
        keys = self.keys or self.cipher.keys()
        candidates = tuple(
            Candidate.drawn(self.cipher, keys, scheme, rng) for _ in range(agreement.candidates)
        )
        digests = b"".join(
            digest(keys.public, position, each.tables) for position, each in enumerate(candidates)
        )
        transcript = transcript.named(_half(rng))
        transcript, message = transcript.send(Step.COMMITMENTS, keys.public, digests)
        return Bound(agreement, self.cipher, keys, transcript, candidates), message


@dataclass(frozen=True)
class Bound:
    """P1, bound to all its candidates, before it hears which of them is used."""

    agreement: Agreement
    cipher: Cipher
    keys: Keys
    transcript: Transcript
    candidates: tuple[Candidate, ...]

    def receive(self, choice: bytes) -> tuple["Offering", bytes]:
        """P2's choice in; that candidate's tables and the seeds of all others out."""
        transcript, (chosen,) = self.transcript.receive(Step.CHOICE, choice, 1)
        used, number = int.from_bytes(chosen), len(self.candidates)
        if len(chosen) != _CHOICE or used >= number:
            raise InvalidMessage(f"a choice is one of {number} candidates, in {_CHOICE} bytes")
        seeds = b"".join(each.seed for at, each in enumerate(self.candidates) if at != used)
        transcript, message = transcript.send(Step.TABLES, seeds, *self.candidates[used].tables)
        return Offering(self.agreement, self.cipher, self.keys, transcript), message


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
        return self.transcript.send(Step.RESULT, b"", b"")[1]

    def open(self, own: int = 0) -> tuple["Opened", bytes]:
        """The noisy total, P1's own total added, and the message that tells P2 so.

        Where P1 may not add any, it proves to P2 that this is what the sum opens to. A value that
        no total of so many people can lead to, whatever the noise, is refused.
        """
        agreement, law = self.agreement, self.agreement.proof.law.trimmed
        agreement.check_own(own)
        high = agreement.largest_total + law.greatest
        found = self.cipher.decrypt(self.keys, self.ciphertext, law.least, high)
        noisy = _noisy(agreement, found + own, self.transcript)
        if agreement.p2_blind:
            return Opened(noisy), self.silence
        told, proof = noisy.total.to_bytes(_TOTAL, signed=True), b""
        if not agreement.p1_adds:
            context = self.transcript.digest
            proof = self.cipher.prove_opening(self.keys, self.ciphertext, found, context)
        return Opened(noisy), self.transcript.send(Step.RESULT, told, proof)[1]


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
    """P2 with its greeting sent, waiting for P1 to be bound."""

    agreement: Agreement
    cipher: Cipher
    holding: TotalOfP2
    transcript: Transcript

    def receive(self, commitments: bytes, rng: Randomness) -> tuple["Choosing", bytes]:
        """P1's key and digests in; which candidate is used out, each with the same chance."""
        agreement, number = self.agreement, self.agreement.candidates
        transcript, parts = self.transcript.receive(Step.COMMITMENTS, commitments, 2)
        public, digests = parts[0], tuple(split(parts[1], DIGEST, "digests", number))
        self.holding.check_key(public)
        used = int(rng.below(number, (1,))[0])
        transcript, message = transcript.send(Step.CHOICE, used.to_bytes(_CHOICE))
        return Choosing(
            agreement, self.cipher, self.holding, transcript, public, digests, used
        ), message


@dataclass(frozen=True)
class Choosing:
    """P2 with its choice made. Nothing of its total has left it."""

    agreement: Agreement
    cipher: Cipher
    holding: TotalOfP2
    transcript: Transcript
    public: bytes
    digests: tuple[bytes, ...]
    used: int

    def receive(self, tables: bytes, rng: Randomness) -> tuple["Answering", bytes]:
        """P1's tables in, P2's re-randomised sum of its total and the entries drawn out."""
        cipher, scheme = self.cipher, self.agreement.proof.scheme
        parts = 1 + len(scheme.tables)
        transcript, (seeds, *held) = self.transcript.receive(Step.TABLES, tables, parts)
        self._check(seeds, tuple(held))
        found = self.holding.under(cipher, self.public)
        for table, size, chosen in zip(held, scheme.sizes, scheme.indices(rng), strict=True):
            for sign, index in zip(scheme.signs, chosen, strict=True):
                entry = cipher.entry(self.public, table, index, size)
                found = (cipher.add if sign > 0 else cipher.subtract)(found, entry)
        answer = cipher.rerandomise(self.public, found)
        transcript, message = transcript.send(Step.SUM, answer)
        return Answering(self.agreement, cipher, self.public, answer, transcript), message

    def _check(self, seeds: bytes, tables: tuple[bytes, ...]) -> None:
        """Raise unless P1 kept to the protocol, as far as it shows; nothing is drawn before.

        All entries are looked at, so that whether P2 stops tells nothing of what it would draw.
        """
        cipher, public, scheme = self.cipher, self.public, self.agreement.proof.scheme
        opened = [at for at in range(len(self.digests)) if at != self.used]
        found = split(seeds, SEED, "seeds", len(opened))
        check_used(public, self.digests, self.used, tables)
        for table, size in zip(tables, scheme.sizes, strict=True):
            cipher.check_table(public, table, size)
        check_opened(cipher, public, scheme, self.digests, dict(zip(opened, found, strict=True)))


@dataclass(frozen=True)
class Answering:
    """P2 with its sum made. From the moment that it is sent, the total counts as released."""

    agreement: Agreement
    cipher: Cipher
    public: bytes
    answer: bytes = field(repr=False)
    transcript: Transcript

    def receive(self, result: bytes) -> "Informed":
        """P2's next state, with the result that P1 has sent, and proved if it may not add any."""
        agreement = self.agreement
        transcript, (told, proof) = self.transcript.receive(Step.RESULT, result, 2)
        if len(told) != (0 if agreement.p2_blind else _TOTAL):
            raise InvalidMessage(f"a result has {_TOTAL} bytes, or none for a blind P2")
        unproved = agreement.p2_blind or agreement.p1_adds
        total, context = int.from_bytes(told, signed=True), self.transcript.digest
        if unproved and proof:
            raise InvalidMessage(f"a result that isn't proved has a proof of {len(proof)} bytes")
        if not (unproved or self.cipher.opens_to(self.public, self.answer, total, context, proof)):
            raise InvalidMessage(
                "P1 doesn't follow the protocol: nothing proves that the sum opens to the total "
                "that it tells"
            )
        return Informed(None if agreement.p2_blind else _noisy(agreement, total, transcript))


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

"""The agreement of two parties before they start: tables, guarantee, cipher, who is counted."""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import msgspec

from sudare.chance.exact import float_up
from sudare.errors import InvalidMessage, ParameterError
from sudare.formats.documents import canonical
from sudare.formats.numbers import whole
from sudare.twoparty.ciphers.interface import CIPHERS, NOT_RECOMPUTABLE, RECOMPUTABLE
from sudare.twoparty.noise.law import Proof, require
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.messages import LARGEST, Step

ENTRY_BYTES = {"elgamal": 64, "lattice": 22}  # of a table's entry, under each cipher
BESIDE_BYTES = 1 << 19  # of message 3 beside its entries, at most: seeds, lengths
MOST_CANDIDATES = 1000
MOST_TOTAL = 1 << 39  # of one party: the ciphers open up to 2^40


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agreement as it is sent and compared; the tables stand there by their key.

    ``table`` comes last: another ε is another key, and the ε is what people should be told.
    """

    sudare: Literal["agreement"]
    format: Literal[2]  # 1 had no candidates
    epsilon: float
    delta: float
    sensitivity: int
    cipher: str
    people: int
    most: int
    p2_blind: bool
    disjoint: bool
    count: str
    candidates: int
    table: str


@dataclass(frozen=True)
class Agreement:
    """The agreement that both parties must hold alike. Who uses one proves its tables first.

    Attributes:
        document: the tables, and the guarantee that they keep.
        cipher: the name of the cipher.
        people: the most people that one party counts.
        most: a person counts from 0 to this, so nobody moves a total by more.
        p2_blind: P2 never sees the result: tables are then enough that fail against P2 only.
        disjoint: nobody is in both parties' totals, so nobody moves their sum by more.
        count: the key of the count that devices encrypt to, empty if there is none.
        candidates: c, how many candidates of its tables P1 makes. All but one are opened, so that
            a false one is found with chance 1 - 1/c; with 1 there is no proof, and P1 is trusted.
    """

    document: TableDocument
    cipher: str = CIPHERS[0]
    people: int = 1_000_000
    most: int = 1
    p2_blind: bool = False
    disjoint: bool = False
    count: str = ""
    candidates: int = 1

    def __post_init__(self) -> None:
        sensitivity = self.document.guarantee.sensitivity
        if not 1 <= whole("most", self.most) <= sensitivity:
            raise ParameterError(
                f"a person counts up to at least 1 and at most the tables' sensitivity "
                f"{sensitivity}, got {self.most}"
            )
        if not 1 <= whole("people", self.people) <= MOST_TOTAL // self.most:
            raise ParameterError(
                f"people must be from 1 to {MOST_TOTAL // self.most}, got {self.people}"
            )
        self._check_candidates()
        self._check_size()

    def _check_candidates(self) -> None:
        if not 1 <= whole("candidates", self.candidates) <= MOST_CANDIDATES:
            raise ParameterError(
                f"candidates must be from 1 to {MOST_CANDIDATES}, got {self.candidates}"
            )
        if self.candidates > 1 and self.cipher in set(CIPHERS) - set(RECOMPUTABLE):
            raise ParameterError(f"{NOT_RECOMPUTABLE}, got {self.candidates}")

    def _check_size(self) -> None:
        """Raise where the tables are too large to be sent, before anybody waits for them."""
        scheme = self.document.scheme
        scheme.check_written()
        if self.cipher not in ENTRY_BYTES:  # one that isn't ours; who has it knows its sizes
            return
        most = (LARGEST[Step.TABLES] - BESIDE_BYTES) // ENTRY_BYTES[self.cipher]
        if scheme.entries > most:
            raise ParameterError(
                f"under {self.cipher} the tables may have {most} entries in all to fit in a "
                f"message of {LARGEST[Step.TABLES]} bytes, these have {scheme.entries}"
            )
        if self.candidates * scheme.entries > most:  # P1 holds them all until it hears the choice
            raise ParameterError(
                f"{self.candidates} candidates of tables of {scheme.entries} entries have more "
                f"than {most} entries together: agree on at most {most // scheme.entries}"
            )

    @cached_property
    def proof(self) -> Proof:
        """The proof of the tables; raises where the guarantee isn't kept against both parties."""
        scheme, guarantee = self.document.scheme, self.document.guarantee
        return require(scheme, guarantee, p2_blind=self.p2_blind)

    @property
    def deterrence(self) -> Fraction:
        """The least chance with which P2 finds out a P1 whose tables aren't those agreed on."""
        return 1 - Fraction(1, self.candidates)

    @property
    def spending_key(self) -> str:
        """The key that a ledger charges: the count's, or the agreement's if there is none."""
        return self.count or self.key.hex()

    @property
    def spent_delta(self) -> float:
        """The exact δ that one opening costs the people in it, rounded up.

        Both parties' ledgers are charged it, beside ε: it is that of whoever learns the most, and
        a P2 that isn't blind is told the result by P1. As for the noise; what a cipher leaves
        open comes on top (docs/explanation/ciphers.md).
        """
        known = self.proof.delta_p1
        return float_up(known if self.p2_blind else max(known, self.proof.delta_p2))

    @property
    def largest_total(self) -> int:
        """The largest total that one party's people can come to."""
        return self.people * self.most

    @property
    def terms(self) -> bytes:
        """The agreement as canonical JSON, which is sent and compared."""
        guarantee = self.document.guarantee
        terms = Terms(
            "agreement",
            2,
            guarantee.epsilon,
            guarantee.delta,
            guarantee.sensitivity,
            self.cipher,
            self.people,
            self.most,
            self.p2_blind,
            self.disjoint,
            self.count,
            self.candidates,
            self.document.key,
        )
        return canonical(terms)

    @property
    def key(self) -> bytes:
        """SHA-256 of the terms: equal keys, equal agreements."""
        return hashlib.sha256(self.terms).digest()

    def check_total(self, total: int) -> int:
        """A party's total as it is, if its people can come to it; an error doesn't repeat it."""
        if not 0 <= whole("a total", total) <= self.largest_total:
            raise ParameterError(
                f"{self.people} people of up to {self.most} each come to a total from 0 to "
                f"{self.largest_total}, this one lies outside"
            )
        return total

    def check_own(self, own: int) -> int:
        """P1's own total as it is, if it may be added."""
        if self.check_total(own):
            self.check_both()
        return own

    @property
    def p1_adds(self) -> bool:
        """Whether P1 may add a total: the tables cover a person who is in both, or nobody is."""
        return self.disjoint or self.document.guarantee.sensitivity >= 2 * self.most

    def check_both(self) -> None:
        """Raise unless the tables cover a person who is in both totals, or nobody is."""
        sensitivity = self.document.guarantee.sensitivity
        if not self.p1_adds:
            raise ParameterError(
                f"a person in both totals moves their sum by up to {2 * self.most} and the tables "
                f"cover {sensitivity}: agree that nobody is in both (--disjoint), or take tables "
                f"of sensitivity {2 * self.most}"
            )

    def check_terms(self, theirs: bytes) -> None:
        """Raise with the first difference where the other party agreed to something else."""
        if theirs == self.terms:
            return
        try:
            read, own = (msgspec.json.decode(text, type=Terms) for text in (theirs, self.terms))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise InvalidMessage("the other party's terms can't be read") from None
        for name in Terms.__struct_fields__:
            here, there = getattr(own, name), getattr(read, name)
            if here != there:
                raise InvalidMessage(
                    f"the parties don't agree: {name} is {_short(here)} here and "
                    f"{_short(there)} there"
                )
        raise InvalidMessage("the other party's terms aren't written in their one form")


def _short(value: object) -> str:
    """A value as it stands in a sentence: of a key, or of a stranger's text, the beginning."""
    return f"{value[:12]!r}" if isinstance(value, str) else f"{value}"

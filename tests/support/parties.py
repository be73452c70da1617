"""Two parties who agreed on small tables, whole sessions of them, and the noise of shipped ones."""

from collections import Counter
from dataclasses import dataclass

from sudare.chance.randomness import Randomness, System
from sudare.twoparty.ciphers.interface import Cipher, Keys
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, noise_law
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.parties import (
    Answering,
    Bound,
    Choosing,
    Greeting,
    Informed,
    Listening,
    Offering,
    Opened,
    Sealed,
    Starting,
    TotalOfP2,
)
from support.chance import assert_follows, rejects
from support.plain_cipher import Plain

SMALL = TableDocument(Guarantee(2.0, 0.1), Scheme.of_differences([{0: 7, 1: 3}, {0: 12, 2: 1}]))
AGREED = Agreement(SMALL, Plain.name, people=1000, candidates=3)
ONE = Listening(AGREED, Plain())
TWO = Starting(AGREED, Plain(), TotalOfP2(total=500))


HELD = TotalOfP2(total=500)


@dataclass(frozen=True)
class Run:
    """Everything that was said, message by message, and every state that was in."""

    hello: bytes
    commitments: bytes
    choice: bytes
    tables: bytes
    answer: bytes
    result: bytes
    greeting: Greeting
    bound: Bound
    choosing: Choosing
    offering: Offering
    answering: Answering
    sealed: Sealed
    opened: Opened
    informed: Informed

    @property
    def said(self) -> list[bytes]:
        """The messages in their order."""
        return [
            self.hello,
            self.commitments,
            self.choice,
            self.tables,
            self.answer,
            self.result,
        ]


def run(
    agreement: Agreement = AGREED,
    cipher: Cipher | None = None,
    held: TotalOfP2 = HELD,
    *,
    rng: Randomness | None = None,
    own: int = 0,
    keys: Keys | None = None,
) -> Run:
    """A whole session of both machines, without a connection."""
    cipher, rng = cipher or Plain(), rng or System()
    greeting, hello = Starting(agreement, cipher, held).greet(rng)
    bound, commitments = Listening(agreement, cipher, keys).receive(hello, rng)
    choosing, choice = greeting.receive(commitments, rng)
    offering, tables = bound.receive(choice)
    answering, answer = choosing.receive(tables, rng)
    sealed = offering.receive(answer)
    opened, result = sealed.open(own)
    informed = answering.receive(result)
    said = hello, commitments, choice, tables, answer, result
    return Run(*said, greeting, bound, choosing, offering, answering, sealed, opened, informed)


def assert_shipped_noise(noises: Counter[int]) -> Proof:
    """These noises may be those of the tables shipped for ε = 1; their proof.

    Fails by chance with at most 1e-9; more noise and less must be told apart.
    """
    proof, wider = shipped(Guarantee(1.0, 1e-6)), shipped(Guarantee(0.25, 1e-6))
    assert proof is not None
    assert wider is not None
    assert_follows(noises, proof.law.chances, noises.total())
    assert rejects(noises, wider.law.chances, noises.total())
    narrower = Scheme.of_differences(proof.scheme.tables[1:])
    assert rejects(noises, noise_law(narrower).chances, noises.total())
    return proof

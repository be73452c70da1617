"""Two parties who agreed on small tables, under a cipher that encrypts nothing; shipped noise."""

from collections import Counter

from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, noise_law
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.parties import Listening, Starting, TotalOfP2
from support.chance import assert_follows, rejects
from support.plain_cipher import Plain

SMALL = TableDocument(Guarantee(2.0, 0.1), Scheme.of_differences([{0: 7, 1: 3}, {0: 12, 2: 1}]))
AGREED = Agreement(SMALL, Plain.name, people=1000)
ONE = Listening(AGREED, Plain())
TWO = Starting(AGREED, Plain(), TotalOfP2(total=500))


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

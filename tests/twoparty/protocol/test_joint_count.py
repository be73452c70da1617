"""Counts over encrypted answers: documents, records and sums."""

import math
import secrets
from dataclasses import replace

import msgspec
import pytest

from sudare.chance.randomness import System
from sudare.errors import (
    InvalidAnswer,
    InvalidCiphertext,
    InvalidDocument,
    InvalidMessage,
    ParameterError,
    SudareError,
)
from sudare.twoparty.ciphers.bit_proof import encrypt_bit
from sudare.twoparty.ciphers.elgamal import POINT
from sudare.twoparty.ciphers.interface import cipher_named
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.joint_count import JointCount, encrypted, record_size, summed
from sudare.twoparty.protocol.parties import Listening, NoisyTotal, Starting, TotalOfP2
from support.parties import run
from support.plain_cipher import Plain

CIPHER = cipher_named("elgamal")
KEYS = CIPHER.keys()


def document(sensitivity: int = 1) -> TableDocument:
    guarantee = Guarantee(1.0, 1e-6, sensitivity)
    proof = shipped(guarantee)
    assert proof is not None
    return TableDocument(guarantee, proof.scheme)


BITS = JointCount("smokers", Agreement(document(), people=300), KEYS.public)
PROVED = replace(BITS, proofs=True)
SMALL = JointCount("cups", Agreement(document(10), people=300, most=10), KEYS.public)


def opened(count: JointCount, records: bytes) -> NoisyTotal:
    """What P1 opens of these records, by the machines of both parties."""
    holding, _ = summed(count, CIPHER, records)
    done = run(count.bound_agreement, CIPHER, holding, keys=KEYS)
    assert done.informed.result == done.opened.result
    return done.opened.result


@pytest.mark.parametrize(
    ("count", "values"),
    [
        (BITS, [1] * 70 + [0] * 50),
        (PROVED, [1] * 20 + [0] * 10),
        (SMALL, [*range(11)] * 5),
    ],
    ids=lambda case: case.name if isinstance(case, JointCount) else None,
)
def test_only_the_noisy_total_is_opened(count: JointCount, values: list[int]) -> None:
    records = b"".join(encrypted(count, CIPHER, values))
    assert len(records) == len(values) * record_size(count, CIPHER)
    found, law = opened(count, records), count.agreement.proof.law.trimmed
    assert law.least <= found.total - sum(values) <= -law.least
    assert (found.epsilon, found.delta) == (1.0, 1e-6)
    assert found.mean_noise == float(count.agreement.proof.mean)


def test_progress_is_told_every_now_and_then() -> None:
    told: list[int] = []
    summed(BITS, CIPHER, b"".join(encrypted(BITS, CIPHER, [0] * 300)), told.append)
    assert told == [0, 256]


def test_a_total_or_another_count_is_refused_at_the_greeting() -> None:
    for other in (BITS.agreement, replace(BITS, name="others").bound_agreement):
        _, hello = Starting(other, CIPHER, TotalOfP2(total=5)).greet(System())
        with pytest.raises(InvalidMessage, match="the parties don't agree: count is"):
            Listening(BITS.bound_agreement, CIPHER, KEYS).receive(hello, System())


def test_a_ledger_is_charged_by_the_count_or_by_the_terms() -> None:
    assert BITS.bound_agreement.spending_key == BITS.key
    assert BITS.agreement.spending_key == BITS.agreement.key.hex() != BITS.key


def test_the_exact_delta_of_whoever_learns_the_most_is_charged() -> None:
    """Of the document's draws P2 knows which coincide, which helps it if it sees the result."""
    wide = TableDocument(Guarantee(1.0, 1e-3), algorithm2(Guarantee(1.0, 1e-6), 2))
    seeing, blind = (Agreement(wide, p2_blind=told) for told in (False, True))
    proof = seeing.proof
    for exact, agreement in ((proof.delta_p2, seeing), (proof.delta_p1, blind)):
        assert math.nextafter(agreement.spent_delta, 0) < exact <= agreement.spent_delta
    assert seeing.spent_delta > 100 * blind.spent_delta


def test_records_are_64_bytes_and_192_with_a_proof() -> None:
    assert record_size(BITS, CIPHER) == 64
    assert record_size(PROVED, CIPHER) == 192


def test_equal_values_make_different_records() -> None:
    assert len(set(encrypted(BITS, CIPHER, [1] * 20))) == 20


def test_documents_read_back_and_hold_no_secret() -> None:
    for count in (BITS, PROVED, SMALL):
        text = count.to_json()
        assert JointCount.from_json(text) == count
        assert KEYS.secret.hex().encode() not in text
        assert count.keys(count.secret_json(KEYS)) == KEYS
    with pytest.raises(InvalidDocument, match="the secret is of the count"):
        BITS.keys(SMALL.secret_json(KEYS))


def test_a_count_without_candidates_is_as_it_was_before_there_were_any() -> None:
    """Its document and its key don't change; what has candidates is of another format."""
    proved = replace(BITS, agreement=replace(BITS.agreement, candidates=3))
    assert JointCount.from_json(proved.to_json()) == proved
    assert proved.key != BITS.key
    plain, several = (msgspec.json.decode(count.to_json()) for count in (BITS, proved))
    assert several == plain | {"format": 3, "candidates": 3}
    assert "candidates" not in plain
    assert opened(proved, b"".join(encrypted(proved, CIPHER, [1] * 5))).total < 100
    for changed in (
        plain | {"candidates": 1},
        plain | {"candidates": 20},
        plain | {"format": 3},
        several | {"candidates": 1},
        several | {"format": 2},
        several | {"format": 4},
    ):
        with pytest.raises(InvalidDocument):
            JointCount.from_json(msgspec.json.encode(changed))
    with pytest.raises(ParameterError, match="from 1 to 1000, got 1001"):
        JointCount.from_json(msgspec.json.encode(several | {"candidates": 1001}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sudare", "table"),
        ("format", 1),
        ("public", "xyz"),
        ("people", 0),
        ("most", 2),
        ("extra", 1),
    ],
)
def test_a_document_that_says_something_else_is_refused(field: str, value: object) -> None:
    changed = msgspec.json.decode(BITS.to_json()) | {field: value}
    with pytest.raises(SudareError):
        JointCount.from_json(msgspec.json.encode(changed))


@pytest.mark.parametrize(
    "public",
    [b"", bytes(POINT), b"\xff" * POINT, KEYS.public[:-1]],
    ids=["nothing", "identity", "no point", "cut"],
)
def test_a_public_key_that_is_none_is_a_sentence(public: bytes) -> None:
    with pytest.raises(InvalidCiphertext, match="a public key is a point of 32 bytes"):
        encrypt_bit(public, 1, b"a count")
    for count in (BITS, PROVED):
        with pytest.raises(InvalidCiphertext, match="a public key is a point of 32 bytes"):
            replace(count, public=public)


def test_a_value_out_of_range_is_refused_on_the_device_without_being_told() -> None:
    for values in ([0, 11], [3, -1]):
        with pytest.raises(InvalidAnswer, match="at position 1 is not from 0 to 10") as error:
            list(encrypted(SMALL, CIPHER, values))
        assert "11" not in str(error.value)


def test_files_that_are_no_records_are_refused() -> None:
    record = b"".join(encrypted(BITS, CIPHER, [1]))
    many = replace(BITS, agreement=replace(BITS.agreement, people=2))
    three = b"".join(encrypted(BITS, CIPHER, [1, 1, 1]))
    for count, records, sentence in (
        (BITS, b"", "can't have 0 bytes in all"),
        (BITS, record[:-1], "can't have 63 bytes"),
        (BITS, three + record + record, "at position 4 stands there twice"),
        (many, three, "the count is for up to 2 people, the file has 3 records"),
        (
            BITS,
            three + b"\xff" * 32 + bytes(32),
            "the record at position 3 can't be.*point",
        ),
        (PROVED, secrets.token_bytes(192), "the proof at position 0 does not hold"),
    ):
        with pytest.raises(SudareError, match=sentence):
            summed(count, CIPHER, records)


def test_without_proofs_a_million_from_one_device_is_refused_at_the_opening() -> None:
    """Nothing proves a device's value, but what is opened can't leave what all could come to."""
    honest = b"".join(encrypted(BITS, CIPHER, [1] * 5))
    with pytest.raises(SudareError, match="holds no value from"):
        opened(BITS, honest + CIPHER.encrypt(KEYS.public, 10**6))


def test_proofs_are_of_bits_only() -> None:
    with pytest.raises(ParameterError, match="a range up to 10 under 'elgamal'"):
        replace(SMALL, proofs=True)
    with pytest.raises(ParameterError, match="up to 1 under 'plain'"):
        replace(PROVED, agreement=replace(BITS.agreement, cipher=Plain.name))

"""Cut and choose: a P1 that cheats in a candidate is found out unless that one is used."""

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest
import rbcl

from sudare.chance.exact import exact_law
from sudare.chance.randomness import Randomness, Scripted, System
from sudare.errors import (
    FalseTables,
    InvalidCiphertext,
    InvalidMessage,
    ParameterError,
    PartyLost,
    SudareError,
)
from sudare.privacy.account import Account
from sudare.privacy.ledger import Ledger
from sudare.privacy.payment import paying
from sudare.twoparty.ciphers import lattice
from sudare.twoparty.ciphers.elgamal import PAIR, ElGamal
from sudare.twoparty.ciphers.interface import Cipher, Keys, cipher_named
from sudare.twoparty.ciphers.polynomials import pack, ring
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.candidates import Candidate, Tables, digest, recomputed
from sudare.twoparty.protocol.connection import Wire
from sudare.twoparty.protocol.messages import Step, Transcript
from sudare.twoparty.protocol.parties import Answering, Bound, Choosing, Greeting, Starting
from sudare.twoparty.protocol.session import OnceFile, run_two
from support.parties import AGREED, HELD, SMALL

NUMBER = 4  # of candidates
CIPHER = ElGamal()
KEYS = CIPHER.keys()
PROVED = replace(AGREED, cipher=CIPHER.name, candidates=NUMBER)
SCHEME = SMALL.scheme
NO_WORDS = Scripted([])  # whoever draws from it fails, and not with an error of ours below


def fresh() -> Candidate:
    """A candidate as the protocol asks for."""
    return Candidate.drawn(CIPHER, KEYS, SCHEME, System())


def bound_to(
    hello: bytes,
    candidates: Sequence[Candidate],
    agreement: Agreement = PROVED,
    cipher: Cipher = CIPHER,
    keys: Keys = KEYS,
) -> tuple[Bound, bytes]:
    """P1, bound to whatever it likes, and its commitments: all in order but what they are of."""
    transcript, _ = Transcript(agreement.key).receive(Step.HELLO, hello, 1)
    digests = b"".join(digest(keys.public, at, each.tables) for at, each in enumerate(candidates))
    transcript, message = transcript.named(bytes(16)).send(Step.COMMITMENTS, keys.public, digests)
    return Bound(agreement, cipher, keys, transcript, tuple(candidates)), message


def choosing(position: int, number: int = NUMBER) -> Scripted:
    """The word that lets P2 choose a position."""
    return Scripted([-(-(position << 16) // number)])


@dataclass(frozen=True)
class Met:
    """P1 and P2 after P2's choice, and the message with which P1 opens all others."""

    p1: Bound
    p2: Choosing
    tables: bytes

    def answer(self) -> Answering:
        return self.p2.receive(self.tables, System())[0]


def meet(candidates: Sequence[Candidate], position: int) -> Met:
    greeting, hello = Starting(PROVED, CIPHER, HELD).greet(System())
    p1, commitments = bound_to(hello, candidates)
    p2, choice = greeting.receive(commitments, choosing(position))
    assert p2.used == position
    return Met(p1, p2, p1.receive(choice)[1])


# Every way to cheat in a candidate.

Cheat = Callable[[Candidate], Candidate]


def holding(change: Callable[[list[int]], list[int]]) -> Cheat:
    """Tables of other numbers, encrypted as they should be."""

    def cheat(candidate: Candidate) -> Candidate:
        orders = [order.tolist() for order in SCHEME.shuffled(System())]
        tables = tuple(CIPHER.encrypt_table(KEYS, change(order)) for order in orders)
        return replace(candidate, tables=tables)

    return cheat


def changed(change: Callable[[bytes], bytes]) -> Cheat:
    """The last table's bytes changed."""

    def cheat(candidate: Candidate) -> Candidate:
        *others, last = candidate.tables
        return replace(candidate, tables=(*others, change(last)))

    return cheat


def under_another_key(candidate: Candidate) -> Candidate:
    other = Candidate.drawn(CIPHER, CIPHER.keys(), SCHEME, System())
    return replace(other, seed=candidate.seed)


def tables_swapped(candidate: Candidate) -> Candidate:
    """Tables of equal numbers of bytes in another order; here only the digest's order tells."""
    return replace(candidate, tables=candidate.tables[::-1])


UNSEEN: dict[str, Cheat] = {
    "zeros only": holding(lambda order: [0] * len(order)),
    "another value": holding(lambda order: [order[0] + 1, *order[1:]]),
    "not shuffled": holding(sorted),
    "an entry twice": changed(lambda table: table[:PAIR] + table[:-PAIR]),
    "entries in another order": changed(lambda table: table[PAIR:] + table[:PAIR]),
    "another seed": lambda candidate: replace(candidate, seed=bytes(32)),
    "another key": under_another_key,
    "no randomness of the seed": holding(lambda order: order),
}
SEEN: dict[str, Cheat] = {  # even where it is used
    "no points": changed(lambda table: table[:-PAIR] + b"\xff" * PAIR),
    "nothing encrypted": changed(lambda table: bytes(len(table))),
    "cut": changed(lambda table: table[:-PAIR]),
    "other tables": tables_swapped,
}


@pytest.mark.parametrize("name", [*UNSEEN, *SEEN])
def test_a_cheat_is_found_unless_that_candidate_is_used(name: str) -> None:
    """Over all choices, of which each has the same chance: c - 1 of c find it."""
    found = 0
    for cheated in range(NUMBER):
        candidates = [fresh() for _ in range(NUMBER)]
        candidates[cheated] = {**UNSEEN, **SEEN}[name](candidates[cheated])
        for position in range(NUMBER):
            met = meet(candidates, position)
            if position == cheated and name in UNSEEN:
                met.answer()
                continue
            error = InvalidCiphertext if position == cheated else FalseTables
            with pytest.raises(error) as refused:
                met.p2.receive(met.tables, NO_WORDS)
            if position != cheated:
                assert f"candidate {cheated + 1} of {NUMBER} is no shuffle" in str(refused.value)
            found += 1
    assert Fraction(found, NUMBER**2) == (PROVED.deterrence if name in UNSEEN else 1)


def test_every_candidate_is_chosen_with_the_same_chance() -> None:
    for number in (1, 2, 20):
        agreement = replace(PROVED, candidates=number)
        greeting, hello = Starting(agreement, CIPHER, HELD).greet(System())
        _, commitments = bound_to(hello, [fresh()] * number, agreement)

        def used(rng: Randomness, p2: Greeting = greeting, message: bytes = commitments) -> int:
            return p2.receive(message, rng)[0].used

        law = exact_law(used)
        assert law == dict.fromkeys(range(number), Fraction(1, number))


def test_an_honest_p1_is_never_refused_and_keeps_the_seed_of_what_is_used() -> None:
    candidates = [fresh() for _ in range(NUMBER)]
    assert len({each.seed for each in candidates}) == NUMBER
    for position in range(NUMBER):
        met = meet(candidates, position)
        met.answer()
        for at, each in enumerate(candidates):
            assert (each.seed in met.tables) == (at != position)
            for table in each.tables:
                assert (table in met.tables) == (at == position)


@pytest.mark.parametrize("position", range(NUMBER))
def test_p1_cant_change_its_tables_once_it_has_heard_the_choice(position: int) -> None:
    candidates = [fresh() for _ in range(NUMBER)]
    met = meet(candidates, position)
    for other in (UNSEEN["zeros only"](candidates[position]), candidates[position - 1], fresh()):
        swapped = list(candidates)
        swapped[position] = other
        _, tables = replace(met.p1, candidates=tuple(swapped)).receive(_choice_of(met))
        with pytest.raises(FalseTables, match=f"candidate {position + 1} of 4 aren't those"):
            met.p2.receive(tables, NO_WORDS)


def _choice_of(met: Met) -> bytes:
    """P2's choice, as it was sent."""
    return met.p1.transcript.send(Step.CHOICE, met.p2.used.to_bytes(4))[1]


@pytest.mark.parametrize("seeds", [b"", bytes(32), bytes(32 * NUMBER)])
def test_another_number_of_seeds_is_refused(seeds: bytes) -> None:
    met = meet([fresh() for _ in range(NUMBER)], 0)
    transcript, _ = met.p1.transcript.receive(Step.CHOICE, _choice_of(met), 1)
    _, tables = transcript.send(Step.TABLES, seeds, *met.p1.candidates[0].tables)
    with pytest.raises(InvalidMessage, match=f"3 seeds have 96 bytes, these are {len(seeds)}"):
        met.p2.receive(tables, NO_WORDS)


@pytest.mark.parametrize("number", [0, 3, 5])
def test_another_number_of_digests_is_refused(number: int) -> None:
    greeting, hello = Starting(PROVED, CIPHER, HELD).greet(System())
    _, commitments = bound_to(hello, [fresh()] * number)
    with pytest.raises(InvalidMessage, match=f"4 digests have 128 bytes, these are {32 * number}"):
        greeting.receive(commitments, NO_WORDS)


@pytest.mark.parametrize("choice", [b"", bytes(3), bytes(5), (4).to_bytes(4), b"\xff" * 4])
def test_a_choice_that_is_none_opens_nothing(choice: bytes) -> None:
    _, hello = Starting(PROVED, CIPHER, HELD).greet(System())
    p1, _ = bound_to(hello, [fresh()] * NUMBER)
    _, message = p1.transcript.send(Step.CHOICE, choice)
    with pytest.raises(InvalidMessage, match="a choice is one of 4 candidates, in 4 bytes"):
        p1.receive(message)


def test_a_seed_gives_the_same_tables_for_ever() -> None:
    """P1 and P2 may be of different versions: the draws of a seed are part of the protocol."""
    public = rbcl.crypto_scalarmult_ristretto255_base((7).to_bytes(32, "little"))
    tables = recomputed(CIPHER, public, SCHEME, bytes(range(32)))
    assert digest(public, 3, tables).hex() == (
        "0ef3b2a5c7d11c1a231d46c8a4a3d699d9d52a205f9297f8ce8005423baeca34"
    )


# What P2 looks at before it draws.


def bad_entry(tables: Tables, number: int, index: int, half: int) -> Tables:
    """Tables of ElGamal with one point of one entry that is none."""
    at = PAIR * index + PAIR // 2 * half
    table = tables[number]
    spoilt = table[:at] + b"\xff" * (PAIR // 2) + table[at + PAIR // 2 :]
    return (*tables[:number], spoilt, *tables[number + 1 :])


def test_one_bad_entry_anywhere_is_refused_before_anything_is_drawn() -> None:
    """Else whether P2 stops would tell P1 which entries it had drawn."""
    trusted, good = replace(PROVED, candidates=1), fresh()
    for number, size in enumerate(SCHEME.sizes):
        for index in range(size):
            for half in (0, 1):
                tables = bad_entry(good.tables, number, index, half)
                greeting, hello = Starting(trusted, CIPHER, HELD).greet(System())
                p1, commitments = bound_to(hello, [Candidate(bytes(32), tables)], trusted)
                p2, choice = greeting.receive(commitments, NO_WORDS)
                sentence = f"entry {index} of a table of {size}: these 64 bytes are no two points"
                with pytest.raises(InvalidCiphertext, match=sentence):
                    p2.receive(p1.receive(choice)[1], NO_WORDS)


def test_one_bad_coefficient_of_a_lattice_table_is_refused_before_anything_is_drawn() -> None:
    """Also in a block that isn't drawn from: tables of 8,193 entries and more have several."""
    cipher = cipher_named("lattice")
    keys = cipher.keys()
    scheme = Scheme.of_differences([{0: 7000, 1: 3000}, {0: 12, 2: 1}])
    agreement = Agreement(replace(SMALL, scheme=scheme), "lattice", people=1000)
    table, last = Candidate.drawn(cipher, keys, scheme, System()).tables
    mark, blocks = lattice._blocks(keys.public, table, 10_000)
    assert len(blocks) == 2
    for number, place in ((0, 0), (0, 8191), (1, 0), (1, 1807)):
        words = lattice._coefficients(blocks, number, 10_000).copy()
        words[2, place] = ring().moduli[2, 0]
        spoilt = list(blocks)
        spoilt[number] = blocks[number][:64] + pack(words)
        body = lattice._seal("table", mark, b"".join(spoilt))
        greeting, hello = Starting(agreement, cipher, HELD).greet(System())
        candidates = [Candidate(bytes(32), (body, last))]
        p1, commitments = bound_to(hello, candidates, agreement, cipher, keys)
        p2, choice = greeting.receive(commitments, NO_WORDS)
        with pytest.raises(InvalidCiphertext, match="a coefficient is not below its modulus"):
            p2.receive(p1.receive(choice)[1], NO_WORDS)


# Agreements


def test_candidates_are_agreed_on_within_limits() -> None:
    for number in (0, -1, 1001):
        with pytest.raises(ParameterError, match=f"from 1 to 1000, got {number}"):
            replace(AGREED, candidates=number)
    with pytest.raises(ParameterError, match="secret: its candidates must be 1, got 2"):
        replace(AGREED, cipher="lattice", candidates=2)
    strict = Guarantee(1.0, 1e-10)
    document = TableDocument(strict, algorithm2(strict, 2))  # of 295,384 entries
    with pytest.raises(ParameterError, match=r"more than 1040384 entries .* agree on at most 3$"):
        Agreement(document, p2_blind=True, candidates=4)
    assert Agreement(document, p2_blind=True, candidates=3).deterrence == Fraction(2, 3)
    assert replace(AGREED, candidates=1).deterrence == 0


def test_a_cipher_that_cant_make_a_table_again_says_so() -> None:
    with pytest.raises(ParameterError, match="without P1's secret"):
        cipher_named("lattice").recompute_table(b"", [1], System())


# Over a connection: nothing has left P2 when it stops, and nothing is charged.


def cheat_over(wire: Wire, *, opens: bool) -> str:
    """P1 with zeros in two candidates, of which one is opened at least; what it hears at last."""
    cheated = [UNSEEN["zeros only"](fresh()) for _ in range(2)]
    bound, commitments = bound_to(wire.receive(Step.HELLO), [*cheated, fresh(), fresh()])
    wire.send(commitments)
    choice = wire.receive(Step.CHOICE)
    if not opens:
        wire.close()
        return ""
    wire.send(bound.receive(choice)[1])
    with pytest.raises(SudareError) as heard:
        wire.receive(Step.SUM)
    return str(heard.value)


@pytest.mark.parametrize("opens", [True, False])
def test_when_p2_finds_out_nothing_has_left_it_and_nothing_is_charged(
    opens: bool, tmp_path: Path
) -> None:
    """A P1 that goes away instead of opening gets no further, and P2 is told what that may mean."""
    Account.create(tmp_path / "ledger.json", Ledger(3.0))
    before = (tmp_path / "ledger.json").read_bytes()
    mark = OnceFile(tmp_path / "answered", "this count was answered for")
    left, right = socket.socketpair()
    with (
        left,
        right,
        ThreadPoolExecutor(1) as pool,
        paying(tmp_path / "ledger.json", "key", 1.0, 1e-6, mark) as paid,
    ):
        heard = pool.submit(cheat_over, Wire(left, 30), opens=opens)
        with pytest.raises(SudareError) as found:
            run_two(Wire(right, 30), Starting(PROVED, CIPHER, HELD), System(), mark=paid)
        told = str(found.value)
        if opens:
            assert isinstance(found.value, FalseTables)
            assert told.startswith("P1 doesn't follow the protocol: candidate ")
            assert told.endswith("(nothing was drawn)")
            assert heard.result() == f"the other party refused: {told}"
        else:
            assert isinstance(found.value, PartyLost)
            assert "P1 knew by then which 3 of its 4 candidates it had to open" in told
    assert (tmp_path / "ledger.json").read_bytes() == before
    assert not mark.path.exists()


def test_who_has_one_candidate_is_not_suspected() -> None:
    left, right = socket.socketpair()
    trusted = replace(PROVED, candidates=1)

    def leave() -> None:
        wire = Wire(left, 30)
        wire.send(bound_to(wire.receive(Step.HELLO), [fresh()], trusted)[1])
        wire.receive(Step.CHOICE)
        wire.close()

    with left, right, ThreadPoolExecutor(1) as pool:
        pool.submit(leave)
        with pytest.raises(PartyLost) as found:
            run_two(Wire(right, 30), Starting(trusted, CIPHER, HELD), System())
    assert str(found.value) == "the other party went away when message 3 was expected"

"""The limits that two parties keep: what lies on one is taken, what lies beyond it is not."""

import hashlib
import math
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sudare.chance.randomness import Scripted
from sudare.errors import InvalidDocument, InvalidMessage, ParameterError
from sudare.twoparty.ciphers.elgamal import ORDER, ElGamal, _logarithm, _multiple, _scalars
from sudare.twoparty.ciphers.interface import (
    check_index,
    check_range,
    check_values,
    cipher_named,
    usual_candidates,
)
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import USUAL_ENTRIES, Scheme
from sudare.twoparty.noise.shipped_tables import shipped, shipped_documents
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.noise.table_search import search
from sudare.twoparty.protocol import candidates, connection, messages, parties, peer_listener
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.candidates import split
from sudare.twoparty.protocol.connection import Wire, no_host, tls_context
from sudare.twoparty.protocol.joint_count import JointCount
from sudare.twoparty.protocol.messages import LARGEST, Step
from sudare.twoparty.protocol.parties import fingerprint
from sudare.twoparty.protocol.peer_listener import Stranger, Strangers, _greeting
from support.certificates import both
from support.plain_cipher import Plain

WIDEST = 2**40  # of a ciphertext's value
GUARANTEE = Guarantee(1.0, 0.1, 3)
COIN = {0: 1, 1: 1}
FULL = (2**26 - 2**19) // 64  # entries of 64 bytes in one message, beside its lengths


def scheme(table: dict[int, int], draws: int = 1, *, tables: int = 1) -> Scheme:
    return Scheme((table,) * tables, (1,) * draws, distinct=True)


def document(entries: int) -> TableDocument:
    return TableDocument(GUARANTEE, scheme({0: entries - 1, 1: 1}))


AGREED = Agreement(document(8), "elgamal", 100, 2)


def agreed(**changes: Any) -> Agreement:
    return replace(AGREED, **changes)


def written(value: str, count: int = 1) -> TableDocument:
    """A document whose table has another value, written so."""
    shown = TableDocument(GUARANTEE, scheme({0: 1, 1: 1})).to_json()
    return TableDocument.from_json(shown.replace(b'"0": 1', f'"{value}": {count}'.encode()))


@contextmanager
def wired() -> Iterator[tuple[Wire, Wire]]:
    """Both ends of a connection."""
    ends = socket.socketpair()
    with ends[0], ends[1]:
        yield Wire(ends[0], 5.0), Wire(ends[1], 5.0)


LIMITS: list[tuple[str, Callable[[Any], object], Sequence[Any], Sequence[Any]]] = [
    ("a value", lambda v: check_values([0, v]), [-WIDEST, WIDEST], [-WIDEST - 1, WIDEST + 1]),
    ("the low end", lambda v: check_range(v, 0), [-WIDEST, 0], [-WIDEST - 1, 1]),
    ("the high end", lambda v: check_range(0, v), [0, WIDEST], [-1, WIDEST + 1]),
    ("a range below", lambda v: check_range(-WIDEST, v), [-WIDEST, 0], [-WIDEST - 1, 1]),
    ("a range above", lambda v: check_range(v, WIDEST), [0, WIDEST], [-1, WIDEST + 1]),
    ("far from 0", lambda v: check_range(v, v), [-WIDEST, WIDEST], [-WIDEST - 1, WIDEST + 1]),
    ("an index", lambda i: check_index(i, 5), [0, 4], [-1, 5]),
    ("tables", lambda n: scheme(COIN, tables=n), [1, 64], [0, 65]),
    ("draws", lambda n: scheme({0: 9, 1: 1}, n), [1, 8], [0, 9]),
    ("distinct draws", lambda n: scheme({0: n, 1: 1}, 3), [2], [1]),
    ("a count", lambda n: scheme({0: n, 1: 1}), [1], [0, -1]),
    ("a span", lambda n: scheme({0: 1, n: 1}), [2**16], [2**16 + 1]),
    ("a span of draws", lambda n: scheme({-n: 9, n: 1}, 2), [2**14], [2**14 + 1]),
    ("bits of a law", lambda n: scheme({0: n - 1, 2**16: 1}), [2**64 - 1], [2**64]),
    ("entries", lambda n: scheme({0: n - 1, 1: 1}).check_written(), [2**20], [2**20 + 1]),
    ("draws of Algorithm 2", lambda n: algorithm2(Guarantee(5.0, 0.1), n), [1, 8], [0, 9]),
    ("an initial count", lambda n: algorithm2(Guarantee(5.0, 0.1), 1, initial=n), [1], [0]),
    ("epsilon", lambda e: Guarantee(e, 0.1), [20.0], [0.0, math.nextafter(20, 21), math.inf]),
    ("delta", lambda d: Guarantee(20.0, d), [1e-300, math.nextafter(0.5, 0)], [0.0, 0.5]),
    ("sensitivity", lambda n: Guarantee(1.0, 0.1, n), [1, 1737], [0, 1738]),
    ("what one counts", lambda n: agreed(most=n), [1, 3], [0, 4]),
    ("people", lambda n: agreed(people=n), [1, 2**38], [0, 2**38 + 1]),
    ("candidates", lambda n: agreed(candidates=n), [1, 1000], [0, 1001]),
    ("entries to send", lambda n: agreed(document=document(n)), [FULL], [FULL + 1]),
    ("all entries", lambda n: agreed(document=document(FULL // 8), candidates=n), [8], [9]),
    ("under a lattice", lambda n: agreed(cipher="lattice", candidates=n), [1], [2]),
    ("a total", AGREED.check_total, [0, 200], [-1, 201]),
    ("a total of P1", agreed(most=1).check_own, [0, 100], [-1, 101]),
    ("a total of P1 that moves twice", AGREED.check_own, [0], [1]),
    ("a total of P1 alone", agreed(disjoint=True).check_own, [1, 200], [201]),
    ("a value of a document", written, ["-65535"], ["00", "+0", "0.0", "", "2147483649"]),
    ("a count of a document", lambda n: written("0", n), [1, 2**62], [0, 2**62 + 1]),
]


@pytest.mark.parametrize(
    ("make", "taken", "refused"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
def test_a_limit_is_the_last_that_is_taken(
    make: Callable[[Any], object], taken: Sequence[Any], refused: Sequence[Any]
) -> None:
    for value in taken:
        make(value)
    for value in refused:
        with pytest.raises((ParameterError, InvalidDocument)):
            make(value)


def test_a_search_has_some_entries_attempts_and_a_seed() -> None:
    for entries in (39, 1_000_001):
        with pytest.raises(ParameterError, match=f"from 40 to 1000000 entries, got {entries}"):
            search(GUARANTEE, entries)
    for entries in (40, 1_000_000):
        with pytest.raises(ParameterError, match=r"at least 1 attempt .*, got 0 and 0"):
            search(GUARANTEE, entries, attempts=0)
        with pytest.raises(ParameterError, match="a seed from 0 on, got 1 and -1"):
            search(GUARANTEE, entries, attempts=1, seed=-1)


def test_pieces_are_of_one_size() -> None:
    assert split(b"abcdefgh", 4, "pieces", 2) == [b"abcd", b"efgh"]
    for data in (b"abcdefg", b"abcdefghi", b""):
        with pytest.raises(InvalidMessage, match=f"2 pieces have 8 bytes, these are {len(data)}"):
            split(data, 4, "pieces", 2)


@pytest.mark.parametrize("step", [Step.HELLO, Step.CHOICE, Step.RESULT], ids=str)
def test_a_message_may_be_as_long_as_its_step_allows(step: Step) -> None:
    with wired() as (here, there):
        for length in (0, 1, LARGEST[step]):
            here.send(bytes(length))
            assert there.receive(step) == bytes(length)
        assert here.sent == there.received == 3 * 4 + 1 + LARGEST[step]
        here.send(bytes(LARGEST[step] + 1))
        sentence = f"at most {LARGEST[step]} bytes, {LARGEST[step] + 1} are announced"
        with pytest.raises(InvalidMessage, match=sentence):
            there.receive(step)


def test_what_was_read_ahead_is_received_first() -> None:
    with wired() as (here, there):
        here.send(b"greeting")
        ahead = there.connection.recv(5)
        again = Wire(there.connection, 5.0, ahead=ahead)
        assert again.receive(Step.HELLO) == b"greeting"
        assert (again.received, again.ahead) == (4 + 8, b"")


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_greeting_may_be_as_long_as_its_step_allows(beyond: int) -> None:
    length = LARGEST[Step.HELLO] + beyond
    frame = length.to_bytes(4) + b"sudare2p".ljust(length, b"\0")
    here, there = socket.socketpair()
    with here, there:
        here.sendall(frame)
        steps = _greeting(there)
        if beyond:
            with pytest.raises(Stranger):
                next(steps)
        else:
            with pytest.raises(StopIteration) as arrived:
                next(steps)
            assert arrived.value.value == frame


@pytest.mark.parametrize(("draws", "farthest"), [(1, 3), (2, 2)])
def test_a_table_ends_as_soon_as_its_sensitivity_and_delta_allow(draws: int, farthest: int) -> None:
    """So few that δ is large: of one draw three values must lie outside, of two their sums."""
    (table,) = algorithm2(Guarantee(20.0, 0.4, 3), draws).tables
    assert list(table) == list(range(-farthest, farthest + 1))


def test_a_key_is_told_from_others_by_16_digits() -> None:
    assert fingerprint(b"key") == hashlib.sha256(b"key").hexdigest()[:16]


def test_documents_are_written_for_people_to_read() -> None:
    cipher = ElGamal()
    keys = cipher.keys()
    count = JointCount("tea", AGREED, keys.public)
    for written in (AGREED.document.to_json(), count.to_json(), count.secret_json(keys)):
        assert written.startswith(b'{\n "')
        assert written.endswith(b"\n}\n")


def test_scalars_are_the_lowest_253_bits_from_1_to_the_order_less_1() -> None:
    """Part of the format, as P2 repeats them; those that are none are drawn again together."""
    offered = [0, 1, ORDER - 1, ORDER, 2**253 - 1, 7 + 2**253, 2**256 - 2**253 + 9]
    again = [ORDER - 2, 2, 3]
    words = [number >> 64 * at & 2**64 - 1 for number in offered + again for at in range(4)]
    assert _scalars(Scripted(words), 7) == [1, ORDER - 1, 7, 9, ORDER - 2, 2, 3]


@pytest.mark.parametrize("largest", [0, 1, 2, 40, 1000])
def test_every_value_of_a_range_is_found_and_the_next_is_not(largest: int) -> None:
    for value in range(0, largest + 1, max(1, largest // 40)):
        assert _logarithm(_multiple(value), largest) == value
    assert _logarithm(_multiple(largest), largest) == largest
    assert _logarithm(_multiple(largest + 1), largest) is None
    assert _logarithm(_multiple(-1), largest) is None


def test_every_baby_step_is_found() -> None:
    """Also those with the least and the greatest prefixes."""
    assert [_logarithm(_multiple(value), 63) for value in range(64)] == list(range(64))


def test_shipped_tables_fit_if_they_have_as_many_entries_as_are_allowed() -> None:
    document = min(shipped_documents(), key=lambda each: each.scheme.entries)
    guarantee, entries = document.guarantee, document.scheme.entries
    fewest = min(e.scheme.entries for e in shipped_documents() if e.guarantee == guarantee)
    assert fewest == entries
    found = shipped(guarantee, entries)
    assert found is not None
    assert found.scheme.entries == entries
    assert shipped(guarantee, entries - 1) is None


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"silent": 1}, "1 stranger was refused (1 silent)"),
        ({"silent": 2}, "2 strangers were refused (2 silent)"),
        ({"silent": 1, "a": 1}, "2 strangers were refused (1 a, 1 silent)"),
        ({}, "0 strangers were refused ()"),
    ],
)
def test_strangers_are_counted_in_a_sentence(counts: dict[str, int], sentence: str) -> None:
    assert str(Strangers(counts)) == sentence


def test_the_sizes_of_the_wire_are_part_of_the_protocol() -> None:
    assert (parties._TOTAL, parties._CHOICE, messages.HALF) == (8, 4, 16)
    assert (candidates.SEED, candidates.DIGEST) == (32, 32)
    assert (connection.TIMEOUT, peer_listener.MOST_WAITING) == (60.0, 64)


def test_what_parties_agree_on_unless_they_say_otherwise() -> None:
    usual = Agreement(document(8))
    assert usual == Agreement(document(8), "elgamal", 1_000_000, 1, False, False, "", candidates=1)
    assert b'"format":2' in usual.terms
    assert [usual_candidates(name) for name in ("elgamal", "lattice")] == [20, 1]
    assert USUAL_ENTRIES == 400


def test_of_what_strangers_name_a_sentence_repeats_the_beginning() -> None:
    with pytest.raises(ParameterError, match=rf"got '{'x' * 32}'$"):
        cipher_named("x" * 33)
    with pytest.raises(ParameterError, match=rf"\(127\.0\.0\.1\), got {'x' * 80}$"):
        tls_context("x" * 81, None, server=True)
    assert str(no_host("x" * 81)) == f"there is no host '{'x' * 80}'"
    other = replace(AGREED, document=document(9))
    here, there = AGREED.document.key[:12], other.document.key[:12]
    with pytest.raises(InvalidMessage, match=f"table is '{here}' here and '{there}' there"):
        AGREED.check_terms(other.terms)


@pytest.mark.parametrize("far", [2**31, -(2**31)])
def test_values_of_a_document_lie_within_31_bits(far: int) -> None:
    near = far - 1 if far > 0 else far + 1
    beyond = 2 * far - near
    shown = TableDocument(GUARANTEE, scheme({0: 1, 1: 1})).to_json()

    def read(one: int, other: int) -> TableDocument:
        changed = shown.replace(b'"0": 1', b'"%d": 1' % one).replace(b'"1": 1', b'"%d": 1' % other)
        return TableDocument.from_json(changed)

    assert read(near, far).scheme.tables[0] == {near: 1, far: 1}
    with pytest.raises(InvalidDocument, match="a whole number from -2147483648 to 2147483648"):
        read(far, beyond)


@pytest.mark.parametrize("server", [True, False])
def test_both_sides_show_a_certificate_in_tls_1_3(tmp_path: Path, server: bool) -> None:
    context = both(tmp_path)[0].context(server=server)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_3
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert not context.check_hostname


def test_names_and_seeds_are_made_of_all_256_bytes() -> None:
    """Lanes of ones give the last of them: byte 255."""
    ones = [2**64 - 1] * 8
    assert parties._half(Scripted(ones)) == b"\xff" * 16
    cipher = Plain()
    drawn = candidates.Candidate.drawn(
        cipher, cipher.keys(), AGREED.document.scheme, Scripted(ones)
    )
    assert drawn.seed == b"\xff" * 32

"""Method (1), sampling inside the computation, beside ours: noise, multiplications, rounds, bytes.

Three parties that share run both ways, as three processes of MPyC. For two parties there is an
estimate only, of a garbled circuit; what it assumes stands beside its numbers.
"""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from circuit import Circuit, Counted, Depth, smallest_circuit
from record import Row

from sudare.chance.exact import float_up
from sudare.chance.randomness import System
from sudare.twoparty.ciphers.interface import cipher_named
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, excess
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.parties import Listening, Starting, TotalOfP2

PARTY = Path(__file__).resolve().with_name("inside_party.py")
PARTIES = 3
PATIENCE = 60  # seconds
SETTINGS = (Guarantee(1.0, 1e-6), Guarantee(1.0, 1e-10), Guarantee(0.1, 1e-6))
MEASURED = SETTINGS[0]  # that of inside_party.py
# Of any way of sharing: the totals are dealt, the sum is opened. Random bits take one round.
DEALT_AND_OPENED, BITS_OPENED = 2, 1
# Compared; dealt; for each pair an order told and the entries dealt afresh; opened.
SHUFFLE_ROUNDS = 1 + 1 + 3 * 2 + 1
ELEMENT = 8  # bytes of a share
DEALINGS = PARTIES * (PARTIES - 1)  # of a multiplication or an opening: each to each
# A garbled circuit: an AND is two ciphertexts of 128 bits (half gates), XOR is free. A random bit
# is the XOR of one of each party's: a label of 16 bytes, and an oblivious transfer of a point of 32
# bytes and two labels. Noise and total are added as numbers of 32 bits, one AND for each.
AND, LABEL, TRANSFER, ADDED = 32, 16, 64, 2 * 32
WITHOUT = "not checked: three processes of MPyC were not run"


def counted(circuit: Circuit, depth: Depth) -> Counted:
    """What a noise of the circuit takes; the bits don't matter to it."""
    counts = Counted()
    asyncio.run(circuit.noise([0] * circuit.random_bits, depth, counts))
    return counts


def inside_rows() -> Iterator[Row]:
    """The circuits: their exact noise, and what is multiplied in how many rounds."""
    for guarantee in SETTINGS:
        ours = _ours(guarantee)
        circuit = smallest_circuit(guarantee)
        name = f"inside.{guarantee.epsilon:g}.{guarantee.delta:g}"
        what = f"method (1) at ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}"
        delta = excess([(1, circuit.law)], guarantee)
        yield Row(
            f"{name}.delta",
            f"{what}: the exact δ of {len(circuit.digits)} digits, {circuit.width} bits a coin",
            guarantee.delta,
            float_up(delta),
            "proved: for all, as nobody knows a bit" if delta <= guarantee.delta else "refuted",
        )
        relative = float(circuit.law.mean_size) / guarantee.best_mean
        yield Row(
            f"{name}.relative",
            f"{what}: E|Z| in units of 1/sinh(ε)",
            None,
            relative,
            f"{'less' if relative < ours.relative_mean else 'more'}: than our tables' "
            f"{ours.relative_mean:.3f}",
        )
        yield Row(
            f"{name}.bits",
            f"{what}: shared random bits",
            None,
            float(circuit.random_bits),
            f"counted: our tables have {ours.scheme.entries:,} entries",
        )
        for depth in Depth:
            counts = counted(circuit, depth)
            yield Row(
                f"{name}.{depth.value}.multiplications",
                f"{what}, a {depth.value}: multiplications of shares",
                None,
                float(counts.multiplications),
                "counted: our shuffle multiplies nothing",
            )
            rounds = DEALT_AND_OPENED + BITS_OPENED + counts.rounds
            yield Row(
                f"{name}.{depth.value}.rounds",
                f"{what}, a {depth.value}: rounds",
                None,
                float(rounds),
                f"{'more' if rounds > SHUFFLE_ROUNDS else 'fewer'}: our shuffle takes "
                f"{SHUFFLE_ROUNDS}",
            )
        yield _garbled(name, what, circuit, ours)


def measured_rows(*, run: bool) -> Iterator[Row]:
    """The bytes that three processes sent for one noisy total, each way."""
    told = _together() if run and find_spec("mpyc") else None
    circuit = smallest_circuit(MEASURED)
    for depth in Depth:
        counts = counted(circuit, depth)
        # Bits and products, the total of each party, and the sum: the rest is headers.
        elements = circuit.random_bits + counts.multiplications + 1
        estimate = DEALINGS * ELEMENT * (elements + 1)
        name = f"inside.measured.{depth.value}"
        what = f"method (1), a {depth.value}, three parties at ε = 1, δ = 1e-06: bytes sent by all"
        if told is None:
            yield Row(name, what, None, float(estimate), WITHOUT)
            continue
        sent, shuffle = (sum(one["sent"][way] for one in told) for way in (depth.value, "shuffle"))
        agrees = all(one["agrees"] for one in told) and 0 <= sent - estimate < sent / 10
        compared = "fewer" if sent < shuffle else "more"
        yield Row(
            name,
            what,
            None,
            float(sent),
            f"{compared}: our shuffle takes {shuffle:,}; the noise is that of its bits"
            if agrees
            else "refuted: the noise or the bytes are not those of the circuit",
        )


def _ours(guarantee: Guarantee) -> Proof:
    proof = shipped(guarantee, entries=1500)
    if proof is None:
        raise LookupError(f"no tables are shipped for {guarantee}")
    return proof


def _garbled(name: str, what: str, circuit: Circuit, ours: Proof) -> Row:
    """A garbled circuit's bytes, by the assumptions above, beside those of our two parties."""
    gates = counted(circuit, Depth.CHAIN).multiplications + ADDED
    estimate = AND * gates + (LABEL + TRANSFER) * circuit.random_bits
    sent = _session_bytes(ours)
    return Row(
        f"{name}.garbled",
        f"{what}, two parties and a garbled circuit: bytes, estimated",
        None,
        float(estimate),
        f"estimated: {'fewer' if estimate < sent else 'more'} than the {sent:,} of our session",
    )


def _session_bytes(proof: Proof) -> int:
    """The bytes of a session of our two parties, with no proof by P1; no draw changes them."""
    cipher = cipher_named("elgamal")
    agreement = Agreement(TableDocument(proof.guarantee, proof.scheme), cipher.name, people=1000)
    greeting, hello = Starting(agreement, cipher, TotalOfP2(total=0)).greet(System())
    bound, commitments = Listening(agreement, cipher).receive(hello, System())
    choosing, choice = greeting.receive(commitments, System())
    offering, tables = bound.receive(choice)
    _, answer = choosing.receive(tables, System())
    _, result = offering.receive(answer).open()
    return sum(map(len, (hello, commitments, choice, tables, answer, result)))


def _together() -> list[dict[str, Any]]:
    """What each of three processes tells.

    A port that was free may be taken when MPyC opens it: then once more, on other ports.
    """
    try:
        return _attempt()
    except subprocess.TimeoutExpired:
        return _attempt()


def _attempt() -> list[dict[str, Any]]:
    with ExitStack() as taken:
        ends = [taken.enter_context(socket.create_server(("", 0))) for _ in range(PARTIES)]
        ports = [end.getsockname()[1] for end in ends]
    parties = [part for port in ports for part in ("-P", f"localhost:{port}")]
    processes = [
        subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, str(PARTY), "--no-log", *parties, "-I", str(pid)],
            stdout=subprocess.PIPE,
        )
        for pid in range(PARTIES)
    ]
    try:
        return [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()  # its pipe is closed

"""Three hospitals count patients together: nobody sees another's count, nor the noise.

    python examples/three_party_count.py -M3

starts three processes that share their counts by MPyC (``pip install mpyc``) and open only the
noisy sum. ``--counts`` names what each holds, ``--totals`` how often the sum is opened: each time
costs ε and δ again. ``--json`` says all that this party learnt, and what it took.

It is the noise of two parties by secret sharing: three parties, and nobody who encrypts. Each total
is shared among the three (Shamir, of degree 1): two shares give it, one says nothing. So are the
tables, and a **resharing shuffle** puts their entries in an order that nobody knows. In turn each
two of the parties agree on an order that the third is not told, bring their shares into it, and
deal them out afresh. Whoever looks at one party's papers misses one of the three orders, so every
order of the entries is as likely as any other. Then the first places are as good as drawn:

    Z = Σ_t Σ_d signs[d] · T_t[place d]

Nothing but the sum of the totals and Z is ever opened. All three are believed to follow the
protocol, and no two of them to tell each other what they hold: one of three may be curious.
"""

import argparse
import json
import time
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from sudare.chance.randomness import Randomness, System
from sudare.errors import InvalidMessage, ParameterError, SudareError
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import Scheme, permuted
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement

EPSILON, DELTA = 1.0, 1e-6
PEOPLE = 100_000  # at most, in one hospital

NAME = "sharing"  # where a cipher's name would stand in an agreement
PARTIES = 3
THRESHOLD = 1
MODULUS = (1 << 61) - 1  # a prime far above three totals and a noise
_ORDER = np.dtype("<u4")

# MPyC has no types: its runtime, and shares, which are elements of its field.
Runtime = Any
Share = Any


async def main(mpc: Runtime) -> None:
    """One hospital; the runtime says which."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs=3, default=[1200, 340, 77])
    parser.add_argument("--totals", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    guarantee = Guarantee(EPSILON, DELTA)
    proof = shipped(guarantee)
    if proof is None:
        raise SystemExit(f"no tables are shipped for {guarantee}")
    agreement = agreed(TableDocument(guarantee, proof.scheme), PEOPLE)
    check_runtime(mpc)
    own = [agreement.check_total(options.counts[mpc.pid])] * options.totals
    refusal = None
    async with mpc:
        before, start = sent_bytes(mpc), time.process_time()
        try:
            found = await noisy_totals(mpc, agreement, own, System())
        except InvalidMessage as error:  # all three find it, and part in peace
            refusal = error
        seconds, sent = time.process_time() - start, sent_bytes(mpc) - before
    if refusal is not None:
        raise refusal
    if options.json:
        print(json.dumps({"totals": found, "cpu_seconds": seconds, "bytes_sent": sent}))
        return
    for total in found:
        print(f"noisy total {total:,}, mean |noise| {float(proof.mean):.3f}")
    print(f"each cost ε = {EPSILON:g} and δ = {DELTA:g}; this party sent {sent:,} bytes")


def agreed(document: TableDocument, people: int, most: int = 1) -> Agreement:
    """The agreement that the three must hold alike: tables, people of a party, their range.

    Nobody may be in the totals of two parties.
    """
    return Agreement(document, NAME, people, most, disjoint=True)


async def noisy_totals(
    mpc: Runtime, agreement: Agreement, own: Sequence[int], rng: Randomness
) -> list[int]:
    """The sums of what the three hold, each with a noise of its own, the same for all parties.

    Each sum that is opened costs the people in it ε and δ of the agreement.

    Args:
        mpc: a runtime of three parties that is started.
        agreement: made by ``agreed``; compared before anything is shared.
        own: this party's totals, as many as the others have.
        rng: the orders that this party draws come from it. Shares come from MPyC's own source.
    """
    check_runtime(mpc)
    scheme = _drawable(agreement)
    for total in own:
        agreement.check_total(total)
    await _compare(mpc, agreement, len(own))
    field = _field()
    dealt = await mpc.input([field(total) for total in own])
    noises = await _noises(mpc, scheme, len(own), rng)
    sums = [sum(shares, start=noise) for noise, *shares in zip(noises, *dealt, strict=True)]
    opened = [_signed(int(found)) for found in await mpc.output(sums)]
    law = agreement.proof.law.trimmed
    high = PARTIES * agreement.largest_total + law.greatest
    if not all(law.least <= found <= high for found in opened):
        raise InvalidMessage(
            f"what was opened does not lie from {law.least} to {high}: a party did not follow "
            f"the protocol"
        )
    return opened


def check_runtime(mpc: Runtime) -> None:
    """Raise unless there are three parties, of whom one may be curious."""
    if (len(mpc.parties), mpc.threshold) != (PARTIES, THRESHOLD):
        raise ParameterError(
            f"sharing takes {PARTIES} parties and a threshold of {THRESHOLD} (-M{PARTIES}), got "
            f"{len(mpc.parties)} and {mpc.threshold}"
        )


def sent_bytes(mpc: Runtime) -> int:
    """What this party sent to the others so far."""
    return sum(peer.protocol.nbytes_sent for peer in mpc.parties if peer.pid != mpc.pid)


def _drawable(agreement: Agreement) -> Scheme:
    """The scheme, proved, if its draws are places that differ."""
    if agreement.cipher != NAME or not agreement.disjoint:
        raise ParameterError(
            f"three parties share under an agreement of the kind {NAME!r}, got {agreement.cipher!r}"
        )
    scheme = agreement.proof.scheme
    if not scheme.distinct and len(scheme.signs) > 1:
        raise ParameterError(
            f"places of a shuffled table differ, and these tables are proved for "
            f"{len(scheme.signs)} draws that may coincide: take tables of distinct draws"
        )
    return scheme


async def _compare(mpc: Runtime, agreement: Agreement, totals: int) -> None:
    """Raise with the first party that agreed to something else."""
    told = await mpc.transfer((agreement.terms, totals))
    for pid, (terms, number) in enumerate(told):
        agreement.check_terms(terms)
        if number != totals:
            raise InvalidMessage(f"party {pid} has {number} totals, this one has {totals}")


async def _noises(mpc: Runtime, scheme: Scheme, number: int, rng: Randomness) -> list[Share]:
    """Shares of so many noises, each from tables of its own."""
    field, draws = _field(), len(scheme.signs)
    sizes = scheme.sizes * number
    # Everybody knows the tables: a constant polynomial is a sharing of each entry.
    shares = [field(value) for value in _written(scheme)] * number
    *earlier, last = combinations(range(PARTIES), 2)
    for pair in earlier:
        shares = await _reshared(mpc, shares, pair, await _order(mpc, pair, sizes, rng))
    # Of the last order only the places that are drawn matter; the others are never dealt.
    order = await _order(mpc, last, sizes, rng, draws)
    drawn = await _reshared(mpc, shares, last, order)
    each = draws * len(scheme.tables)
    signs = scheme.signs * len(scheme.tables)
    return [
        sum(sign * share for sign, share in zip(signs, drawn[at : at + each], strict=True))
        for at in range(0, len(drawn), each)
    ]


def _written(scheme: Scheme) -> list[int]:
    """All entries of all tables, one after another."""
    return [
        value for table in scheme.tables for value, count in table.items() for _ in range(count)
    ]


async def _order(
    mpc: Runtime,
    pair: tuple[int, int],
    sizes: Sequence[int],
    rng: Randomness,
    places: int | None = None,
) -> list[int]:
    """Where the first places of each table come from: the pair knows; to the third, only how many.

    The first of the pair draws, the second is told.
    """
    first, second = pair
    ends = np.cumsum(sizes)
    drawn = b""
    if mpc.pid == first:
        orders = [
            end - size + permuted(np.arange(size), rng)[:places]
            for size, end in zip(sizes, ends.tolist(), strict=True)
        ]
        drawn = np.concatenate(orders).astype(_ORDER).tobytes()
    told = await mpc.transfer(drawn, sender_receivers=[(first, second)])
    if mpc.pid in pair:
        return list(np.frombuffer(told[0] if told else drawn, _ORDER).tolist())
    return [0] * sum(size if places is None else places for size in sizes)


async def _reshared(
    mpc: Runtime, shares: Sequence[Share], pair: tuple[int, int], order: Sequence[int]
) -> list[Share]:
    """Fresh shares of the same values in the pair's order.

    Two of Shamir's shares add up to the value once each is multiplied by its coefficient of
    Lagrange. Each of the pair deals out its part, so that nobody's old share tells of a new one.
    The third only receives; what it passes in is not looked at.
    """
    field = _field()
    weight = _lagrange(mpc.pid, pair) if mpc.pid in pair else 0
    parts = [field(weight * int(shares[index]) % MODULUS) for index in order]
    dealt = await mpc.input(parts, senders=list(pair))
    return [first + second for first, second in zip(*dealt, strict=True)]


def _lagrange(pid: int, pair: tuple[int, int]) -> int:
    """The coefficient of a party's share at 0, where party i's share stands at i + 1."""
    (other,) = set(pair) - {pid}
    return (other + 1) * pow(other - pid, -1, MODULUS) % MODULUS


def _field() -> Any:  # noqa: ANN401 - MPyC has no types
    # Imported only where it runs: at once it reads the command line and sets the event loop.
    from mpyc.finfields import GF

    return GF(MODULUS)


def _signed(found: int) -> int:
    return found - MODULUS if found > MODULUS // 2 else found


if __name__ == "__main__":
    from mpyc.runtime import mpc as runtime

    try:
        runtime.run(main(runtime))
    except SudareError as error:
        raise SystemExit(f"Error: {error}") from None

"""One of three parties that sample inside the computation, and by our shuffle: what each takes.

    python papers/secure-sampling/inside_party.py -M3

``inside.py`` runs it. Nothing private is counted here: the random bits are opened at the end, so
that the noise of the shares is seen to be that of the circuit, bit by bit.
"""

import json
import sys
from collections.abc import Sequence

from circuit import Counted, Depth, Element, smallest_circuit
from mpyc.finfields import GF
from mpyc.runtime import mpc
from three_party_count import MODULUS, agreed, check_runtime, noisy_totals, sent_bytes

from sudare.chance.randomness import System
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument

GUARANTEE = Guarantee(1.0, 1e-6)
PEOPLE, TOTAL = 100_000, 500


async def _shared(left: list[Element], right: list[Element]) -> Sequence[Element]:
    """One round: all these products of shares at once."""
    products: Sequence[Element] = await mpc.schur_prod(left, right)
    return products


async def _inside(depth: Depth) -> tuple[int, bool]:
    """The bytes that this party sent for a noisy total, and whether it is that of its bits."""
    field, circuit, before = GF(MODULUS), smallest_circuit(GUARANTEE), sent_bytes(mpc)
    dealt = await mpc.input([field(TOTAL)])
    bits = await mpc.random_bits(field, circuit.random_bits)
    noise = await circuit.noise(bits, depth, _shared)
    opened = int(await mpc.output(sum((share for (share,) in dealt), start=noise)))
    sent = sent_bytes(mpc) - before
    clear = [int(bit) for bit in await mpc.output(bits)]
    expected = len(dealt) * TOTAL + await circuit.noise(clear, depth, Counted())
    return sent, opened == expected % MODULUS


async def main() -> None:
    """Each way once."""
    check_runtime(mpc)
    tables = shipped(GUARANTEE)
    if tables is None:
        raise LookupError(f"no tables are shipped for {GUARANTEE}")
    agreement = agreed(TableDocument(GUARANTEE, tables.scheme), PEOPLE)
    sent, agrees = {}, True
    async with mpc:
        for depth in Depth:
            sent[depth.value], right = await _inside(depth)
            agrees &= right
        before = sent_bytes(mpc)
        await noisy_totals(mpc, agreement, [TOTAL], System())
        sent["shuffle"] = sent_bytes(mpc) - before
    sys.stdout.write(json.dumps({"sent": sent, "agrees": agrees}))


if __name__ == "__main__":
    mpc.run(main())

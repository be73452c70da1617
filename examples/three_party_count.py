"""Three hospitals count patients together: nobody sees another's count, nor the noise.

    python examples/three_party_count.py -M3

starts three processes that share their counts by MPyC (``pip install 'sudare[sharing]'``) and open
only the noisy sum. ``--counts`` names what each holds, ``--totals`` how often the sum is opened:
each time costs ε and δ again. ``--json`` says all that this party learnt, and what it took.
"""

import argparse
import json
import time

from mpyc.runtime import mpc

from sudare.errors import InvalidMessage, SudareError
from sudare.randomness import System
from sudare.twoparty.digits import shipped
from sudare.twoparty.document import TableDocument
from sudare.twoparty.guarantee import Guarantee
from sudare.twoparty.sharing import agreed, check_runtime, noisy_totals, sent_bytes

EPSILON, DELTA = 1.0, 1e-6
PEOPLE = 100_000  # at most, in one hospital


async def main() -> None:
    """One hospital; MPyC says which."""
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


if __name__ == "__main__":
    try:
        mpc.run(main())
    except SudareError as error:
        raise SystemExit(f"Error: {error}") from None

"""One of three parties whose orders are drawn for some pairs only, for test_three_party_count.py.

``python three_parties.py FIXED NUMBER`` with MPyC's options. For each pair that FIXED names, such
as ``01,12``, the entries stay where they are: that is the order of a pair that everybody knows.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from mpyc.runtime import mpc
from numpy.typing import NDArray

from sudare.chance.randomness import System
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.table_document import TableDocument

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
EXAMPLE = import_module("three_party_count")
SMALL = TableDocument(Guarantee(2.0, 0.1), Scheme.of_differences([{0: 7, 1: 3}, {0: 12, 2: 1}]))
DRAWN = {0: ("01", "02"), 1: ("12",), 2: ()}  # whose orders a party draws, one after another


class Partly(System):
    """Some of a party's orders drawn, the others left as they are."""

    def __init__(self, fixed: list[bool], each: int) -> None:
        super().__init__()
        self.fixed, self.each, self.calls = fixed, each, 0

    def below(self, bound: int, shape: int | tuple[int, ...]) -> NDArray[np.int64]:
        fixed = self.fixed[self.calls // self.each]
        self.calls += 1
        return np.full(shape, bound - 1) if fixed else super().below(bound, shape)


async def main() -> None:
    named, number = sys.argv[1].split(","), int(sys.argv[2])
    each = number * sum(size - 1 for size in SMALL.scheme.sizes)
    rng = Partly([pair in named for pair in DRAWN[mpc.pid]], each)
    async with mpc:
        found = await EXAMPLE.noisy_totals(mpc, EXAMPLE.agreed(SMALL, 1000), [100] * number, rng)
    assert rng.calls == each * len(rng.fixed)
    sys.stdout.write(json.dumps({"totals": found}))


if __name__ == "__main__":
    mpc.run(main())

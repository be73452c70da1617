"""What benchmarks/noise_law.py puts ten thousand sessions to: a test that holds and can fail."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from scipy.special import bdtr, bdtrc

from chance import ALPHA, two_sided
from sudare.randomness import Seeded
from sudare.twoparty.digits import digits, shipped
from sudare.twoparty.guarantee import Guarantee
from sudare.twoparty.law import noise_ways

RUNS = 10_000
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def noise_law() -> Iterator[ModuleType]:
    before = list(sys.path)
    sys.path.insert(0, str(BENCHMARKS))
    import noise_law as module

    yield module
    sys.path[:] = before


def test_noises_drawn_in_the_open_pass_and_others_are_found_out(
    noise_law: ModuleType, seed: int
) -> None:
    """Fails by chance with at most 1e-9; the other law is missed far more rarely."""
    proof, rng = shipped(Guarantee(1.0, 1e-6)), Seeded(seed)
    assert proof is not None
    scheme, law = proof.scheme, proof.law.law
    tables = scheme.shuffled(rng)
    counts = Counter(scheme.noise(tables, scheme.indices(rng)) for _ in range(RUNS))
    assert noise_law.p_value(counts, law) > ALPHA
    narrower = noise_ways(digits([dict(table) for table in scheme.tables[1:]])).law
    assert noise_law.p_value(counts, narrower) <= ALPHA
    assert noise_law.power(law, narrower, RUNS) > 1 - 1e-9
    assert noise_law.power(law, law, RUNS) <= ALPHA


@pytest.mark.parametrize("chance", [1e-5, 0.01, 0.4543, 0.999])
@pytest.mark.parametrize("runs", [10, 10_000])
def test_a_region_is_as_large_as_it_may_be(noise_law: ModuleType, chance: float, runs: int) -> None:
    level = ALPHA / 58
    low, high = noise_law.region(chance, runs, level)
    assert low < 0 or two_sided(low, runs, chance) <= level
    assert two_sided(low + 1, runs, chance) > level
    assert high > runs or two_sided(high, runs, chance) <= level
    assert two_sided(high - 1, runs, chance) > level
    below = bdtr(low, runs, chance) if low >= 0 else 0
    above = bdtrc(high - 1, runs, chance) if high <= runs else 0
    assert below + above <= level


def test_a_noise_that_can_not_be_is_found_out_at_once(noise_law: ModuleType) -> None:
    law = noise_ways(digits([{0: 7, 1: 3}])).law
    assert noise_law.p_value(Counter({0: 5, 2: 1}), law) == 0
    wider = noise_ways(digits([{0: 7, 2: 3}])).law
    assert noise_law.power(law, wider, 1) == pytest.approx(float(1 - wider[0]))

"""What benchmarks/noise_law.py puts ten thousand sessions to: a test that holds and can fail."""

import json
import re
from collections import Counter

import pytest
from scipy.special import bdtr, bdtrc

from sudare.chance.randomness import Seeded
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped
from support.chance import ALPHA, two_sided
from support.scripts import ROOT, benchmark_module

RUNS = 10_000
BENCHMARK = benchmark_module("noise_law")


def test_noises_drawn_in_the_open_pass_and_others_are_found_out(seed: int) -> None:
    """Fails by chance with at most 1e-9; the other law is missed far more rarely."""
    proof, rng = shipped(Guarantee(1.0, 1e-6)), Seeded(seed)
    assert proof is not None
    scheme, law = proof.scheme, proof.law.chances
    tables = scheme.shuffled(rng)
    counts = Counter(scheme.noise(tables, scheme.indices(rng)) for _ in range(RUNS))
    assert BENCHMARK.p_value(counts, law) > ALPHA
    narrower = noise_law(Scheme.of_differences(scheme.tables[1:])).chances
    assert BENCHMARK.p_value(counts, narrower) <= ALPHA
    assert BENCHMARK.power(law, narrower, RUNS) > 1 - 1e-9
    assert BENCHMARK.power(law, law, RUNS) <= ALPHA


@pytest.mark.parametrize("chance", [1e-5, 0.01, 0.4543, 0.999])
@pytest.mark.parametrize("runs", [10, 10_000])
def test_a_region_is_as_large_as_it_may_be(chance: float, runs: int) -> None:
    level = ALPHA / 58
    low, high = BENCHMARK.region(chance, runs, level)
    assert low < 0 or two_sided(low, runs, chance) <= level
    assert two_sided(low + 1, runs, chance) > level
    assert high > runs or two_sided(high, runs, chance) <= level
    assert two_sided(high - 1, runs, chance) > level
    below = bdtr(low, runs, chance) if low >= 0 else 0
    above = bdtrc(high - 1, runs, chance) if high <= runs else 0
    assert below + above <= level


def test_a_noise_that_can_not_be_is_found_out_at_once() -> None:
    law = noise_law(Scheme.of_differences([{0: 7, 1: 3}])).chances
    assert BENCHMARK.p_value(Counter({0: 5, 2: 1}), law) == 0
    wider = noise_law(Scheme.of_differences([{0: 7, 2: 3}])).chances
    assert BENCHMARK.power(law, wider, 1) == pytest.approx(float(1 - wider[0]))


def numbers(page: str, row: str) -> list[float]:
    """The numbers of a row of a page's table."""
    (cells,) = re.findall(rf"^\| {row} \|(.*)\|$", page, re.MULTILINE)
    return [float(cell.replace(",", "")) for cell in cells.split("|")]


def test_the_page_shows_what_was_recorded() -> None:
    """Its table, the strangest event, and what ``result.json`` says, from the counts kept."""
    page = (ROOT / "docs" / "explanation" / "secure-sampling.md").read_text("utf-8")
    record = json.loads(BENCHMARK.RECORD.read_text("utf-8"))
    counts = Counter({int(size): count for size, count in record["counts"].items()})
    proof = shipped(Guarantee(1.0, 1e-6))
    assert proof is not None
    law, shown = proof.law.chances, 10
    assert counts.total() == record["runs"] == RUNS
    opened = [sum(n for x, n in counts.items() if abs(x) == far) for far in range(shown)]
    assert numbers(page, "opened") == [*opened, RUNS - sum(opened)]
    chances = [sum(p for x, p in law.items() if abs(x) == far) for far in range(shown)]
    for said, chance in zip(numbers(page, "expected"), [*chances, 1 - sum(chances)], strict=True):
        assert said == pytest.approx(float(RUNS * chance), abs=0.5 if said > 100 else 0.05)
    least = BENCHMARK.least_p_value(counts, law)
    assert (record["least_p_value"], record["events"]) == (pytest.approx(least), 58)
    assert record["p_value"] == BENCHMARK.p_value(counts, law)
    assert f"58 events, the strangest of them with a p-value of {least:.2g}, so 1 for all" in page
    kept = {row["job"]: row["ours"] for row in json.loads(BENCHMARK.RESULT.read_text("utf-8"))}
    job = f"noise law, {RUNS:,} sessions of two processes, elgamal"
    assert kept[job] == BENCHMARK.significant(record["p_value"])
    for epsilon in BENCHMARK.OTHERS:
        found = record["others"][f"tables for ε = {epsilon:g}"]["p_value"]
        said = kept[f"{job}, against the law of tables for ε = {epsilon:g}"]
        assert said == BENCHMARK.significant(found)

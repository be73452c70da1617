"""The paper on secure sampling: what it adds to the product's exact machinery, by brute force."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare.chance.channel import Channel, Law
from sudare.chance.exact import exact_law
from sudare.chance.randomness import Randomness
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import noise_law, prove
from sudare.twoparty.noise.scheme import Scheme
from support.scripts import paper_module

PAPER = Path(__file__).parents[2] / "papers" / "secure-sampling"
TWICE = Scheme(({-1: 1, 0: 2, 1: 1},), (1, 1), distinct=False)
ONCE = Scheme(({-1: 1, 0: 2, 1: 1},), (1,), distinct=False)
SIGNED = Scheme(({0: 2, 1: 1}, {-2: 1, 0: 2}), (1, -1), distinct=True)

pytestmark = pytest.mark.xdist_group("papers")


def paper(name: str) -> Any:
    """A module of the paper."""
    return paper_module(PAPER.name, name)


def same(indices: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Which draws from a table, of all noises, are the same entry, and nothing else."""
    return tuple(tuple(drawn.index(i) for i in drawn) for drawn in indices)


def enumerated(scheme: Scheme, noises: int) -> dict[tuple[Any, tuple[int, ...]], Fraction]:
    """P2's view of noises from tables shuffled once: every order, every index."""
    entries = [[v for v, n in table.items() for _ in range(n)] for table in scheme.tables]
    law: dict[tuple[Any, tuple[int, ...]], Fraction] = {}
    orders = list(product(*(sorted(permutations(table)) for table in entries)))
    drawn = exact_law(lambda rng: _indices(scheme, noises, rng))
    for indices, chance in drawn.items():
        by_table = [[i for noise in indices for i in noise[t]] for t in range(len(entries))]
        for order in orders:
            found = tuple(
                sum(
                    sign * order[t][i]
                    for t, chosen in enumerate(noise)
                    for sign, i in zip(scheme.signs, chosen, strict=True)
                )
                for noise in indices
            )
            view = same(by_table), found
            law[view] = law.get(view, Fraction(0)) + chance / len(orders)
    return law


def _indices(
    scheme: Scheme, noises: int, rng: Randomness
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(tuple(map(tuple, scheme.indices(rng))) for _ in range(noises))


@pytest.mark.parametrize(("scheme", "noises"), [(ONCE, 2), (ONCE, 3), (TWICE, 2), (SIGNED, 2)])
def test_noises_from_one_table_are_those_of_the_enumeration(scheme: Scheme, noises: int) -> None:
    again = paper("again")
    epsilon = 0.25
    still = enumerated(scheme, noises)

    def seen(moved: tuple[int, ...]) -> Law:
        return {
            (alike, tuple(a + b for a, b in zip(found, moved, strict=True))): chance
            for (alike, found), chance in still.items()
        }

    deltas = [
        Channel({0: seen((0,) * noises), 1: seen(moved)}).delta(noises * epsilon)
        for moved in product((-1, 0, 1), repeat=noises)
        if any(moved)
    ]
    found = again.joint_delta(again.one_table(scheme, noises), scheme, noises, epsilon)
    assert abs(found - max(deltas)) < Fraction(1, 10**30)


@pytest.mark.parametrize("scheme", [ONCE, TWICE, SIGNED])
def test_one_noise_from_a_table_is_what_the_product_proves(scheme: Scheme) -> None:
    again = paper("again")
    guarantee = Guarantee(0.5, 0.1)
    for seen in (again.one_table(scheme, 1), again.fresh_tables(scheme, 1)):
        assert again.joint_delta(seen, scheme, 1, 0.5) == prove(scheme, guarantee).delta_p2
    only = again.joint_delta(again.results_only(scheme, 1), scheme, 1, 0.5)
    assert only == prove(scheme, guarantee).delta


def test_numbers_are_compared_bit_by_bit() -> None:
    circuit = paper("circuit")
    for width in range(1, 6):
        thresholds = list(range(1, 1 << width))
        for number in range(1 << width):
            bits = [[number >> place & 1 for place in range(width)]] * len(thresholds)
            wanted = [int(number < threshold) for threshold in thresholds]
            for compare in (circuit.below_by_chain, circuit.below_by_tree):
                counted = circuit.Counted()
                assert asyncio.run(compare(bits, thresholds, counted)) == wanted
                tree = compare is circuit.below_by_tree
                assert counted.rounds == ((width - 1).bit_length() if tree else width - 1)


def test_the_circuits_law_is_that_of_all_its_bits() -> None:
    module = paper("circuit")
    circuit = module.Circuit((3, 1), 2)
    for depth in module.Depth:
        noises = Counter(
            asyncio.run(circuit.noise(bits, depth, module.Counted()))
            for bits in product((0, 1), repeat=circuit.random_bits)
        )
        assert {x: Fraction(n, 1 << circuit.random_bits) for x, n in noises.items()} == (
            circuit.law.chances
        )


def test_a_smaller_circuit_does_not_keep_the_guarantee() -> None:
    module = paper("circuit")
    guarantee = Guarantee(1.0, 1e-3)
    circuit = module.smallest_circuit(guarantee)
    assert module.excess([(1, circuit.law)], guarantee) <= guarantee.delta
    narrower = tuple(threshold >> 1 for threshold in circuit.digits)
    smaller = [
        module.Circuit(circuit.digits[:-1], circuit.width),
        module.Circuit(narrower, circuit.width - 1),
    ]
    assert all(module.excess([(1, one.law)], guarantee) > guarantee.delta for one in smaller)


def test_three_processes_sample_inside() -> None:
    """Whatever bits are drawn, the noise that is opened is that of the circuit on them."""
    rows = list(paper("inside").measured_rows(run=True))
    assert [row.id for row in rows] == ["inside.measured.chain", "inside.measured.tree"]
    assert all(row.verdict.startswith("fewer: our shuffle takes 30,") for row in rows)
    assert rows[0].ours < rows[1].ours


@pytest.mark.parametrize(("epsilon", "draws"), [(1.0, 2), (0.25, 3), (0.1, 4), (0.1, 8)])
def test_where_algorithm_2_stops_is_no_less_than_delta_at_the_documents_budgets(
    epsilon: float, draws: int
) -> None:
    """A share of the scan; each length is the table of Algorithm 2 that stops there."""
    found = list(paper("conjectures").lengths(epsilon, draws, 12))
    assert len(found) >= 10 or epsilon == 1
    assert all(length.margin > Fraction(11, 10) for length in found)
    for length in found[:: len(found) // 2]:
        if length.bound < Fraction(1, 2):
            guarantee = Guarantee(epsilon, float(length.bound) * (1 + 1e-12))
            proof = prove(algorithm2(guarantee, draws), guarantee)
            assert max(proof.scheme.tables[0]) == length.length
            assert proof.delta == length.delta


def test_a_small_budget_breaks_it() -> None:
    found = paper("conjectures").lengths(0.01, 4, 12)
    assert min(length.margin for length in found) < Fraction(95, 100)


def test_the_older_methods_give_the_printed_sizes_and_fail() -> None:
    older = paper("older_methods")
    claimed = {older.method_a: (1049874877, 9.52e-10), older.method_b: (184540, 2.94e-11)}
    for method, (size, delta) in claimed.items():
        scheme = method(1.0)
        assert scheme.entries == size
        edge = noise_law(scheme).trimmed.counts[0]
        assert edge / noise_law(scheme).total == pytest.approx(delta, rel=2e-3)
        proof = prove(scheme, Guarantee(1.0, delta * 1.01))
        assert proof.conditions["v"]
        assert not proof.holds
        assert not proof.conditions["iv"]


@pytest.mark.parametrize("draws", [2, 3, 4])
def test_the_exact_root_adds_up_to_the_discrete_laplace_law(draws: int) -> None:
    root = paper("shapes").exact_root(0.5, draws, 60)
    law = np.concatenate([root[:0:-1], root])
    total = law
    for _ in range(draws - 1):
        total = np.convolve(total, law)
    centre = total.size // 2
    falls = total[centre + 1 : centre + 20] / total[centre : centre + 19]
    assert np.allclose(falls, np.exp(-0.5), rtol=1e-6)


def test_the_list_has_one_over_delta_entries() -> None:
    shapes = paper("shapes")
    guarantee = Guarantee(1.0, 1e-4)
    scheme = shapes.listed(guarantee, 12)
    assert scheme.entries == 10_000
    table = scheme.tables[0]
    assert min(table) == -12
    assert max(table) == 12
    assert shapes.listed(Guarantee(1.0, 0.1), 5) is None  # eleven values


def test_the_readme_shows_what_was_found() -> None:
    rows = {row["id"]: row for row in json.loads((PAPER / "result.json").read_text("utf-8"))}
    shown = (PAPER / "README.md").read_text("utf-8")
    own = [f"**{rows[f'own.{epsilon:g}']['ours']:.3f}**" for epsilon in (1, 0.5, 0.25, 0.1)]
    assert " | ".join(own) in shown
    least = [rows[f"repaired.scan.{epsilon}"]["ours"] for epsilon in (4, 2, 1, 0.5, 0.25, 0.1)]
    assert " | ".join(f"{ratio:.3f}" for ratio in least) in shown
    small = [rows[f"repaired.scan.{epsilon}"]["ours"] for epsilon in (0.025, 0.02, 0.015)]
    assert " | ".join(f"**{ratio:.3f}**".replace("0.", ".") for ratio in small) in shown
    scanned = [row["verdict"] for name, row in rows.items() if name.startswith("repaired.scan")]
    tables = sum(
        int(verdict.split(" tables")[0].split()[-1].replace(",", "")) for verdict in scanned
    )
    assert f"{tables:,} tables" in shown
    for way in ("chain", "tree"):
        assert f"{rows[f'inside.measured.{way}']['ours']:,.0f}" in shown
    for name in ("repaired.n2", "repaired.n3", "repaired.n4"):
        assert f"**{rows[name]['ours']:.5f}**".replace("0.", ".") in shown

"""Three parties that share secrets, as three processes of MPyC on loopback."""

import json
import runpy
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

from sudare.chance.randomness import Seeded
from sudare.errors import ParameterError
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.table_document import TableDocument
from support.chance import assert_follows
from support.parties import SMALL, assert_shipped_noise
from support.ports import held_ports

EXAMPLE = Path(__file__).parents[2] / "examples" / "three_party_count.py"
SHARING = SimpleNamespace(**runpy.run_path(str(EXAMPLE)))
PARTIES = 3
COUNTS = (1200, 340, 77)
TOTALS, FEW = 300, 400
PATIENCE = 200  # seconds: parties that meet take some ten on an idle machine
THREE = Path(__file__).parents[1] / "support" / "three_parties.py"


def together(*arguments: list[str], script: Path = EXAMPLE) -> list[tuple[int, str, str]]:
    """Three processes of a script, each with its own arguments: code, output and errors."""
    with ExitStack() as running:
        ports = running.enter_context(held_ports(PARTIES, ""))
        parties = [part for port in ports for part in ("-P", f"localhost:{port}")]
        processes = [
            subprocess.Popen(
                [sys.executable, script, "--no-log", *parties, "-I", str(pid), *own],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for pid, own in enumerate(arguments)
        ]
        for process in processes:
            running.enter_context(process)
            running.callback(process.kill)
        told = [process.communicate(timeout=PATIENCE) for process in processes]
    return [
        (process.returncode, out, err) for process, (out, err) in zip(processes, told, strict=True)
    ]


def test_three_processes_open_totals_with_noise_of_the_exact_law() -> None:
    """Fails by chance with at most 3e-9.

    Less noise and more are told apart: 300 noises miss the first with a chance of 1.6e-9, the
    second with one of 4e-11.
    """
    ended = together(*[["--json", "--totals", str(TOTALS), "--counts", *map(str, COUNTS)]] * 3)
    assert [(code, err) for code, _, err in ended] == [(0, "")] * PARTIES
    first, *others = (json.loads(out) for _, out, _ in ended)
    assert all(other["totals"] == first["totals"] for other in others)
    noises = Counter(total - sum(COUNTS) for total in first["totals"])
    assert noises.total() == TOTALS
    proof = assert_shipped_noise(noises)
    # Two orders of 4 bytes and two dealings of 8 to two others, for each entry: no more is sent.
    sent = sum(party["bytes_sent"] for party in (first, *others))
    assert sent < TOTALS * (2 * 4 + 2 * 4 * 8) * proof.scheme.entries * 1.1


@pytest.mark.parametrize("fixed", ["01,02", "01,12", "02,12"])
def test_the_order_of_one_pair_hides_the_entries_from_the_third(fixed: str) -> None:
    """Whoever knows two of the orders still finds the noise to follow the exact law.

    Fails by chance with at most 1e-9.
    """
    noises = small_noises(fixed)
    assert_follows(noises, noise_law(SMALL.scheme).chances, FEW)


def test_with_all_orders_known_nothing_is_hidden() -> None:
    assert len(small_noises("01,02,12")) == 1


def small_noises(fixed: str) -> Counter[int]:
    """Noises of three processes where the orders of some pairs are known to everybody."""
    ended = together(*[[fixed, str(FEW)]] * PARTIES, script=THREE)
    assert [(code, err) for code, _, err in ended] == [(0, "")] * PARTIES
    first, *others = (json.loads(out)["totals"] for _, out, _ in ended)
    assert all(other == first for other in others)
    return Counter(total - PARTIES * 100 for total in first)


def test_parties_that_hold_something_else_are_refused_by_all() -> None:
    ended = together(["--totals", "1"], ["--totals", "1"], ["--totals", "2"])
    assert [(code, out) for code, out, _ in ended] == [(1, "")] * PARTIES
    sentences = [err.strip() for _, _, err in ended]
    assert sentences == [
        "Error: party 2 has 2 totals, this one has 1",
        "Error: party 2 has 2 totals, this one has 1",
        "Error: party 0 has 1 totals, this one has 2",
    ]


def test_one_party_alone_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE, "--no-log"], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: sharing takes 3 parties and a threshold of 1 (-M3), got 1 and 0\n"
    )


def test_two_parts_add_up_to_the_value(seed: int) -> None:
    numbers = Seeded(seed)
    for pair in combinations(range(PARTIES), 2):
        value, slope = numbers.below(1 << 32, (2,)).tolist()
        parts = [SHARING._lagrange(pid, pair) * (value + slope * (pid + 1)) for pid in pair]
        assert sum(parts) % SHARING.MODULUS == value
        assert sum(parts[:1]) % SHARING.MODULUS != value


def test_tables_whose_draws_may_coincide_are_refused() -> None:
    """The document's would hold by proof if P2 were blind; places of a table never coincide."""
    loose = Guarantee(1.0, 1e-3)
    one_draw = algorithm2(loose, 1)
    assert SHARING._drawable(SHARING.agreed(TableDocument(loose, one_draw), 1000)) == one_draw
    two = algorithm2(Guarantee(1.0, 1e-6), 2)
    with pytest.raises(ParameterError, match="2 draws that may coincide: take tables of distinct"):
        SHARING._drawable(SHARING.agreed(TableDocument(loose, two), 1000))

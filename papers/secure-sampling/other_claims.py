"""The document's other claims: the older methods, its figures' numbers, what is false."""

import math
from collections.abc import Iterator
from dataclasses import replace

from older_methods import method_a, method_b
from printed_numbers import number
from record import Row
from tables import DRAWS, guarantees, named, proved

from sudare.chance.exact import float_up
from sudare.twoparty.noise.algorithm2 import Stop, algorithm2, distinct_table
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, prove

# Figures 1 and 2: entries, the outermost chance as mantissa and exponent, room and its power.
OLDER = {
    "A": (method_a, "1049874877", ("9.52", -10), ("250", 3)),
    "B": (method_b, "184540", ("2.94", -11), ("45", 2)),
}
FIGURE_3 = Guarantee(1.0, 1e-10), 2
FIGURE_4 = Guarantee(0.1, 1e-8), 4
COUNTEREXAMPLE = Guarantee(0.1, 6.2e-5), 4
WIDER = (2, 3, 10)


def edge(proof: Proof) -> float:
    """The chance of the least noise, which the document calls its δ where Δ = 1."""
    law = proof.law.trimmed
    return law.counts[0] / law.total


def older_rows() -> Iterator[Row]:
    """Methods A and B, figures 1 and 2."""
    for name, (method, size, (mantissa, exponent), (room, power)) in OLDER.items():
        scheme = method(1.0)
        claimed = float(f"{mantissa}e{exponent}")
        proof = prove(scheme, Guarantee(1.0, claimed))
        figure = f"figure {'AB'.index(name) + 1}"
        prefix = f"method.{name}"
        yield number(prefix, f"{figure}: entries of method ({name})", size, scheme.entries)
        yield number(
            f"{prefix}.edge",
            f"{figure}: the outermost chance of method ({name}), in units of 10^{exponent}",
            mantissa,
            edge(proof) / 10**exponent,
        )
        yield Row(
            f"{prefix}.delta",
            f"{figure}: the exact δ of method ({name}) at ε = 1",
            claimed,
            float_up(proof.delta),
            f"confirmed: it fails, by {float(proof.delta) / claimed:.3g} times"
            if not proof.holds and not proof.conditions["iv"]
            else "refuted",
        )
        unit = ("KiB", "MiB", "GiB")[power - 1]
        yield number(
            f"{prefix}.room",
            f"{figure}: {unit} of method ({name}) at 64 bits an entry",
            room,
            scheme.entries * 8 / 1024**power,
            f"at 2048 bits it would be {scheme.entries * 256 / 1024**power:.1f}",
        )


def figure_rows() -> Iterator[Row]:
    """The numbers in the captions of figures 3 and 4, and the shape of figure 4."""
    third, fourth = proved(*FIGURE_3), proved(*FIGURE_4)
    yield number("figure3.size", "figure 3: entries", "295384", third.scheme.entries)
    yield number(
        "figure3.edge", "figure 3: the outermost chance, times 1e11", "1.15", edge(third) * 1e11
    )
    yield number(
        "figure4.edge", "figure 4: the outermost chance, times 1e10", "7.08", edge(fourth) * 1e10
    )
    table = fourth.scheme.tables[0]
    side = [table[value] for value in range(min(table), 1)]
    yield Row(
        "figure4.w",
        "figure 4: the table is shaped like a W: its outermost count over its least",
        None,
        side[0] / min(side),
        "confirmed" if side[0] > min(side) else "refuted",
    )


def false_rows() -> Iterator[Row]:
    """What does not hold as printed."""
    guarantee, draws = COUNTEREXAMPLE
    proof = prove(algorithm2(guarantee, draws, Stop.PRINTED), guarantee)
    yield Row(
        "conjecture",
        "conjecture 4.2.1, stopping as printed: the exact δ at ε = 0.1, n = 4",
        guarantee.delta,
        float_up(proof.delta),
        "refuted: condition (iv) fails, and δ with it"
        if not proof.holds and not proof.conditions["iv"]
        else "confirmed",
    )
    cells = [(guarantee, draws) for guarantee in guarantees() for draws in DRAWS]
    kept = sum(proved(*cell, Stop.PRINTED).holds for cell in cells)
    yield Row(
        "conjecture.tabulated",
        "tables that keep their guarantee, stopping as printed, of those of tables 1 and 2",
        float(len(cells)),
        float(kept),
        "confirmed" if kept == len(cells) else "refuted",
    )
    held = sum(proved(*cell).scheme.entries <= _bound(*cell) for cell in cells)
    yield Row(
        "proposition4.3",
        "proposition 4.3: tables whose entries are at most the bound, of those of tables 1 and 2",
        float(len(cells)),
        float(held),
        "misprint: ≥, not ≤" if held == 0 else "confirmed",
    )
    best = Guarantee(1.0, 1e-6).best_mean
    yield Row(
        "best.mean",
        "section 5.2: E|Z| of the exact discrete Laplace law at ε = 1 is Δ/ε",
        1.0,
        best,
        "misprint: 1/sinh(ε/Δ)" if not math.isclose(best, 1.0) else "equal",
    )


def _bound(guarantee: Guarantee, draws: int) -> float:
    """The right side of proposition 4.3 at Δ = 1."""
    table = proved(guarantee, draws).scheme.tables[0]
    return float((1 / guarantee.delta) ** (1 / draws) * table[min(table)])


def distinct_rows() -> Iterator[Row]:
    """The document's tables drawn without replacement, as they are and as large as that needs."""
    guarantee = Guarantee(1.0, 1e-6)
    for draws in DRAWS[1:]:
        what = f"ε = 1, δ = 1e-06, n = {draws}, no entry drawn twice"
        scheme = replace(proved(guarantee, draws).scheme, distinct=True)
        proof = prove(scheme, guarantee)
        yield Row(
            f"distinct.n{draws}",
            f"the exact δ of the document's table at {what}",
            guarantee.delta,
            float_up(proof.delta),
            "proved" if proof.holds else "refuted: the table is too small for that",
        )
        enough = distinct_table(guarantee, draws)
        yield Row(
            f"distinct.n{draws}.entries",
            f"the entries of Algorithm 2 that are enough at {what}",
            float(scheme.entries),
            float(enough.scheme.entries),
            "proved: for P2, too" if enough.holds_for_p2 else "refuted",
        )


def sensitivity_rows() -> Iterator[Row]:
    """Algorithm 2 for Δ > 1, which the document does not tabulate."""
    for sensitivity in WIDER:
        for draws in (2, 3):
            guarantee = Guarantee(1.0, 1e-6, sensitivity)
            proof = proved(guarantee, draws)
            yield Row(
                f"sensitivity{sensitivity}.{named(guarantee, draws)}",
                f"entries of Algorithm 2 at ε = 1, δ = 1e-06, Δ = {sensitivity}, n = {draws}",
                None,
                float(proof.scheme.entries),
                f"{'proved' if proof.holds else 'refuted'}: E|Z| is {proof.relative_mean:.3f} "
                f"of 1/sinh(ε/Δ)",
            )

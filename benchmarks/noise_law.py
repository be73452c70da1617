"""Does the noise that two real parties open follow its exact law?

``python benchmarks/noise_law.py`` runs 10,000 sessions of ``sessions.py``; ``--help`` for options.
The opened noises are compared with the law that was proved, by exact binomial tails and a union
bound. Beside it stands the power of that test: how likely noises of other tables are to be found
out, and whether the very same noises are told apart from the laws of those.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.special import bdtr, bdtrc

from report import RESULT, save, significant
from sessions import CIPHER, GUARANTEE, Opened, on_all_cores, runs_asked, shipped_proof
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, noise_law
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.table_search import search

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from support.chance import ALPHA, two_sided

RECORD = RESULT.with_name("noise_law.json")  # the counts, and all that was found in them
RUNS = 10_000
OTHERS = (0.8, 0.9, 1.1, 1.2)  # ε of tables whose laws should be rejected
ATTEMPTS = 4  # of the search for those tables

Law = Mapping[int, Fraction]
Tables = list[dict[int, int]]


@dataclass(frozen=True)
class Event:
    """Some of the noises that can be."""

    noises: frozenset[int]

    def chance(self, law: Law) -> float:
        """Under a law, summed exactly and rounded once."""
        return float(sum(law.get(x, Fraction(0)) for x in self.noises))

    def count(self, counts: Mapping[int, int]) -> int:
        """How often it happened."""
        return sum(counts.get(x, 0) for x in self.noises)


def events(law: Law) -> list[Event]:
    """Every noise that can be, and every distance from 0 that it can reach."""
    distances = sorted({abs(x) for x in law} - {0})
    far = [Event(frozenset(x for x in law if abs(x) >= distance)) for distance in distances]
    return [Event(frozenset([x])) for x in sorted(law)] + far


def least_p_value(counts: Counter[int], law: Law) -> float:
    """That of the strangest event, as if it was the only one looked at."""
    if not counts.keys() <= law.keys():
        return 0.0  # the impossible happened
    runs = counts.total()
    return min(two_sided(one.count(counts), runs, one.chance(law)) for one in events(law))


def p_value(counts: Counter[int], law: Law) -> float:
    """At most x with a chance of at most x, if the noises follow the law."""
    return min(1.0, least_p_value(counts, law) * len(events(law)))


def power(law: Law, true: Law, runs: int) -> float:
    """The chance, at least, that noises of another, true law are found not to follow ``law``.

    That of the one event which shows it best; a noise that ``law`` holds impossible is another.
    """
    of_all = events(law)
    impossible = float(sum(p for x, p in true.items() if x not in law))
    best = -math.expm1(runs * math.log1p(-impossible)) if impossible < 1 else 1.0
    for one in of_all:
        low, high = region(one.chance(law), runs, ALPHA / len(of_all))
        chance = one.chance(true)
        below = float(bdtr(low, runs, chance)) if low >= 0 else 0.0
        above = float(bdtrc(high - 1, runs, chance)) if high <= runs else 0.0
        best = max(best, below + above)
    return min(1.0, best)


def region(chance: float, runs: int, level: float) -> tuple[int, int]:
    """The most and the fewest successes that are too few and too many, by bisection."""

    def first(holds: Callable[[int], bool], start: int, end: int) -> int:
        while start < end:
            middle = (start + end) // 2
            start, end = (start, middle) if holds(middle) else (middle + 1, end)
        return start

    mode = round(runs * chance)
    low = first(lambda count: two_sided(count, runs, chance) > level, 0, mode) - 1
    high = first(lambda count: two_sided(count, runs, chance) <= level, mode, runs + 1)
    return low, high


def other_laws(proof: Proof) -> Iterator[tuple[str, Law]]:
    """Laws that the noise must not have: of other tables, and of other ways to draw."""
    for epsilon in OTHERS:
        found = search(Guarantee(epsilon, GUARANTEE.delta), attempts=ATTEMPTS)
        yield f"tables for ε = {epsilon:g}", found.law.chances
    parts = [noise_law(Scheme((t,), (1, -1), distinct=False)) for t in proof.scheme.tables]
    yield "draws that may coincide", math.prod(parts[1:], start=parts[0]).chances
    for number, tables in enumerate(missing(proof.scheme), 1):
        yield f"table {number} left out", noise_law(Scheme.of_differences(tables)).chances
    for name, tables in changed(proof.scheme):
        yield name, noise_law(Scheme.of_differences(tables)).chances


def missing(scheme: Scheme) -> Iterator[Tables]:
    """The tables with one of them left out."""
    for left_out in range(len(scheme.tables)):
        yield [dict(t) for number, t in enumerate(scheme.tables) if number != left_out]


def changed(scheme: Scheme) -> Iterator[tuple[str, Tables]]:
    """The tables with one entry changed: a 0 that becomes another value of its table, or back."""
    for number, table in enumerate(scheme.tables):
        for value in table:
            for old, new in ((value, 0), (0, value)) if value else ():
                tables = [dict(t) for t in scheme.tables]
                tables[number][old] -= 1
                tables[number][new] += 1
                tables[number] = {x: n for x, n in tables[number].items() if n}
                yield f"table {number + 1}: one {old} is {new}", tables


@dataclass(frozen=True)
class Judged:
    """The test on all noises, and on the same noises against laws that are not theirs."""

    opened: Opened
    events: int
    least_p_value: float
    others: dict[str, tuple[float, float]]  # power, p-value
    least_shift: float

    @property
    def p_value(self) -> float:
        """Of all events together."""
        return min(1.0, self.least_p_value * self.events)

    @property
    def follows(self) -> bool:
        """Whether the law that was proved may be that of the noises."""
        return self.p_value > ALPHA

    def json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "runs": self.opened.runs,
            "counts": {str(x): n for x, n in sorted(self.opened.counts.items())},
            "events": self.events,
            "least_p_value": self.least_p_value,
            "p_value": self.p_value,
            "alpha": ALPHA,
            "follows": self.follows,
            "least_shift": self.least_shift,
            "cpu_seconds_each": self.opened.cpu_seconds / self.opened.runs,
            "bytes_each": self.opened.bytes // self.opened.runs,
            "others": {
                name: {"power": strength, "p_value": found, "rejected": found <= ALPHA}
                for name, (strength, found) in self.others.items()
            },
        }


def judge(found: Opened, proof: Proof) -> Judged:
    """The noises against the law of their tables, and against others."""
    law, runs = proof.law.chances, found.runs
    others = {
        name: (power(law, other, runs), p_value(found.counts, other))
        for name, other in other_laws(proof)
    }
    least = least_p_value(found.counts, law)
    return Judged(found, len(events(law)), least, others, least_shift(law, runs))


def least_shift(law: Law, runs: int, strength: float = 0.99) -> float:
    """How far the chance of noise 0 must be off to be found out with such a chance."""
    chance = float(law[0])
    _, high = region(chance, runs, ALPHA / len(events(law)))
    low, top = 0.0, 1 - chance
    while top - low > 1e-6:
        middle = (low + top) / 2
        enough = float(bdtrc(high - 1, runs, chance + middle)) >= strength
        low, top = (low, middle) if enough else (middle, top)
    return top


def rows(judged: Judged) -> list[dict[str, Any]]:
    """As in ``result.json``."""
    job = f"noise law, {judged.opened.runs:,} sessions of two processes, {CIPHER}"
    plain: dict[str, Any] = {"job": job, "ours": None, "peer": None, "limit": None, "ratio": None}
    counted = [judged.others[name] for name in judged.others if name.startswith("table ")]
    rejected = sum(found <= ALPHA for _, found in counted)
    sure = sum(strength >= 0.99 for strength, _ in counted)
    return [
        {
            **plain,
            "ours": significant(judged.p_value),
            "limit": {"name": "rejected below", "p-value": ALPHA},
            "unit": "p-value",
        },
        *(
            {
                **plain,
                "job": f"{job}, against the law of tables for ε = {epsilon:g}",
                "ours": significant(judged.others[f"tables for ε = {epsilon:g}"][1]),
                "peer": {
                    "name": "its noises are found out with a chance of",
                    "power": significant(judged.others[f"tables for ε = {epsilon:g}"][0]),
                },
                "limit": {"name": "rejected below", "p-value": ALPHA},
                "unit": "p-value",
            }
            for epsilon in OTHERS
        ),
        {
            **plain,
            "job": f"{job}, against tables with one entry changed or one table left out",
            "ours": rejected,
            "peer": {"name": "found out with a chance of 99 % or more", "laws": sure},
            "limit": {"name": "all", "laws": len(counted)},
            "unit": "laws rejected",
        },
        {
            **plain,
            "job": f"{job}, time of both processors",
            "ours": significant(1000 * judged.opened.cpu_seconds / judged.opened.runs),
            "unit": "ms",
        },
    ]


def table(judged: Judged) -> Table:
    """The test and its power, to read."""
    title = f"{judged.opened.runs:,} noises against laws, rejected below {ALPHA:g}"
    result = Table(title=title)
    for name in ("law", "p-value", "", "its noises found out, at least"):
        result.add_column(name, justify="left" if name in {"law", ""} else "right")
    verdict = "follows" if judged.follows else "rejected"
    result.add_row("its own", f"{judged.p_value:.3g}", verdict, "")
    for name, (strength, found) in judged.others.items():
        verdict = "rejected" if found <= ALPHA else "not told apart"
        result.add_row(name, f"{found:.3g}", verdict, f"{strength:.4f}")
    return result


def main() -> None:
    """Run, judge, print, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="everything as JSON, without a table")
    options = runs_asked(parser, RUNS)
    found = on_all_cores(options.runs)
    with Console(stderr=True).status("other tables, to be rejected"):
        judged = judge(found, shipped_proof())
    if options.json:
        print(json.dumps(judged.json(), indent=1))
    else:
        Console(width=None if sys.stdout.isatty() else 120).print(table(judged))
        print(
            f"The chance of noise 0 must be off by {judged.least_shift:.4f} to be found out with a "
            f"chance of 99 %.\n{1000 * found.cpu_seconds / found.runs:.1f} ms of the processor and "
            f"{found.bytes // found.runs:,} bytes for each session."
        )
    if options.runs == RUNS:
        save(rows(judged), RESULT)
        RECORD.write_text(json.dumps(judged.json(), indent=1) + "\n")
    if not judged.follows:
        raise SystemExit(f"such noises have a chance of {judged.p_value:.2g} (limit {ALPHA:g})")


if __name__ == "__main__":
    main()

"""Tables 1, 2 and 3: every cell under both stop rules, and the proof of each table."""

from collections.abc import Iterator
from functools import cache

from printed_numbers import number
from record import Row

from sudare.chance.exact import float_up
from sudare.twoparty.noise.algorithm2 import Stop, algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, prove

DRAWS = (1, 2, 3, 4)
# As printed: ε = 1 and Δ = 1 in table 1, δ = 1e-6 and Δ = 1 in tables 2 and 3.
TABLE_1 = {
    1e-4: ("30641", "149", "146", "42"),
    1e-6: ("1662884", "2454", "357", "97"),
    1e-8: ("246792753", "16505", "2256", "583"),
    1e-10: ("36627290627", "295384", "14731", "1466"),
}
TABLE_2 = {
    1.0: ("1662884", "2454", "357", "97"),
    0.5: ("3278624", "6218", "963", "365"),
    0.25: ("8224233", "15452", "1983", "891"),
    0.1: ("20537623", "39740", "5483", "2391"),
}
TABLE_3 = {
    1.0: ("0.852", "1.482", "2.119", "2.923"),
    0.5: ("1.919", "3.197", "4.456", "5.953"),
    0.25: ("3.959", "6.454", "9.268", "12.187"),
    0.1: ("9.986", "16.648", "23.816", "31.365"),
}
# The last rows of tables 1 and 2 also give the room that 64-bit entries take, in powers of 1024.
ROOM = {
    (1.0, 1e-10): (("273", 3), ("2.25", 2), ("115", 1), ("11.4", 1)),
    (0.1, 1e-6): (("156", 2), ("310", 1), ("42.8", 1), ("18.7", 1)),
}
UNITS = ("B", "KiB", "MiB", "GiB")
SWAPPED = "two digits are swapped"
MEAN = "the truncated law and the whole one both give .851"


@cache
def proved(guarantee: Guarantee, draws: int, stop: Stop = Stop.TABLES) -> Proof:
    """The table of Algorithm 2 with its proof, made once."""
    return prove(algorithm2(guarantee, draws, stop), guarantee)


def guarantees() -> list[Guarantee]:
    """Those of tables 1 and 2, each once."""
    asked = [Guarantee(1.0, delta) for delta in TABLE_1]
    asked += [Guarantee(epsilon, 1e-6) for epsilon in TABLE_2]
    return list(dict.fromkeys(asked))


def named(guarantee: Guarantee, draws: int) -> str:
    """A table in an identifier."""
    return f"{guarantee.epsilon:g}.{guarantee.delta:g}.n{draws}"


def size_rows() -> Iterator[Row]:
    """The sizes of tables 1 and 2 under both rules."""
    for table, rows in ((1, TABLE_1), (2, TABLE_2)):
        for key, cells in rows.items():
            guarantee = Guarantee(1.0, key) if table == 1 else Guarantee(key, 1e-6)
            setting = f"ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}"
            for draws, cell in zip(DRAWS, cells, strict=True):
                what = f"table {table}: entries at {setting}, n = {draws}"
                name = f"table{table}.{named(guarantee, draws)}"
                entries = proved(guarantee, draws).scheme.entries
                yield number(name, what, cell, entries, SWAPPED)
                sooner = proved(guarantee, draws, Stop.PRINTED).scheme.entries
                same = "equal: the rules agree here"
                yield Row(
                    f"{name}.printed-rule",
                    f"{what}, stopping as line 10 is printed",
                    float(cell),
                    float(sooner),
                    same if sooner == entries else "differs: the printed rule ends sooner",
                )


def room_rows() -> Iterator[Row]:
    """The room that the last rows of tables 1 and 2 say their tables take."""
    for (epsilon, delta), cells in ROOM.items():
        guarantee = Guarantee(epsilon, delta)
        for draws, (printed, power) in zip(DRAWS, cells, strict=True):
            room = proved(guarantee, draws).scheme.entries * 8 / 1024**power
            what = (
                f"{UNITS[power]} of 64-bit entries at ε = {epsilon:g}, δ = {delta:g}, n = {draws}"
            )
            yield number(f"room.{named(guarantee, draws)}", what, printed, room)


def mean_rows() -> Iterator[Row]:
    """The mean absolute noise of table 3."""
    for epsilon, cells in TABLE_3.items():
        guarantee = Guarantee(epsilon, 1e-6)
        for draws, cell in zip(DRAWS, cells, strict=True):
            what = f"table 3: E|Z| at ε = {epsilon:g}, n = {draws}"
            mean = proved(guarantee, draws).mean
            yield number(f"table3.{named(guarantee, draws)}", what, cell, mean, MEAN)
            sooner = proved(guarantee, draws, Stop.PRINTED)
            yield Row(
                f"table3.{named(guarantee, draws)}.printed-rule",
                f"{what}, stopping as line 10 is printed",
                float(cell),
                float(sooner.mean),
                "equal: the rules agree here"
                if sooner.mean == mean
                else "differs: the printed rule ends sooner",
            )
            yield Row(
                f"table3.{named(guarantee, draws)}.relative",
                f"{what}, in units of the best, 1/sinh(ε)",
                None,
                proved(guarantee, draws).relative_mean,
                "measured",
            )


def proof_rows() -> Iterator[Row]:
    """The exact δ of each table, for all who see the result and for P2 if it does."""
    for guarantee in guarantees():
        for draws in DRAWS:
            proof = proved(guarantee, draws)
            what = f"ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}, n = {draws}"
            conditions = all(proof.conditions.values())
            yield Row(
                f"proof.{named(guarantee, draws)}",
                f"the exact δ of the table at {what}",
                guarantee.delta,
                float_up(proof.delta),
                "proved: conditions (i) to (v) hold, too"
                if proof.holds and conditions
                else "refuted",
            )
            yield Row(
                f"p2.{named(guarantee, draws)}",
                f"the exact δ against P2, if it sees the result, at {what}",
                guarantee.delta,
                float_up(proof.delta_p2),
                "proved" if proof.holds_for_p2 else "refuted: P2 knows which draws coincide",
            )

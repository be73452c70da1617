"""The tables of README.md, made from the rows, and what it takes for a plan to have come true."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

NEAR = 0.03
"""How far an error may be from the one foreseen, in parts of it."""
OFTEN = 0.02
"""How far a chance to see something may be from the one wished."""
_PLACE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def ratio(row: Row) -> float:
    """The simulated error over the one foreseen."""
    return float(row["error"] / row["foreseen"])


def powers(row: Row) -> list[tuple[float, float]]:
    """The chances foreseen to see a share or a difference, and how often it was seen."""
    found = [(row["power"], row["seen"]), (row["difference_power"], row["difference_seen"])]
    return [(foreseen, seen) for foreseen, seen in found if seen is not None]


def is_off(row: Row) -> bool:
    """Whether something came out otherwise than foreseen."""
    far = abs(ratio(row) - 1) > NEAR
    return far or any(abs(seen - foreseen) > OFTEN for foreseen, seen in powers(row))


def fill(page: str, rows: Sequence[Row]) -> str:
    """A page with its tables as these rows have them."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]](rows)}\n\n{place[4]}", page)


def refresh(path: Path, rows: Sequence[Row]) -> None:
    """Write the tables of a page anew."""
    path.write_text(fill(path.read_text("utf-8"), rows), "utf-8")


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    shown = [head, ["---"] + ["--:"] * (len(head) - 1), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in shown)


def _span(values: Sequence[float], digits: int) -> str:
    if not values:
        return "–"
    low, high = (f"{end:.{digits}f}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _summary(rows: Sequence[Row]) -> list[str]:
    found = [pair for row in rows for pair in powers(row)]
    return [
        f"{len(rows)}",
        _span([ratio(row) for row in rows], 3),
        _span([100 * (seen - foreseen) for foreseen, seen in found], 1),
        _span([100 * (row["covered"] - row["level"]) for row in rows], 1),
    ]


HEAD = ("", "plans", "error / foreseen", "seen − foreseen, points", "covered − level, points")


def _steady(rows: Sequence[Row]) -> str:
    """What came of the plans that don't say that they are rough, by mechanism."""
    own = [row for row in rows if not row["rough"]]
    names = dict.fromkeys((row["kind"], row["mechanism"]) for row in own)
    lines = [
        [f"{kind}, {name}", *_summary([row for row in own if _is(row, kind, name)])]
        for kind, name in names
    ]
    return _table(HEAD, [*lines, ["all", *_summary(own)]])


def _is(row: Row, kind: str, name: str) -> bool:
    return (row["kind"], row["mechanism"]) == (kind, name)


def _rough(rows: Sequence[Row]) -> str:
    """What came of those that do."""
    own = [row for row in rows if row["rough"]]
    names = dict.fromkeys((row["kind"], row["mechanism"]) for row in own)
    lines = [
        [f"{kind}, {name}", *_summary([row for row in own if _is(row, kind, name)])]
        for kind, name in names
    ]
    return _table(HEAD, lines)


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {"steady": _steady, "rough": _rough}

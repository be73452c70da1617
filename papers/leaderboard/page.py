"""The tables of README.md, made from the rows; each stands between two comments there."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

_PLACE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def fill(page: str, rows: Sequence[Row]) -> str:
    """A page with its tables as these rows have them."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]](rows)}\n\n{place[4]}", page)


def refresh(path: Path, rows: Sequence[Row]) -> None:
    """Write the tables of a page anew."""
    path.write_text(fill(path.read_text("utf-8"), rows), "utf-8")


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    shown = [head, ["---"] + ["--:"] * (len(head) - 1), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in shown)


def _of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


def _each(rows: Sequence[Row], name: str) -> list[Any]:
    """The values that a column has, in the order of the rows."""
    return list(dict.fromkeys(row[name] for row in rows))


def _excess(ratio: float) -> str:
    """A ratio to the best there is, to three digits behind the point where it is near 1."""
    return f"{ratio:.3f}" if ratio < 2 else f"{ratio:.3g}"


def _errors(rows: Sequence[Row]) -> str:
    """The error of every mechanism of a choice over the least possible one."""
    own = _of_kind(rows, "choice")
    found = {(row["mechanism"], row["k"], row["epsilon"]): row for row in own}
    lines = []
    for k in _each(own, "k"):
        for name in _each(own, "mechanism"):
            ratios = [
                _excess(row["mse"] / row["bound"])
                for epsilon in _each(own, "epsilon")
                if (row := found[name, k, epsilon])
            ]
            lines.append([f"{name}, {k:,} answers", *ratios])
    return _table(["", *(f"ε = {epsilon:g}" for epsilon in _each(own, "epsilon"))], lines)


def _costs(rows: Sequence[Row]) -> str:
    """Bytes, nanoseconds and a forger's gain at ε = 1, by mechanism and number of answers."""
    lines = [
        [
            f"{row['mechanism']}, {row['k']:,} answers",
            f"{row['bytes']:,}",
            f"{row['device_ns']:.3g}",
            f"{row['server_ns']:.3g}",
            f"{row['forger_gain']:.2f}",
        ]
        for row in _of_kind(rows, "choice")
        if row["epsilon"] == 1
    ]
    return _table(["", "bytes", "device, ns", "server, ns", "gain of a forger"], lines)


def _means(rows: Sequence[Row]) -> str:
    """The worst variance of a mean of every mechanism, times the number of people."""
    own = _of_kind(rows, "mean")
    found = {(row["mechanism"], row["epsilon"]): row["worst"] for row in own}
    epsilons = _each(own, "epsilon")
    lines = [
        [name, *(f"{found[name, epsilon]:.4g}" for epsilon in epsilons)]
        for name in _each(own, "mechanism")
    ]
    return _table(["", *(f"ε = {epsilon:g}" for epsilon in epsilons)], lines)


def _distributions(rows: Sequence[Row]) -> str:
    """The distance of each estimated distribution from the true one, by shape and ε."""
    own = _of_kind(rows, "distribution")
    found = {(row["mechanism"], row["shape"], row["epsilon"]): row["distance"] for row in own}
    epsilons = _each(own, "epsilon")
    lines = [
        [f"{name}, {shape}", *(f"{found[name, shape, epsilon]:.4f}" for epsilon in epsilons)]
        for shape in _each(own, "shape")
        for name in _each(own, "mechanism")
    ]
    return _table(["", *(f"ε = {epsilon:g}" for epsilon in epsilons)], lines)


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {
    "errors": _errors,
    "costs": _costs,
    "means": _means,
    "distributions": _distributions,
}

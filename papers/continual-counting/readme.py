"""The tables of README.md, filled from the rows: each between two marks that name it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from decay import LINES
from kinds import EPSILONS as KIND_EPSILONS
from record import Row
from setting import EPSILONS, FLOOR
from shots import SHARES, WANTED

from sudare.scenarios import KINDS

_SHOWN = (1, 3, 4, 5, 6, 7, 8)  # at 2 it is as at 1 and 3
_NAMES = {
    "glance": "Glance",
    "lpu": "LPU",
    "harmony": "Harmony",
    "borappor": "BORAPPOR",
    "lpa": "LPA",
    "kshot": "KShot",
    "kshot-told": "KShot told",
}


def fill(rows: Iterable[Row], path: Path) -> None:
    """Write every table of the page anew."""
    values = {row.id: float(row.ours) for row in rows if isinstance(row.ours, float | int)}
    text = path.read_text("utf-8")
    for name, lines in _tables(values).items():
        first, last = f"<!-- {name} -->\n\n", "\n\n<!-- end -->"
        before, found, rest = text.partition(first)
        if not found:
            raise ValueError(f"README.md has no table {name}")
        text = before + first + "\n".join(lines) + last + rest.partition(last)[2]
    path.write_text(text, "utf-8")


def _tables(values: dict[str, float]) -> dict[str, list[str]]:
    return {
        "figure 3": _figure_3(values),
        "told": _told(values),
        "untold": _untold(values),
        "kinds": _kinds(values, "", 1, 3),
        "kinds squared": _kinds(values, ".squared", 1000, 2),
    }


def _figure_3(values: dict[str, float]) -> list[str]:
    columns = [*EPSILONS, FLOOR]
    lines = _head(["", "μ", *(f"ε = {e}" if e == columns[0] else f"{e}" for e in columns)])
    for method, share, label in LINES:
        means = [values[f"figure3.{method}.{share}.{e:g}"] for e in columns]
        cells = [label, _short(share, 4).rstrip("0"), *(_short(mean, 4) for mean in means)]
        lines.append(_row(cells))
    return lines


def _told(values: dict[str, float]) -> list[str]:
    lines = _head(["ε =", *map(str, WANTED)])
    arms = (("told", "KShot over Glance"), ("told.groups", "the same in groups of fixed size"))
    for arm, label in arms:
        ratios = [_short(values[f"kshot.{arm}.{e}"], 3) for e in WANTED]
        errors = [_short(values[f"kshot.{arm}.{e}.stderr"], 3) for e in WANTED]
        cells = [f"{ratio} ± {error}" for ratio, error in zip(ratios, errors, strict=True)]
        lines.append(_row([label, *cells]))
    return lines


def _untold(values: dict[str, float]) -> list[str]:
    names = [f"{share:g}".removeprefix("0") or "0" for share in SHARES]
    lines = _head(["ε", f"μ = {names[0]}", *names[1:]])
    for epsilon in _SHOWN:
        ratios = [values[f"kshot.untold.{epsilon}.{share:g}"] for share in SHARES]
        lines.append(_row([str(epsilon), *(_short(ratio, 2) for ratio in ratios)]))
    return lines


def _kinds(values: dict[str, float], end: str, scale: float, digits: int) -> list[str]:
    lines = _head(["stream", "ε", *_NAMES.values()])
    for kind in KINDS:
        for epsilon in KIND_EPSILONS:
            errors = [scale * values[f"kinds.{kind}.{m}.{epsilon:g}{end}"] for m in _NAMES]
            lines.append(_row([kind, f"{epsilon:g}", *(_short(e, digits) for e in errors)]))
    return lines


def _head(cells: Sequence[str]) -> list[str]:
    return [_row(cells), _row(["---"] * len(cells))]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _short(number: float, digits: int) -> str:
    """A number without the 0 before its point."""
    return f"{number:.{digits}f}".removeprefix("0") if number < 100 else f"{number:.0f}"

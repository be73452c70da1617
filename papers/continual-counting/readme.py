"""The tables of README.md, filled from the rows: each between two marks that name it."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import growth
from claims_1_and_2 import CASES
from claims_1_and_2 import EPSILONS as CLAIM_EPSILONS
from corollaries import EXCESSES
from decay import LINES
from kinds import EPSILONS as KIND_EPSILONS
from parts import CASES as PARTS
from record import Row
from setting import EPSILONS, FLOOR, READINGS
from shots import SHARES, WANTED

from sudare.simulation.scenarios import SCENARIOS

_SHOWN = (1, 3, 4, 5, 6, 7, 8)  # at 2 it is as at 1 and 3
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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
        "growth": _growth(values),
        "claims": _claims(values),
        "upper": _upper(values),
        "lower": _lower(values),
        "twice": _twice(values),
        "figure 3": _figure_3(values),
        "told": _told(values),
        "untold": _untold(values),
        "kinds": _kinds(values, "", 1, 3),
        "kinds squared": _kinds(values, ".squared", 1000, 2),
    }


def _growth(values: dict[str, float]) -> list[str]:
    columns = [
        f"T = {rounds}" if rounds == growth.ROUNDS[0] else f"{rounds}" for rounds in growth.ROUNDS
    ]
    lines = _head(["", "μ", *columns, "exponent of T beside √log T", "the document"])
    for method, (share, printed) in growth.METHODS.items():
        errors = [_short(values[f"section1.{method}.{rounds}"], 3) for rounds in growth.ROUNDS]
        exponent = _short(values[f"section1.{method}.exponent"], 2)
        said = "" if method == "glance" else _short(printed, 2)
        lines.append(_row([_NAMES[method], _short(share, 1), *errors, exponent, said]))
    return lines


def _claims(values: dict[str, float]) -> list[str]:
    lines = _head(["", "N", "μ", *(f"ε = {epsilon:g}" for epsilon in CLAIM_EPSILONS)])
    for people, share in CASES:
        for reading in READINGS:
            names = [f"claim1.{reading}.{people}.{share:g}.{e:g}" for e in CLAIM_EPSILONS]
            lines.append(
                _row(
                    [
                        f"Claim 1, θ {reading}",
                        f"{people:,}",
                        _short(share, 1),
                        *(_tiny(values[name]) for name in names),
                    ]
                )
            )
        same = [_tiny(values[f"claim2.{people}.{share:g}"]), "the same", "the same"]
        lines.append(_row(["Claim 2", f"{people:,}", _short(share, 1), *same]))
    return lines


def _upper(values: dict[str, float]) -> list[str]:
    names = {
        "small": "ε → 0: of ε, −1",
        "large": "ε → ∞: of e^ε, 0",
        "people.0.1": "of N at ε = .1, −½",
        "people.30": "at 30, −½",
        "rounds.0.1": "of T log(T/β) at ε = .1, ½",
        "rounds.30": "at 30, ½",
        "constant": "the constant",
    }
    lines = _head(["", *names.values()])
    for corollary, label in ((1, "Corollary 1, Harmony, μ = 1"), (3, "Corollary 3, Glance, μ = ½")):
        found = [_short(values[f"corollary{corollary}.{name}"], 2) for name in names]
        lines.append(_row([label, *found]))
    return lines


def _lower(values: dict[str, float]) -> list[str]:
    lines = _head(
        ["log(1/((N + 1)² β)) =", *(f"{excess:.2g}".removeprefix("0") for excess in EXCESSES)]
    )
    for kind, label, digits in (
        ("meant", "with probability at least β: the exact error over Theorem 4's bound", 2),
        ("printed", "with probability 1 − β: the exact error over the rate", 4),
    ):
        found = [values[f"corollary2.{kind}.{excess:.3g}"] for excess in EXCESSES]
        lines.append(_row([label, *(_short(each, digits) for each in found)]))
    return lines


def _twice(values: dict[str, float]) -> list[str]:
    lines = _head(["stream", "ε", "largest", "share of runs above 2", "of means", "of quantiles"])
    for stream, epsilon in PARTS:
        name = f"twice.runs.{stream}.{epsilon:g}"
        ends = (("largest", 2), ("share", 4), ("mean", 2), ("quantiles", 2))
        found = [_short(values[f"{name}.{end}"], digits) for end, digits in ends]
        lines.append(_row([stream, f"{epsilon:g}", *found]))
    return lines


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
    for kind in SCENARIOS:
        for epsilon in KIND_EPSILONS:
            errors = [scale * values[f"kinds.{kind}.{m}.{epsilon:g}{end}"] for m in _NAMES]
            lines.append(_row([kind, f"{epsilon:g}", *(_short(e, digits) for e in errors)]))
    return lines


def _head(cells: Sequence[str]) -> list[str]:
    return [_row(cells), _row(["---"] * len(cells))]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _short(number: float, digits: int) -> str:
    """A number without the 0 before its point, and without a sign if it rounds to 0."""
    if number >= 100:
        return f"{number:.0f}"
    text = f"{number:.{digits}f}".replace("-0.", "-.").removeprefix("0")
    return text.removeprefix("-") if not float(text) else text


def _tiny(chance: float) -> str:
    """A chance in two digits, as a power of ten where it is far below one."""
    if chance >= 1e-4:
        return f"{chance:.2g}".removeprefix("0")
    exponent = math.floor(math.log10(chance))
    return f"{chance / 10**exponent:.1f}·10{f'{exponent}'.translate(_RAISED)}"

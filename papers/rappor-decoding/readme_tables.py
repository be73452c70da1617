"""The tables of README.md, made from the results; each stands between two comments there."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import cohorts
import equal
import listing
import regression
from record import Row
from specification import SIZES

Rows = Mapping[str, Row]

_PLACE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def fill(page: str, rows: Rows) -> str:
    """A page with its tables as these results have them."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]](rows)}\n\n{place[4]}", page)


def refresh(path: Path, rows: Rows) -> None:
    """Write the tables of a page anew."""
    path.write_text(fill(path.read_text("utf-8"), rows), "utf-8")


def _share(value: float, digits: int = 2) -> str:
    """A number without its leading zero: .37, or -.02."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    shown = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in shown)


class _Numbers:
    """Results by id, as text."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def value(self, identifier: str) -> float:
        return float(self._rows[identifier].ours)

    def share(self, identifier: str, digits: int = 2) -> str:
        return _share(self.value(identifier), digits)

    def with_error(self, identifier: str, error: str = ".stderr", digits: int = 3) -> str:
        return f"{self.share(identifier, digits)} ± {self.share(identifier + error, digits)}"

    def verdict(self, identifier: str) -> str:
        return self._rows[identifier].verdict.partition(":")[0]


def _printed(rows: Rows) -> str:
    numbers = _Numbers(rows)
    return _table(
        ["h", "ε₁", "precision", "recall", "F1"],
        [
            [
                str(h),
                f"{numbers.value(f'privacy.h{h}'):.2f}",
                *(
                    f"{numbers.share(f'printed.{name}.h{h}')} "
                    f"(sd {numbers.share(f'printed.{name}.h{h}.sd')})"
                    for name in ("precision", "recall", "f1")
                ),
            ]
            for h in listing.HASHES
        ],
    )


def _reports(rows: Rows) -> str:
    numbers = _Numbers(rows)

    def pair(name: str) -> str:
        binomials = rows[name].document
        if not isinstance(binomials, float):
            raise TypeError(f"{name} has no number to compare with")
        return f"{_share(binomials)} → {numbers.share(name)}"

    return _table(
        ["h", "precision", "recall", "F1", "the same?"],
        [
            [
                str(h),
                *(pair(f"reports.{name}.h{h}") for name in ("precision", "recall", "f1")),
                rows[f"reports.f1.h{h}"].verdict,
            ]
            for h in listing.HASHES
        ],
    )


ARM_NAMES = {
    "document": "the document's way: h = 1, 2, 4, p = ½, q = ¾, its decoder",
    "single": "the same, but h = 1, q = ¾ and p to fit",
    "decoder": "the document's reports, our decoder",
    "reports": "our reports, the document's decoder (16 runs)",
    "ours": "**ours**: what the planner takes",
    "same": "ours: 128 bits, 64 cohorts",
}


def _budgets() -> list[str]:
    first, *others = equal.BUDGETS
    return [f"ε₁ = {first}", *others]


def _equal(rows: Rows) -> str:
    numbers = _Numbers(rows)
    return _table(
        ["F1", *_budgets()],
        [
            [name, *(numbers.with_error(f"equal.{budget}.{arm}.f1") for budget in equal.BUDGETS)]
            for arm, name in ARM_NAMES.items()
        ],
    )


def _corrected(rows: Rows) -> str:
    numbers = _Numbers(rows)
    return _table(
        ["recall: uncorrected → false discoveries ≤ 5 %", *_budgets()],
        [
            [
                ARM_NAMES[arm],
                *(
                    f"{numbers.share(f'equal.{budget}.{arm}.recall')} → "
                    f"{numbers.share(f'equal.{budget}.{arm}.fdr.recall')}"
                    for budget in equal.BUDGETS
                ),
            ]
            for arm in ("document", "single", "ours", "same")
        ],
    )


def _hashes(rows: Rows) -> str:
    numbers = _Numbers(rows)
    return _table(
        ["h (at equal ε₁, q = ¾, p to fit)", *map(str, listing.HASHES)],
        [
            [
                f"F1 at ε₁ = {budget}",
                *(numbers.share(f"hashes.{budget}.h{h}") for h in listing.HASHES),
            ]
            for budget in equal.BUDGETS
        ],
    )


def _decoders(rows: Rows) -> str:
    numbers = _Numbers(rows)
    lines = []
    for h in listing.HASHES:
        name = f"decoders.h{h}"
        lines.append(
            [
                str(h),
                *(
                    " / ".join(
                        numbers.share(f"{name}.{decoder}.{score}")
                        for score in ("precision", "recall", "f1")
                    )
                    for decoder in ("printed", "ours")
                ),
                f"{numbers.with_error(f'{name}.ahead')}: {numbers.verdict(f'{name}.ahead')}",
                numbers.share(f"{name}.fdr.printed.f1"),
                f"{numbers.share(f'{name}.fdr.ours.f1')}: {numbers.verdict(f'{name}.fdr.ahead')}",
            ]
        )
    head = [
        "h",
        "its decoder: precision / recall / F1",
        "ours",
        "F1, ours less its",
        "F1, FDR ≤ 5 %: its",
        "ours",
    ]
    return _table(head, lines)


def _cohorts(rows: Rows) -> str:
    numbers = _Numbers(rows)
    lines = []
    for design, (name, _) in cohorts.DESIGNS.items():
        for m in cohorts.COHORTS:
            start = f"cohorts.m{m}.{design}"
            lines.append(
                [
                    name,
                    str(m),
                    f"{numbers.value(f'{start}.alike'):.1f}",
                    f"{numbers.value(f'{start}.rank'):.0f}",
                    *(
                        " / ".join(
                            numbers.share(f"{start}.{way}.{score}")
                            for score in ("precision", "recall", "f1")
                        )
                        for way in cohorts.WAYS
                    ),
                ]
            )
    head = [
        "design",
        "m",
        "alike",
        "rank",
        "its decoder: precision / recall / F1",
        "with α = 0.8/m",
        "ours",
    ]
    return _table(head, lines)


def _missing(rows: Rows) -> str:
    numbers = _Numbers(rows)
    names = {
        "document": "the document's way (h = 4)",
        "single": "the same, but h = 1, p to fit",
        "ours": "ours",
    }

    def pair(arm: str, what: str, digits: int) -> str:
        before, after = (
            numbers.value(f"missing.{arm}.{case}.{what}") for case in ("whole", "third")
        )
        return f"{_share(before, digits)} → {_share(after, digits)}"

    return _table(
        [
            "ε₁ = 4.39, every string a candidate → a third missing",
            "precision",
            "false discoveries",
            "precision, FDR ≤ 5 %",
        ],
        [
            [
                name,
                pair(arm, "precision", 2),
                pair(arm, "false", 1),
                pair(f"{arm}.fdr", "precision", 2),
            ]
            for arm, name in names.items()
        ],
    )


def _regression(rows: Rows) -> str:
    numbers = _Numbers(rows)

    def triple(size: str, metric: str) -> str:
        names = [f"regression.{size}.{decoder}.{metric}" for decoder in regression.DECODERS]
        return " / ".join(
            numbers.share(name, 3 if metric == "fdp" else 2) if name in rows else "–"
            for name in names
        )

    lines = []
    for size in ("demo", *SIZES):
        mine = f"regression.{size}.ours"
        lines.append(
            [
                size,
                triple(size, "fdp"),
                f"± {numbers.share(f'{mine}.fdp.stderr', 3)}: {rows[f'{mine}.fdp'].verdict}",
                triple(size, "recall"),
                triple(size, "variation"),
                *(
                    "–" if rows[name].ours == regression.NONE else numbers.share(name, digits)
                    for name, digits in ((f"{mine}.complete", 2), (f"{mine}.coverage", 3))
                ),
            ]
        )
    head = [
        "ours / the document's / google's",
        "false discoveries",
        "ours ≤ 5 %?",
        "recall",
        "total variation",
        "if complete (ours)",
        "coverage (ours)",
    ]
    total, broken = rows["regression.fdp"], rows["regression.broken"]
    said = (
        f"The mean of ours over all cases: {float(total.ours):.1%} false ({total.verdict}). Cases "
        f"in which more than 5 % are false, by three standard errors: {float(broken.ours):.0f}"
    )
    if float(broken.ours):
        said += f" ({broken.verdict.removeprefix('broken: ')})"
    return f"{_table(head, lines)}\n\n{said}."


TABLES: Mapping[str, Callable[[Rows], str]] = {
    "printed": _printed,
    "reports": _reports,
    "equal": _equal,
    "corrected": _corrected,
    "hashes": _hashes,
    "decoders": _decoders,
    "cohorts": _cohorts,
    "missing": _missing,
    "regression": _regression,
}

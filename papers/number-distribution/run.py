"""A number's distribution: how often its intervals hold the truth, and how much it is smoothed.

    python papers/number-distribution/run.py --seed 1

writes result.json and README.md's tables beside this file (or into --out).
"""

import argparse
import json
import re
from pathlib import Path

import wave_intervals
import wave_smoothing
from wave_intervals import Coverage
from wave_smoothing import Smoothing

HERE = Path(__file__).resolve().parent
_PLACE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Simulate, and write what was found."""
    arguments = _arguments()
    coverage = list(wave_intervals.rows(arguments.collections, arguments.seed))
    smooth = list(wave_smoothing.rows(arguments.smoothed, arguments.seed))
    result = {
        "coverage": [row.document() for row in coverage],
        "smoothing": [row.document() for row in smooth],
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    lists = (
        f'"{name}": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in result.items()
    )
    (arguments.out / "result.json").write_text("{" + ",\n".join(lists) + "}\n")
    page = filled((HERE / "README.md").read_text("utf-8"), coverage, smooth)
    (arguments.out / "README.md").write_text(page, "utf-8")
    print(f"Written: {arguments.out / 'result.json'} and {arguments.out / 'README.md'}")


def filled(page: str, coverage: list[Coverage], smooth: list[Smoothing]) -> str:
    """The page with its tables as these rows have them."""
    tables = {
        "enough": _coverage([row for row in coverage if not row.few]),
        "few": _coverage([row for row in coverage if row.few]),
        "smoothing": _smoothing(smooth),
    }
    return _PLACE.sub(lambda place: f"{place[1]}\n{tables[place[2]]}\n\n{place[4]}", page)


def _coverage(rows: list[Coverage]) -> str:
    head = ["shape, ε, reports", "bins", "below", *wave_intervals.QUANTILES]
    lines = [
        [
            f"{row.shape}, {row.epsilon:g}, {row.n:,}",
            *(f"{100 * share:.1f}" for share in (row.bins, row.below, *row.quantiles.values())),
        ]
        for row in rows
    ]
    return _table([str(cell) for cell in head], lines)


def _smoothing(rows: list[Smoothing]) -> str:
    lines = [
        [
            f"{row.epsilon:g}, {row.n:,}, {row.bins}",
            *(f"{distance:.4f}" for distance in (row.rule, row.best, row.fixed)),
        ]
        for row in rows
    ]
    return _table(["ε, reports, bins", "the rule", "best constant", "1/4"], lines)


def _table(head: list[str], lines: list[list[str]]) -> str:
    shown = [head, ["---"] + ["--:"] * (len(head) - 1), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in shown)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the simulated collections")
    parser.add_argument(
        "--collections", type=int, default=20_000, help="simulated for the intervals of each case"
    )
    parser.add_argument(
        "--smoothed",
        type=int,
        default=60,
        help="simulated for the smoothing of each case and shape",
    )
    parser.add_argument("--out", type=Path, default=HERE, help="where the files are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()

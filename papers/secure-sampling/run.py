"""Secure sampling with small tables: every cell and figure of the document, each table proved.

    python papers/secure-sampling/run.py

writes result.json and figures/ beside this file (or into --out) and prints what the document
says, what we find, and the verdict. No number that is shown depends on chance.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import again
import conjectures
import figures
import inside
import other_claims
import ours
import own_noise
import record
import shapes
import tables
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sudare import SudareError

HERE = Path(__file__).resolve().parent
LONGEST = 120  # tables of the scan
Section = Callable[[], Iterator[record.Row]]
SECTIONS: tuple[Section, ...] = (
    tables.size_rows,
    tables.room_rows,
    tables.mean_rows,
    tables.proof_rows,
    other_claims.older_rows,
    other_claims.figure_rows,
    shapes.shape_rows,
    shapes.factor_rows,
    other_claims.false_rows,
    conjectures.theorem_rows,
    conjectures.refuted_rows,
    other_claims.distinct_rows,
    again.again_rows,
    other_claims.sensitivity_rows,
    inside.inside_rows,
    own_noise.own_rows,
    shapes.listed_rows,
    ours.our_rows,
)


def main() -> int:
    """Check every claim and draw every figure."""
    arguments = _arguments()
    started = time.process_time()
    try:
        rows = redo(arguments.longest, parties=arguments.parties)
        spent = time.process_time() - started
        folder: Path = arguments.out / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        figures.draw(folder)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    record.write(rows, arguments.out / "result.json")
    record.show(rows)
    print(f"All tables and their proofs took {spent:.1f} s of processor time.")
    print(f"Written: {arguments.out / 'result.json'} and {arguments.out / 'figures'}")
    return 0


def redo(longest: int, *, parties: bool) -> list[record.Row]:
    """Every claim: the document's, then what is scanned and what is measured."""
    rows: list[record.Row] = []
    sections: list[Section] = [
        *SECTIONS,
        partial(conjectures.scan_rows, longest),
        partial(inside.measured_rows, run=parties),
    ]
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as progress:
        for section in progress.track(sections, description="tables and proofs"):
            rows += section()
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on secure sampling.")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    parser.add_argument(
        "--longest", type=int, default=LONGEST, help="table of the scan, on one side"
    )
    parser.add_argument(
        "--no-parties",
        dest="parties",
        action="store_false",
        help="start no processes of MPyC; their rows are not checked then",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

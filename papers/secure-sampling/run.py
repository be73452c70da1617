"""Secure sampling with small tables: every cell and figure of the document, each table proved.

    python papers/secure-sampling/run.py

writes result.json and figures/ beside this file (or into --out) and prints what the document
says, what we find, and the verdict. Nothing here is drawn at random.
"""

import argparse
import sys
import time
from pathlib import Path

import claims
import figures
import ours
import record
import tables
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sudare import SudareError

HERE = Path(__file__).resolve().parent
SECTIONS = (
    tables.size_rows,
    tables.room_rows,
    tables.mean_rows,
    tables.proof_rows,
    claims.older_rows,
    claims.figure_rows,
    claims.false_rows,
    claims.distinct_rows,
    claims.sensitivity_rows,
    ours.our_rows,
)


def main() -> int:
    """Check every claim and draw every figure."""
    arguments = _arguments()
    started = time.process_time()
    try:
        rows = redo()
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


def redo() -> list[record.Row]:
    """Every claim, in the order of the document."""
    rows: list[record.Row] = []
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as progress:
        for section in progress.track(SECTIONS, description="tables and proofs"):
            rows += section()
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on secure sampling.")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

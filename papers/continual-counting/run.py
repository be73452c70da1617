"""Continual counting: the document's figures, table and statements redone, and ours beside them.

    python papers/continual-counting/run.py --seed 1

writes result.json and figures/ beside this file (or into --out) and prints what the document
says, what we find, and the verdict.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import claims_1_and_2
import composition
import condition
import corollaries
import decay
import drawing
import extremal
import growth
import kinds
import lower
import parts
import rates
import readme
import record
import reversal
import shots
import theorems
import twice
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from sudare import Seeded, SudareError
from sudare.errors import ParameterError

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run everything; 2 if a parameter can't be used."""
    arguments = _arguments()
    try:
        rows = redo(arguments)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    record.write(rows, arguments.out / "result.json")
    if arguments.out == HERE:
        readme.fill(rows, HERE / "README.md")
    record.show([row for row in rows if not row.verdict.startswith("measured")])
    print(f"Written: {arguments.out / 'result.json'} (all numbers) and {arguments.out / 'figures'}")
    return 0


def redo(arguments: argparse.Namespace) -> list[record.Row]:
    """The figures, the table, the statements, and what goes beyond them."""
    repetitions, many = arguments.repetitions, arguments.many
    for count in (repetitions, many):
        if count < 2:
            raise ParameterError(f"a standard error needs at least 2 repetitions, got {count}")
    figures: Path = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    rng = Seeded(arguments.seed)
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as progress:

        def task(description: str, total: int) -> Callable[[int], object]:
            number: TaskID = progress.add_task(description, total=total)
            return partial(progress.advance, number)

        advance = task("figure 3", decay.steps(repetitions))
        curves = decay.measure(repetitions, rng, advance)
        kept = decay.kept_rows(repetitions, rng, advance)
        advance = task("statements", theorems.steps(repetitions))
        statements = theorems.rows(repetitions, rng, advance)
        beyond = shots.rows(many, rng, task("several rounds", shots.steps(many)))
        outcomes = kinds.measure(many, rng, task("five kinds of stream", kinds.steps(many)))
        runs = parts.measure(repetitions, rng, task("two parts", parts.steps(repetitions)))
    drawing.draw(curves, beyond, outcomes, figures)
    return [
        *growth.rows(),
        *composition.rows(),
        *extremal.rows(),
        *condition.rows(),
        *reversal.rows(),
        *decay.rows(curves),
        *kept,
        *rates.rows(),
        *statements,
        *claims_1_and_2.rows(runs),
        *corollaries.rows(),
        *parts.rows(runs),
        *twice.rows(runs),
        *lower.rows(),
        *beyond,
        *kinds.rows(outcomes),
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on continual counting.")
    parser.add_argument("--seed", type=int, default=1, help="of every experiment")
    parser.add_argument("--repetitions", type=int, default=10_000, help="as in the document")
    parser.add_argument("--many", type=int, default=500, help="repetitions beyond it")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

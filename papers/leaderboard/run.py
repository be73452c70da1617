"""Every mechanism beside the least error that there is: exact, confirmed, with what it costs.

    python papers/leaderboard/run.py --seed 1

writes result.json, README.md's tables and figures/ beside this file (or into --out).
"""

import argparse
import json
from pathlib import Path
from typing import Any

import choices
import distributions
import means
import page
import plots
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sudare.mechanisms import CATEGORICAL

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Compute, simulate, measure, draw."""
    arguments = _arguments()
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, transient=True) as progress:
        every = len(CATEGORICAL) * len(choices.ANSWERS) * len(choices.EPSILONS)
        task = progress.add_task("one answer of k", total=every)
        rows = list(
            choices.rows(arguments.repetitions, arguments.seed, lambda: progress.advance(task))
        )
    figures = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    plots.errors(rows, figures / "errors.png")
    plots.sizes(rows, figures / "sizes.png")
    documents: list[dict[str, Any]] = [row.document() for row in rows]
    lines = ",\n  ".join(json.dumps(row) for row in documents)
    (arguments.out / "result.json").write_text(f"[\n  {lines}\n]\n")
    far = [row for row in rows if abs(row.simulated - row.mse) > 4 * row.stderr]
    print(f"{len(rows)} rows; {len(far)} whose simulated error is 4 standard errors off")
    print(f"Written: {arguments.out / 'result.json'} and {figures}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the simulated collections")
    parser.add_argument(
        "--repetitions", type=int, default=400, help="simulated collections of each mechanism"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="where the files are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()

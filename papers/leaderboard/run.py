"""Every mechanism beside the least error that there is: exact, confirmed, with what it costs.

    python papers/leaderboard/run.py --seed 1

writes result.json, the tables of README.md and figures/ beside this file; into --out, all but the
tables.
"""

import argparse
import json
from pathlib import Path

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
        errors = list(
            choices.rows(arguments.repetitions, arguments.seed, lambda: progress.advance(task))
        )
        every = len(distributions.shapes()) * len(distributions.EPSILONS)
        task = progress.add_task("distributions", total=every * (1 + len(distributions.HISTOGRAMS)))
        distances = list(
            distributions.rows(
                max(2, arguments.repetitions // 10),  # each takes longer
                arguments.seed,
                lambda: progress.advance(task),
            )
        )
        progress.add_task("means", total=None)
        worst = means.rows()
    rows = [*(row.document() for row in errors), *worst, *(row.document() for row in distances)]
    figures = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    plots.errors(errors, figures / "errors.png")
    plots.sizes(errors, figures / "sizes.png")
    plots.means(worst, figures / "means.png")
    plots.distances(distances, figures / "distances.png")
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    (arguments.out / "result.json").write_text(f"[\n  {lines}\n]\n")
    if arguments.out == HERE:
        page.refresh(HERE / "README.md", rows)
    far = [row for row in errors if abs(row.simulated - row.mse) > 4 * row.stderr]
    print(f"{len(rows)} rows; {len(far)} whose simulated error is 4 standard errors off")
    print(f"Written: {arguments.out / 'result.json'} and {figures}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the simulated collections")
    parser.add_argument(
        "--repetitions", type=int, default=1000, help="simulated collections of each mechanism"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="where the files are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()

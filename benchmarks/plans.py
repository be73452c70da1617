"""How long `sudare plan` takes, its start included, beside a Python that only imports NumPy.

    python benchmarks/plans.py

prints seconds of the clock, the best of several starts. Asked for: each below one second.
"""

import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from timing import best

ASKED = 1.0  # seconds
SECONDS = 4.0  # that each is tried for
PLANS = (
    "choice --answers 43 --epsilon 1 --error 0.01 --json",
    "choice --answers 43 --people 50000 --error 0.01 --json",
    "choice --answers 43 --people 50000 --epsilon 1 --json",
    "several --answers 20 --most 3 --people 50000 --error 0.02 --json",
    "questions --sizes 3,5,2 --people 50000 --error 0.02 --json",
    "number --from 18 --to 99 --step 1 --people 50000 --error 1 --json",
    "text --people 50000 --epsilon 2 --json",
    "stream --rounds 50 --people 10000 --epsilon 4 --json",
    "joint --epsilon 1 --error 0.001 --json",
)
SUDARE = Path(sys.executable).with_name("sudare")


def seconds(words: list[str | Path]) -> float:
    """The best of several runs of a command."""
    return best(lambda: subprocess.run(words, check=True, capture_output=True), SECONDS)


def main() -> None:
    """Try every plan, and print a table."""
    least = seconds([sys.executable, "-c", "import numpy"])
    table = Table("sudare plan", "seconds", "× import numpy", f"below {ASKED:g} s")
    for words in PLANS:
        taken = seconds([SUDARE, "plan", *words.split()])
        row = f"{taken:.2f}", f"{taken / least:.1f}", "✓" if taken < ASKED else "✗"
        table.add_row(words, *row)
    Console().print(table)


if __name__ == "__main__":
    main()

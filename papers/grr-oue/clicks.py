"""The counts carried here against the clickstream file itself, where it is at hand.

    python papers/grr-oue/clicks.py "e-shop clothing 2008.csv.gz"

prints the comparison and nothing else: result.json is the same with the file and without it.
"""

import argparse
import csv
import gzip
import sys
from collections import Counter
from pathlib import Path

import populations

from sudare import SudareError


def main() -> int:
    """Compare; 1 if the file has other counts, 2 if it can't be read."""
    parser = argparse.ArgumentParser(description="Compare the counts with UCI's file.")
    parser.add_argument("clickstream", type=Path, help="e-shop clothing 2008.csv.gz")
    try:
        models, lengths = read(parser.parse_args().clickstream)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    people = populations.clothing()
    carried = Counter(dict(zip(people.labels, people.counts.tolist(), strict=True)))
    equal = carried == models, populations.sessions() == lengths
    for name, same in zip(("clothing.csv", "sessions.csv"), equal, strict=True):
        print(f"{name} {'has' if same else 'does not have'} the counts of the file")
    print(f"The file: {len(models)} models, {lengths.total()} sessions, {models.total()} rows")
    return 0 if all(equal) else 1


def read(clickstream: Path) -> tuple[Counter[str], Counter[int]]:
    """Of the rows of main category 1: how many of each model, and sessions of each length."""
    models, sessions = Counter[str](), Counter[str]()
    try:
        with gzip.open(clickstream, "rt", encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file, delimiter=";"):
                if line["page 1 (main category)"] == "1":
                    models[line["page 2 (clothing model)"]] += 1
                    sessions[line["session ID"]] += 1
    except (EOFError, KeyError, UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise SudareError(f"{clickstream.name} is not the clickstream file: {error}") from None
    if not models:
        raise SudareError(f"{clickstream.name} has no rows of main category 1")
    return models, Counter(sessions.values())


if __name__ == "__main__":
    sys.exit(main())

"""A collection of free text with its people, for tests of commands."""

from pathlib import Path

from sudare import Collection, Rappor
from support.commands import csv_of, succeed

# Held by whom; the last is nobody's candidate.
PEOPLE = {"緑茶": 3000, "Earl Grey": 2000, "mate, hot": 1000, 'a "chai"': 600, "tisane": 400}
UNLISTED = "tisane"
N = sum(PEOPLE.values())
HELD = [text for text in PEOPLE if text != UNLISTED]
CANDIDATES = [*HELD, *(f"tea number {i}" for i in range(196))]


def collection(folder: Path, name: str = "words", epsilon: float = 6.0, minimum: int = 1) -> str:
    """The name of a new collection's file; a filter small enough to be quick."""
    mechanism = Rappor.calibrate(epsilon, form="instant", bits=64, cohorts=16)
    made = Collection(name, "Which tea?", (), mechanism, minimum)
    (folder / f"{name}.json").write_bytes(made.to_json())
    return f"{name}.json"


def survey(folder: Path) -> str:
    """A collection with answers.csv, reports.arrow, total.json and candidates.txt."""
    file = collection(folder)
    quoted = {f'"{text.replace(chr(34), chr(34) * 2)}"': n for text, n in PEOPLE.items()}
    (folder / "answers.csv").write_text(csv_of(quoted), "utf-8")
    succeed(folder, "randomize", file, "answers.csv", "-o", "reports.arrow", "--insecure-seed", 1)
    succeed(folder, "aggregate", file, "reports.arrow", "-o", "total.json")
    (folder / "candidates.txt").write_text("\n".join(CANDIDATES) + "\n", "utf-8")
    return file

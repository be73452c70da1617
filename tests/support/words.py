"""A population of common words, from the list that the examples use."""

from pathlib import Path

import numpy as np

LIST = Path(__file__).parents[2] / "examples" / "common_words.txt"
LINES = LIST.read_text("utf-8").splitlines()
WORDS = [word for line in LINES if not line.startswith("#") for word in line.split()]


def people(n: int) -> dict[str, int]:
    """About ``n`` people, each word's number proportional to 1/rank."""
    shares = 1 / np.arange(1, len(WORDS) + 1)
    counts = (n * shares / shares.sum()).astype(int)
    return dict(zip(WORDS, counts.tolist(), strict=True))

"""Strings that are missing from the candidates: what they do to precision."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from population import CANDIDATES, HELD
from record import Row
from scores import Scores

Indices = NDArray[np.intp]


def everyone(_: np.random.Generator) -> Indices:
    """All candidates."""
    return np.arange(len(CANDIDATES))


def without_a_third(generator: np.random.Generator) -> Indices:
    """The candidates that are left when a third of the held strings, at random, is missing."""
    lost = generator.choice(HELD, HELD // 3, replace=False)
    return np.setdiff1d(np.arange(len(CANDIDATES)), lost)


def rows(pairs: Mapping[str, tuple[str, Scores, Scores]]) -> list[Row]:
    """For each name, what it is, and its scores with all strings and without a third.

    Fewer strings to find and as many false discoveries would already lower the precision. So
    the verdict is about the false discoveries, among 100 candidates that nobody holds.
    """
    found = []
    for name, (what, whole, part) in pairs.items():
        more = part.mean("false") - whole.mean("false")
        error = max(float(np.hypot(whole.stderr("false"), part.stderr("false"))), 1e-9)
        for case, said, scores in (
            ("whole", "every string among the candidates", whole),
            ("third", "a third of the strings missing", part),
        ):
            verdict = "measured"
            if case == "third":
                verdict += f": {more:+.1f}, {more / error:.1f} standard errors"
            found += [
                Row(
                    f"missing.{name}.{case}.precision",
                    f"precision with {said}: {what}",
                    None,
                    scores.mean("precision"),
                    "measured",
                ),
                Row(
                    f"missing.{name}.{case}.false",
                    f"false discoveries with {said}: {what}",
                    None,
                    scores.mean("false"),
                    verdict,
                ),
            ]
    return found

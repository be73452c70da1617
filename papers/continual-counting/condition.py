"""Figure 1: where condition (2) holds, for both N and both readings of θ."""

import math
from dataclasses import replace

import numpy as np
from record import Row
from setting import READINGS, Floats

from sudare.planning.bounds.continual import Setting, condition_edge, dense_or_sparse

CAPTION, TEXT = 10_000, 100_000
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 1.0)
SHOWN = 10.0  # the largest ε that the document speaks of
AT = 5.0  # a large ε
_WHERE = {CAPTION: "caption", TEXT: "text"}


def figure_setting(people: int) -> Setting:
    """T = 10, β = .1; ε is what is looked for."""
    return Setting(10, people, 1.0, 0.1)


def boundary(people: int, reading: str, shares: Floats) -> Floats:
    """The largest ε at which (2) holds, at each μ; infinite if it always does."""
    setting = figure_setting(people)
    return np.array([condition_edge(setting, share, READINGS[reading]) for share in shares])


def rows() -> list[Row]:
    """The boundary as numbers, and the shape of the region."""
    return [*_boundary_rows(), *_shape_rows()]


def _boundary_rows() -> list[Row]:
    return [
        Row(
            f"figure1.{people}.{reading}.{share}",
            f"figure 1, N = {people:,} ({_WHERE[people]}), θ {reading}: "
            f"(2) holds at μ = {share} up to this ε",
            "figure",
            edge if math.isfinite(edge) else "every ε",
            "measured",
        )
        for people in (CAPTION, TEXT)
        for reading in READINGS
        for share, edge in zip(
            SHARES, boundary(people, reading, np.array(SHARES)).tolist(), strict=True
        )
    ]


def _shape_rows() -> list[Row]:
    found = []
    for people in (CAPTION, TEXT):
        for reading in READINGS:
            widest = _widest(people, reading)
            found.append(
                Row(
                    f"figure1.{people}.{reading}.shape",
                    f"section 5.2, N = {people:,}, θ {reading}: at large ε (2) holds for very "
                    f"dense or sparse streams; at ε = {AT:g} it does up to this μ, and from "
                    f"1 - μ on",
                    "very dense or sparse",
                    widest,
                    "confirmed" if 0 < widest < 0.05 else "differs",
                )
            )
    return found


def _widest(people: int, reading: str) -> float:
    """The largest μ below ½ up to which (2) holds at some ε, if it does from 1 - μ on too."""
    setting, theta = replace(figure_setting(people), epsilon=AT), READINGS[reading]
    low, high = 0.0, 0.5
    while high - low > 1e-12:
        middle = (low + high) / 2
        both = [dense_or_sparse(setting, share, theta) for share in (middle, 1 - middle)]
        low, high = (middle, high) if all(both) else (low, middle)
    return low

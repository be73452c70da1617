"""Draws compared with a law."""

from fractions import Fraction

import pytest

from sudare.laws.draws import ALPHA, least_likely, suspicion, two_sided

FAIR = {"heads": Fraction(1, 2), "tails": Fraction(1, 2), "edge": Fraction(0)}


def test_the_impossible_is_named_and_certain() -> None:
    assert least_likely({"heads": 3, "edge": 1}, FAIR, 4) == ("edge", 0.0)
    assert least_likely({"heads": 3, "ear": 1}, FAIR, 4) == ("ear", 0.0)


def test_the_strangest_outcome_is_named() -> None:
    law = {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)}
    outcome, chance = least_likely({"a": 500, "b": 450, "c": 50}, law, 1000)
    assert outcome in {"b", "c"}
    assert chance < ALPHA
    assert suspicion({"a": 500, "b": 250, "c": 250}, law, 1000) == 1.0


def test_tails_are_exact() -> None:
    assert two_sided(0, 10, 0.5) == pytest.approx(2 * 0.5**10, rel=1e-12)
    assert two_sided(10, 10, 0.5) == pytest.approx(2 * 0.5**10, rel=1e-12)
    assert two_sided(5, 10, 0.5) == 1.0

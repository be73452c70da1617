"""Laws of code, walked within limits, and the questions that code asks."""

from fractions import Fraction

import numpy as np
import pytest

from sudare import GRR, Randomness, Seeded
from sudare.errors import NotEnumerable
from sudare.laws.enumeration import Questions, channel, enumerated


def test_every_question_is_noted_and_handed_on() -> None:
    questions, plain = Questions(Seeded(1)), Seeded(1)
    assert (questions.bernoulli(0.5, 3) == plain.bernoulli(0.5, 3)).all()
    assert (questions.below(5, (2, 2)) == plain.below(5, (2, 2))).all()
    assert (questions.packed(0.25, 2, 70) == plain.packed(0.25, 2, 70)).all()
    chosen = np.array([1, 3])
    assert (questions.subsets(5, chosen) == plain.subsets(5, chosen)).all()
    assert questions.asked == [
        "bernoulli(0.5, 3)",
        "below(5, (2, 2))",
        "packed(0.25, 2, 70)",
        "subsets(5, [1, 3])",
    ]


def test_a_law_is_that_of_the_code() -> None:
    law = enumerated(lambda rng: int(rng.below(3, 1)[0]) // 2)
    assert law == {0: Fraction(2, 3), 1: Fraction(1, 3)}
    mechanism = GRR(3, 0.5)
    assert channel(mechanism).laws == mechanism.channel().laws


def test_a_loop_without_end_is_left() -> None:
    def until_heads(rng: Randomness) -> bool:
        while not rng.bernoulli(0.5, 1)[0]:
            pass
        return True

    with pytest.raises(NotEnumerable, match="a loop until something is drawn"):
        enumerated(until_heads)


def test_too_many_paths_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.laws.enumeration._MOST_PATHS", 100)
    assert len(enumerated(lambda rng: int(rng.below(100, 1)[0]))) == 100
    with pytest.raises(NotEnumerable, match="more than 100 paths"):
        enumerated(lambda rng: int(rng.below(101, 1)[0]))

"""Tables that a person can read: of very many rows the largest, and a note that says so."""

import numpy as np
import pytest

from sudare import GRR, Collection, Rappor
from sudare.chance.randomness import Seeded
from sudare.questions.choice import Shares
from sudare.questions.interface import ResultOptions
from sudare.questions.text import Discoveries, decode
from sudare.results import choice, text
from sudare.results.cells import MOST_ROWS


def shares_of(answers: int) -> Shares:
    """The shares of so many answers, the last of which is the commonest."""
    names = tuple(f"answer {number}" for number in range(answers))
    collection = Collection("many", "Which?", names, GRR.calibrate(answers, 4.0))
    people = dict.fromkeys(names, 10) | {names[-1]: 20_000}
    result = collection.analyse(collection.simulate(people, Seeded(1)), ResultOptions())
    assert isinstance(result, Shares)
    return result


@pytest.mark.parametrize("answers", [MOST_ROWS, MOST_ROWS + 1])
def test_a_table_of_very_many_answers_has_the_largest(answers: int) -> None:
    shares = shares_of(answers)
    table = choice.table(shares)
    shown = [str(cell) for cell in table.columns[0].cells]
    told = "The 1,000 largest of 1,001 answers, largest first; --json and --csv have all."
    if answers == MOST_ROWS:
        assert shown == list(shares.estimate.labels)
        assert told not in str(table.caption)
    else:
        order = np.argsort(-shares.estimate.values, kind="stable")[:MOST_ROWS]
        assert shown == [shares.estimate.labels[number] for number in order]
        assert shown[0] == f"answer {answers - 1}"
        assert str(table.caption).startswith(told)
    assert len(shares.rows()) == answers


def test_a_table_of_very_many_texts_has_the_largest() -> None:
    mechanism = Rappor.calibrate(4.0, form="instant", bits=64, hashes=1, cohorts=16)
    collection = Collection("words", "Which?", (), mechanism)
    words = [f"word {number}" for number in range(MOST_ROWS + 1)]
    decoded = decode(collection, collection.simulate({words[0]: 5000}, Seeded(1)), words)
    for top in (None, MOST_ROWS):
        found = Discoveries(collection, decoded, everyone=True, top=top)
        table = text.table(found)
        assert table.row_count == MOST_ROWS
        assert (table.caption is None) == (top is not None)
        assert [str(cell) for cell in table.columns[0].cells] == [
            row["candidate"] for row in found.rows()[:MOST_ROWS]
        ]

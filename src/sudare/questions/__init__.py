"""What may be asked: a class for each kind of question, and for what is found out by it.

``interface``: what every kind knows: reading, encoding, releasing, analysing, describing.
``choice``: one answer of a list.
``selection``: several answers of a list.
``number``: a number in a stated range: its mean.
``distribution``: a number in a stated range: how people's numbers are distributed.
``several``: several questions at once, with one answer of a list to each.
``text``: an answer in people's own words, found again among candidates.
``states``: one of two states in each of several rounds.
``association``: two questions to the same people, and whether they are related.
"""

from sudare.mechanisms.domain import (
    Categories,
    Domain,
    Numbers,
    Questions,
    Selections,
    SpreadNumbers,
    Streams,
)
from sudare.mechanisms.strings import Strings
from sudare.questions.choice import Choice
from sudare.questions.distribution import Distribution
from sudare.questions.interface import Agreed, Question
from sudare.questions.number import Mean
from sudare.questions.selection import Selection
from sudare.questions.several import Several
from sudare.questions.states import OverTime
from sudare.questions.text import FreeText

KINDS: dict[type[Domain], type[Question]] = {
    Categories: Choice,
    Selections: Selection,
    Numbers: Mean,
    SpreadNumbers: Distribution,
    Questions: Several,
    Strings: FreeText,
    Streams: OverTime,
}
"""The kind of question for each domain of answers."""


def question_of(agreed: Agreed) -> Question:
    """The question of a collection: its kind follows from what its mechanism randomises."""
    return KINDS[type(agreed.mechanism.domain)](agreed)

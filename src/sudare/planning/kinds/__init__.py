"""The kinds of questions that can be planned, each with its mechanisms and their errors.

``interface``: what a planner knows of a kind, and of one design.
``trials``: people on whom a design is tried, and what results say of them.
``shares``: one answer of a list, several of it, answers to several questions.
``numbers``: a number in a range, its mean or its distribution.
``free_text``: answers in people's own words.
``streams``: a state in each of several rounds.
``joint_total``: a total of two parties.
"""

from sudare.planning.kinds.free_text import FreeText
from sudare.planning.kinds.interface import Kind
from sudare.planning.kinds.joint_total import JointTotal
from sudare.planning.kinds.numbers import Number
from sudare.planning.kinds.shares import Choice, Several, SeveralAtOnce
from sudare.planning.kinds.streams import Stream

KINDS: dict[str, type[Kind]] = {
    kind.name: kind
    for kind in (Choice, Several, Number, SeveralAtOnce, FreeText, Stream, JointTotal)
}

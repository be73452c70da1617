"""Columns that look as if they named people, and whose values repeat: rows that aren't people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_PEOPLE = frozenset(
    {"user", "session", "person", "customer", "client", "visitor", "account", "device", "member"}
    | {"participant", "respondent", "patient", "subject", "student", "employee", "household"}
    | {"player", "subscriber"}
)
_NUMBERS = frozenset(
    {"id", "ids", "no", "nr", "num", "number", "key", "code", "hash", "name"}
    | {"uid", "uuid", "guid", "email"}
)
_ALONE = frozenset({"id", "uid", "uuid", "guid", "email", *_PEOPLE})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def names_people(column: str) -> bool:
    """Whether a column's name looks like that of people: user, session ID, customer_no."""
    words = {word.lower() for word in _WORD.findall(column)}
    if len(words) == 1:
        (word,) = words
        return word in _ALONE or word.removesuffix("id") in _PEOPLE
    return bool(words & _PEOPLE and words & _NUMBERS)


def repeated_ids(sample: Mapping[str, Sequence[Any]], wanted: Iterable[str]) -> str | None:
    """The first column, among those that aren't wanted, that names people more than once."""
    for column, values in sample.items():
        if column in wanted or not names_people(column):
            continue
        told = [value for value in values if value not in (None, "")]
        if len(set(told)) < len(told):
            return column
    return None

"""Columns that look as if they named people."""

import pytest

from sudare.answers.ids import names_people, repeated_ids


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "user", "user_id", "userId", "userid", "session ID", "Customer No", "email"],
)
def test_names_of_people(name: str) -> None:
    assert names_people(name)


@pytest.mark.parametrize(
    "name", ["answer", "country", "product id", "customer satisfaction", "order", "", "1", "code"]
)
def test_other_names(name: str) -> None:
    assert not names_people(name)


def test_only_what_repeats_and_is_not_wanted() -> None:
    sample: dict[str, list[str | None]] = {
        "user": ["a", "b", None, None],
        "session": ["1", "1"],
        "note": ["x", "x"],
    }
    assert repeated_ids(sample, []) == "session"
    assert repeated_ids(sample, ["session"]) is None

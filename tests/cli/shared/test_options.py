"""What options offer by name, without importing what has the names."""

from collections.abc import Mapping

import pytest

from sudare.cli.shared.options import CORRECTIONS, MECHANISMS, OVER_TIME
from sudare.estimation.significance import ADJUSTMENTS
from sudare.mechanisms import CATEGORICAL, CONTINUAL


@pytest.mark.parametrize(
    ("offered", "there"),
    [(MECHANISMS, CATEGORICAL), (OVER_TIME, CONTINUAL), (CORRECTIONS, ADJUSTMENTS)],
    ids=["mechanisms", "over time", "corrections"],
)
def test_what_is_offered_is_what_there_is(
    offered: tuple[str, ...], there: Mapping[str, object]
) -> None:
    assert offered == tuple(there)

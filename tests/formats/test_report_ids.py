"""Reports with ids: together on the wire, apart in the collector."""

import numpy as np
import pytest

from sudare import GRR, OUE, Glance, Mechanism, Rappor, Seeded
from sudare.errors import InvalidReport
from sudare.formats.report_ids import (
    ID_BYTES,
    IdentifiedReports,
    identified_dtype,
    ids_of,
    join,
    part,
)
from sudare.formats.wire import from_batch, from_bytes, to_batch, to_bytes

MECHANISMS = [
    GRR.calibrate(5, 1.0),
    OUE.calibrate(128, 1.0),
    Rappor(128, 2, 64, 0.5, 0.5, 0.75),
    Glance.calibrate(6, 1.0),
]


def some(mechanism: Mechanism, count: int) -> IdentifiedReports:
    """Reports that are any bytes at all: ids don't look at them."""
    stream = Seeded(1).generator()
    reports = np.frombuffer(stream.bytes(count * mechanism.report_dtype.itemsize), "u1")
    return IdentifiedReports(
        ids_of(stream.bytes(count * ID_BYTES)), reports.view(mechanism.report_dtype)
    )


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.name)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_what_is_joined_can_be_parted(mechanism: Mechanism, count: int) -> None:
    named = some(mechanism, count)
    joined = join(named)
    form = identified_dtype(mechanism.report_dtype)
    assert joined.dtype == form
    for sent in (from_bytes(form, to_bytes(joined)), from_batch(form, to_batch(joined))):
        ids, reports = part(mechanism.report_dtype, sent)
        assert (ids == named.ids).all()
        assert reports.tobytes() == named.reports.tobytes()


def test_a_record_is_the_id_and_then_the_report() -> None:
    named = some(MECHANISMS[2], 2)
    width = MECHANISMS[2].report_dtype.itemsize
    expected = b"".join(
        named.ids[at].tobytes() + named.reports[at : at + 1].tobytes() for at in range(2)
    )
    assert to_bytes(join(named)) == expected
    assert len(expected) == 2 * (ID_BYTES + width)


def test_ids_are_of_sixteen_bytes() -> None:
    with pytest.raises(InvalidReport, match="16 bytes each, got 17 bytes"):
        ids_of(bytes(17))

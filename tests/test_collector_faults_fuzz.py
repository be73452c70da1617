"""Uploads of mutated bytes: each is refused, or counted as its bytes say; none is logged."""

from pathlib import Path

import pytest

from fault_fuzz import PACKED, Fuzz, leaks
from fault_fuzzing import fuzzed


@pytest.mark.parametrize("part", range(2))
def test_mutated_uploads_are_refused_or_counted_as_their_bytes_say(
    tmp_path: Path, seed: int, part: int
) -> None:
    del part
    statuses, written = fuzzed(tmp_path, seed, 2000)
    assert leaks(written) == []
    # Both happen often, so that either could have gone wrong.
    assert statuses[202] > 200
    assert statuses[400] > 200


def test_what_leaks_would_be_found() -> None:
    upload = Fuzz(1).upload()
    upload.headers[b"content-type"] = PACKED
    for text in (upload.body.hex(), repr(upload.body), str(upload.headers), "192.0.2.77"):
        assert leaks(f"a line {text}")

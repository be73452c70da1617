"""Uploads of mutated bytes: each is refused, or counted as its bytes say; none is logged."""

import asyncio
from pathlib import Path

import pytest

from sudare.collector.stores.open import open_store
from support.fault_fuzz import ASKED, PACKED, Fuzz, leaks
from support.fault_fuzzing import exchanged_raw, fuzzed
from support.fault_kills import Process, write


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


def test_mutated_requests_on_the_network_are_refused_or_counted(tmp_path: Path, seed: int) -> None:
    """Heads too are mutated here; ``sudare serve`` answers, and writes nothing of them."""
    # A stream without windows isn't served: what is sent to it meets a 404.
    served = [asked.collection for asked in ASKED if not asked.collection.over_time]
    write(tmp_path, served)
    store = str(tmp_path / "store.db")
    process = Process(tmp_path, store, options=["--body-seconds", "1"])
    process.start()
    try:
        statuses, new = asyncio.run(exchanged_raw(process, Fuzz(seed), 400))
        process.stop()
    finally:
        process.kill()
    assert leaks(process.log.read_text()) == []
    assert {status // 100 for status in statuses} <= {0, 2, 4}  # 0: closed without a word
    assert statuses[202] > 20
    assert statuses[400] > 20
    opened = open_store(store)
    counted = [one.n for collection in served for one in opened.windows(collection.key)]
    opened.shut()
    assert sum(counted) == new


def test_what_leaks_would_be_found() -> None:
    upload = Fuzz(1).upload()
    upload.headers[b"content-type"] = PACKED
    for text in (upload.body.hex(), repr(upload.body), str(upload.headers), "192.0.2.77"):
        assert leaks(f"a line {text}")

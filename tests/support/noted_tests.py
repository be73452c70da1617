"""A plugin of pytest that notes what each test calls, how long it takes and whether it passes."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.call_map import FOLDER, Noted


def _plain(item: pytest.Item) -> str:
    """A test's name without that of its group, which pytest-xdist puts after it."""
    group = item.get_closest_marker("xdist_group")
    names = [] if group is None else [*group.args, *group.kwargs.values()]
    return item.nodeid.removesuffix(f"@{names[0]}") if names else item.nodeid


_noted = Noted()
_seconds: dict[str, float] = {}
_passed: dict[str, bool] = {}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note the calls of a test, its fixtures' too."""
    _noted.calls.clear()
    _noted.begin()
    try:
        return (yield)
    finally:
        _noted.end()
        line = {
            "test": _plain(item),
            "calls": sorted(_noted.calls),
            "seconds": round(_seconds.get(item.nodeid, 0.0), 3),
            "passed": _passed.get(item.nodeid, False),
        }
        path = Path(os.environ[FOLDER]) / f"tests-{os.getpid()}.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember how a test went, and how long it took."""
    known = _seconds.get(report.nodeid, 0.0)
    _seconds[report.nodeid] = known + report.duration
    if report.when == "call" or not report.passed:
        _passed[report.nodeid] = report.passed and _passed.get(report.nodeid, True)

"""A plugin of pytest that runs some tests only, in a given order, and says which of them failed.

``SUDARE_CHOSEN`` names a file of JSON, the names of the tests in their order. The name of the first
test that fails is written to that file with ``.failed`` after its name.
"""

import json
import os
from pathlib import Path

import pytest

CHOSEN = "SUDARE_CHOSEN"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the chosen tests, in their order."""
    places = {name: at for at, name in enumerate(json.loads(_chosen().read_text()))}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in places])
    items[:] = [item for item in items if item.nodeid in places]
    items.sort(key=lambda item: places[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down the first test that fails."""
    _write_down(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Write down the first file of tests that can't even be read."""
    _write_down(report)


def _write_down(report: pytest.TestReport | pytest.CollectReport) -> None:
    failed = _chosen().with_suffix(".failed")
    if report.failed and not failed.exists():
        failed.write_text(report.nodeid)


def _chosen() -> Path:
    return Path(os.environ[CHOSEN])

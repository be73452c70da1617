"""A browser for each file of tests, and a visitor for each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from support.browsing import browsing


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as started:
        yield started


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(locale="en-GB")
    made.set_default_timeout(20_000)
    yield made
    made.close()

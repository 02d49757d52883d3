"""One running site for all end-to-end tests of a process that leave it as they found it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.running_site import ReturningSite, RunningSite, running_site, temporary_folder


@pytest.fixture(scope="session")
def site() -> Iterator[RunningSite]:
    with running_site(STREAM_WORKERS="2") as site:
        yield site


@pytest.fixture(scope="session")
def returning_site() -> Iterator[ReturningSite]:
    """For tests that stop it or empty its Redis."""
    with temporary_folder() as folder:
        site = ReturningSite(folder)
        try:
            yield site
        finally:
            site.end()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed before other tests begin: Playwright keeps an event loop, and they have their own."""
    with chromium() as browser:
        yield browser

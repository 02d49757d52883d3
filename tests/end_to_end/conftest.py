"""One running site for all end-to-end tests of a process that leave it as they found it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.migrated import copy_database
from tests.running_site import ReturningSite, RunningSite, running_site, temporary_folder


@pytest.fixture(scope="session")
def site() -> Iterator[RunningSite]:
    """Begins with nothing, not even a database."""
    with running_site(STREAM_WORKERS="2") as site:
        yield site


@pytest.fixture(scope="session")
def returning_site(migrated_database: Path) -> Iterator[ReturningSite]:
    """For tests that stop it or empty its Redis."""
    with temporary_folder() as folder:
        copy_database(migrated_database, folder)
        # One process less to start, again and again; `site` has as many as people start.
        site = ReturningSite(folder, WEB_WORKERS="1")
        try:
            yield site
        finally:
            site.end()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed before other tests begin: Playwright keeps an event loop, and they have their own."""
    with chromium() as browser:
        yield browser

"""A running site with a made-up community in it, as its guest and as a visitor see it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.interface.community import Community, community_site
from tests.interface.people import Meet, meeting


@pytest.fixture(scope="session")
def community() -> Iterator[Community]:
    with community_site("--users", "60", "--statuses", "1200") as community:
        yield community


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed before other tests begin: Playwright keeps an event loop, and they have their own."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def meet(browser: Browser, community: Community) -> Iterator[Meet]:
    with meeting(browser, community) as meet:
        yield meet

"""A running site with a made-up community in it, as its guest and as a visitor see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.interface.community import Community, community_site, seed
from tests.interface.people import Meet, meeting
from tests.interface.watching import MEASURE_SHIFTS
from tests.made_once import made_once
from tests.running_site import copy_prepared
from tests.windows import Windows


@pytest.fixture(scope="session")
def community(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Path
) -> Iterator[Community]:
    def make(folder: Path) -> None:
        copy_prepared(migrated_database, folder)
        seed(folder, "--users", "60", "--statuses", "1200")

    with community_site(made_once(tmp_path_factory, "community", make)) as community:
        yield community


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed before other tests begin: Playwright keeps an event loop, and they have their own."""
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def windows(browser: Browser, community: Community) -> Windows:
    return Windows(browser, community.url, MEASURE_SHIFTS)


@pytest.fixture
def meet(windows: Windows, community: Community) -> Iterator[Meet]:
    with meeting(windows, community) as meet:
        yield meet

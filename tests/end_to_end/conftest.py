"""One running site for all end-to-end tests of a process that leave it as they found it."""

from collections.abc import Iterator

import pytest

from tests.running_site import RunningSite, running_site


@pytest.fixture(scope="session")
def site() -> Iterator[RunningSite]:
    with running_site() as site:
        yield site

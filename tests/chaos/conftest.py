import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def quiet_clients() -> Iterator[None]:
    """A line for each request would bury what the test has to say."""
    logger = logging.getLogger("httpx")
    before = logger.level
    logger.setLevel(logging.WARNING)
    yield
    logger.setLevel(before)

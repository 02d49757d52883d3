from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as site

from tests.chaos.mortal_redis import MortalRedis
from tests.migrated import copy_database
from tests.running_site import temporary_folder
from tests.taskqueue.workers import Workplace, skip_periodic_tasks


@pytest.fixture
def workplace(key_prefix: str, migrated_database: Path) -> Iterator[Workplace]:
    """Leases are short enough that a test can wait for one to run out."""
    with temporary_folder() as folder:
        copy_database(migrated_database, folder)
        skip_periodic_tasks()
        place = Workplace(folder, redis_url=site.REDIS_URL, prefix=key_prefix, lease=1.0)
        try:
            yield place
        finally:
            place.close()


@pytest.fixture
def mortal_redis() -> Iterator[MortalRedis]:
    with temporary_folder() as folder, MortalRedis(folder) as redis:
        yield redis

"""A real Redis for the test process, and separate key names for each test."""

import fcntl
import gc
import shutil
import uuid
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connection
from pytest_django import Settings

from configuration import current
from moderation.rules import current as rules
from processes import embedded_redis
from redistools.client import Client, connect
from redistools.shared_document import observer
from tests import cluster, postgres
from tests.cast import alice, bob, carol
from tests.migrated import migrate_postgres, migrated_database
from tests.quick_flush import quick_flush
from tests.redis_keys import KEYS_AT_ONCE
from tests.redis_servers import (
    redis_cluster_url,
    redis_sentinel_url,
    redis_sentinels,
    replicated_cluster_url,
    site_on_a_cluster,
    steady_cluster_url,
    steady_sentinel_url,
)
from tests.reporting import pytest_report_header
from tests.round_trips import show_round_trips
from users import throttling

# Here alone: where a fixture is imported it is another one, with servers of its own.
__all__ = [
    "alice",
    "bob",
    "carol",
    "migrated_database",
    "pytest_report_header",
    "redis_cluster_url",
    "redis_sentinel_url",
    "redis_sentinels",
    "replicated_cluster_url",
    "site_on_a_cluster",
    "steady_cluster_url",
    "steady_sentinel_url",
]

# What test processes take from each other is the end of a queue: it must be made of short tests.
LONGEST_FIRST = (
    "interface",
    "end_to_end",
    "privacy",
    "backup",
    "upkeep",
    "demo",
    "bench",
    "timelines",
    "taskqueue",
    "streaming",
)

# A million objects live until the end of a run: to look for garbage among them, again and again,
# takes a fifth of the collection of tests.
gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One more than the machine has cores: tests often wait for processes that they started. With
    another one they take longer, since each starts a site and a browser too.
    """
    return (yield) + 1


_run = ExitStack()


def pytest_configure(config: pytest.Config) -> None:
    """The process that begins the run starts what all test processes share."""
    if hasattr(config, "workerinput"):
        return
    if postgres.is_wanted():
        _run.enter_context(postgres.running_postgres())
        migrate_postgres()
    if cluster.is_wanted():
        _run.enter_context(cluster.running())


def pytest_unconfigure() -> None:
    _run.close()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """On a fresh clone one process compiles the tests; the others wait, and load what it kept."""
    with Path(__file__).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_SH)
        return (yield)


def pytest_collection_finish() -> None:
    gc.freeze()
    # Rarely: what Django and redis-py throw away is seldom in a circle.
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Folder by folder, so that what a folder shares starts once; short tests come last."""
    if postgres.is_wanted():
        without = [item for item in items if not postgres.concerns(item)]
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if postgres.concerns(item)]
    items.sort(key=lambda item: (_turn(item), item.path))


def _turn(item: pytest.Item) -> int:
    starts = (item.nodeid.startswith(f"tests/{folder}/") for folder in LONGEST_FIRST)
    return next((turn for turn, does in enumerate(starts) if does), len(LONGEST_FIRST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    show_round_trips(report)
    return report


@pytest.fixture(scope="session", autouse=True)
def redis_server() -> Iterator[Client]:
    with ExitStack() as stack:
        if not cluster.is_wanted():
            stack.enter_context(embedded_redis.running(site.REDIS_SOCKET))
        yield stack.enter_context(closing(connect(site.REDIS_URL, binary=True)))
    shutil.rmtree(site.DATA_DIR, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def unlimited_writing() -> Iterator[None]:
    """Tests write much more than people do; those of the limits set their own."""
    with throttling.unlimited():
        yield


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, migrated_database: Path
) -> None:
    """By now the name tells the test processes apart."""
    name = connection.settings_dict["TEST"]["NAME"]
    if postgres.is_wanted():
        postgres.copy_database(name)
    else:
        shutil.copy(migrated_database, name)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    with quick_flush():
        yield


@pytest.fixture(autouse=True)
def steady_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of the site are their defaults, and moderators have no rules, until the test
    changes them: the process does not ask twice a second, which would be a round trip here and
    there.
    """
    monkeypatch.setattr(observer, "ASK_EVERY_SECONDS", float("inf"))
    for known in (current.observer, rules.observer):
        known.hold_nothing()


@pytest.fixture(autouse=True)
def key_prefix(redis_server: Client, settings: Settings) -> Iterator[str]:
    prefix = settings.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
    yield prefix
    # Some tests look through all keys of the server: the fewer the better.
    if left := list(redis_server.scan_iter(match=f"{prefix}*", count=KEYS_AT_ONCE)):
        redis_server.unlink(*left)

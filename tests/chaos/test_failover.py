"""The master behind Sentinels dies or hangs under load: nothing is lost, and nobody waits long."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.migrated import copy_database
from tests.redis_servers import (
    PASSWORD,
    SentinelServers,
    client_of,
    frozen,
    master_port,
    watched_servers,
)
from tests.running_site import RunningSite, temporary_folder, wait_for

from .listening import Listening
from .load import Load
from .run import judge

FENCE = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "2")
# The Sentinels of the tests give a master up after one second.
LONGEST_GAP = 10.0
BUSY_SECONDS = 10.0
FROZEN_SECONDS = 30.0

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


def process_of(port: int) -> int:
    with closing(client_of(port, PASSWORD)) as client:
        info: Any = client.info("server")
        return int(info["process_id"])


def kill_master(servers: SentinelServers) -> None:
    before = master_port(servers.sentinel)
    os.kill(process_of(before), signal.SIGKILL)
    wait_for(lambda: master_port(servers.sentinel) != before, what="another master")


def freeze_master(servers: SentinelServers) -> None:
    """Woken, it does not know yet that it was replaced."""
    before = master_port(servers.sentinel)
    with frozen(process_of(before)):
        time.sleep(FROZEN_SECONDS)
        assert master_port(servers.sentinel) != before


@contextmanager
def site_with(database: Path, servers: SentinelServers) -> Iterator[RunningSite]:
    with temporary_folder() as folder:
        copy_database(database, folder)
        site = RunningSite(folder, REDIS_URL=servers.url)
        try:
            site.wait_until_ready()
            yield site
        finally:
            site.stop()


@pytest.mark.parametrize(
    ("fail", "options"),
    [(kill_master, ()), (freeze_master, ()), (freeze_master, FENCE)],
    ids=["killed", "frozen", "frozen behind a fence"],
)
def test_a_failover_under_load_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    migrated_database: Path,
    fail: Callable[[SentinelServers], None],
    options: tuple[str, ...],
) -> None:
    folders = [tmp_path_factory.mktemp(it) for it in ("sentinel", "master", "replica", "other")]
    with ExitStack() as stack:
        servers = stack.enter_context(watched_servers(folders, *options))
        site = stack.enter_context(site_with(migrated_database, servers))
        load = Load(site.url)
        listening = stack.enter_context(Listening([site.stream_url], load.bystander))
        stack.enter_context(load)
        time.sleep(BUSY_SECONDS)
        fail(servers)
        time.sleep(BUSY_SECONDS)
        load.end()
        outcome = judge(site, load, listening, Counter({"master": 1}))
        print(outcome)
        assert outcome.is_good, f"{outcome}\n{outcome.findings}\n{site.output}"
        assert outcome.longest_gap < LONGEST_GAP, outcome

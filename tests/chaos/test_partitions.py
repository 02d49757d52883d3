"""Hosts with another number of PARTITIONS replace the others, under load."""

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from processes import embedded_redis
from tests.migrated import NAME, copy_database
from tests.running_site import RunningSite, temporary_folder

from .listening import Listening
from .load import Load
from .run import judge

# Three times as many: some of the hash tags stay the same, and mean other partitions.
BEFORE, AFTER = "16", "48"
MIXED_SECONDS = 8.0

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


def start(stack: ExitStack, shared: Path, partitions: str) -> RunningSite:
    site = RunningSite(
        stack.enter_context(temporary_folder()),
        DATABASE_URL=f"sqlite:///{shared / NAME}",
        REDIS_URL=f"unix://{shared / 'redis.sock'}",
        SECRET_KEY="ours",
        SIGNUPS_PER_HOUR="1000",
        PARTITIONS=partitions,
    )
    stack.callback(lambda: site.process.poll() is None and site.stop())
    site.wait_until_ready()
    return site


def test_a_rebuild_sets_right_what_two_numbers_of_partitions_have_mixed_up(
    migrated_database: Path,
) -> None:
    with ExitStack() as stack:
        shared = stack.enter_context(temporary_folder())
        copy_database(migrated_database, shared)
        stack.enter_context(embedded_redis.running(shared / "redis.sock"))
        old, new = start(stack, shared, BEFORE), start(stack, shared, AFTER)
        load = Load(new.url, old.url)
        listening = stack.enter_context(Listening([new.stream_url], load.bystander))
        stack.enter_context(load)
        time.sleep(MIXED_SECONDS)
        old.stop()
        rebuilt = new.manage("rebuild_timelines")
        assert rebuilt.returncode == 0, rebuilt.stderr
        load.end()
        outcome = judge(new, load, listening, Counter({"old host": 1}))
        assert outcome.is_good, [
            outcome,
            *outcome.lost,
            *outcome.on_pages,
            *outcome.differences,
            *outcome.missed,
        ]

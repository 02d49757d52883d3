"""Random lives of a small site. Whatever happens, Redis ends up saying what SQL says.

Posts for any audience, replies, boosts, likes, bookmarks, edits, deletions, follows of people and
tags, requests, lists, blocks, mutes, suspensions and silence go through the public services;
workers and web processes die between any two steps; keys of the serving copy get lost; things
happen while a home is built. What pages show each reader is compared with `oracle.py`, which reads
SQL alone. All sizes are tiny, so that trims, seams, chains and the change between push and pull
happen all the time. Every site begins with a past, since a timeline gets interesting only when it
holds less than SQL does: then bursts, deletions and unfollows move its end up and down.

Whenever all work is done, Redis must agree with SQL. Looking only at the end would miss much: a
refill or a lost key heals what was wrong before.
"""

import os

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as search
from hypothesis.stateful import run_state_machine_as_test
from pytest_django import Settings

from redistools.loaded_set import writing
from statuses import store as status_store
from statuses import tasks as status_tasks
from statuses.reactions import store as reaction_store
from statuses.removing import removal
from tests.timelines.small_site.site import SmallSite
from timelines import fan_out, membership, pulled, store, tasks
from timelines.index import mentions, tagged
from timelines.reading import home_paging, reaction_timelines
from web import pager

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))


@pytest.fixture
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [
        (store, "TIMELINE_SIZE", 5),
        (status_store, "PROFILE_SIZE", 6),
        (reaction_store, "REACTIONS_KEPT", 4),
        (writing, "SLACK", 1),
        (fan_out, "SLACK", 1),
        (pulled, "PULLED_SIZE", 5),
        (tagged, "TAG_SIZE", 5),
        (mentions, "MENTIONS_SIZE", 5),
        (mentions, "ADDRESSEES", 2),
        (fan_out, "BATCH_SIZE", 2),
        (fan_out, "SWEEP_SIZE", 2),
        (membership, "MERGED_AT_ONCE", 2),
        (membership, "SHALLOW", 2),
        (fan_out, "FIRST_DELIVERIES", 2),
        (tasks, "LINK_SIZE", 1),
        (status_tasks, "PART", 2),
        (removal, "PART", 2),
        (reaction_store, "REACTIONS_KEPT", 4),
        (home_paging, "NEAR", 3),
        (pager, "MOST_AT_ONCE", 4),
        (reaction_timelines, "PAGE_SIZE", 3),
    ]
    for module, name, size in sizes:
        monkeypatch.setattr(module, name, size)


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("transactional_db", "tiny_sizes")
@pytest.mark.parametrize("pull_threshold", [0, 2], ids=["push only", "push and pull"])
def test_redis_always_ends_up_saying_what_sql_says(pull_threshold: int, settings: Settings) -> None:
    settings.PULL_THRESHOLD = pull_threshold
    settings.PARTITIONS = 3
    run_state_machine_as_test(
        SmallSite,
        settings=search(
            max_examples=EXAMPLES,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

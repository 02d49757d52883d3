"""Random lives of a small site. Whatever happens, Redis ends up saying what SQL says.

Posts, deletions, follows, unfollows and list changes go through the public services; workers and
web processes die between any two steps; keys of the serving copy get lost. All sizes are tiny, so
that trims, seams, chains and the change between push and pull happen all the time.
"""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings as site
from django.db import transaction
from hypothesis import HealthCheck
from hypothesis import settings as search
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from pytest_django import Settings

from redistools import loaded_set
from redistools.client import get_client
from statuses import store as status_store
from statuses.models import Status
from statuses.services import delete_status, post_status
from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.lane import Lane
from taskqueue.models import OutboxEntry
from taskqueue.runner import Runner
from taskqueue.store import Queue
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from timelines import fan_out, membership, selectors, store, syndication, tasks
from timelines.checking import check_statuses, check_user
from timelines.models import List
from timelines.services import add_to_list, create_list, delete_list, remove_from_list
from users.models import User
from users.services import follow, unfollow

PEOPLE = 5
# A few minutes' worth: HYPOTHESIS_EXAMPLES=500 .venv/bin/pytest tests/timelines/test_properties.py
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "15"))
# Without these a loss is no loss: the queue is the record of what is on its way.
KEPT = ("queue:", "ids:")

people = st.integers(0, PEOPLE - 1)
numbers = st.integers(0, 10**6)


class SmallSite(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        site.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
        for model in (OutboxEntry, List, Status, User):
            model.objects.all().delete()
        self.users = [make_user(f"user{n}") for n in range(PEOPLE)]

    @rule(who=people, times=st.integers(1, 4))
    def post(self, who: int, times: int) -> None:
        for _ in range(times):
            post_status(author=self.users[who], text="something")

    @rule(who=people)
    def post_and_die_after_the_commit(self, who: int) -> None:
        with _dying_after_the_commit():
            post_status(author=self.users[who], text="something")

    @rule(number=numbers, dies=st.booleans())
    def delete(self, number: int, dies: bool) -> None:
        statuses = list(Status.objects.order_by("id"))
        if statuses:
            status = statuses[number % len(statuses)]
            with _dying_after_the_commit(dies):
                delete_status(status=status, by=status.author)

    @rule(one=people, other=people, dies=st.booleans())
    def follow(self, one: int, other: int, dies: bool) -> None:
        if one != other:
            with _dying_after_the_commit(dies):
                follow(follower=self.users[one], followee=self.users[other])

    @rule(one=people, other=people, dies=st.booleans())
    def unfollow(self, one: int, other: int, dies: bool) -> None:
        with _dying_after_the_commit(dies):
            unfollow(follower=self.users[one], followee=self.users[other])

    @rule(who=people)
    def read_home(self, who: int) -> None:
        selectors.home(self.users[who], limit=3)

    @rule(owner=people, other=people)
    def list_somebody(self, owner: int, other: int) -> None:
        list_ = self.users[owner].lists.first() or create_list(owner=self.users[owner], name="all")
        add_to_list(list_=list_, user=self.users[other])
        selectors.list_timeline(list_, limit=3)

    @rule(owner=people, other=people)
    def unlist_somebody(self, owner: int, other: int) -> None:
        for list_ in self.users[owner].lists.all():
            remove_from_list(list_=list_, user=self.users[other])

    @rule(owner=people)
    def delete_a_list(self, owner: int) -> None:
        for list_ in self.users[owner].lists.all():
            delete_list(list_=list_)

    @rule()
    def let_the_worker_run(self) -> None:
        drain(now=_later())

    @rule(after_the_work=st.booleans())
    def let_a_worker_die(self, after_the_work: bool) -> None:
        """Before it has done what it claimed, or after, but before it could say so."""
        runner = Runner(get_backend("default"))
        queues = [Queue(name) for name in sorted(runner.backend.queues)]
        lane = Lane(runner, queues, worker_id="dying")
        lane.exchange()
        if after_the_work:
            lane.run_pending()

    @rule(number=numbers)
    def lose_a_key(self, number: int) -> None:
        prefix = site.REDIS_KEY_PREFIX
        names = [name.removeprefix(prefix) for name in keys_of_the_test()]
        lost = sorted(name for name in names if not name.startswith(KEPT))
        if lost:
            get_client().delete(f"{prefix}{lost[number % len(lost)]}")

    def teardown(self) -> None:
        """After every run: all work done, Redis agrees with SQL, and so do the pages."""
        if not hasattr(self, "users"):
            return
        drain(now=_later())
        for user in User.objects.all():
            assert [str(difference) for difference in check_user(user)] == []
            in_sql = selectors.home_in_sql(user.pk).newest_first()
            assert _whole_home(user) == list(in_sql.values_list("id", flat=True))
        assert [str(each) for each in check_statuses(list(_ids()))] == []


def _ids() -> Iterator[int]:
    yield from Status.objects.values_list("id", flat=True)


def _whole_home(user: User) -> list[int]:
    """Page by page, as a reader would."""
    ids: list[int] = []
    while page := selectors.home(user, limit=3, max_id=ids[-1] if ids else None):
        ids += [status.id for status in page]
    return ids


def _later() -> datetime:
    """When every lease has run out and every retry is due. Each call moves on."""
    return datetime.now(UTC) + timedelta(days=1)


@contextmanager
def _dying_after_the_commit(dies: bool = True) -> Iterator[None]:
    """The process is killed before it has done anything of what follows its commit."""
    with pytest.MonkeyPatch.context() as patch:
        if dies:
            patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


@pytest.fixture
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [
        (store, "TIMELINE_SIZE", 8),
        (status_store, "PROFILE_SIZE", 12),
        (loaded_set, "SLACK", 1),
        (fan_out, "SLACK", 1),
        (fan_out, "BATCH_SIZE", 2),
        (fan_out, "SWEEP_SIZE", 2),
        (membership, "MERGED_AT_ONCE", 3),
        (membership, "SHALLOW", 6),
        (syndication, "FIRST_DELIVERIES", 2),
        (tasks, "LINK_SIZE", 1),
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

"""The state machine: everything that people do, and everything that goes wrong."""

import uuid
from functools import partial

from django.conf import settings
from django.db.models import Model
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from lists.models import List
from redistools import keys
from redistools.client import get_client
from statuses.models import Gap, Status
from statuses.removing import removal
from statuses.selectors import show
from statuses.store import find_statuses
from tags.models import Tag
from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from taskqueue.store import Queue
from taskqueue.working.lane import Lane
from taskqueue.working.runner import Runner
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test, let_keys_age
from tests.soundness import wrong_with_statuses, wrong_with_tags, wrong_with_users
from timelines import selectors
from users.models import User
from users.services import change_profile

from .blocks_and_mutes import BlocksAndMutes
from .comparing import read_everything
from .life import (
    PEOPLE,
    Pair,
    after_collecting,
    dying_after_the_commit,
    ids,
    later,
    numbers,
    pairs,
    people,
    pick,
)
from .relating import Relating
from .saying import Saying

# Without these a loss is no loss: the queue is the record of what is on its way.
KEPT = ("queue:", "ids:")

TABLES: list[type[Model]]
TABLES = [OutboxEntry, List, *removal.BELONGINGS, Gap, Tag, Status, User]

bursts = st.tuples(people, st.integers(1, 4))
MEANWHILE = ["post", "delete", "follow", "unfollow", "block", "suspend"]


# What a life begins with, so that most have some of it.
APART = ["block", "mute", "suspend", "silence", "private"]


class SmallSite(Saying, Relating, BlocksAndMutes):
    @initialize(
        past=st.lists(bursts, min_size=5, max_size=8),
        follows=st.sets(pairs, min_size=5, max_size=10),
        listed=st.sets(pairs, min_size=1, max_size=5),
        apart=st.lists(st.tuples(st.sampled_from(APART), people, people), max_size=4),
        recent=st.lists(bursts, min_size=1, max_size=3),
        deleted=numbers,
    )
    def begin(
        self,
        past: list[Pair],
        follows: set[Pair],
        listed: set[Pair],
        apart: list[tuple[str, int, int]],
        recent: list[Pair],
        deleted: int,
    ) -> None:
        settings.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
        keys._prefix.cache_clear()
        for table in TABLES:
            table._default_manager.all().delete()
        self.users = [make_user(f"user{n}") for n in range(PEOPLE)]
        for who, times in past:
            self.post(who, times)
        self.follow_a_tag(0, "one")
        self.follow_a_tag(1, "two")
        for who in range(PEOPLE):
            self.read_home(who)
        for one, other in sorted(follows):
            self.follow(one, other)
        for owner, other in sorted(listed):
            self.list_somebody(owner, other)
        self.let_the_worker_run(check=True)
        for action, one, other in apart:
            self.keep_apart(action, one, other)
        for who, times in recent:
            self.post(who, times)
        self.delete(deleted, times=3)

    def keep_apart(self, action: str, one: int, other: int) -> None:
        actions = {
            "block": partial(self.block, one, other),
            "mute": partial(self.mute, one, other),
            "suspend": partial(self.suspend, one),
            "silence": partial(self.silence, one),
            "private": partial(self.change_privacy, one, private=True),
        }
        actions[action]()

    @rule(who=people, number=st.integers(0, 2), dies=st.booleans())
    def rename(self, who: int, number: int, dies: bool) -> None:
        with dying_after_the_commit(dies):
            change_profile(user=self.users[who], name=f"name {number}", bio="")

    @rule(number=numbers)
    def read_a_tag(self, number: int) -> None:
        for tag in pick(number, Tag.objects.all()):
            selectors.tag_timeline(tag, limit=3)

    @rule(who=people)
    def read_mentions(self, who: int) -> None:
        selectors.mentions(self.users[who], limit=3)
        selectors.addressees(self.users[who])

    @rule(who=people)
    def read_home(self, who: int) -> None:
        selectors.home(self.users[who], limit=3)

    @rule(who=people, other=people, action=st.sampled_from(MEANWHILE))
    def build_a_home_while_something_happens(self, who: int, other: int, action: str) -> None:
        """The statuses are collected, but not yet in the home."""
        get_client().delete(keys.home(self.users[who].pk))
        actions = {
            "post": partial(self.post, other, 2),
            "delete": partial(self.delete, other, 2),
            "follow": partial(self.follow, who, other),
            "unfollow": partial(self.unfollow, who, other),
            "block": partial(self.block, who, other),
            "suspend": partial(self.suspend, other),
        }
        with after_collecting(actions[action]):
            self.read_home(who)

    @rule(number=numbers)
    def read_a_status_that_got_lost(self, number: int) -> None:
        """It may be hidden, but is not gone."""
        for lost in pick(number, ids()):
            get_client().delete(keys.status(lost))
            assert show([lost], viewer=None).gone == []
            assert find_statuses([lost]).keys() == {lost}

    @rule(check=st.sampled_from([True, True, False]))
    def let_the_worker_run(self, check: bool) -> None:
        """Then Redis agrees with SQL. Reads no page, since that would build timelines."""
        drain(now=later())
        if check:
            self.compare_with_sql()

    def compare_with_sql(self) -> None:
        assert wrong_with_users(list(User.objects.all())) == []
        assert wrong_with_statuses(ids()) == []
        assert wrong_with_tags() == []

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
        prefix = settings.REDIS_KEY_PREFIX
        names = [name.removeprefix(prefix) for name in keys_of_the_test()]
        for lost in pick(number, sorted(name for name in names if not name.startswith(KEPT))):
            get_client().delete(f"{prefix}{lost}")

    @rule(days=st.sampled_from([5, 9, 20, 40]))
    def let_days_pass(self, days: int) -> None:
        """First statuses expire, then what nobody has read for long."""
        self.let_the_worker_run(check=False)
        let_keys_age(days, besides=KEPT)

    def teardown(self) -> None:
        if hasattr(self, "users"):
            self.let_the_worker_run(check=True)
            read_everything(turn=len(ids()))

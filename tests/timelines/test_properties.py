"""Random lives of a small site. Whatever happens, Redis ends up saying what SQL says.

Posts, replies, boosts, likes, bookmarks, edits, deletions, follows of people and tags, and list
changes go through the public services; workers and web processes die between any two steps; keys of
the serving copy get lost; things happen while a home is built. What pages show is compared with
`oracle.py`, which reads SQL alone. All sizes are tiny, so that trims, seams, chains and the change
between push and pull happen all the time. Every site begins with a past, since a timeline gets
interesting only when it holds less than SQL does: then bursts, deletions and unfollows move its end
up and down.

Whenever all work is done, Redis must agree with SQL. Looking only at the end would miss much: a
refill or a lost key heals what was wrong before.
"""

import os
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import pytest
from django.conf import settings as site
from django.db import transaction
from django.db.models import Model
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

from lists.models import List
from lists.services import add_to_list, create_list, delete_list, remove_from_list
from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Loaded
from relations.models import Follow
from relations.services import follow, hide_boosts, unfollow
from statuses import deeds, own
from statuses import store as status_store
from statuses import tasks as status_tasks
from statuses.models import Bookmark, Gap, Like, Status, StatusQuerySet, Tag
from statuses.removing import removal
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from statuses.shown import ShownStatus
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from taskqueue.store import Queue
from taskqueue.working.lane import Lane
from taskqueue.working.runner import Runner
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from tests.soundness import wrong_with_statuses, wrong_with_tags, wrong_with_users
from tests.timelines import oracle
from timelines import (
    fan_out,
    home_rules,
    membership,
    paging,
    pulled,
    selectors,
    store,
    syndication,
    tasks,
)
from timelines.collecting import collect
from timelines.index import mentions, tagged
from timelines.services import follow_tag, unfollow_tag
from users.models import User
from users.services import change_profile

T = TypeVar("T")
Pair = tuple[int, int]

PEOPLE = 5
# `make test-long` takes 500.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "10"))
# Without these a loss is no loss: the queue is the record of what is on its way.
KEPT = ("queue:", "ids:")

TABLES: list[type[Model]]
TABLES = [OutboxEntry, List, *removal.BELONGINGS, Gap, Tag, Status, User]

people = st.integers(0, PEOPLE - 1)
pairs = st.tuples(people, people)
numbers = st.integers(0, 10**6)
texts = st.sampled_from(["something", "#one", "#One #two", "@user1 #two", "@user1 @USER2"])
tags = st.sampled_from(["one", "TWO", "three"])
bursts = st.tuples(people, st.integers(1, 4))


class SmallSite(RuleBasedStateMachine):
    @initialize(
        past=st.lists(bursts, min_size=5, max_size=8),
        follows=st.sets(pairs, min_size=5, max_size=10),
        listed=st.sets(pairs, min_size=1, max_size=5),
        recent=st.lists(bursts, min_size=1, max_size=3),
        deleted=numbers,
    )
    def begin(
        self,
        past: list[Pair],
        follows: set[Pair],
        listed: set[Pair],
        recent: list[Pair],
        deleted: int,
    ) -> None:
        site.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
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
        for who, times in recent:
            self.post(who, times)
        self.delete(deleted, times=3)

    @rule(who=people, times=st.integers(1, 6), text=texts, dies=st.booleans())
    def post(self, who: int, times: int, text: str = "#one", dies: bool = False) -> None:
        """A process that dies does so right after the first commit."""
        with _dying_after_the_commit(dies):
            for _ in range(1 if dies else times):
                post_status(author=self.users[who], text=text)

    @rule(number=numbers, text=texts, dies=st.booleans())
    def edit(self, number: int, text: str, dies: bool) -> None:
        with _dying_after_the_commit(dies):
            written = Status.objects.without_boosts().select_related("author").order_by("id")
            for status in _pick(number, list(written)):
                edit_status(status=status, by=status.author, text=text)

    @rule(who=people, tag=tags, dies=st.booleans())
    def follow_a_tag(self, who: int, tag: str, dies: bool = False) -> None:
        with _dying_after_the_commit(dies):
            follow_tag(user=self.users[who], name=tag)

    @rule(who=people, tag=tags, dies=st.booleans())
    def unfollow_a_tag(self, who: int, tag: str, dies: bool) -> None:
        with _dying_after_the_commit(dies):
            unfollow_tag(user=self.users[who], name=tag)

    @rule(number=numbers)
    def read_a_tag(self, number: int) -> None:
        for tag in _pick(number, list(Tag.objects.all())):
            selectors.tag_timeline(tag, limit=3)

    @rule(who=people)
    def read_mentions(self, who: int) -> None:
        selectors.mentions(self.users[who], limit=3)
        selectors.addressees(self.users[who])

    @rule(who=people, number=numbers, text=texts, dies=st.booleans())
    def reply(self, who: int, number: int, text: str, dies: bool) -> None:
        with _dying_after_the_commit(dies):
            for status in _visible(number):
                post_status(author=self.users[who], text=text, reply_to=status)

    @rule(who=people, number=numbers, dies=st.booleans(), again=st.booleans())
    def boost(self, who: int, number: int, dies: bool, again: bool) -> None:
        with _dying_after_the_commit(dies):
            for status in _visible(number):
                deeds.boost(user=self.users[who], status=status)
                if again:
                    deeds.unboost(user=self.users[who], status_id=status.boost_of or status.id)
                    deeds.boost(user=self.users[who], status=status)

    @rule(who=people, number=numbers, dies=st.booleans())
    def unboost(self, who: int, number: int, dies: bool) -> None:
        boosts = self.users[who].statuses.filter(boost_of__isnull=False)
        with _dying_after_the_commit(dies):
            for row in _pick(number, list(boosts.order_by("id"))):
                deeds.unboost(user=self.users[who], status_id=row.boost_of_id or 0)

    @rule(who=people, number=numbers, dies=st.booleans(), bookmarks=st.booleans())
    def like_or_bookmark(self, who: int, number: int, dies: bool, bookmarks: bool) -> None:
        do = deeds.bookmark if bookmarks else deeds.like
        with _dying_after_the_commit(dies):
            for status in _visible(number):
                do(user=self.users[who], status=status)

    @rule(who=people, number=numbers, dies=st.booleans(), bookmarks=st.booleans())
    def unlike_or_forget(self, who: int, number: int, dies: bool, bookmarks: bool) -> None:
        undo, table = (deeds.unbookmark, Bookmark) if bookmarks else (deeds.unlike, Like)
        rows = table._default_manager.filter(user=self.users[who]).order_by("id")
        with _dying_after_the_commit(dies):
            for status_id in _pick(number, list(rows.values_list("status_id", flat=True))):
                undo(user=self.users[who], status_id=status_id)

    @rule(one=people, number=numbers, dies=st.booleans(), hidden=st.booleans())
    def hide_boosts(self, one: int, number: int, dies: bool, hidden: bool) -> None:
        follows = Follow.objects.filter(follower=self.users[one]).select_related("followee")
        with _dying_after_the_commit(dies):
            for edge in _pick(number, list(follows)):
                hide_boosts(follower=self.users[one], followee=edge.followee, hidden=hidden)

    @rule(number=numbers, times=st.integers(1, 4), dies=st.booleans())
    def delete(self, number: int, times: int, dies: bool = False) -> None:
        """Some in a row, from anywhere between the oldest and the newest."""
        statuses = list(Status.objects.select_related("author").order_by("id"))
        first = number % len(statuses) if statuses else 0
        for status in statuses[first : first + times]:
            with _dying_after_the_commit(dies):
                delete_status(status=status, by=status.author)

    @rule(one=people, number=numbers, dies=st.booleans())
    def follow(self, one: int, number: int, dies: bool = False) -> None:
        follower = self.users[one]
        known = Follow.objects.filter(follower=follower).values_list("followee_id", flat=True)
        with _dying_after_the_commit(dies):
            for other in _pick(
                number, [u for u in self.users if u.pk not in {*known, follower.pk}]
            ):
                follow(follower=follower, followee=other)

    @rule(one=people, number=numbers, dies=st.booleans())
    def unfollow(self, one: int, number: int, dies: bool = False) -> None:
        follows = Follow.objects.filter(follower=self.users[one]).select_related("followee")
        with _dying_after_the_commit(dies):
            for edge in _pick(number, list(follows)):
                unfollow(follower=self.users[one], followee=edge.followee)

    @rule(who=people, number=st.integers(0, 2), dies=st.booleans())
    def rename(self, who: int, number: int, dies: bool) -> None:
        with _dying_after_the_commit(dies):
            change_profile(user=self.users[who], name=f"name {number}", bio="")

    @rule(who=people)
    def read_home(self, who: int) -> None:
        selectors.home(self.users[who], limit=3)

    @rule(who=people, other=people, deed=st.sampled_from(["post", "delete", "follow", "unfollow"]))
    def build_a_home_while_something_happens(self, who: int, other: int, deed: str) -> None:
        """The statuses are collected, but not yet in the home."""
        get_client().delete(keys.home(self.users[who].pk))
        deeds = {
            "post": partial(self.post, other, 2),
            "delete": partial(self.delete, other, 2),
            "follow": partial(self.follow, who, other),
            "unfollow": partial(self.unfollow, who, other),
        }
        with _after_collecting(deeds[deed]):
            self.read_home(who)

    @rule(number=numbers)
    def read_a_status_that_got_lost(self, number: int) -> None:
        for lost in _pick(number, list(_ids())):
            get_client().delete(keys.status(lost))
            shown = [lost] if _exists_with_its_original(lost) else []
            assert [status.id for status in show([lost], viewer=None).statuses] == shown

    @rule(owner=people, other=people)
    def list_somebody(self, owner: int, other: int) -> None:
        list_ = self.users[owner].lists.first() or create_list(owner=self.users[owner], name="all")
        add_to_list(list_=list_, user=self.users[other])
        selectors.list_timeline(list_, limit=3)

    @rule(owner=people, number=numbers)
    def unlist_somebody(self, owner: int, number: int) -> None:
        for list_ in self.users[owner].lists.all():
            for member in _pick(number, list(list_.members.select_related("user"))):
                remove_from_list(list_=list_, user=member.user)

    @rule(owner=people)
    def delete_a_list(self, owner: int) -> None:
        for list_ in self.users[owner].lists.all():
            delete_list(list_=list_)

    @rule(check=st.sampled_from([True, True, False]))
    def let_the_worker_run(self, check: bool) -> None:
        """Then Redis agrees with SQL. Reads no page, since that would build timelines."""
        drain(now=_later())
        if check:
            self.compare_with_sql()

    def compare_with_sql(self) -> None:
        assert wrong_with_users(list(User.objects.all())) == []
        assert wrong_with_statuses(list(_ids())) == []
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
        prefix = site.REDIS_KEY_PREFIX
        names = [name.removeprefix(prefix) for name in keys_of_the_test()]
        for lost in _pick(number, sorted(name for name in names if not name.startswith(KEPT))):
            get_client().delete(f"{prefix}{lost}")

    def teardown(self) -> None:
        if hasattr(self, "users"):
            self.let_the_worker_run(check=True)
            self.read_everything()

    def read_everything(self) -> None:
        """Page by page, SQL and Redis together give what SQL alone would."""
        for user in User.objects.all():
            home = partial(selectors.home, user)
            assert _walk(home) == oracle.home(user.pk)
            assert show(list(_ids()), viewer=user) == oracle.shown(user.pk, list(_ids()))
            posts = partial(selectors.profile, user)
            assert _walk(posts) == _in_sql(selectors.posts_in_sql(user.pk))
            profile = partial(selectors.with_replies, user)
            assert _walk(profile) == _in_sql(selectors.profile_in_sql(user.pk))
            named = partial(selectors.mentions, user)
            assert _walk(named) == _in_sql(mentions.in_sql(user.pk))
        for tag in Tag.objects.all():
            timeline = partial(selectors.tag_timeline, tag)
            assert _walk(timeline) == _in_sql(tagged.in_sql(tag.pk))
        for list_ in List.objects.all():
            timeline = partial(selectors.list_timeline, list_)
            assert _walk(timeline) == _in_sql(selectors.list_in_sql(list_.pk))


def _pick(number: int, things: list[T]) -> list[T]:
    """One of them, or None if there is none."""
    return [things[number % len(things)]] if things else []


def _visible(number: int) -> list[StoredStatus]:
    """One of all statuses, if there are any. A boost outlives its original for a moment, and for
    as long does the original's hash: SQL is asked.
    """
    picked = [it for it in _pick(number, list(_ids())) if _exists_with_its_original(it)]
    return list(find_statuses(picked).values())


def _ids() -> Iterator[int]:
    yield from Status.objects.order_by("id").values_list("id", flat=True)


def _walk(read: Callable[..., list[ShownStatus]]) -> list[int]:
    """Page by page, as a reader would."""
    ids: list[int] = []
    while page := read(limit=3, max_id=ids[-1] if ids else None):
        ids += [status.id for status in page]
    return ids


def _in_sql(rows: StatusQuerySet) -> list[int]:
    return list(rows.newest_first().values_list("id", flat=True))


def _exists_with_its_original(status_id: int) -> bool:
    original_id = Status.objects.get(pk=status_id).boost_of_id
    return original_id is None or Status.objects.filter(pk=original_id).exists()


def _later() -> datetime:
    """When every lease has run out and every retry is due. Later with each call."""
    return datetime.now(UTC) + timedelta(days=1)


@contextmanager
def _dying_after_the_commit(dies: bool = True) -> Iterator[None]:
    """The process is killed before it does any of what follows its commit."""
    with pytest.MonkeyPatch.context() as patch:
        if dies:
            patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


@contextmanager
def _after_collecting(deed: Callable[[], object]) -> Iterator[None]:
    """The deed is done once, between the two halves of a build."""
    waiting = [deed]

    def collect_and_wait(author_ids: Collection[int], *, limit: int) -> Loaded:
        newest = collect(author_ids, limit=limit)
        while waiting:
            waiting.pop()()
        return newest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "collect", collect_and_wait)
        yield


@pytest.fixture
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [
        (store, "TIMELINE_SIZE", 5),
        (status_store, "PROFILE_SIZE", 6),
        (own, "OWN_SIZE", 4),
        (loaded_set, "SLACK", 1),
        (fan_out, "SLACK", 1),
        (pulled, "PULLED_SIZE", 5),
        (tagged, "TAG_SIZE", 5),
        (mentions, "MENTIONS_SIZE", 5),
        (mentions, "ADDRESSEES", 2),
        (fan_out, "BATCH_SIZE", 2),
        (fan_out, "SWEEP_SIZE", 2),
        (membership, "MERGED_AT_ONCE", 2),
        (membership, "SHALLOW", 2),
        (syndication, "FIRST_DELIVERIES", 2),
        (tasks, "LINK_SIZE", 1),
        (status_tasks, "PART", 2),
        (removal, "PART", 2),
        (own, "OWN_SIZE", 4),
        (home_rules, "NEAR", 3),
        (paging, "NEAR", 3),
        (paging, "MOST_AT_ONCE", 4),
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

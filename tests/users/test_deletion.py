"""Deleting an account removes everything: from SQL, from Redis, and from what others have."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from lists.models import List, ListMember
from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from relations import store as edges
from relations.models import Follow
from relations.services import follow, unfollow
from statuses import tasks as status_tasks
from statuses.models import Mention, Status, Tagging
from statuses.services import delete_status, post_status
from statuses.store import find_statuses
from tags.models import Tag, TagFollow
from tags.selectors import tag_named
from tags.services import follow_tag
from taskqueue import start
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import contents_of, keys_of_the_test
from timelines import fan_out, selectors, tasks
from users import store
from users.consequences import ONCE_MORE_AFTER
from users.models import User
from users.services import delete_account

pytestmark = pytest.mark.django_db(transaction=True)

FRIENDS = 5
# Keys whose names end in the id of a user, and sets with users in them.
OF_A_USER = {"user", "following", "followers", "profile", "home", "listed", "pulled"}
WITH_USERS = {"following", "followers", "members", "pull_authors"}


@pytest.fixture
def friends(alice: User) -> list[User]:
    """They and alice follow each other, except the first and the last, who follow one way only;
    all are in each other's lists, and read.
    """
    friends = [make_user(f"friend{number}") for number in range(FRIENDS)]
    own = create_list(owner=alice, name="Friends")
    for friend in friends:
        if friend != friends[-1]:
            follow(follower=friend, followee=alice)
        if friend != friends[0]:
            follow(follower=alice, followee=friend)
        add_to_list(list_=own, user=friend)
        add_to_list(list_=create_list(owner=friend, name="Alice"), user=alice)
    for user in (alice, *friends):
        post_status(author=user, text=f"by {user.username}")
    everybody_reads()
    return friends


def everybody_reads() -> None:
    for user in User.objects.all():
        selectors.home(user)
        selectors.profile(user)
        edges.ensure_following(user.pk)
        edges.ensure_followers(user.pk)
    for list_ in List.objects.all():
        selectors.list_timeline(list_)


def traces_of(user_id: int) -> set[str]:
    """Kinds of keys that are theirs, or have them as a member."""
    named = [(name, name.split(":")[1]) for name in keys_of_the_test()]
    own = {kind for name, kind in named if kind in OF_A_USER and name.endswith(f":{user_id}")}
    sets = contents_of([name for name, kind in named if kind in WITH_USERS])
    held = {name for name, members in sets.items() if str(user_id) in dict(members)}
    return own | {f"in {kind}" for name, kind in named if name in held}


def differences() -> list[str]:
    out = io.StringIO()
    call_command("check_timelines", stdout=out)
    return [line for line in out.getvalue().splitlines() if "Redis agrees with SQL" not in line]


@contextmanager
def dying_after_the_commit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


def assert_gone(user_id: int, friends: list[User], status_ids: list[int]) -> None:
    assert not Status.objects.filter(pk__in=status_ids).exists()
    assert not Follow.objects.exists()
    assert not ListMember.objects.exists()
    assert traces_of(user_id) == set()
    assert [keys.status(status_id) for status_id in status_ids if is_kept(status_id)] == []
    assert differences() == []
    for friend in friends:
        friend.refresh_from_db()
        counters = (friend.followers_count, friend.following_count, friend.listed_count)
        assert counters == (0, 0, 0)
        person = store.read_users([friend.pk])[friend.pk]
        assert (person.followers, person.following) == (0, 0)
        assert [status.text for status in selectors.home(friend)] == [f"by {friend.username}"]
        assert selectors.list_timeline(friend.lists.get()) == []


def is_kept(status_id: int) -> bool:
    return bool(get_client().exists(keys.status(status_id)))


@pytest.mark.parametrize(
    ("server", "threshold", "some"),
    [
        ("one", 0, 1_000),
        ("one", 0, 2),
        ("one", 1, 1_000),
        ("one", 1, 2),
        ("cluster", 1, 2),
    ],
    ids=["at once", "in parts", "pulled", "pulled and in parts", "on a cluster"],
)
def test_nothing_is_left_of_an_account(
    request: pytest.FixtureRequest,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    server: str,
    threshold: int,
    some: int,
) -> None:
    if server == "cluster":
        request.getfixturevalue("site_on_a_cluster")
    alice, friends = (request.getfixturevalue(name) for name in ("alice", "friends"))
    monkeypatch.setattr(start, "SOME", some)
    settings.PULL_THRESHOLD = threshold
    for number in range(5):
        post_status(author=alice, text=f"number {number}")
        drain()
    everybody_reads()
    user_id, status_ids = alice.pk, list(alice.statuses.values_list("pk", flat=True))
    own_list = alice.lists.get()
    pulled = {"pulled", "in pull_authors"} if threshold else set()
    assert traces_of(user_id) == OF_A_USER - {"pulled"} | pulled | {
        *("in following", "in followers", "in members")
    }
    delete_account(user=alice)
    drain()
    assert_gone(user_id, friends, status_ids)
    assert get_client().exists(keys.list_timeline(user_id, own_list.pk)) == 0
    assert get_client().exists(keys.list_members(user_id, own_list.pk)) == 0
    listed = contents_of(keys_of_the_test("listed:*"))
    assert len(listed) >= FRIENDS, "friends who are in no list any more are known to be so"
    assert {member for members in listed.values() for member in dict(members)} == {"0"}


@pytest.mark.parametrize("threshold", [0, 1], ids=["pushed", "pulled"])
def test_work_that_was_under_way_leaves_nothing_of_an_account(
    alice: User,
    friends: list[User],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    threshold: int,
) -> None:
    """Chains of deliveries and sweeps, a change of mode, and follows whose process died."""
    monkeypatch.setattr(fan_out, "FIRST_DELIVERIES", 1)
    monkeypatch.setattr(fan_out, "BATCH_SIZE", 1)
    monkeypatch.setattr(tasks, "LINK_SIZE", 1)
    settings.PULL_THRESHOLD = threshold
    user_id = alice.pk
    with dying_after_the_commit():
        unfollow(follower=friends[1], followee=alice)
        unfollow(follower=alice, followee=friends[1])
    delete_status(status=post_status(author=alice, text="swept"), by=alice)
    post_status(author=alice, text="on its way")
    status_ids = list(alice.statuses.values_list("pk", flat=True))
    delete_account(user=alice)
    drain()
    drain(now=timezone.now() + ONCE_MORE_AFTER)
    assert_gone(user_id, friends, status_ids)


def test_tags_and_mentions_of_an_account_go_with_it(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what others said to them remains, without a link."""
    monkeypatch.setattr(start, "SOME", 2)
    monkeypatch.setattr(status_tasks, "PART", 1)
    follow_tag(user=bob, name="tea")
    follow_tag(user=alice, name="tea")
    statuses = [post_status(author=alice, text=f"{n} #tea with @bob, @carol") for n in range(3)]
    (said,) = find_statuses([statuses[0].pk]).values()
    others = [
        post_status(author=bob, text="more #tea, @alice?"),
        post_status(author=carol, text="a reply", reply_to=said.id),
        post_status(author=carol, text="@alice and @bob"),
    ]
    drain()
    read_what_others_said(alice, bob, carol)
    assert [person.username for person in selectors.addressees(bob)] == ["alice"]
    delete_account(user=alice)
    drain()
    assert not Tagging.objects.filter(status_id__in=[it.pk for it in statuses]).exists()
    assert set(Mention.objects.values_list("user__username", "author_id")) == {("bob", carol.pk)}
    assert [it.user for it in TagFollow.objects.all()] == [bob]
    assert differences() == []
    assert selectors.addressees(bob) == []
    assert [it.username for it in selectors.addressees(carol)] == ["bob"]
    assert [it.id for it in selectors.mentions(bob)] == [others[2].pk]
    assert [it.text for it in selectors.home(bob)] == ["more #tea, @alice?"]
    tag = tag_named("tea")
    assert [it.id for it in selectors.tag_timeline(tag)] == [others[0].pk]
    shown = find_statuses([status.pk for status in others]).values()
    assert not any(it.account and it.account.id == alice.pk for each in shown for it in each.found)
    assert differences() == []


def read_what_others_said(*users: User) -> None:
    for user in users:
        selectors.home(user)
        selectors.mentions(user)
        selectors.addressees(user)
    for tag in Tag.objects.all():
        selectors.tag_timeline(tag)


def test_an_account_deleted_before_its_statuses_are_indexed_leaves_nothing(
    alice: User, bob: User
) -> None:
    post_status(author=bob, text="#tea with @alice")
    drain()
    read_what_others_said(alice, bob)
    statuses = [post_status(author=alice, text=f"{n} #tea with @bob") for n in range(3)]
    status_tasks.follow_up.call(statuses[0].pk)
    delete_account(user=alice)
    for status in statuses:
        status_tasks.follow_up.call(status.pk)
    drain()
    assert not Mention.objects.exists()
    assert Tagging.objects.count() == 1
    assert differences() == []

from collections.abc import Callable

import pytest
from django.conf import settings as site
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at
from relations import store as edges
from relations.models import Follow
from relations.services import follow, unfollow
from statuses.services import post_status
from tests.cast import make_user
from tests.races import in_threads
from users import store
from users.models import User
from users.services import delete_account
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def counters(*users: User) -> list[tuple[int, int]]:
    """(following, followers) of each, which must be the same in SQL and in Redis."""
    people = store.read_users([user.pk for user in users])
    in_redis = [(people[user.pk].following, people[user.pk].followers) for user in users]
    for user in users:
        user.refresh_from_db()
    assert in_redis == [(user.following_count, user.followers_count) for user in users]
    return in_redis


def test_following_counts_on_both_sides_however_often(ann: User, ben: User) -> None:
    assert follow(follower=ann, followee=ben) is True
    assert follow(follower=ann, followee=ben) is False
    assert counters(ann, ben) == [(1, 0), (0, 1)]
    assert unfollow(follower=ann, followee=ben) is True
    assert unfollow(follower=ann, followee=ben) is False
    assert counters(ann, ben) == [(0, 0), (0, 0)]


def test_nobody_follows_themselves(ann: User) -> None:
    with pytest.raises(Refusal, match="You can't follow yourself"):
        follow(follower=ann, followee=ann)
    assert not Follow.objects.exists()


def test_there_is_an_upper_limit(ann: User, ben: User, settings: Settings) -> None:
    settings.MAX_FOLLOWING = 1
    follow(follower=ann, followee=make_user("first"))
    with pytest.raises(Refusal, match="You follow 1 accounts, the maximum"):
        follow(follower=ann, followee=ben)
    assert counters(ann) == [(1, 0)]


def test_follows_and_unfollows_at_once_end_as_sql_says(ann: User, ben: User) -> None:
    edges.ensure_following(ann.pk)
    edges.ensure_followers(ben.pk)

    acts = iter([follow, unfollow] * 12)
    in_threads(24, lambda: _and_hang_up(next(acts), ann, ben))
    follows = Follow.objects.filter(follower=ann, followee=ben).count()
    assert counters(ann, ben) == [(follows, 0), (0, follows)]
    assert len(edges.following_ids(ann.pk)) == follows
    assert len(edges.newest_followers(ben.pk, below=None, limit=9).edges) == follows


def test_two_who_follow_each_other_at_once_do_not_wait_for_ever(ann: User, ben: User) -> None:
    pairs = iter([(ann, ben), (ben, ann)] * 8)
    in_threads(16, lambda: _and_hang_up(follow, *next(pairs)))
    assert counters(ann, ben) == [(1, 1), (1, 1)]


def test_follower_lists_page_over_all_partitions_newest_first(ann: User) -> None:
    """A thousand follows in one millisecond: their ids differ only in the sequence."""
    first = first_id_at(timezone.now())
    crowd = User.objects.bulk_create(
        User(username=f"f{number}", email="f@example.com") for number in range(1_000)
    )
    Follow.objects.bulk_create(
        Follow(id=first + place, follower=user, followee=ann) for place, user in enumerate(crowd)
    )
    seen: list[int] = []
    below = None
    while page := edges.newest_followers(ann.pk, below=below, limit=70).edges:
        seen += [edge.user_id for edge in page]
        below = page[-1].row_id
    assert seen == [user.pk for user in reversed(crowd)]


def test_a_lost_side_is_read_from_sql(ann: User, ben: User) -> None:
    follow(follower=ann, followee=ben)
    get_client().delete(keys.following(ann.pk), *_follower_keys(ben))
    assert edges.following_ids(ann.pk) == [ben.pk]
    assert [edge.user_id for edge in edges.newest_followers(ben.pk, below=None, limit=5).edges] == [
        ann.pk
    ]


def test_a_deleted_account_leaves_nothing_with_others(ann: User, ben: User) -> None:
    follow(follower=ann, followee=ben)
    follow(follower=ben, followee=ann)
    for user in (ann, ben):
        edges.ensure_following(user.pk)
        edges.ensure_followers(user.pk)
    gone = ben.pk
    delete_account(user=ben)
    assert counters(ann) == [(0, 0)]
    assert edges.following_ids(ann.pk) == []
    assert edges.newest_followers(ann.pk, below=None, limit=5).edges == []
    assert get_client().exists(keys.user(gone), keys.following(gone), keys.followers(0, gone)) == 0


def _follower_keys(user: User) -> list[str]:
    return [keys.followers(partition, user.pk) for partition in range(site.PARTITIONS)]


def _and_hang_up(act: Callable[..., bool], follower: User, followee: User) -> None:
    """A thread has to close its own connection to SQL."""
    try:
        act(follower=follower, followee=followee)
    finally:
        connection.close()


def test_nobody_follows_an_account_that_is_gone(ann: User, ben: User) -> None:
    delete_account(user=User.objects.get(pk=ben.pk))
    with pytest.raises(Refusal, match="This account no longer exists"):
        follow(follower=ann, followee=ben)
    assert not Follow.objects.exists()


def test_a_deleted_account_leaves_nothing_also_where_redis_knew_nothing(
    ann: User, ben: User
) -> None:
    """The profile and the follows were never loaded; only the hashes are there."""
    follow(follower=ann, followee=ben)
    follow(follower=ben, followee=ann)
    status = post_status(author=ben, text="soon gone")
    get_client().delete(keys.profile(ben.pk), keys.following(ben.pk), *_follower_keys(ben))
    delete_account(user=ben)
    assert get_client().exists(keys.status(status.pk)) == 0
    assert counters(ann) == [(0, 0)]

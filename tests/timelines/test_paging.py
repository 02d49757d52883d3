"""Pages by cursor: from Redis as far down as it reaches, then from SQL, without a seam."""

from collections.abc import Callable
from functools import partial

import pytest

from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses import store as status_store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.services import post_status
from timelines import store
from timelines.selectors import home, profile
from users.models import User


@pytest.fixture
def posts(alice: User, bob: User, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """30 statuses, newest first, of which Redis keeps the newest 10."""
    monkeypatch.setattr(store, "TIMELINE_SIZE", 10)
    monkeypatch.setattr(status_store, "PROFILE_SIZE", 10)
    home(bob)
    return [post_status(author=alice, text=f"{number}").pk for number in range(30)][::-1]


def ids(page: list[ShownStatus]) -> list[int]:
    return [status.id for status in page]


@pytest.mark.parametrize("limit", [1, 3, 7, 10, 30, 50])
def test_older_pages_go_on_from_sql_without_gap_or_repeat(
    bob: User, alice: User, posts: list[int], limit: int
) -> None:
    assert walk(partial(home, bob, limit=limit)) == posts
    assert walk(partial(profile, alice, limit=limit)) == posts


def walk(read: Callable[..., list[ShownStatus]]) -> list[int]:
    """Every page, one after the other, as a reader would."""
    seen: list[int] = []
    while page := ids(read(max_id=seen[-1] if seen else None)):
        seen += page
    return seen


def test_since_id_gives_the_newest_that_came_since(bob: User, posts: list[int]) -> None:
    assert ids(home(bob, since_id=posts[4], limit=3)) == posts[:3]
    assert ids(home(bob, since_id=posts[2], limit=30)) == posts[:2]
    assert home(bob, since_id=posts[0]) == []


def test_min_id_gives_what_came_right_after(bob: User, posts: list[int]) -> None:
    assert ids(home(bob, min_id=posts[6], limit=3)) == posts[3:6]
    assert ids(home(bob, min_id=posts[25], limit=3)) == posts[22:25], "below what Redis keeps"
    assert home(bob, min_id=posts[0]) == []


def test_min_id_and_max_id_bound_a_page_from_both_sides(bob: User, posts: list[int]) -> None:
    assert ids(home(bob, min_id=posts[9], max_id=posts[6], limit=30)) == posts[7:9]
    assert ids(home(bob, since_id=posts[28], max_id=posts[20], limit=30)) == posts[21:28]


def test_a_status_lost_in_redis_comes_back_from_sql(bob: User, posts: list[int]) -> None:
    get_client().delete(keys.status(posts[0]), keys.status(posts[5]))
    assert ids(home(bob, limit=10)) == posts[:10]
    assert get_client().exists(keys.status(posts[0]), keys.status(posts[5])) == 2


def test_a_status_gone_from_sql_never_shows_and_its_id_is_dropped(
    bob: User, posts: list[int]
) -> None:
    """As after a crash in the middle of a deletion, before the worker has run."""
    gone = posts[1]
    Status.objects.filter(pk=gone).delete()
    get_client().delete(keys.status(gone))
    assert ids(home(bob, limit=3)) == [posts[0], posts[2], posts[3]], "the page is filled up"
    assert str(gone) not in get_client().lrange(keys.home(bob.pk), 0, -1)


def test_a_home_lives_for_30_days_after_it_was_read(bob: User, posts: list[int]) -> None:
    client, key = get_client(), keys.home(bob.pk)
    client.expire(key, 100)
    home(bob)
    assert client.ttl(key) > 29 * 24 * 3600


def test_following_somebody_with_many_statuses_leaves_no_hole(
    alice: User, carol: User, posts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only some of them are merged at once; what lies below comes from SQL."""
    monkeypatch.setattr("timelines.membership.MERGED_AT_ONCE", 4)
    own = [post_status(author=carol, text="own").pk]
    home(carol)
    follow(follower=carol, followee=alice)
    assert ids(home(carol, limit=50)) == own + posts

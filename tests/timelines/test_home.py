from relations.services import follow, unfollow
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from timelines.selectors import home, profile
from users.models import User


def said(user: User, **page: int) -> list[str]:
    return [status.text for status in home(user, **page)]


def test_a_status_reaches_its_author_and_followers(alice: User, bob: User, carol: User) -> None:
    assert said(bob) == []
    post_status(author=alice, text="hello")
    assert said(alice) == said(bob) == ["hello"]
    assert said(carol) == []


def test_a_home_is_built_when_it_is_first_read(alice: User, bob: User) -> None:
    for n in range(3):
        post_status(author=alice, text=f"{n}")
    assert said(bob) == ["2", "1", "0"]


def test_following_merges_and_unfollowing_removes(alice: User, carol: User) -> None:
    post_status(author=alice, text="before")
    assert said(carol) == []
    follow(follower=carol, followee=alice)
    assert said(carol) == ["before"]
    unfollow(follower=carol, followee=alice)
    assert said(carol) == []


def test_a_deleted_status_is_gone_at_once(alice: User, bob: User) -> None:
    said(bob)
    status = post_status(author=alice, text="oops")
    assert said(bob) == ["oops"]
    assert delete_status(status=status, by=alice) is True
    assert said(bob) == said(alice) == []
    assert delete_status(status=status, by=alice) is False
    drain()
    assert profile(alice) == []

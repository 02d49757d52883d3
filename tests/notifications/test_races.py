"""Things that end while somebody is notified of them."""

from collections.abc import Callable
from functools import partial

import pytest

from notifications import tasks
from notifications.models import Notification
from relations.services import follow, unfollow
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.reactions.services import boost, like, unboost
from statuses.services import delete_status, edit_status, post_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import Told, assert_sound, at_once, say, told, unread
from tests.redis_keys import keys_of_the_test
from users.models import User
from users.services import delete_account

TIMES = 5
Job = Callable[[], object]


@pytest.mark.parametrize("order", [1, -1])
def test_a_status_that_is_deleted_meanwhile_leaves_nothing(
    alice: User, carol: User, order: int
) -> None:
    for number in range(TIMES):
        status = post_status(author=carol, text=f"@alice {number}")
        jobs: list[Job] = [
            partial(status_tasks.follow_up.call, status.pk),
            partial(delete_status, status=status, by=carol),
            drain,
        ]
        at_once(*jobs[::order])
        assert told(alice) == []
        assert unread(alice) == 0
    assert not Notification.objects.exists()
    assert keys_of_the_test("notification:*") == []


def test_a_status_that_is_edited_meanwhile_names_those_it_names_last(
    alice: User, bob: User, carol: User
) -> None:
    drain()
    for _ in range(TIMES):
        status = post_status(author=carol, text="@alice")
        at_once(
            partial(status_tasks.follow_up.call, status.pk),
            partial(edit_status, status=status, by=carol, text="@bob"),
            drain,
        )
        drain()
        named = Notification.objects.filter(subject=status.pk).values_list("recipient", flat=True)
        assert list(named) == [bob.pk]
    assert_sound()


def test_a_boost_that_comes_and_goes_during_an_edit(alice: User, carol: User) -> None:
    for number in range(TIMES):
        status = say(alice, f"number {number}")
        boost(user=carol, status=status)
        at_once(
            partial(unboost, user=carol, status_id=status.id),
            partial(edit_status, status=Status.objects.get(pk=status.id), by=alice, text="more"),
            drain,
        )
        assert told(carol) == []
    assert_sound()


def test_an_account_that_is_deleted_meanwhile_leaves_nothing(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    for number in range(TIMES):
        fan = make_user(f"fan{number}")
        like(user=fan, status=status)
        follow(follower=fan, followee=alice)
        follow(follower=carol, followee=fan)
        at_once(
            partial(delete_account, user=fan),
            partial(tasks.likes_changed.call, status.id),
            drain,
        )
        assert told(alice) == [Told("like", ["carol"])]
        assert Notification.objects.count() == 1
    assert len(keys_of_the_test("notification:*")) == 1
    assert_sound()


def test_follows_and_unfollows_at_once_end_as_sql_says(alice: User) -> None:
    fans = [make_user(f"fan{number}") for number in range(6)]

    def follow_and_leave(fan: User, *, stays: bool) -> None:
        follow(follower=fan, followee=alice)
        unfollow(follower=fan, followee=alice)
        if stays:
            follow(follower=fan, followee=alice)

    jobs = [partial(follow_and_leave, fan, stays=fan in fans[:3]) for fan in fans]
    at_once(*jobs, drain, drain)
    [group] = told(alice)
    assert (group.kind, len(group.names) + group.others) == ("follow", 3)
    assert_sound()

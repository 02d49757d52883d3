"""Two things at once, one of them stopped at its most delicate point while the other runs.

A build has read its statuses but not written them; a follow has read whom to merge; a fan-out is
between two batches. What happens then must not get lost, and must not come back.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from redistools import keys
from redistools.client import get_client
from relations import store as edges
from relations.services import follow, unfollow
from statuses import store as status_store
from statuses import tasks as status_tasks
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.soundness import wrong_with_users
from timelines import fan_out, selectors, store, tasks
from timelines.store import home_of
from users.models import User
from users.store import read_users


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`after(module, "function", action)`: the action runs once, right after the function."""

    def arrange(module: object, name: str, action: Callable[[], object]) -> None:
        real, waiting = getattr(module, name), [action]

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            while waiting:
                waiting.pop()()
            return result

        monkeypatch.setattr(module, name, wrapper)

    return arrange


def texts(user: User) -> list[str]:
    return [status.text for status in selectors.home(user)]


def assert_sound(*users: User) -> None:
    drain()
    for user in users:
        user.refresh_from_db()
        assert wrong_with_users([user]) == []


def test_an_unfollow_during_a_build_is_not_undone(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    post_status(author=alice, text="hello")
    after(store, "collect", lambda: unfollow(follower=bob, followee=alice))
    assert texts(bob) == []
    assert_sound(alice, bob)


def test_an_old_build_does_not_pass_for_the_one_that_came_after_it(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    """The home was forgotten, so the unfollow had nothing to mark; then another began to build."""
    post_status(author=alice, text="hello")

    def lose_unfollow_and_build_again() -> None:
        get_client().unlink(keys.home(bob.pk))
        unfollow(follower=bob, followee=alice)
        store._open(get_client(), [keys.home(bob.pk)], [store.LIFETIME, 0])

    after(store, "collect", lose_unfollow_and_build_again)
    assert texts(bob) == []
    assert_sound(alice, bob)


def test_a_deletion_during_a_build_is_not_undone(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    status = post_status(author=alice, text="hello")

    def delete_and_sweep() -> None:
        delete_status(status=status, by=alice)
        drain()

    after(store, "collect", delete_and_sweep)
    assert texts(bob) == []
    assert get_client().lrange(keys.home(bob.pk), 0, -1) == ["0"]


def test_a_status_posted_during_a_build_is_not_lost(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    post_status(author=alice, text="first")
    after(store, "collect", lambda: post_status(author=alice, text="second"))
    assert texts(bob) == ["second", "first"]
    assert_sound(alice, bob)


def test_a_follow_during_a_build_is_not_lost(
    alice: User, bob: User, carol: User, after: Callable[..., None]
) -> None:
    post_status(author=carol, text="from carol")
    after(store, "collect", lambda: follow(follower=bob, followee=carol))
    assert texts(bob) == ["from carol"]
    assert_sound(bob, carol)


def test_an_unfollow_during_the_merge_of_a_follow_wins(
    alice: User, carol: User, after: Callable[..., None]
) -> None:
    post_status(author=alice, text="hello")
    texts(carol)
    unfollow_now = partial(unfollow, follower=carol, followee=alice)
    after(status_store, "newest_ids", unfollow_now)
    follow(follower=carol, followee=alice)
    assert texts(carol) == []
    assert_sound(alice, carol)


def test_a_follow_during_the_removal_of_an_unfollow_wins(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    post_status(author=alice, text="hello")
    texts(bob)
    follow_again = partial(follow, follower=bob, followee=alice)
    after(status_store, "ids_from", follow_again)
    unfollow(follower=bob, followee=alice)
    assert texts(bob) == ["hello"]
    assert_sound(alice, bob)


def test_a_deletion_during_the_merge_of_a_follow_wins(
    alice: User, carol: User, after: Callable[..., None]
) -> None:
    status = post_status(author=alice, text="hello")
    texts(carol)

    def delete_and_sweep() -> None:
        delete_status(status=status, by=alice)
        drain()

    after(status_store, "newest_ids", delete_and_sweep)
    follow(follower=carol, followee=alice)
    assert get_client().lrange(keys.home(carol.pk), 0, -1) == ["0"]


def test_a_deletion_while_its_status_is_served_wins(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    status = post_status(author=alice, text="hello")
    selectors.home(bob)
    delete = partial(delete_status, status=status, by=alice)
    after(status_store, "write_statuses", delete)
    status_tasks.publish.call(status.pk, alice.pk)
    assert status_store.read_statuses([status.pk]) == {}
    assert texts(bob) == []
    assert_sound(alice, bob)


def test_what_is_counted_while_a_status_is_served_is_counted(
    alice: User, bob: User, after: Callable[..., None]
) -> None:
    status = post_status(author=alice, text="hello")
    after(status_store, "write_statuses", partial(post_status, author=alice, text="another"))
    status_tasks.publish.call(status.pk, alice.pk)
    assert read_users([alice.pk])[alice.pk].posts == 2
    assert texts(bob) == ["another", "hello"]
    assert_sound(alice, bob)


def test_an_unfollow_while_the_follow_is_written_wins(
    alice: User, carol: User, after: Callable[..., None]
) -> None:
    post_status(author=alice, text="hello")
    selectors.home(carol)
    after(edges, "read_edge", partial(unfollow, follower=carol, followee=alice))
    follow(follower=carol, followee=alice)
    assert edges.following_ids(carol.pk) == []
    assert read_users([alice.pk])[alice.pk].followers == 0
    assert texts(carol) == []
    assert_sound(alice, carol)


def test_a_fan_out_goes_on_while_followers_come_and_go(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One follower per call; between two calls the audience changes on both sides of the cursor."""
    monkeypatch.setattr(fan_out, "BATCH_SIZE", 1)
    monkeypatch.setattr("timelines.fan_out.FIRST_DELIVERIES", 1)
    monkeypatch.setattr(tasks, "LINK_SIZE", 1)
    crowd = [make_user(f"reader{number}") for number in range(40)]
    for user in crowd:
        follow(follower=user, followee=alice)
        texts(user)
    post_status(author=alice, text="hello")
    stays, goes, comes = crowd[:30], crowd[30:], make_user("newcomer")
    for user in goes:
        unfollow(follower=user, followee=alice)
    follow(follower=comes, followee=alice)
    drain()
    assert [texts(user) for user in stays] == [["hello"]] * len(stays)
    assert [texts(user) for user in goes] == [[]] * len(goes)
    assert texts(comes) == ["hello"]
    assert_sound(alice, comes, *crowd)


def test_many_threads_at_once_end_as_sql_says(alice: User, bob: User, carol: User) -> None:
    people = [alice, bob, carol]
    for user in people:
        texts(user)
        edges.ensure_followers(user.pk)
    jobs: list[Callable[[], object]] = []
    for number in range(24):
        one, other = people[number % 3], people[(number + 1) % 3]
        jobs += [
            partial(post_status, author=one, text="hello"),
            partial(follow, follower=one, followee=other),
            partial(unfollow, follower=one, followee=other),
            partial(store.build, home_of(one.pk), again=True),
        ]
    waiting = iter(jobs)

    def work() -> None:
        try:
            for _ in range(12):
                next(waiting)()
        finally:
            connection.close()

    in_threads(8, work)
    assert_sound(*people)

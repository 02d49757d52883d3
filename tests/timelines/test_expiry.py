"""Copies that nobody has read for long are gone, and come back when somebody needs them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.conf import settings

from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses.reactions.services import like
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses, read_statuses
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.redis_keys import let_keys_age
from tests.round_trips import counting_round_trips
from tests.soundness import wrong_with_statuses, wrong_with_users
from timelines.selectors import home
from users.models import User

PAGE = 30
# The ids of those that exist, and their rows; a savepoint around these.
QUERIES = 4


def expire(*status_ids: int) -> None:
    get_client().delete(*keys.statuses(status_ids))


def test_a_page_of_expired_statuses_costs_one_more_round_trip(
    alice: User, bob: User, django_assert_max_num_queries: Any
) -> None:
    ids = [post_status(author=alice, text=f"{number}").pk for number in range(PAGE)]
    expected = home(bob)
    with counting_round_trips() as usual:
        assert home(bob) == expected
    expire(*ids)
    with counting_round_trips() as trips, django_assert_max_num_queries(QUERIES):
        assert home(bob) == expected
    assert len(trips) == len(usual) + 1, str(trips)
    assert len(read_statuses(ids)) == PAGE, "they are back"
    assert home(bob) == expected
    assert wrong_with_statuses(ids) == []


def test_an_expired_status_comes_back_with_its_counters(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    like(user=bob, status=find_statuses([status.pk])[status.pk])
    expire(status.pk)
    (shown,) = home(bob)
    assert (shown.counts.likes, shown.marks.liked) == (1, True)


def test_an_expired_status_is_not_gone_but_a_deleted_one_is(alice: User) -> None:
    lost, deleted = (post_status(author=alice, text=text) for text in ("lost", "deleted"))
    delete_status(status=deleted, by=alice)
    expire(lost.pk)
    shown = show([lost.pk, deleted.pk], viewer=alice)
    assert [it.text for it in shown.statuses] == ["lost"]
    assert shown.gone == [deleted.pk]


def while_it_is_read(status_id: int, reader: User, action: Callable[[], object]) -> None:
    read = partial(show, [status_id], viewer=reader)
    jobs: list[Callable[[], object]] = [read, action, read]
    in_threads(len(jobs), lambda: jobs.pop()())


@pytest.mark.django_db(transaction=True)
def test_a_deletion_wins_over_a_reader_who_brings_the_status_back(alice: User, bob: User) -> None:
    home(bob)
    for _ in range(10):
        status = post_status(author=alice, text="oops")
        expire(status.pk)
        while_it_is_read(status.pk, bob, partial(delete_status, status=status, by=alice))
        assert read_statuses([status.pk]) == {}
        assert home(bob) == []


@pytest.mark.django_db(transaction=True)
def test_an_edit_wins_over_a_reader_who_brings_the_status_back(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="0")
    for number in range(1, 8):
        expire(status.pk)
        edit = partial(edit_status, status=status, by=alice, text=str(number))
        while_it_is_read(status.pk, bob, edit)
        assert [it.text for it in home(bob)] == [str(number)]
    assert wrong_with_statuses([status.pk]) == []


def test_a_post_reaches_followers_after_a_month_of_silence(alice: User, bob: User) -> None:
    post_status(author=alice, text="before")
    let_keys_age(32)
    home(bob)
    post_status(author=alice, text="after")
    assert [it.text for it in home(bob)] == ["after", "before"]
    assert wrong_with_users(list(User.objects.all())) == []


def test_the_followers_of_somebody_who_was_silent_are_loaded_in_one_go(alice: User) -> None:
    readers = [make_user(f"reader{number}") for number in range(5)]
    for reader in readers:
        follow(follower=reader, followee=alice)
        home(reader)
    drain()
    with counting_round_trips() as usual:
        post_status(author=alice, text="with all sets")
    audience = [keys.followers(it, alice.pk) for it in range(settings.PARTITIONS)]
    get_client().delete(*audience)
    with counting_round_trips() as trips:
        post_status(author=alice, text="without")
    # Asked for, begun, filled, asked for again; and the second round of deliveries.
    assert len(trips) <= len(usual) + 5, str(trips)
    assert [home(it)[0].text for it in readers] == ["without"] * len(readers)


def test_nothing_is_left_of_somebody_who_stays_away(alice: User, bob: User, carol: User) -> None:
    """Others go on, and nothing that they write brings it back."""
    follow(follower=carol, followee=alice)
    home(carol)
    drain()
    let_keys_age(20)
    home(bob)
    let_keys_age(20)
    post_status(author=alice, text="hello")
    drain()
    home(bob)
    assert keys_of(carol) == []
    assert [it.text for it in home(carol)] == ["hello"]


def keys_of(user: User) -> list[str]:
    tag = f"{{{keys.tag(keys.partition(user.pk))}}}:{user.pk}"
    return [str(it) for it in get_client().scan_iter(match=f"*{tag}", count=10_000)]

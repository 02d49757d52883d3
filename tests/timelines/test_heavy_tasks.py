"""Tasks that read thousands of rows: a bounded number runs at once, over all workers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from redistools import keys
from redistools.client import get_client
from redistools.semaphore import Semaphore
from statuses.services import post_status
from taskqueue.drain import drain
from timelines import tasks
from timelines.selectors import home
from users.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def length_of_home(user: User) -> int:
    length: int = get_client().llen(keys.home(user.pk))
    return length


def test_a_refill_waits_while_all_places_are_taken(alice: User, bob: User) -> None:
    for number in range(3):
        post_status(author=alice, text=f"number {number}")
    home(bob)
    whole = length_of_home(bob)
    get_client().ltrim(keys.home(bob.pk), 0, 0)
    places = Semaphore(get_client(), "heavy", limit=tasks.HEAVY_AT_ONCE, lease=30)
    others = [f"other {number}" for number in range(tasks.HEAVY_AT_ONCE)]
    assert all(places.enter(ticket) for ticket in others)

    tasks.refill_home.enqueue(bob.pk)
    drain()
    assert length_of_home(bob) == 1
    assert len(home(bob)) == 3  # reading never waits

    places.leave(others[0])
    drain(now=timezone.now() + timedelta(minutes=1))
    assert length_of_home(bob) == whole

"""Many threads on the real database file and the real Redis."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from redistools import keys
from redistools.client import get_client
from users import selectors, store
from users.models import User
from users.services import change_profile, delete_account, sign_up

from .conftest import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(deeds: Iterable[Callable[[], object]]) -> list[object]:
    """Do all deeds at the same instant, each in a thread of its own."""
    waiting = list(deeds)
    start = threading.Barrier(len(waiting))

    def do(deed: Callable[[], object]) -> object:
        try:
            start.wait()
            return deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(waiting)) as pool:
        return list(pool.map(do, waiting))


def outcome_of_sign_up(username: str) -> str | list[str]:
    try:
        return sign_up(username=username, email="a@example.com", password=PASSWORD).username
    except ValidationError as error:
        return error.message_dict["username"]


def test_of_64_simultaneous_sign_ups_for_one_name_one_wins() -> None:
    spellings = ["alice", "Alice", "ALICE", "aLiCe"] * 16
    outcomes = at_once(partial(outcome_of_sign_up, name) for name in spellings)
    winner = User.objects.get()
    assert outcomes.count(winner.username) == 1
    assert outcomes.count(["This name is taken."]) == 63
    assert store.read_users([winner.pk])[winner.pk].login == winner.username


def test_of_many_profile_changes_the_last_one_in_sql_is_the_last_one_in_redis(alice: User) -> None:
    for _ in range(5):
        change = partial(change_profile, bio="")
        at_once(
            partial(change, user=User.objects.get(), name=f"Alice {number}") for number in range(16)
        )
        assert store.read_users([alice.pk])[alice.pk].name == User.objects.get().name


def test_reading_a_profile_never_brings_a_deleted_account_back() -> None:
    for _ in range(10):
        user = sign_up(username="alice", email="a@example.com", password=PASSWORD)
        get_client().delete(keys.user(user.pk))
        reads = [partial(selectors.profiles, [user.pk])] * 8
        at_once([*reads, partial(delete_account, user=user), *reads])
        assert store.read_users([user.pk]) == {}

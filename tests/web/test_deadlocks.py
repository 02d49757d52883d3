"""Transactions that wait for each other."""

import threading
from contextlib import suppress
from functools import partial
from itertools import count

import psycopg
import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from lists.services import add_to_list, create_list, delete_list, remove_from_list
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.services import delete_status, post_status
from statuses.store import find_statuses, refresh_statuses
from tests import postgres
from tests.races import in_threads
from users.models import User
from web.refusals import Refusal
from web.sql.deadlocks import ATTEMPTS

THREADS, ROUNDS = 6, 40

pytestmark = pytest.mark.django_db(transaction=True)

attempts: list[str] = []
both_hold_one = threading.Barrier(2)


def lock_both(_request: HttpRequest, first: int, second: int) -> HttpResponse:
    """Locks two accounts; at the first attempt, waits until the other request has one of them."""
    attempts.append(f"{first} {second}")
    with transaction.atomic():
        _lock(first)
        if attempts.count(f"{first} {second}") == 1:
            both_hold_one.wait(timeout=30)
        _lock(second)
    return HttpResponse(f"{first} and {second}")


def never(_request: HttpRequest) -> HttpResponse:
    attempts.append("never")
    raise OperationalError("deadlock detected") from psycopg.errors.DeadlockDetected()


def broken(_request: HttpRequest) -> HttpResponse:
    attempts.append("broken")
    raise OperationalError("the server is away") from psycopg.OperationalError()


def _lock(user_id: int) -> None:
    User.objects.select_for_update(no_key=True).get(pk=user_id)


urlpatterns = [
    path("lock/<int:first>/<int:second>/", lock_both),
    path("never/", never),
    path("broken/", broken),
]


@pytest.fixture(autouse=True)
def no_attempts() -> None:
    attempts.clear()


@postgres.needed
@override_settings(ROOT_URLCONF=__name__)
def test_both_requests_are_answered(alice: User, bob: User) -> None:
    addresses = [f"/lock/{alice.pk}/{bob.pk}/", f"/lock/{bob.pk}/{alice.pk}/"]
    answers = in_threads(2, lambda: Client().get(addresses.pop()).status_code)
    assert answers == [200, 200]
    assert len(attempts) > 2


def add_and_delete_lists(owner: User, member: User) -> None:
    list_ = owner.lists.first() or create_list(owner=owner, name="reading")
    add_to_list(list_=list_, user=member)
    remove_from_list(list_=list_, user=member)
    delete_list(list_=list_)


def answer_and_delete(author: User, parent: Status) -> None:
    [stored] = find_statuses([parent.pk]).values()
    answer = post_status(author=author, text="answer", reply_to=stored.id)
    refresh_statuses([parent.pk, answer.pk])
    delete_status(status=answer, by=author)


def like_and_unlike(user: User, parent: Status) -> None:
    [stored] = find_statuses([parent.pk]).values()
    reactions.like(user=user, status=stored)
    reactions.boost(user=user, status=stored)
    reactions.unlike(user=user, status_id=parent.pk)
    reactions.unboost(user=user, status_id=parent.pk)


def test_services_do_not_wait_for_each_other_for_ever(alice: User, bob: User, carol: User) -> None:
    """Each thread does everything, in an order of its own, for and against the same people."""
    status = post_status(author=alice, text="hello")
    cast, starts = [alice, bob, carol], count()

    def live() -> None:
        start = next(starts)
        for number in range(start, start + ROUNDS):
            one, other = cast[number % 3], cast[(number + start) % 3]
            works = [
                partial(add_and_delete_lists, one, other),
                partial(answer_and_delete, one, status),
                partial(like_and_unlike, one, status),
                partial(follow_and_unfollow, one, other),
            ]
            with suppress(Refusal, ValidationError):  # somebody else deleted the list, or made one
                works[number % len(works)]()

    in_threads(THREADS, live)


def follow_and_unfollow(one: User, other: User) -> None:
    if one != other:
        follow(follower=one, followee=other)
        unfollow(follower=one, followee=other)


@override_settings(ROOT_URLCONF=__name__)
def test_what_fails_each_time_is_given_up() -> None:
    with pytest.raises(OperationalError):
        Client().get("/never/")
    assert attempts == ["never"] * ATTEMPTS


@override_settings(ROOT_URLCONF=__name__)
def test_other_errors_are_not_repeated() -> None:
    with pytest.raises(OperationalError):
        Client().get("/broken/")
    assert attempts == ["broken"]

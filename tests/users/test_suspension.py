"""Suspending and restoring accounts, and the copy in Redis of who is suspended."""

import asyncio
import io
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connections
from django.test import Client

from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_async_client, get_client
from relations.services import follow
from taskqueue import outbox
from taskqueue.drain import drain
from tests.round_trips import counting_round_trips
from tests.users.conftest import PASSWORD
from tests.users.test_races import at_once
from upkeep.checking import differences
from users.models import RestingName, User
from users.services import delete_account, restore, sign_up, suspend
from users.standing import suspension
from users.standing.suspension import suspended_ids
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def moderator(*rights: str, **fields: bool) -> User:
    user = User.objects.create_user("mod", "mod@example.com", PASSWORD, is_staff=True, **fields)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return User.objects.get(pk=user.pk)


def test_an_account_is_suspended_once_and_restored_once(alice: User, carol: User) -> None:
    assert suspended_ids() == frozenset()
    assert suspend(user=alice) is True
    assert suspended_ids() == {alice.pk}
    assert suspend(user=alice) is False
    assert suspend(user=carol) is True
    assert suspended_ids() == {alice.pk, carol.pk}
    assert restore(user=alice) is True
    assert restore(user=alice) is False
    assert suspended_ids() == {carol.pk}
    assert User.objects.filter(is_active=False).get() == carol


def test_asking_costs_one_round_trip_and_no_query(
    alice: User, django_assert_num_queries: Callable[[int], Any]
) -> None:
    suspend(user=alice)
    suspended_ids()
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert suspended_ids() == {alice.pk}
    assert len(trips) == 1, trips.sent


def test_another_process_knows_at_once(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspend(user=carol)
    suspended_ids()
    others = suspension._kept
    suspend(user=alice)
    monkeypatch.setattr(suspension, "_kept", others)
    assert suspended_ids() == {alice.pk, carol.pk}
    restore(user=carol)
    monkeypatch.setattr(suspension, "_kept", others)
    assert suspended_ids() == {alice.pk}


@pytest.mark.parametrize(
    "lost", [[keys.suspended], [keys.suspension_version], [keys.suspended, keys.suspension_version]]
)
def test_what_redis_lost_comes_back_from_sql(
    alice: User, carol: User, lost: list[Callable[[], str]]
) -> None:
    suspend(user=alice)
    suspended_ids()
    get_client().delete(*(key() for key in lost))
    assert suspended_ids() == {alice.pk}
    get_client().delete(*(key() for key in lost))
    suspend(user=carol)
    restore(user=alice)
    assert suspended_ids() == {carol.pk}
    assert get_client().zscore(keys.suspended(), carol.pk), "and is in Redis again"


def test_many_are_read_part_by_part(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspension, "PART", 1)
    dave = sign_up(username="dave", email="dave@example.com", password=PASSWORD)
    for user in (dave, alice, carol):
        suspend(user=user)
        assert user.pk in suspended_ids()
    assert suspended_ids() == {alice.pk, carol.pk, dave.pk}
    restore(user=carol)
    assert suspended_ids() == {alice.pk, dave.pk}


def test_a_process_that_dies_after_the_commit_leaves_the_rest_to_a_worker(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended_ids()

    def die(_user_ids: object) -> None:
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(suspension, "refresh", die)
        with pytest.raises(SystemExit):
            suspend(user=alice)
    assert not User.objects.get(pk=alice.pk).is_active
    assert suspended_ids() == frozenset()
    drain()
    assert suspended_ids() == {alice.pk}
    assert outbox.waiting() == 0


def test_of_suspensions_and_restorations_at_once_the_last_word_in_sql_counts(
    alice: User, carol: User
) -> None:
    actions = [partial(action, user=alice) for action in (suspend, restore) for _ in range(6)]
    at_once([*actions, partial(suspend, user=carol), suspended_ids, suspended_ids])
    drain()
    in_sql = set(User.objects.filter(is_active=False).values_list("pk", flat=True))
    assert suspended_ids() == in_sql
    assert not list(differences(None, Counter()))


def test_a_suspension_while_the_set_is_loaded_is_not_lost(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = suspension.in_sql

    def read_too_early() -> Any:
        loaded = real()
        monkeypatch.setattr(suspension, "in_sql", real)
        suspend(user=alice)
        return loaded

    monkeypatch.setattr(suspension, "in_sql", read_too_early)
    suspended_ids()
    assert suspended_ids() == {alice.pk}


def test_a_copy_that_was_read_earlier_does_not_undo_a_suspension(alice: User) -> None:
    """As a slow change of the password would."""
    earlier = User.objects.get(pk=alice.pk)
    suspend(user=alice)
    earlier.set_password("eight blue bottles")
    earlier.save()
    alice.refresh_from_db()
    assert not alice.is_active
    assert alice.check_password("eight blue bottles")


def test_nobody_follows_or_lists_an_account_that_was_suspended_just_now(
    alice: User, carol: User
) -> None:
    earlier = User.objects.get(pk=alice.pk)
    mine = create_list(owner=carol, name="Tea party")
    suspend(user=alice)
    with pytest.raises(Refusal):
        follow(follower=carol, followee=earlier)
    with pytest.raises(Refusal):
        add_to_list(list_=mine, user=earlier)


def test_whoever_takes_the_name_of_a_deleted_account_is_not_suspended(alice: User) -> None:
    earlier = User.objects.get(pk=alice.pk)
    suspend(user=alice)
    assert suspended_ids() == {alice.pk}
    delete_account(user=earlier)
    RestingName.objects.all().delete()
    sign_up(username="Alice", email="other@example.com", password=PASSWORD)
    assert suspended_ids() == frozenset()
    assert not list(differences(None, Counter()))


def lose_the_last_change(user: User) -> None:
    suspend(user=user)
    suspended_ids()
    get_client().zrem(keys.suspended(), user.pk)
    get_client().set(keys.suspension_version(), "another")
    assert suspended_ids() == frozenset()


def test_a_rebuild_reads_who_is_suspended_again(alice: User) -> None:
    lose_the_last_change(alice)
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert suspended_ids() == {alice.pk}


def test_check_timelines_finds_and_repairs_a_copy_that_lost_its_last_change(alice: User) -> None:
    lose_the_last_change(alice)
    (difference,) = differences(None, Counter())
    assert str(difference) == f"suspended accounts: 1 missing ({alice.pk})"
    difference.repair()
    assert suspended_ids() == {alice.pk}


def test_an_event_loop_asks_without_being_blocked(alice: User, carol: User) -> None:
    async def ask() -> frozenset[int]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        try:
            return await suspension.suspended_ids_async()
        finally:
            await get_async_client().aclose()
            await asyncio.to_thread(connections.close_all)  # of the one thread, which ends

    suspend(user=alice)
    assert asyncio.run(ask()) == {alice.pk}
    suspend(user=carol)
    assert asyncio.run(ask()) == {alice.pk, carol.pk}
    assert asyncio.run(ask()) == {alice.pk, carol.pk}


@pytest.mark.usefixtures("site_on_a_cluster")
def test_it_is_so_on_a_cluster_too(client: Client, alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    suspend(user=alice)
    assert suspended_ids() == {alice.pk}
    assert b"Alice" not in client.get("/@carol/following/").content
    restore(user=alice)
    assert b"Alice" in client.get("/@carol/following/").content


def test_who_is_suspended_is_refused_at_the_log_in_and_told_so(client: Client, alice: User) -> None:
    suspend(user=alice)
    page = client.post("/login/", {"username": "alice", "password": PASSWORD})
    assert page.status_code == 403
    assert "@alice is suspended" in page.content.decode()
    assert "_auth_user_id" not in client.session
    restore(user=alice)
    assert client.post("/login/", {"username": "alice", "password": PASSWORD}).status_code == 302


def test_an_open_session_is_worth_nothing_meanwhile(alices_browser: Client, alice: User) -> None:
    suspend(user=alice)
    assert b"Log in" in alices_browser.get("/").content
    for address in ("/statuses/", "/settings/", "/settings/delete/", "/lists/", "/@alice/follow/"):
        answer = alices_browser.post(address, {"text": "still here", "password": PASSWORD})
        assert answer.status_code == 302
        assert answer["Location"].startswith("/login/")
    assert not alice.statuses.exists()
    assert User.objects.filter(pk=alice.pk).exists()

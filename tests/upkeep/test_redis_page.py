"""What Redis holds of an account or a post, compared with SQL and repaired in the admin."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import stores
from staff.models import AuditEntry
from statuses.reactions.services import bookmark, like
from statuses.selectors import visible_or_404
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from timelines.selectors import home
from upkeep import checking
from upkeep.admin import redis_pages
from users import store as users
from users.models import User
from users.serving_copy import USERS


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture
def boss(alice: User, bob: User) -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def address_of(row: Any) -> str:
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/redis/"


def spoil(name: str) -> None:
    client: Any = get_client()
    client.hset(name, "name", "Mallory")


def test_the_page_shows_every_store_of_an_account(boss: Client, alice: User) -> None:
    users.refresh_users([alice.pk])
    page = boss.get(address_of(alice))
    assert [it.store for it in page.context["held"]] == stores(USERS)
    words = page.content.decode()
    assert keys.user(alice.pk) in words
    assert "Alice Liddell" in words
    assert (
        f'href="{address_of(alice)}"'
        in boss.get(f"/admin/users/user/{alice.pk}/change/").content.decode()
    )


def test_a_difference_is_shown_and_repaired(boss: Client, alice: User) -> None:
    users.refresh_users([alice.pk])
    spoil(keys.user(alice.pk))
    page = boss.get(address_of(alice), {"compare": "yes"}).content.decode()
    assert "hash of @alice differs from SQL" in page
    assert users.read_users([alice.pk])[alice.pk].name == "Mallory"
    answer = boss.post(address_of(alice), follow=True)
    assert "1 difference repaired." in answer.content.decode()
    assert "differs from SQL" not in answer.content.decode()
    assert users.read_users([alice.pk])[alice.pk].name == "Alice Liddell"
    assert AuditEntry.objects.get().words == "Redis repaired."
    boss.post(address_of(alice))
    assert AuditEntry.objects.count() == 1


def test_a_post_is_compared_too(boss: Client, alice: User) -> None:
    status = post_status(author=alice, text="tea")
    drain()
    get_client().hset(keys.status(status.pk), "text", "coffee")
    page = boss.get(address_of(status), {"compare": "yes"}).content.decode()
    assert f"hash of status {status.pk} differs from SQL" in page
    boss.post(address_of(status))
    assert get_client().hget(keys.status(status.pk), "text") == "tea"


def test_what_people_like_or_keep_is_not_shown(boss: Client, alice: User, bob: User) -> None:
    status = post_status(author=alice, text="tea")
    seen = visible_or_404(status.pk, viewer=bob)
    like(user=bob, status=seen)
    bookmark(user=bob, status=seen)
    drain()
    home(bob)
    page = boss.get(address_of(bob), {"compare": "yes"}).content.decode()
    assert keys.home(bob.pk) in page
    assert str(status.pk) not in page
    other = post_status(author=alice, text="cake").pk
    get_client().zadd(keys.reactions("bookmark", bob.pk), {str(other): other})
    page = boss.get(address_of(bob), {"compare": "yes"}).content.decode()
    assert "It differs from SQL." in page
    assert str(other) not in page


def test_only_administrators_look_into_redis(alice: User, carol: User) -> None:
    clerk = make_user("clerk", is_staff=True)
    clerk.user_permissions.set(Permission.objects.all())
    users.refresh_users([alice.pk])
    spoil(keys.user(alice.pk))
    for browser in (browser_of(clerk), browser_of(carol), Client()):
        assert browser.get(address_of(alice)).status_code in (302, 403)
        assert browser.post(address_of(alice)).status_code in (302, 403)
    assert users.read_users([alice.pk])[alice.pk].name == "Mallory"
    page = browser_of(clerk).get(f"/admin/users/user/{alice.pk}/change/").content.decode()
    assert address_of(alice) not in page


def test_too_much_is_not_compared_on_a_page(
    boss: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_pages, "MOST_COMPARED", 0)
    User.objects.filter(pk=alice.pk).update(followers_count=1)
    for answer in (boss.get(address_of(alice), {"compare": "yes"}), boss.post(address_of(alice))):
        assert answer.status_code == 409
        assert "check_timelines" in answer.content.decode()
    assert boss.get(address_of(alice)).status_code == 200


@pytest.mark.parametrize("number", ["0", "x", "9" * 40, "-1", "%00"])
def test_unknown_numbers_have_no_page(boss: Client, number: str) -> None:
    assert boss.get(f"/admin/users/user/{number}/redis/").status_code == 404

"""Finding and reading statuses in the admin; `tests/moderation` has what moderators do there."""

from datetime import timedelta

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from redistools.ids import first_id_at
from statuses import admin as status_admin
from statuses import store
from statuses.models import Bookmark, Like, Status
from statuses.reactions.services import bookmark, boost, like
from statuses.services import post_status
from statuses.stored import StoredStatus
from tests.cast import browser_of, make_user
from users.audience import Visibility
from users.models import User
from web.sql import big_tables

LIST = "/admin/statuses/status/"


@pytest.fixture
def admin(alice: User) -> Client:
    helper = make_user("helper", is_staff=True)
    rights = ("view_status", "delete_status")
    helper.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return browser_of(helper)


def found(admin: Client, **query: str) -> list[Status]:
    answer = admin.get(LIST, query)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def test_statuses_are_found_by_author_and_id(admin: Client, alice: User, carol: User) -> None:
    status = post_status(author=alice, text="tea and cake")
    post_status(author=carol, text="coffee")
    for words in ("alice", "@ALICE", str(status.pk)):
        assert found(admin, q=words) == [status]
    for words in ("ali", "cake", "9" * 40, "'; --", "\u0663" * 40, "-1"):
        assert found(admin, q=words) == []


def test_statuses_are_filtered_by_language_visibility_and_date(admin: Client, alice: User) -> None:
    german = post_status(author=alice, text="Tee", language="de")
    unlisted = post_status(author=alice, text="psst", language="en", visibility=Visibility.UNLISTED)
    old = Status.objects.create(
        id=first_id_at(timezone.now() - timedelta(days=10)), author=alice, text="old"
    )
    assert found(admin, language="de") == [german]
    assert found(admin, visibility__exact="1") == [unlisted]
    assert found(admin, on=f"{old.created_at:%Y-%m-%d}") == [old]
    assert found(admin, on=f"{german.created_at:%Y-%m-%d}", language="de") == [german]
    for query in (
        {"on": "x"},
        {"on": "9" * 30},
        {"on": "2025-13"},
        {"on": "0000"},
        {"on": "9999-12-31"},
        {"language": "\x00"},
        {"language": "'"},
    ):
        found(admin, **query)


def test_the_list_counts_no_further_than_it_shows(
    admin: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(big_tables, "MOST_ROWS", 2)
    monkeypatch.setattr(status_admin, "LOOKED_AT", 1)
    for text in ("one", "two", "three"):
        post_status(author=alice, text=text, language="en")
    page = admin.get(LIST)
    assert page.context["cl"].result_count == 2


def test_the_list_leads_to_the_pages_of_the_site(admin: Client, alice: User) -> None:
    status = post_status(author=alice, text="hello")
    link = f'href="/@alice/{status.pk}/"'
    assert link in admin.get(LIST).content.decode()
    assert link in admin.get(f"{LIST}{status.pk}/change/").content.decode()


def test_a_status_is_shown_but_neither_changed_nor_deleted(admin: Client, alice: User) -> None:
    status = post_status(author=alice, text="mine")
    address = f"{LIST}{status.pk}/change/"
    assert b"mine" in admin.get(address).content
    assert admin.post(address, {"text": "forged"}).status_code == 403
    assert admin.get(f"{LIST}add/").status_code == 403
    assert admin.post(f"{LIST}{status.pk}/delete/", {"post": "yes"}).status_code == 403
    fields = {"action": "delete_selected", "_selected_action": [status.pk], "post": "yes"}
    admin.post(LIST, fields)
    assert Status.objects.get().text == "mine"


def said(author: User, text: str, reply_to: StoredStatus | None = None) -> StoredStatus:
    status = post_status(author=author, text=text, reply_to=reply_to.id if reply_to else None)
    return store.read_statuses([status.pk])[status.pk]


def test_the_list_says_what_kind_each_is(admin: Client, alice: User, carol: User) -> None:
    status = said(alice, "tea")
    said(carol, "cake", reply_to=status)
    boost(user=carol, status=status)
    table = admin.get(LIST).context["cl"]
    kinds = {row.pk: table.model_admin.kind(row) for row in table.queryset}
    assert [kinds[pk] for pk in sorted(kinds)] == ["post", "reply", "boost"]
    for kind in ("post", "reply", "boost"):
        (found,) = admin.get(LIST, {"kind": kind}).context["cl"].queryset
        assert kinds[found.pk] == kind
        page = admin.get(f"{LIST}{found.pk}/change/").content.decode()
        assert f'<div class="readonly">{kind}</div>' in page
    assert admin.get(LIST, {"kind": "nonsense"}).context["cl"].queryset.count() == 3


def test_a_boost_of_what_is_gone_can_be_looked_at(admin: Client, alice: User, carol: User) -> None:
    boost(user=carol, status=said(alice, "tea"))
    Status.objects.filter(author=alice).delete()  # its boosts go later
    boosted = Status.objects.get()
    assert admin.get(f"{LIST}{boosted.pk}/change/").status_code == 200
    assert admin.get(LIST).status_code == 200


def test_who_likes_or_keeps_what_is_not_shown(admin: Client, alice: User, carol: User) -> None:
    for model in (Like, Bookmark):
        assert not django_admin.site.is_registered(model)
    status = said(alice, "tea")
    like(user=carol, status=status)
    bookmark(user=carol, status=status)
    for page in (f"{LIST}{status.id}/change/", LIST):
        assert "carol" not in admin.get(page).content.decode()
    User.objects.filter(username="helper").update(is_superuser=True)
    page = admin.get(f"/admin/users/user/{carol.pk}/delete/").content.decode()
    assert "keeps" not in page
    assert "likes" not in page

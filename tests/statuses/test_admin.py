import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import Permission
from django.test import Client

from statuses import store
from statuses.deeds import bookmark, boost, like
from statuses.models import Bookmark, Like, Status
from statuses.services import post_status
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from timelines.selectors import profile
from users.models import User

LIST = "/admin/statuses/status/"


@pytest.fixture
def admin(alice: User) -> Client:
    helper = make_user("helper", is_staff=True)
    rights = ("view_status", "delete_status")
    helper.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return browser_of(helper)


def test_statuses_are_found_by_text_and_author(admin: Client, alice: User, carol: User) -> None:
    status = post_status(author=alice, text="tea and cake")
    post_status(author=carol, text="coffee")
    for words in ("cake", "alice"):
        found = admin.get(LIST, {"q": words}).context["cl"].queryset
        assert list(found) == [status]


def test_a_status_is_shown_but_not_changed(admin: Client, alice: User) -> None:
    status = post_status(author=alice, text="mine")
    address = f"{LIST}{status.pk}/change/"
    assert b"mine" in admin.get(address).content
    assert admin.post(address, {"text": "forged"}).status_code == 403
    assert admin.get(f"{LIST}add/").status_code == 403
    assert Status.objects.get().text == "mine"


def test_deleting_goes_through_the_service(admin: Client, alice: User) -> None:
    status = post_status(author=alice, text="oops")
    assert admin.post(f"{LIST}{status.pk}/delete/", {"post": "yes"}).status_code == 302
    alice.refresh_from_db()
    assert alice.statuses_count == 0
    assert profile(alice) == []


def test_many_are_deleted_through_the_service(admin: Client, alice: User) -> None:
    ids = [post_status(author=alice, text=text).pk for text in ("one", "two", "three")]
    fields = {"action": "delete_selected", "_selected_action": ids[:2], "post": "yes"}
    assert admin.post(LIST, fields).status_code == 302
    alice.refresh_from_db()
    assert alice.statuses_count == 1
    assert [status.text for status in profile(alice)] == ["three"]


def said(author: User, text: str, reply_to: StoredStatus | None = None) -> StoredStatus:
    status = post_status(author=author, text=text, reply_to=reply_to)
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


def test_a_boost_is_deleted_like_any_status(admin: Client, alice: User, carol: User) -> None:
    status = said(alice, "tea")
    boost(user=carol, status=status)
    boosted = Status.objects.get(author=carol)
    assert f"boost of {status.id}" in admin.get(f"{LIST}{boosted.pk}/delete/").content.decode()
    assert admin.post(f"{LIST}{boosted.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Status.objects.get().boosts_count == 0
    carol.refresh_from_db()
    assert carol.statuses_count == 0
    assert profile(carol) == []


def test_an_original_and_its_boost_are_deleted_together(
    admin: Client, alice: User, carol: User
) -> None:
    status = said(alice, "tea")
    boost(user=carol, status=status)
    ids = list(Status.objects.values_list("pk", flat=True))
    fields = {"action": "delete_selected", "_selected_action": ids, "post": "yes"}
    assert admin.post(LIST, fields).status_code == 302
    drain()
    assert not Status.objects.exists()
    for user in (alice, carol):
        user.refresh_from_db()
        assert user.statuses_count == 0


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
    for page in (f"{LIST}{status.id}/change/", f"{LIST}{status.id}/delete/", LIST):
        assert "carol" not in admin.get(page).content.decode()
    User.objects.filter(username="helper").update(is_superuser=True)
    page = admin.get(f"/admin/users/user/{carol.pk}/delete/").content.decode()
    assert "keeps" not in page
    assert "likes" not in page

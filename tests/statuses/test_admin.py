import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from statuses.models import Status
from statuses.services import post_status
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

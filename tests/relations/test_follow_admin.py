import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from lists.models import List
from lists.services import create_list
from relations.models import Follow
from relations.services import follow
from tests.cast import browser_of, make_user
from users.models import User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin() -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


@pytest.fixture
def existing() -> Follow:
    follow(follower=make_user("bob"), followee=make_user("alice"))
    return Follow.objects.get()


def test_follows_are_only_looked_at(admin: Client, existing: Follow) -> None:
    address = "/admin/relations/follow/"
    assert b"@bob" in admin.get(address, {"q": "alice"}).content
    assert admin.get(f"{address}{existing.pk}/change/").status_code == 200
    assert admin.get(f"{address}add/").status_code == 403
    for page in ("change", "delete"):
        assert admin.post(f"{address}{existing.pk}/{page}/", {"post": "yes"}).status_code == 403
    assert Follow.objects.exists()


@pytest.mark.usefixtures("existing")
def test_an_account_is_deleted_though_its_follows_are_not_for_the_admin() -> None:
    helper = make_user("helper", is_staff=True)
    rights = ("view_user", "delete_user")
    helper.user_permissions.set(Permission.objects.filter(codename__in=rights))
    alice = User.objects.get(username="alice")
    address = f"/admin/users/user/{alice.pk}/delete/"
    assert b"Are you sure" in browser_of(helper).get(address).content
    assert browser_of(helper).post(address, {"post": "yes"}).status_code == 302
    assert not Follow.objects.exists()
    assert User.objects.get(username="bob").following_count == 0


@pytest.mark.usefixtures("existing")
def test_many_accounts_are_deleted_only_if_all_of_them_may_be(admin: Client) -> None:
    helper = make_user("helper", is_staff=True)
    rights = ("view_user", "delete_user")
    helper.user_permissions.set(Permission.objects.filter(codename__in=rights))
    ids = list(User.objects.values_list("pk", flat=True))
    fields = {"action": "delete_selected", "_selected_action": ids, "post": "yes"}
    answer = browser_of(helper).post("/admin/users/user/", fields)
    assert answer.status_code == 403
    assert User.objects.count() == len(ids)


def test_lists_are_looked_at_and_deleted(admin: Client) -> None:
    list_ = create_list(owner=make_user("alice"), name="Tea party")
    address = "/admin/lists/list/"
    assert b"Tea party" in admin.get(address, {"q": "alice"}).content
    assert admin.get(f"{address}add/").status_code == 403
    assert admin.post(f"{address}{list_.pk}/change/", {"name": "x"}).status_code == 403
    assert admin.post(f"{address}{list_.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not List.objects.exists()

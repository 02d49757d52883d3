import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests.plans import on_sqlite
from tests.users.conftest import PASSWORD, Committing
from users import store
from users.models import User
from users.services import sign_up, suspend

pytestmark = pytest.mark.django_db

LIST = "/admin/users/user/"


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss", "boss@example.com", PASSWORD)


@pytest.fixture
def admin(boss: User, client: Client) -> Client:
    client.force_login(boss)
    return client


@pytest.fixture
def helper_admin(db: None, client: Client) -> Client:
    """A staff member who may change and delete users, but is no superuser."""
    helper = User.objects.create_user("helper", "h@example.com", PASSWORD, is_staff=True)
    rights = ("view_user", "change_user", "delete_user")
    helper.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client.force_login(helper)
    return client


def test_the_admin_logs_in_through_the_throttled_login(client: Client, boss: User) -> None:
    chain = client.get("/admin/", follow=True).redirect_chain
    assert chain[-1] == ("/login/?next=/admin/", 302)
    answer = client.post("/admin/login/", {"username": "boss", "password": PASSWORD})
    assert answer["Location"] == "/login/?next=/admin/"
    assert "_auth_user_id" not in client.session


def test_the_admin_changes_passwords_on_the_throttled_page(admin: Client, boss: User) -> None:
    form = {"old_password": PASSWORD, "new_password1": "eight blue bottles"}
    form["new_password2"] = form["new_password1"]
    assert admin.post("/admin/password_change/", form)["Location"] == "/settings/password/"
    boss.refresh_from_db()
    assert boss.check_password(PASSWORD)


def test_staff_that_is_logged_in_goes_to_the_admin(admin: Client) -> None:
    assert admin.get("/admin/login/")["Location"] == "/admin/"


def test_others_may_not_enter(alices_browser: Client) -> None:
    assert alices_browser.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize("words", ["alice", "@ALI", "a", "Alice@example.com"])
def test_accounts_are_found_by_name_and_address(
    admin: Client, alice: User, carol: User, words: str
) -> None:
    found = admin.get(LIST, {"q": words}).context["cl"].queryset
    assert list(found) == [alice]


def test_accounts_are_found_by_id_and_names_that_begin_with_a_number(
    admin: Client, alice: User
) -> None:
    agent = User.objects.create(username=f"{alice.pk}_agents", email="a@example.com")
    found = admin.get(LIST, {"q": str(alice.pk)}).context["cl"].queryset
    assert set(found) == {alice, agent}


@pytest.mark.parametrize(
    "words", ["Liddell", "lice", "alice@example", "9" * 40, "\u0663", "%", "a'--", "z{"]
)
def test_nothing_else_is_searched(admin: Client, alice: User, words: str) -> None:
    answer = admin.get(LIST, {"q": words})
    assert answer.status_code == 200
    assert list(answer.context["cl"].queryset) == []


@on_sqlite
def test_the_search_uses_the_index(alice: User) -> None:
    plan = User.objects.get_queryset().beginning_with("ali").order_by().explain()
    assert "username_unique_in_any_case" in plan


def test_the_admin_carries_the_name_of_the_site(admin: Client) -> None:
    assert "Socialsite administration" in admin.get("/admin/").content.decode()


def test_the_list_leads_to_profiles(admin: Client, alice: User) -> None:
    for address in (LIST, f"{LIST}{alice.pk}/change/"):
        assert 'href="/@alice/"' in admin.get(address).content.decode()


def test_who_may_only_look_sees_no_address_and_no_password(client: Client, alice: User) -> None:
    onlooker = User.objects.create_user("onlooker", "o@example.com", PASSWORD, is_staff=True)
    onlooker.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client.force_login(onlooker)
    pages = [client.get(it) for it in (LIST, f"{LIST}{alice.pk}/change/")]
    for page in pages:
        assert "alice" in page.content.decode()
        assert "alice@example.com" not in page.content.decode()
        assert "field-password" not in page.content.decode()
    assert list(client.get(LIST, {"q": "alice@example.com"}).context["cl"].queryset) == []
    assert client.get(LIST, {"email__startswith": "a"}).status_code == 400
    assert client.get(LIST, {"password__startswith": "a"}).status_code == 400


def test_a_change_in_the_admin_shows_in_redis(
    admin: Client, alice: User, committing: Committing
) -> None:
    User.objects.filter(pk=alice.pk).update(statuses_count=3)
    form = {"name": "Al", "bio": "", "email": "al@example.com", "is_active": "on"}
    form |= {"username": "renamed", "password": "broken"}
    with committing():
        assert admin.post(f"{LIST}{alice.pk}/change/", form).status_code == 302
    person = store.read_users([alice.pk])[alice.pk]
    assert (person.name, person.posts, person.username) == ("Al", 3, "alice")
    alice.refresh_from_db()
    assert alice.email == "al@example.com"
    assert alice.check_password(PASSWORD)


def test_an_account_made_in_the_admin_is_written_to_redis(
    admin: Client, committing: Committing
) -> None:
    form = {"username": "dave", "email": "dave@example.com", "usable_password": "true"}
    form |= {"password1": PASSWORD, "password2": PASSWORD}
    with committing():
        assert admin.post(f"{LIST}add/", form).status_code == 302
    dave = User.objects.get(username="dave")
    assert dave.check_password(PASSWORD)
    assert store.read_users([dave.pk])[dave.pk].username == "dave"


@pytest.mark.parametrize("name", ["ALICE", "alice"])
def test_the_admin_says_that_a_name_is_taken(admin: Client, alice: User, name: str) -> None:
    form = {"username": name, "email": "dave@example.com", "usable_password": "true"}
    form |= {"password1": PASSWORD, "password2": PASSWORD}
    page = admin.post(f"{LIST}add/", form)
    assert page.context["adminform"].form.errors == {"username": ["This username is taken."]}


def test_the_admin_sets_a_password(admin: Client, alice: User) -> None:
    form = {"usable_password": "true", "password1": "eight blue bottles"}
    form |= {"password2": "eight blue bottles"}
    assert admin.post(f"{LIST}{alice.pk}/password/", form).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("eight blue bottles")


def test_deleting_in_the_admin_takes_the_person_along(
    admin: Client, alice: User, committing: Committing
) -> None:
    store.refresh_users([alice.pk])
    with committing():
        admin.post(f"{LIST}{alice.pk}/delete/", {"post": "yes"})
    assert not User.objects.filter(pk=alice.pk).exists()
    assert store.read_users([alice.pk]) == {}


def test_the_bulk_deletion_takes_the_people_along(
    admin: Client, alice: User, carol: User, committing: Committing
) -> None:
    dave = sign_up(username="dave", email="dave@example.com", password=PASSWORD)
    everybody = [alice.pk, carol.pk, dave.pk]
    store.refresh_users(everybody)
    form = {"action": "delete_selected", "_selected_action": [alice.pk, carol.pk], "post": "yes"}
    with committing():
        admin.post(LIST, form)
    assert store.read_users(everybody).keys() == {dave.pk}
    assert not User.objects.filter(pk__in=[alice.pk, carol.pk]).exists()


def test_staff_can_not_make_superusers(helper_admin: Client, alice: User) -> None:
    form = {"name": "Al", "email": "al@example.com", "is_active": "on"}
    form |= {"is_staff": "on", "is_superuser": "on"}
    assert helper_admin.post(f"{LIST}{alice.pk}/change/", form).status_code == 302
    alice.refresh_from_db()
    assert (alice.name, alice.is_staff, alice.is_superuser) == ("Al", False, False)


@pytest.mark.parametrize("rights", [{"is_staff": True}, {"is_superuser": True}])
def test_staff_can_not_touch_others_with_rights(
    helper_admin: Client, alice: User, rights: dict[str, bool]
) -> None:
    User.objects.filter(pk=alice.pk).update(**rights)
    password = {"usable_password": "true", "password1": "eight blue bottles"}
    password |= {"password2": "eight blue bottles"}
    assert helper_admin.post(f"{LIST}{alice.pk}/password/", password).status_code == 403
    assert helper_admin.post(f"{LIST}{alice.pk}/delete/", {"post": "yes"}).status_code == 403
    selected = {"action": "delete_selected", "_selected_action": [alice.pk], "post": "yes"}
    helper_admin.post(LIST, selected)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_an_old_page_of_the_admin_does_not_undo_a_suspension(admin: Client, alice: User) -> None:
    """The form has no box for it: what it was when the page was opened does not matter."""
    suspend(user=alice)
    form = {"name": "Al", "bio": "", "email": "al@example.com", "is_active": "on"}
    assert admin.post(f"{LIST}{alice.pk}/change/", form).status_code == 302
    alice.refresh_from_db()
    assert (alice.name, alice.is_active) == ("Al", False)
    page = admin.get(f"{LIST}{alice.pk}/change/").content.decode()
    assert 'name="is_active"' not in page

import pytest
from django.test import Client
from pytest_django import Settings

from tests.users.conftest import PASSWORD
from users import selectors
from users.models import User

pytestmark = pytest.mark.django_db

ALICE = {"username": "alice", "name": "Alice", "email": "a@example.com", "password": PASSWORD}


def test_a_sign_up_logs_in_and_leads_to_the_first_steps(client: Client) -> None:
    answer = client.post("/signup/", ALICE)
    assert (answer.status_code, answer["Location"]) == (302, "/welcome/")
    assert client.session["_auth_user_id"] == str(selectors.by_username("alice").pk)


@pytest.mark.parametrize("typed", ["  alice ", "@alice", " @alice"])
def test_white_space_and_an_at_sign_around_the_name_are_forgiven(
    client: Client, typed: str
) -> None:
    client.post("/signup/", ALICE | {"username": typed})
    assert User.objects.get().username == "alice"


def test_bad_input_is_told_at_its_field_with_400(client: Client) -> None:
    answer = client.post(
        "/signup/", {"username": "al ice", "email": "a@b.example", "password": "1"}
    )
    assert answer.status_code == 400
    errors = answer.context["form"].errors
    assert errors["username"] == ["A username has 1 to 30 letters, digits or _."]
    assert "This password is entirely numeric." in errors["password"]
    assert not User.objects.exists()


def test_a_taken_name_is_told_at_its_field_with_400(client: Client, alice: User) -> None:
    answer = client.post("/signup/", ALICE | {"username": "ALICE"})
    assert answer.status_code == 400
    assert answer.context["form"].errors == {"username": ["This username is taken."]}


def test_an_empty_form_is_bad_input_too(client: Client) -> None:
    answer = client.post("/signup/", {})
    assert answer.status_code == 400
    assert answer.context["form"].errors.keys() == {"username", "email", "password"}


def test_a_name_with_a_null_character_is_bad_input(client: Client) -> None:
    assert client.post("/signup/", ALICE | {"name": "a\0b"}).status_code == 400


def test_nobody_gives_themselves_rights(client: Client) -> None:
    client.post("/signup/", ALICE | {"is_staff": "on", "is_superuser": "on", "id": "7"})
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser) == (False, False)


def test_the_password_never_comes_back_in_the_page(client: Client) -> None:
    answer = client.post("/signup/", ALICE | {"username": "al ice"})
    assert PASSWORD not in answer.content.decode()


def test_who_is_logged_in_goes_home(alices_browser: Client) -> None:
    answer = alices_browser.get("/signup/")
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_without_a_csrf_token_nothing_happens() -> None:
    assert Client(enforce_csrf_checks=True).post("/signup/", ALICE).status_code == 403
    assert not User.objects.exists()


def test_only_successful_sign_ups_of_an_address_count(settings: Settings) -> None:
    settings.SIGNUPS_PER_HOUR = 2
    for name in ("al ice", "admin", "alice", "ALICE", "bob"):
        Client().post("/signup/", ALICE | {"username": name})
    answer = Client().post("/signup/", ALICE | {"username": "carol"})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    assert set(User.objects.values_list("username", flat=True)) == {"alice", "bob"}

    elsewhere = Client().post("/signup/", ALICE | {"username": "carol"}, REMOTE_ADDR="192.0.2.9")
    assert elsewhere.status_code == 302


def test_the_page_says_what_a_password_needs(client: Client) -> None:
    page = client.get("/signup/").content.decode()
    assert "At least 10 characters." in page
    for attribute in ("username", "email", "new-password"):
        assert f'autocomplete="{attribute}"' in page
    assert page.count(" autofocus") == 1


def test_everything_that_is_wrong_is_told_at_once(client: Client, alice: User) -> None:
    """The shape of one field does not hide what is wrong with another."""
    form = {"username": "ALICE", "email": "nowhere", "password": "1", "name": "a\tb"}
    errors = client.post("/signup/", form).context["form"].errors
    assert errors.keys() == {"username", "email", "password", "name"}
    assert errors["username"] == ["This username is taken."]
    assert "This password is entirely numeric." in errors["password"]
    errors = client.post("/signup/", form | {"username": ""}).context["form"].errors
    assert errors.keys() == {"username", "email", "password", "name"}
    assert errors["username"] == ["This field is required."]


def test_a_password_like_the_name_is_told_though_the_address_is_missing(client: Client) -> None:
    form = {"username": "wonderland", "email": "", "password": "wonderland1"}
    errors = client.post("/signup/", form).context["form"].errors
    assert errors.keys() == {"email", "password"}

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from pytest_django import Settings

from users.models import User

from .conftest import PASSWORD

pytestmark = pytest.mark.django_db


def log_in(username: str, password: str = PASSWORD, *, address: str = "192.0.2.1") -> int:
    """Tries from a fresh browser; returns the status."""
    form = {"username": username, "password": password}
    return Client().post("/login/", form, REMOTE_ADDR=address).status_code


@pytest.mark.parametrize("typed", ["alice", "ALICE", " Alice ", "@alice"])
def test_a_name_logs_in_in_any_case(client: Client, alice: User, typed: str) -> None:
    answer = client.post("/login/", {"username": typed, "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(alice: User) -> None:
    def answer(username: str) -> tuple[int, list[str]]:
        page = Client().post("/login/", {"username": username, "password": "wrong"})
        return page.status_code, page.context["form"].non_field_errors()

    assert answer("alice") == answer("nobody_here")
    assert answer("alice")[0] == 400
    assert "do not match" in answer("alice")[1][0]


def test_an_inactive_account_gets_the_same_answer(client: Client, alice: User) -> None:
    User.objects.update(is_active=False)
    answer = client.post("/login/", {"username": "alice", "password": PASSWORD})
    assert answer.status_code == 400
    assert "do not match" in answer.content.decode()


class CountingHasher(MD5PasswordHasher):
    encoded = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.encoded += 1
        return super().encode(password, salt)


def test_an_unknown_name_costs_as_much_hashing_as_a_known_one(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    User.objects.create_user("alice", "alice@example.com", PASSWORD)

    def hashings(username: str) -> int:
        before = CountingHasher.encoded
        log_in(username, "wrong")
        return CountingHasher.encoded - before

    assert hashings("alice") == hashings("nobody_here") == 1


def test_a_missing_field_is_bad_input_and_no_guess(alice: User) -> None:
    for _ in range(11):
        assert log_in("alice", "") == 400
    assert log_in("alice") == 302


@pytest.mark.parametrize("name", ["alice", "nobody_here"])
def test_the_eleventh_guess_at_an_account_has_to_wait(alice: User, name: str) -> None:
    for number in range(10):
        spelling = name.upper() if number % 2 else name
        assert log_in(spelling, "wrong", address=f"192.0.2.{number}") == 400
    answer = Client().post("/login/", {"username": name, "password": PASSWORD})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 900
    assert "try again in 15 minutes" in answer.content.decode()
    assert "sessionid" not in answer.cookies


def test_a_success_is_given_back(alice: User) -> None:
    for _ in range(9):
        log_in("alice", "wrong")
    for _ in range(3):
        assert log_in("alice") == 302
    assert log_in("alice", "wrong") == 400
    assert log_in("alice") == 429


def test_the_limit_of_one_account_leaves_others_alone(alice: User, carol: User) -> None:
    for _ in range(11):
        log_in("alice", "wrong")
    assert log_in("carol") == 302


def test_an_address_that_guesses_at_many_accounts_has_to_wait(alice: User) -> None:
    for number in range(50):
        assert log_in(f"somebody{number}", "wrong") == 400
    assert log_in("alice") == 429
    assert log_in("alice", address="192.0.2.2") == 302


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("/settings/", "/settings/"),
        ("/?max_id=7", "/?max_id=7"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_next_leads_only_to_pages_of_this_site(
    client: Client, alice: User, wanted: str, place: str
) -> None:
    form = {"username": "alice", "password": PASSWORD}
    assert client.post("/login/", form, query_params={"next": wanted})["Location"] == place


def test_a_page_for_members_leads_through_the_login(client: Client) -> None:
    assert client.get("/settings/")["Location"] == "/login/?next=/settings/"


def test_the_way_to_the_sign_up_keeps_where_one_was_going(client: Client) -> None:
    page = client.get("/login/?next=/settings/%3Fa%26b").content.decode()
    assert 'href="/signup/?next=/settings/%3Fa%26b"' in page


def test_who_is_logged_in_goes_home(alices_browser: Client) -> None:
    answer = alices_browser.get("/login/?next=/settings/")
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_logging_out_takes_a_post(alices_browser: Client) -> None:
    assert alices_browser.get("/logout/").status_code == 405
    answer = alices_browser.post("/logout/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "_auth_user_id" not in alices_browser.session


def test_the_page_helps_the_password_manager(client: Client) -> None:
    page = client.get("/login/").content.decode()
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page
    assert page.count(" autofocus") == 1

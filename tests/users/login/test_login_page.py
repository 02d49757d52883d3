import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from pytest_django import Settings

from tests.users.conftest import PASSWORD
from users import throttling
from users.models import User

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


def test_a_suspended_account_gets_the_same_answer_to_a_wrong_password(alice: User) -> None:
    User.objects.update(is_active=False)
    answer = Client().post("/login/", {"username": "alice", "password": "wrong"})
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
def test_the_eleventh_guess_of_an_address_at_an_account_has_to_wait(alice: User, name: str) -> None:
    for number in range(10):
        assert log_in(name.upper() if number % 2 else name, "wrong") == 400
    form = {"username": name, "password": PASSWORD}
    answer = Client().post("/login/", form, REMOTE_ADDR="192.0.2.1")
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 900
    page = answer.content.decode()
    assert "try again in 15 minutes" in page
    assert '<a href="/password-reset/">Reset it</a>' in page
    assert "sessionid" not in answer.cookies


def test_a_stranger_who_guesses_locks_out_nobody_elsewhere(alice: User) -> None:
    for _ in range(11):
        log_in("alice", "wrong")
    assert log_in("alice") == 429
    assert log_in("alice", address="198.51.100.7") == 302


@pytest.fixture
def known(client: Client, alice: User) -> Client:
    """A browser that alice has logged in with, and out again."""
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    client.post("/logout/")
    return client


def guess_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "FAILED_LOGINS_PER_ACCOUNT", 12)
    for number in range(12):
        assert log_in("alice", "wrong", address=f"192.0.2.{number}") == 400


def test_guesses_from_everywhere_lock_out_strangers_but_no_known_device(
    known: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    guess_from_everywhere(monkeypatch)
    assert log_in("ALICE", address="198.51.100.7") == 429
    answer = known.post("/login/", {"username": "ALICE", "password": PASSWORD})
    assert answer.status_code == 302


def test_a_device_that_the_sign_up_was_made_with_is_known(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"username": "alice", "password": PASSWORD}
    client.post("/signup/", form | {"email": "alice@example.com"})
    client.post("/logout/")
    guess_from_everywhere(monkeypatch)
    assert client.post("/login/", form).status_code == 302


def test_a_known_device_gets_ten_guesses_from_any_number_of_addresses(known: Client) -> None:
    form = {"username": "alice", "password": "wrong"}
    for number in range(10):
        answer = known.post("/login/", form, REMOTE_ADDR=f"192.0.2.{number}")
        assert answer.status_code == 400
    assert known.post("/login/", form, REMOTE_ADDR="192.0.2.99").status_code == 429
    assert log_in("alice") == 302


def test_a_device_is_known_to_one_account_only(known: Client, carol: User) -> None:
    for _ in range(10):
        assert log_in("carol", "wrong", address="127.0.0.1") == 400
    assert known.post("/login/", {"username": "carol", "password": PASSWORD}).status_code == 429


def test_a_new_password_makes_a_stranger_of_a_known_device(
    known: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.set_password("eight blue bottles")
    alice.save()
    guess_from_everywhere(monkeypatch)
    form = {"username": "alice", "password": "eight blue bottles"}
    assert known.post("/login/", form).status_code == 429


@pytest.mark.parametrize("cookie", ["", "nonsense", "WzEsImEiLCJiIl0:1abc:xyz"])
def test_a_made_up_device_is_a_stranger(alice: User, client: Client, cookie: str) -> None:
    client.cookies["device"] = cookie
    assert client.post("/login/", {"username": "alice", "password": PASSWORD}).status_code == 302


def test_the_cookie_of_a_device_goes_to_the_login_alone(client: Client, alice: User) -> None:
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    cookie = client.cookies["device"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/login/", True, "Lax")


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


def test_who_is_logged_in_goes_on(alices_browser: Client) -> None:
    for address, onward in (("/login/?next=/settings/", "/settings/"), ("/login/", "/")):
        answer = alices_browser.get(address)
        assert (answer.status_code, answer["Location"]) == (302, onward)


def test_logging_out_takes_a_post(alices_browser: Client) -> None:
    page = alices_browser.get("/logout/")
    assert (page.status_code, b"Log out of" in page.content) == (200, True)
    assert "_auth_user_id" in alices_browser.session
    answer = alices_browser.post("/logout/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "_auth_user_id" not in alices_browser.session


def test_a_visitor_need_not_log_out(client: Client) -> None:
    assert client.get("/logout/")["Location"] == "/"


def test_the_page_helps_the_password_manager(client: Client) -> None:
    page = client.get("/login/").content.decode()
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page
    assert page.count(" autofocus") == 1

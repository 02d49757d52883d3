import pytest
from django.contrib.auth.hashers import identify_hasher
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import transaction
from pytest_django import Settings

from socialsite import settings as site
from tests.users.conftest import PASSWORD, Committing
from users import selectors, store
from users.models import User
from users.names.usernames import RESERVED
from users.services import sign_up

pytestmark = pytest.mark.django_db


def complaints(**changes: str) -> dict[str, list[str]]:
    """What sign_up says about the input; it must not have made an account."""
    given = {"username": "alice", "email": "alice@example.com", "password": PASSWORD} | changes
    accounts = User.objects.count()
    with pytest.raises(ValidationError) as refused:
        sign_up(**given)
    assert User.objects.count() == accounts
    return refused.value.message_dict


def test_a_sign_up_is_an_account_and_a_person(committing: Committing) -> None:
    with committing():
        user = sign_up(username="alice", email="a@EXAMPLE.com", password=PASSWORD, name="Alice")
    kept = User.objects.get()
    assert (kept.pk, kept.username, kept.email, kept.name) == (
        user.pk,
        "alice",
        "a@example.com",
        "Alice",
    )
    assert kept.check_password(PASSWORD)
    assert not kept.is_staff
    assert store.read_users([user.pk])[user.pk].username == "alice"


def test_passwords_are_stored_with_argon2(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = site.PASSWORD_HASHERS
    user = sign_up(username="alice", email="alice@example.com", password=PASSWORD)
    assert identify_hasher(user.password).algorithm == "argon2"
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize("name", ["alice", "Alice", "ALICE"])
def test_a_name_is_taken_in_any_case(alice: User, name: str) -> None:
    assert complaints(username=name) == {"username": ["This username is taken."]}


@pytest.mark.parametrize("name", ["admin", "Admin", "LOGIN", "socialsite"])
def test_reserved_names_are_refused_in_any_case(name: str) -> None:
    assert complaints(username=name) == {
        "username": [f"The username “{name}” is reserved; choose another."]
    }


def test_reserved_names_are_written_in_small_letters() -> None:
    assert {name.lower() for name in RESERVED} == RESERVED


@pytest.mark.parametrize(
    "name", ["al ice", "al-ice", "älice", "@alice", "alice\n", "al\0ice", "٣", "a" * 31]
)
def test_a_name_has_letters_digits_and_underscores_only(name: str) -> None:
    assert "A username has 1 to 30 letters, digits or _." in complaints(username=name)["username"]


@pytest.mark.parametrize(
    "name",
    ["_admin", "admin_", "__Admin__", "a_d_m_i_n", "admin2", "1root", "adm1n", "he1p", "5upport"],
)
def test_names_that_look_reserved_are_refused(name: str) -> None:
    assert "is reserved" in complaints(username=name)["username"][0]


@pytest.mark.parametrize("name", ["7", "1234567890"])
def test_a_number_is_no_name(name: str) -> None:
    assert complaints(username=name)["username"] == ["A username needs at least one letter or _."]


@pytest.mark.parametrize("name", ["a", "_", "_7", "badminton", "A_b_9", "z" * 30])
def test_short_and_long_names_are_fine(name: str) -> None:
    assert sign_up(username=name, email="a@example.com", password=PASSWORD).username == name


def test_everything_that_is_wrong_is_told_at_once() -> None:
    told = complaints(username="", email="nowhere", password="12345", name="n" * 51)
    assert told.keys() == {"username", "email", "password", "name"}


def test_a_password_like_the_name_is_refused() -> None:
    told = complaints(username="wonderland", password="wonderland1")
    assert "The password is too similar to the username." in told["password"]


@pytest.mark.parametrize(
    "password",
    ["Socialsite2026", "alice12345", "liddell-alice", "1!alice@example.com", "aliceALICE!!"],
)
def test_names_with_a_few_characters_are_no_password(password: str) -> None:
    told = complaints(
        username="alice", name="Alice Liddell", email="alice@example.com", password=password
    )
    assert any("just your names or the site's" in it for it in told["password"])


GUESSABLE = "can't be a common word with digits or signs around it"


@pytest.mark.parametrize(
    "password",
    [
        *("Summer2026", "summer 2026", "Winter!2026", "2026Spring!!", "September26", "Monday12345"),
        *("P@ssw0rd2024", "Dr4g0n-1990!", "5unshine99!", "Liverpool123!", "Welcome2024$"),
        *(
            "woaini1314",
            "Beijing2008!",
            "qwertyuiop1",
            "1qaz2wsx3edc",
            "asdfghjkl;'",
            "abcd1234abcd",
        ),
        *("aaaaaaaaaaaa", "0987654321x", "hellohello", "Socialsite2026!!", "alice19900412"),
    ],
)
def test_what_attackers_try_first_is_no_password(password: str) -> None:
    told = complaints(username="alice", email="a@example.com", password=password)
    assert any(GUESSABLE in it or "too common" in it for it in told["password"])


@pytest.mark.parametrize(
    "password",
    [
        *("seven green bottles", "summer rain on roofs", "we were there", "correct horse battery"),
        *(
            "summer839274651",
            "k7#mQ2vL9x",
            "北京的夏天很热",
            "wo xihuan chi jiaozi",
            "tea4two+scones",
        ),
        *("Zürich im Nebel", "1984 is a year ago", "o9.xo9.xyz"),
    ],
)
def test_a_few_words_are_fine_and_so_is_noise(password: str) -> None:
    told = complaints(username="", email="", password=password)
    assert GUESSABLE not in " ".join(told.get("password", []))


def test_a_password_may_hold_a_name_beside_its_secret() -> None:
    assert sign_up(username="alice", email="a@example.com", password="alice drinks tea at 5").pk


@pytest.mark.parametrize(
    ("password", "fits"), [("o9.x" * 2 + "y", False), ("o9.x" * 2 + "yz", True)]
)
def test_a_password_has_ten_characters(password: str, fits: bool) -> None:
    assert ("password" not in complaints(username="admin", password=password)) is fits


def test_a_sign_up_that_is_rolled_back_leaves_no_person(committing: Committing) -> None:
    with committing(), transaction.atomic():
        user = sign_up(username="alice", email="alice@example.com", password=PASSWORD)
        transaction.set_rollback(True)
    assert not User.objects.exists()
    assert store.read_users([user.pk]) == {}


def test_several_accounts_may_share_an_address(alice: User) -> None:
    other = sign_up(username="alice2", email="Alice@Example.com", password=PASSWORD)
    assert list(selectors.by_email("ALICE@example.COM")) == [alice, other]


def test_createsuperuser_makes_an_account_and_a_person_and_says_where_to_log_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", "--noinput", "--username=Boss", "--email=b@example.com")
    assert "http://localhost:8000/admin/" in capsys.readouterr().out
    boss = selectors.by_username("boss")
    assert boss.is_superuser
    assert selectors.people([boss.pk])[boss.pk].username == "Boss"

"""The link for the first administrator: once, by one, and no way in for anybody else."""

import re
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test import Client

from staff import first_administrator
from staff.first_administrator import NoLongerOpen, sign_up_first
from staff.models import Action, AuditEntry, FirstAdministrator
from staff.roles import Role
from staff.services import give_role, take_role
from tests.cast import clicks, make_user
from tests.races import in_threads
from users.models import User

pytestmark = pytest.mark.django_db(transaction=True)

ANN = {"username": "ann", "name": "", "email": "ann@example.com", "password": "eight blue bottles"}


def link() -> str:
    found = first_administrator.link()
    assert found is not None
    return found


@pytest.fixture
def page(transactional_db: None) -> str:
    parts = urlsplit(link())
    return f"{parts.path}?{parts.query}"


def token_in(address: str) -> str:
    return address.partition("token=")[2]


def test_the_first_sign_up_is_the_administrator(page: str, client: Client) -> None:
    assert "You will be the administrator" in client.get(page).content.decode()
    answer = client.post(page, ANN)
    assert (answer.status_code, answer["Location"]) == (302, "/welcome/")
    ann = User.objects.get()
    assert (ann.username, ann.is_staff, ann.is_superuser) == ("ann", True, True)
    assert client.get("/admin/").status_code == 200
    entry = AuditEntry.objects.get(action=Action.ROLE)
    assert (entry.by_username, entry.object_text) == ("ann", "@ann")


def test_every_start_prints_the_same_link_until_somebody_has_signed_up(page: str) -> None:
    assert link() == link()
    make_user("alice")
    assert first_administrator.link() is None


def test_the_link_works_once(page: str) -> None:
    Client().post(page, ANN)
    User.objects.all().delete()
    assert first_administrator.link() is None
    late = Client().post(page, ANN | {"username": "eve"})
    assert late.status_code == 400
    assert not User.objects.exists()


def test_a_member_who_was_quicker_does_not_close_it(page: str, client: Client) -> None:
    """Who has the link runs the site, and signs up after a stranger, too."""
    make_user("alice")
    assert client.post(page, ANN).status_code == 302
    assert User.objects.get(username="ann").is_superuser


def test_an_administrator_closes_it(page: str, client: Client) -> None:
    make_user("boss", is_staff=True, is_superuser=True)
    assert client.get(page).status_code == 400
    assert client.post(page, ANN).status_code == 400
    assert User.objects.count() == 1


@pytest.mark.parametrize("how", ["role", "createsuperuser"])
def test_it_stays_closed_when_the_last_administrator_is_gone(
    page: str, client: Client, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "role":
        give_role(user=make_user("boss"), role=Role.ADMINISTRATOR)
    else:
        monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "seven green bottles")
        boss = {"username": "boss", "email": "boss@example.com"}
        call_command("createsuperuser", **boss, interactive=False, verbosity=0)
    take_role(user=User.objects.get(username="boss"), role=Role.ADMINISTRATOR)
    assert client.post(page, ANN).status_code == 400
    assert not User.objects.filter(is_superuser=True).exists()


@pytest.mark.parametrize("token", ["", "x", "0" * 64, "ü", "\0", "%ED%A0%80", "a" * 5_000])
def test_a_wrong_link_says_so_and_leads_to_the_ordinary_page(
    page: str, client: Client, token: str
) -> None:
    address = f"/signup/first/?token={token}"
    for answer in (client.get(address), client.post(address, ANN)):
        assert answer.status_code == 400
        words = answer.content.decode()
        assert "This link is wrong, or has been used" in words
        assert 'href="/signup/"' in words
    assert not User.objects.exists()
    client.post("/signup/", ANN)
    assert not User.objects.get().is_staff


def test_without_a_start_there_is_no_link(client: Client) -> None:
    assert client.get("/signup/first/?token=").status_code == 400
    with pytest.raises(NoLongerOpen):
        sign_up_first(token="", **ANN)


def test_a_refused_form_uses_nothing_up(page: str, client: Client) -> None:
    answer = client.post(page, ANN | {"password": "short"})
    assert answer.status_code == 400
    with pytest.raises(ValidationError):
        sign_up_first(token=token_in(page), **ANN | {"username": "admin"})
    assert not User.objects.exists()
    assert client.post(page, ANN).status_code == 302


def test_of_two_at_once_one_is_the_administrator(page: str) -> None:
    accounts = [ANN, ANN | {"username": "eve", "email": "eve@example.com"}]
    codes = clicks([Client() for _ in accounts], page, accounts[0])
    assert sorted(codes) == [302, 400]
    assert User.objects.filter(is_superuser=True).count() == User.objects.count() == 1


def test_two_with_different_names_make_one_account(page: str) -> None:
    names = ["ann", "eve"]

    def join() -> int:
        name = names.pop()
        account = ANN | {"username": name, "email": f"{name}@example.com"}
        try:
            return Client().post(page, account).status_code
        finally:
            connection.close()

    assert sorted(in_threads(2, join)) == [302, 400]
    assert User.objects.count() == 1


def test_no_store_holds_the_token(page: str, key_prefix: str) -> None:
    row = FirstAdministrator.objects.get()
    assert token_in(page) not in (row.nonce, str(row))
    assert re.fullmatch("[0-9a-f]{32}", token_in(page))

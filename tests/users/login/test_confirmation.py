"""A link in a mail shows whose address it is."""

import re

import pytest
from django.conf import settings as site
from django.core import mail
from django.test import Client

from taskqueue.drain import drain
from tests.users.conftest import PASSWORD
from users.login import mail_links
from users.models import User
from users.services import confirm_email

pytestmark = pytest.mark.django_db

FORM = {"username": "dora", "email": "dora@example.com", "password": PASSWORD}


def mailed_link() -> str:
    drain()
    found = re.search(
        rf"^{re.escape(site.SITE_URL)}(/confirm/\S+)$", str(mail.outbox[-1].body), re.M
    )
    assert found
    return found[1]


def is_confirmed(username: str) -> bool:
    return User.objects.get(username=username).email_confirmed_at is not None


def test_a_sign_up_is_confirmed_by_the_link_in_its_mail(client: Client) -> None:
    assert client.post("/signup/", FORM).status_code == 302
    link = mailed_link()
    assert mail.outbox[0].to == ["dora@example.com"]
    page = Client().get(link)
    assert page.status_code == 200
    assert "@dora" in page.content.decode()
    assert not is_confirmed("dora")
    assert Client().post(link).status_code == 302
    assert is_confirmed("dora")


def test_the_settings_send_the_mail_again_until_it_is_confirmed(
    alices_browser: Client, alice: User
) -> None:
    assert "not confirmed yet" in alices_browser.get("/settings/email/").content.decode()
    assert alices_browser.post("/settings/confirm/")["Location"] == "/settings/email/"
    alices_browser.post(mailed_link())
    assert "You confirmed it on" in alices_browser.get("/settings/email/").content.decode()
    alices_browser.post("/settings/confirm/")
    drain()
    assert len(mail.outbox) == 1


def test_a_mailbox_gets_five_such_mails_a_day(alices_browser: Client) -> None:
    for number in range(3):
        form = FORM | {"username": f"dora{number}", "email": "Alice@example.com"}
        assert Client().post("/signup/", form).status_code == 302
    for _ in range(2):
        assert alices_browser.post("/settings/confirm/").status_code == 302
    assert alices_browser.post("/settings/confirm/").status_code == 429
    # Signing up needs no mail.
    assert Client().post("/signup/", FORM | {"email": "alice@example.com"}).status_code == 302
    drain()
    assert len(mail.outbox) == 5


@pytest.mark.parametrize("token", ["nonsense", "a:b:c", "%F0%9F%8C%8D"])
def test_a_made_up_link_is_bad_input(client: Client, token: str) -> None:
    answer = client.get(f"/confirm/{token}/")
    assert answer.status_code == 400
    assert b"That link doesn't work" in answer.content


def test_a_link_ends_with_its_time_and_with_the_address(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = mail_links.confirmation_link(alice).removeprefix(site.SITE_URL)
    assert client.get(link).status_code == 200
    with monkeypatch.context() as later:
        later.setattr(mail_links, "CONFIRMATION_SECONDS", -1)
        assert client.post(link).status_code == 400
    User.objects.update(email="other@example.com")
    assert client.post(link).status_code == 400
    assert not is_confirmed("alice")


def test_an_address_that_the_admin_changes_is_unconfirmed(admin_client: Client) -> None:
    boss = User.objects.get()
    confirm_email(user=boss)
    address = f"/admin/users/user/{boss.pk}/change/"
    page = admin_client.get(address)
    initial = page.context["adminform"].form.initial
    form = {name: initial[name] for name in ("name", "bio", "email")}
    form |= dict.fromkeys(("is_active", "is_staff", "is_superuser"), "on")
    assert admin_client.post(address, form).status_code == 302
    assert is_confirmed(boss.username)
    assert admin_client.post(address, form | {"email": "new@example.com"}).status_code == 302
    assert not is_confirmed(boss.username)

import re
from datetime import timedelta

import pytest
from django.conf import settings as site
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.test import Client

from taskqueue.drain import drain
from tests.users.conftest import PASSWORD
from users.models import User
from users.services import confirm_email, sign_up
from users.tasks import ACCOUNTS_PER_MAIL, mail_password_resets

pytestmark = pytest.mark.django_db

NEW_PASSWORD = "eight blue bottles"


def ask(email: str, *, address: str = "192.0.2.1") -> int:
    form = {"email": email}
    return Client().post("/password-reset/", form, REMOTE_ADDR=address).status_code


def mailed_links() -> list[str]:
    """The paths in the mails that were sent so far."""
    assert drain() > 0
    link = re.compile(rf"^{re.escape(site.SITE_URL)}(/password-reset/\S+)$", re.MULTILINE)
    return [path for message in mail.outbox for path in link.findall(str(message.body))]


def choose(browser: Client, link: str, password: str) -> int:
    """Open the link as a browser does and send the form behind it."""
    form_url = browser.get(link)["Location"]
    form = {"new_password1": password, "new_password2": password}
    return browser.post(form_url, form).status_code


def test_a_mailed_link_sets_a_new_password_once(client: Client, alice: User) -> None:
    assert ask("ALICE@example.com") == 302
    [link] = mailed_links()
    assert mail.outbox[0].to == ["alice@example.com"]
    assert "@alice" in mail.outbox[0].body

    assert choose(client, link, "alice") == 400
    assert choose(client, link, NEW_PASSWORD) == 302
    alice.refresh_from_db()
    assert alice.check_password(NEW_PASSWORD)

    used = client.get(link)
    assert used.status_code == 400
    assert "That link doesn't work" in used.content.decode()


def test_a_reset_logs_out_every_device(alices_browser: Client) -> None:
    ask("alice@example.com")
    assert choose(Client(), mailed_links()[0], NEW_PASSWORD) == 302
    assert alices_browser.get("/settings/").status_code == 302


def test_a_link_is_bad_after_its_time(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("alice@example.com")
    [link] = mailed_links()
    now = PasswordResetTokenGenerator()._now()
    late = now + timedelta(seconds=site.PASSWORD_RESET_TIMEOUT + 60)
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda _self: late)
    assert client.get(link).status_code == 400


@pytest.mark.parametrize("link", ["/password-reset/MQ/nonsense/", "/password-reset/!/x-y/"])
def test_a_made_up_link_is_bad_input(client: Client, alice: User, link: str) -> None:
    assert client.get(link).status_code == 400


def test_the_answer_does_not_tell_whether_an_address_is_known(alice: User) -> None:
    def answer(email: str) -> tuple[int, str, bytes, int]:
        page = Client().post("/password-reset/", {"email": email}, follow=True)
        return page.status_code, page.redirect_chain[-1][0], page.content, drain()

    drain()  # what her sign-up started
    assert answer("alice@example.com") == answer("stranger@example.com")
    assert len(mail.outbox) == 1


def test_an_inactive_account_gets_no_mail(alice: User) -> None:
    User.objects.update(is_active=False)
    assert ask("alice@example.com") == 302
    assert mailed_links() == []


def test_an_account_whose_password_was_switched_off_gets_no_mail(alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    assert ask("alice@example.com") == 302
    assert mailed_links() == []


def test_an_account_that_went_meanwhile_needs_no_mail(alice: User, carol: User) -> None:
    mail_password_resets.enqueue([alice.pk, carol.pk])
    User.objects.filter(pk=alice.pk).delete()
    User.objects.filter(pk=carol.pk).update(is_active=False)
    assert mailed_links() == []


def test_one_mail_lists_all_accounts_with_the_address(db: None) -> None:
    for number in range(3):
        sign_up(username=f"alice{number}", email="A@example.com", password=PASSWORD)
    ask("a@example.com")
    links = mailed_links()
    [message] = mail.outbox
    assert message.to == ["A@example.com"]
    assert all(f"@alice{number} " in message.body for number in range(3))
    for link in links:
        assert choose(Client(), link, NEW_PASSWORD) == 302
    assert all(user.check_password(NEW_PASSWORD) for user in User.objects.all())


def test_accounts_of_others_do_not_crowd_out_the_owner_of_a_mailbox(db: None) -> None:
    """Neither by their number nor by capitals in the address."""
    for number in range(ACCOUNTS_PER_MAIL + 2):
        email = "Mallory@example.com" if number % 2 else "mallory@example.com"
        sign_up(username=f"eve{number}", email=email, password=PASSWORD)
    owner = sign_up(username="mallory", email="mallory@example.com", password=PASSWORD)
    confirm_email(user=owner)
    ask("mallory@example.com")
    links = mailed_links()
    assert len(mail.outbox) == 1
    assert len(set(links)) == ACCOUNTS_PER_MAIL
    assert choose(Client(), links[0], NEW_PASSWORD) == 302
    owner.refresh_from_db()
    assert owner.check_password(NEW_PASSWORD)


def test_only_the_links_of_the_newest_mail_work(client: Client, alice: User) -> None:
    ask("alice@example.com")
    ask("alice@example.com")
    older, newer = mailed_links()
    assert client.get(older).status_code == 400
    assert choose(client, newer, NEW_PASSWORD) == 302


def test_a_new_password_has_bounds(client: Client, alice: User) -> None:
    ask("alice@example.com")
    [link] = mailed_links()
    for password in ("x9.y8.z7-", "x9.y8.z7-" * 112, "alice12345"):
        assert choose(client, link, password) == 400
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_link_works_for_a_day() -> None:
    assert timedelta(days=1) == timedelta(seconds=site.PASSWORD_RESET_TIMEOUT)


def test_a_link_that_was_followed_confirms_the_address(client: Client, alice: User) -> None:
    ask("alice@example.com")
    [link] = mailed_links()
    client.get(link)
    alice.refresh_from_db()
    assert alice.email_confirmed_at is None
    choose(client, link, NEW_PASSWORD)
    alice.refresh_from_db()
    assert alice.email_confirmed_at is not None


def test_no_address_is_bad_input() -> None:
    assert ask("") == 400
    assert ask("nowhere") == 400
    assert drain() == 0


@pytest.mark.parametrize("email", ["alice@example.com", "stranger@example.com"])
def test_a_mailbox_gets_five_mails_an_hour(alice: User, email: str) -> None:
    drain()  # what her sign-up started
    for number in range(5):
        assert ask(email.upper() if number % 2 else email, address=f"192.0.2.{number}") == 302
    assert ask(email) == 429
    assert drain() == 5
    assert ask("other@example.com") == 302


def test_a_client_asks_for_twenty_mails_an_hour(alice: User) -> None:
    for number in range(20):
        assert ask(f"somebody{number}@example.com") == 302
    assert ask("alice@example.com") == 429
    assert ask("alice@example.com", address="192.0.2.2") == 302

"""Changing the e-mail address: only a link that was mailed there does it, once."""

import re
from functools import partial

import pytest
from django.conf import settings as site
from django.core import mail, signing
from django.test import Client

from taskqueue.drain import drain
from tests.redis_keys import contents_of, keys_of_the_test
from tests.users.conftest import PASSWORD
from tests.users.test_races import at_once
from users.login import mail_links
from users.models import EmailChange, User
from users.safety import addresses
from users.services import confirm_email, delete_account, suspend

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/settings/email/"
NEW = "new@example.com"


def ask(browser: Client, email: str = NEW, password: str = PASSWORD) -> int:
    return browser.post(PAGE, {"email": email, "password": password}).status_code


def mailed() -> list[tuple[str, str]]:
    """To whom, and the link in it, if it has one."""
    drain()
    link = re.compile(rf"^{re.escape(site.SITE_URL)}(/confirm-change/\S+)$", re.M)
    found = [(message.to[0], link.search(str(message.body))) for message in mail.outbox]
    return [(to, match[1] if match else "") for to, match in found]


def link_to(email: str = NEW) -> str:
    return [link for to, link in mailed() if to == email and link][-1]


def address_of(user: User) -> str:
    return User.objects.get(pk=user.pk).email


def test_a_link_in_the_new_mailbox_changes_the_address(alices_browser: Client, alice: User) -> None:
    assert ask(alices_browser) == 302
    (old, no_link), (new, link) = mailed()
    assert (old, no_link, new) == (alice.email, "", NEW)
    assert NEW not in str(mail.outbox[0].body)
    assert address_of(alice) == alice.email
    page = Client().get(link)
    assert page.status_code == 200
    assert NEW in page.content.decode()
    assert address_of(alice) == alice.email, "looking changes nothing"
    assert Client().post(link)["Location"] == "/"
    changed = User.objects.get(pk=alice.pk)
    assert changed.email == NEW
    assert changed.email_confirmed_at is not None
    assert NEW in alices_browser.get(PAGE).content.decode()


def test_a_link_works_once(alices_browser: Client, alice: User) -> None:
    ask(alices_browser)
    link = link_to()
    assert Client().post(link).status_code == 302
    assert Client().get(link).status_code == 400
    assert Client().post(link).status_code == 400
    addresses.ask_for_change(user=alice, email="alice@example.com")
    assert Client().post(link_to("alice@example.com")).status_code == 302
    assert Client().post(link).status_code == 400, "not even after the old address is back"
    assert address_of(alice) == "alice@example.com"


def test_of_many_clicks_at_once_one_counts(alices_browser: Client, alice: User) -> None:
    ask(alices_browser)
    link = link_to()
    answers = at_once(partial(Client().post, link) for _ in range(6))
    codes = sorted(answer.status_code for answer in answers)  # type: ignore[attr-defined] # responses
    assert codes == [302] + [400] * 5


def test_only_the_newest_link_works(alices_browser: Client, alice: User) -> None:
    ask(alices_browser, "first@example.com")
    ask(alices_browser, "second@example.com")
    links = dict(mailed())
    assert "first@example.com" not in links, "the worker was slow: there was nothing to mail"
    ask(alices_browser, "third@example.com")
    third = link_to("third@example.com")
    assert Client().post(links["second@example.com"]).status_code == 400
    assert Client().post(third).status_code == 302
    assert address_of(alice) == "third@example.com"


def test_the_same_address_again_makes_the_older_link_worthless(
    alices_browser: Client, alice: User
) -> None:
    ask(alices_browser)
    older = link_to()
    ask(alices_browser)
    newer = link_to()
    assert older != newer
    assert Client().post(older).status_code == 400
    assert Client().post(newer).status_code == 302


def test_a_link_ends_after_a_day(
    alices_browser: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mail_links.CHANGE_SECONDS == 24 * 3600
    ask(alices_browser)
    link = link_to()
    monkeypatch.setattr(mail_links, "CHANGE_SECONDS", -1)
    assert Client().post(link).status_code == 400
    assert address_of(alice) == alice.email


def test_a_new_password_stops_the_change(alices_browser: Client, alice: User) -> None:
    ask(alices_browser)
    link = link_to()
    alice.set_password("eight blue bottles")
    alice.save()
    assert Client().post(link).status_code == 400


def test_the_owner_can_drop_it(alices_browser: Client, alice: User) -> None:
    ask(alices_browser)
    link = link_to()
    assert "Waiting for you" in alices_browser.get(PAGE).content.decode()
    for _ in range(2):
        assert alices_browser.post(f"{PAGE}keep/")["Location"] == PAGE
    assert "Waiting for you" not in alices_browser.get(PAGE).content.decode()
    assert Client().post(link).status_code == 400


@pytest.mark.parametrize("fate", [suspend, delete_account])
def test_an_account_that_is_not_there_changes_nothing(
    alices_browser: Client, alice: User, fate: object
) -> None:
    ask(alices_browser)
    link = link_to()
    fate(user=alice)  # type: ignore[operator] # a service
    assert Client().post(link).status_code == 400
    assert not User.objects.filter(email=NEW).exists()


def test_it_takes_the_password(alices_browser: Client, alice: User) -> None:
    assert ask(alices_browser, password="wrong") == 400
    assert ask(alices_browser, password="") == 400
    assert mailed() == []
    assert not EmailChange.objects.exists()


@pytest.mark.parametrize(
    "email",
    ["", "nowhere", "a@b", "a" * 250 + "@example.com", "a\n@example.com", "a@example.com\0"],
)
def test_what_is_no_address_is_refused(alices_browser: Client, alice: User, email: str) -> None:
    answer = alices_browser.post(PAGE, {"email": email, "password": PASSWORD})
    assert answer.status_code == 400
    assert "email" in answer.context["form"].errors
    assert mailed() == []


def test_the_address_that_one_has_is_refused(alices_browser: Client, alice: User) -> None:
    answer = alices_browser.post(PAGE, {"email": alice.email, "password": PASSWORD})
    assert answer.context["form"].errors == {"email": ["This is your address already."]}


@pytest.mark.parametrize("token", ["nonsense", "a:b:c", "%F0%9F%8C%8D"])
def test_a_made_up_link_is_bad_input(client: Client, token: str) -> None:
    assert client.get(f"/confirm-change/{token}/").status_code == 400
    assert client.post(f"/confirm-change/{token}/").status_code == 400


def test_a_link_of_another_kind_does_not_work_here(alices_browser: Client, alice: User) -> None:
    ask(alices_browser)
    confirmation = mail_links.confirmation_link(alice).rpartition("/confirm/")[2]
    assert Client().get(f"/confirm-change/{confirmation}").status_code == 400
    change = link_to().removeprefix("/confirm-change/")
    assert Client().get(f"/confirm/{change}").status_code == 400
    forged = signing.dumps([alice.pk, NEW, "now"], salt="other")
    assert Client().post(f"/confirm-change/{forged}/").status_code == 400


def test_a_mailbox_gets_five_such_mails_a_day(alices_browser: Client) -> None:
    for _ in range(5):
        assert ask(alices_browser) == 302
    assert ask(alices_browser) == 429
    assert ask(alices_browser, "other@example.com") == 302


def test_the_same_address_as_somebody_else_gets_the_same_answer(
    alices_browser: Client, carol: User
) -> None:
    """Whether an address has an account is nobody's business."""
    confirm_email(user=carol)
    answers = [
        alices_browser.post(PAGE, {"email": email, "password": PASSWORD}, follow=True)
        for email in (carol.email, NEW)
    ]
    taken, free = ((it.status_code, it.redirect_chain, it.context["change"]) for it in answers)
    assert taken[:2] == free[:2]
    assert "Check your new mailbox" in answers[0].content.decode()


def test_nothing_about_it_is_in_redis(alices_browser: Client) -> None:
    ask(alices_browser)
    link = link_to()
    held = str(contents_of(keys_of_the_test()))
    assert NEW not in held
    assert link.rpartition(":")[2].strip("/") not in held

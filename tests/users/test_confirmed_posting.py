"""A site may let people post only after they have confirmed their address."""

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from statuses.models import Status
from statuses.services import post_status
from taskqueue.drain import drain
from users.models import User
from users.services import confirm_email
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def strict(settings: Settings) -> None:
    settings.POSTING_NEEDS_CONFIRMED_EMAIL = True


def test_by_default_anybody_posts(alices_browser: Client) -> None:
    assert alices_browser.post("/statuses/", {"text": "hello"}).status_code == 302


@pytest.mark.usefixtures("strict")
def test_who_has_not_confirmed_is_told_how_and_loses_no_text(alices_browser: Client) -> None:
    page = alices_browser.post("/statuses/", {"text": "my first words", "next": "/explore/"})
    assert page.status_code == 403
    html = page.content.decode()
    assert "Confirm your e-mail address first" in html
    assert "my first words" in html
    assert 'action="/settings/confirm/"' in html
    assert not Status.objects.exists()
    answer = alices_browser.post("/settings/confirm/", {"next": "/explore/"})
    assert answer["Location"] == "/explore/"
    drain()
    assert [message.to for message in mail.outbox] == [["alice@example.com"]]


@pytest.mark.usefixtures("strict")
def test_asking_for_the_mail_again_and_again_is_limited(alices_browser: Client) -> None:
    codes = [alices_browser.post("/settings/confirm/").status_code for _ in range(6)]
    assert codes == [302] * 5 + [429]


@pytest.mark.usefixtures("strict")
def test_who_has_confirmed_posts(alices_browser: Client, alice: User) -> None:
    confirm_email(user=alice)
    assert alices_browser.post("/statuses/", {"text": "hello"}).status_code == 302
    assert Status.objects.get().text == "hello"


@pytest.mark.usefixtures("strict")
def test_every_way_to_post_is_closed(alice: User) -> None:
    with pytest.raises(Refusal) as refused:
        post_status(author=alice, text="hello")
    assert refused.value.code == "unconfirmed"


@pytest.mark.usefixtures("strict")
def test_an_empty_post_is_bad_input_as_ever(alices_browser: Client) -> None:
    assert alices_browser.post("/statuses/", {"text": ""}).status_code == 400

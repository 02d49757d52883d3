"""The page to write on, and the language of a post."""

import pytest
from django.test import Client

from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of
from users.audience import Visibility
from users.models import User

IN_PLACE = {"HX-Request": "true"}


def test_a_page_to_write_on_is_for_members(db: None) -> None:
    assert Client().get("/compose/")["Location"] == "/login/?next=/compose/"


def test_a_new_post_has_a_page_and_a_form_alone_for_scripts(alice: User) -> None:
    browser = browser_of(alice)
    page = browser.get("/compose/").content.decode()
    assert "New post" in page
    assert 'id="compose"' in page
    form = browser.get("/compose/", headers=IN_PLACE).content.decode()
    assert "<html" not in form
    assert 'data-draft="post"' in form
    assert 'name="idempotency_key" value="' in form


def test_a_reply_shows_what_it_answers_and_is_no_wider(alice: User, bob: User) -> None:
    asked = post_status(author=alice, text="Who comes?", visibility=Visibility.FOLLOWERS)
    browser = browser_of(bob)
    page = browser.get(f"/compose/?reply_to={asked.pk}").content.decode()
    assert "Who comes?" in page
    assert f'data-draft="reply {asked.pk}"' in page
    assert f'name="reply_to" value="{asked.pk}"' in page
    assert '<option value="2" selected>' in page


def test_nobody_answers_what_they_can_not_see(alice: User, carol: User) -> None:
    secret = post_status(author=alice, text="For friends", visibility=Visibility.FOLLOWERS)
    for address in (f"/compose/?reply_to={secret.pk}", "/compose/?reply_to=1"):
        answer = browser_of(carol).get(address)
        assert answer.status_code == 404
        assert b"For friends" not in answer.content
    assert browser_of(carol).get("/compose/?reply_to=x").status_code == 400


@pytest.mark.parametrize(
    ("accepted", "suggested"), [("de-AT,en;q=0.5", "de"), ("gsw", "gsw"), ("zh-CN", "zh"), ("", "")]
)
def test_the_browser_says_which_language_is_suggested(
    alice: User, accepted: str, suggested: str
) -> None:
    browser = browser_of(alice)
    for page in ("/", "/compose/", "/@alice/"):
        html = browser.get(page, HTTP_ACCEPT_LANGUAGE=accepted).content.decode()
        assert f'<option value="{suggested}" selected>' in html, page


def test_the_language_of_the_last_post_is_suggested_next(alice: User, bob: User) -> None:
    browser = browser_of(alice)
    browser.post("/statuses/", {"text": "Bonjour", "language": "fr"}, HTTP_ACCEPT_LANGUAGE="en")
    assert Status.objects.get(text="Bonjour").language == "fr"
    for page in ("/", "/compose/"):
        html = browser.get(page, HTTP_ACCEPT_LANGUAGE="en").content.decode()
        assert '<option value="fr" selected>' in html
        assert '<option value="fr" selected>' not in browser_of(bob).get(page).content.decode()


def test_a_made_up_language_is_refused_and_not_remembered(alice: User) -> None:
    answer = browser_of(alice).post("/statuses/", {"text": "Hm", "language": "<b>"})
    assert answer.status_code == 400
    assert not Status.objects.filter(text="Hm").exists()
    alice.refresh_from_db()
    assert alice.posting_language == ""


def test_names_have_no_maxlength(alice: User) -> None:
    """Browsers would count code units."""
    html = browser_of(alice).get("/settings/profile/").content.decode()
    assert "maxlength" not in html
    assert 'data-longest="50"' in html

"""Choosing who sees a post, and what its article says of that."""

import re

import pytest
from django.test import Client

from relations.blocks_and_mutes.services import mute_word
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import post_status
from statuses.store import find_statuses
from tests.cast import browser_of, make_user
from users.audience import Visibility
from users.models import User
from users.services import silence


def selected(browser: Client, address: str = "/") -> str:
    """What the form to post with suggests."""
    page = browser.get(address).content.decode()
    select = re.search(r'<select name="visibility".*?</select>', page, re.DOTALL)
    assert select
    found = re.search(r'<option value="(\d)" selected>', select[0])
    return str(Visibility(int(found[1])).label) if found else ""


def say(author: User, visibility: Visibility, text: str = "hello") -> Status:
    return post_status(author=author, text=text, visibility=visibility)


def address_of(status: Status) -> str:
    return f"/@{status.author.username}/{status.pk}/"


@pytest.mark.parametrize("visibility", Visibility)
def test_a_post_is_for_whom_its_author_chooses(alice: User, visibility: Visibility) -> None:
    fields = {"text": "hello", "visibility": str(visibility.value)}
    assert browser_of(alice).post("/statuses/", fields).status_code == 302
    assert Status.objects.get().visibility == visibility


@pytest.mark.parametrize("chosen", ["4", "-1", "public", "2 "])
def test_an_audience_that_is_none_is_refused(alice: User, chosen: str) -> None:
    answer = browser_of(alice).post("/statuses/", {"text": "hello", "visibility": chosen})
    assert answer.status_code == 400
    assert "Select a valid choice" in answer.content.decode()
    assert not Status.objects.exists()


def test_the_usual_audience_is_suggested_and_taken_where_none_is_chosen(alice: User) -> None:
    browser = browser_of(alice)
    assert selected(browser) == "Public"
    User.objects.filter(pk=alice.pk).update(default_visibility=Visibility.FOLLOWERS)
    assert selected(browser) == "Followers only"
    browser.post("/statuses/", {"text": "hello"})
    assert Status.objects.get().visibility == Visibility.FOLLOWERS


def test_a_reply_is_suggested_no_wider_than_what_it_answers(alice: User, bob: User) -> None:
    browser = browser_of(bob)
    assert selected(browser, address_of(say(alice, Visibility.PUBLIC))) == "Public"
    narrow = say(alice, Visibility.FOLLOWERS)
    assert selected(browser, address_of(narrow)) == "Followers only"
    browser.post("/statuses/", {"text": "yes", "reply_to": narrow.pk})
    assert Status.objects.get(reply_to=narrow).visibility == Visibility.FOLLOWERS


def test_a_refused_form_keeps_the_choice(alice: User, bob: User) -> None:
    """Without one it must not suggest a wider audience than the usual one."""
    User.objects.filter(pk=bob.pk).update(default_visibility=Visibility.UNLISTED)
    narrow, browser = say(alice, Visibility.FOLLOWERS), browser_of(bob)
    for fields, kept in (
        ({"visibility": "3"}, "3"),
        ({}, "1"),
        ({"reply_to": narrow.pk}, "2"),
        ({"reply_to": narrow.pk, "visibility": "0"}, "0"),
    ):
        page = browser.post("/statuses/", {"text": "x" * 600, **fields}).content.decode()
        assert f'<option value="{kept}" selected>' in page


def test_private_accounts_read_that_only_followers_see_their_posts(alice: User) -> None:
    browser = browser_of(alice)
    assert "Your account is private" not in browser.get("/").content.decode()
    User.objects.filter(pk=alice.pk).update(is_private=True)
    assert "Your account is private" in browser.get("/").content.decode()


@pytest.mark.parametrize("visibility", Visibility)
def test_an_article_says_whom_it_is_for(alice: User, visibility: Visibility) -> None:
    status = say(alice, visibility)
    page = browser_of(alice).get(address_of(status)).content.decode()
    mark = f'<span class="status-audience" title="{visibility.label}">'
    assert (mark in page) is (visibility != Visibility.PUBLIC)


def may_boost(reader: User, status: Status) -> bool:
    page = browser_of(reader).get(address_of(status)).content.decode()
    return f'formaction="/statuses/{status.pk}/boost/"' in page


@pytest.mark.parametrize("visibility", [Visibility.PUBLIC, Visibility.UNLISTED])
def test_what_everybody_sees_can_be_boosted(alice: User, bob: User, visibility: Visibility) -> None:
    status = say(alice, visibility)
    assert (may_boost(bob, status), may_boost(alice, status)) == (True, True)


def test_what_only_some_see_has_no_button_to_boost_it(alice: User, bob: User) -> None:
    narrow = say(alice, Visibility.FOLLOWERS)
    assert (may_boost(bob, narrow), may_boost(alice, narrow)) == (False, False)
    assert browser_of(bob).post(f"/statuses/{narrow.pk}/boost/").status_code == 400


def test_posts_of_private_accounts_have_no_button_to_boost_them(alice: User, bob: User) -> None:
    status, dave = say(alice, Visibility.PUBLIC), make_user("dave", is_private=True)
    closed = say(dave, Visibility.PUBLIC)
    assert not may_boost(dave, closed)
    boost(user=bob, status=find_statuses([status.pk])[status.pk])
    User.objects.filter(pk=alice.pk).update(is_private=True)
    page = browser_of(bob).get(address_of(status)).content.decode()
    assert f'formaction="/statuses/{status.pk}/unboost/"' in page, "what was done can be undone"


def test_silenced_people_do_not_learn_of_it_by_a_missing_button(alice: User, bob: User) -> None:
    status = say(alice, Visibility.PUBLIC)
    silence(user=alice)
    assert (may_boost(bob, status), may_boost(alice, status)) == (False, True)


FOLDED = "Muted word in a post by @alice"


def test_a_muted_word_folds_a_post_away_for_that_reader_alone(
    alice: User, bob: User, carol: User
) -> None:
    follow(follower=carol, followee=alice)
    post_status(author=alice, text="all about spoilers")
    post_status(author=alice, text="tea")
    mute_word(user=bob, phrase="spoilers", action="fold")
    for _ in range(2):
        page = browser_of(bob).get("/").content.decode()
        assert page.count(FOLDED) == 1
        assert page.index(FOLDED) < page.index("all about spoilers"), "it can be unfolded"
        for reader in (carol, alice):
            assert FOLDED not in browser_of(reader).get("/").content.decode()
    assert FOLDED not in Client().get("/explore/newest/").content.decode()


def test_a_muted_word_folds_replies_in_threads(alice: User, bob: User, carol: User) -> None:
    root = post_status(author=carol, text="tell me")
    stored = find_statuses([root.pk])[root.pk]
    post_status(author=alice, text="spoilers!", reply_to=stored.id)
    mute_word(user=bob, phrase="Spoilers", action="fold")
    assert FOLDED in browser_of(bob).get(address_of(root)).content.decode()
    assert FOLDED not in browser_of(carol).get(address_of(root)).content.decode()

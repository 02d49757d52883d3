"""The pages of chats, as a browser without scripts uses them."""

import re
from importlib import import_module

import pytest
from django.test import Client
from django.urls import reverse

from chats.membership import leave
from chats.models import Chat, Member, Message
from chats.services import send
from chats.starting import chat_with
from relations.blocks_and_mutes.services import block
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.chats.talking import group, pair, say
from users.audience import Visibility
from users.models import User
from users.services import delete_account


@pytest.fixture
def chat(alice: User, carol: User) -> Chat:
    return pair(alice, carol)


def page(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def at(chat: Chat) -> str:
    return reverse("chat", args=[chat.pk])


def unread_badge(browser: Client) -> str:
    drain()
    found = re.search(r"data-messages.*?</a>", page(browser, "/"), re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", found[0] if found else "").split("Messages")[-1]
    return " ".join(words.strip(" ,\n").split())


def test_what_one_sends_the_other_reads(chat: Chat, alice: User, carol: User) -> None:
    fields = {"text": "Hello <b>Carol</b>, see https://example.com", "idempotency_key": "1"}
    assert browser_of(alice).post(at(chat), fields).status_code == 302
    browser = browser_of(carol)
    assert unread_badge(browser) == "1 unread"
    assert "Hello &lt;b&gt;Carol" in page(browser, "/messages/")
    shown = page(browser, at(chat))
    assert "Hello &lt;b&gt;Carol&lt;/b&gt;, see <a href=" in shown
    assert 'id="new"' in shown
    assert unread_badge(browser) == ""
    assert 'id="new"' not in page(browser, at(chat))


def test_an_empty_message_is_refused_beside_the_box(chat: Chat, alice: User) -> None:
    answer = browser_of(alice).post(at(chat), {"text": " "})
    assert answer.status_code == 400
    assert "Write something first." in answer.content.decode()


@pytest.mark.parametrize("reader", ["a stranger", "a visitor"])
def test_others_find_nothing_on_any_path(chat: Chat, alice: User, reader: str) -> None:
    message = say(chat, alice, "secret")
    browser = browser_of(make_user("dave")) if reader == "a stranger" else Client()
    for pattern in import_module("chats.urls").urlpatterns:
        if "chat_id" not in str(pattern.pattern):
            continue
        wanted = {"chat_id": chat.pk, "message_id": message.pk, "username": "alice"}
        names = pattern.pattern.converters
        address = reverse(pattern.name or "", kwargs={name: wanted[name] for name in names})
        for answer in (browser.get(address), browser.post(address, {"text": "x"})):
            assert answer.status_code in ({404, 405} if reader == "a stranger" else {302, 405})
            assert b"secret" not in answer.content
    assert Message.objects.get().text == "secret"


def test_what_was_said_later_is_not_for_those_who_left(alice: User, bob: User, carol: User) -> None:
    chat = group(alice, bob, carol)
    say(chat, alice, "sooner")
    leave(chat=chat, user=carol)
    say(chat, alice, "later")
    browser = browser_of(carol)
    for address in ("/messages/", at(chat), f"{at(chat)}changes/", f"{at(chat)}about/"):
        assert "later" not in page(browser, address)
    assert "sooner" in page(browser, at(chat))
    assert "@bob" not in page(browser, f"{at(chat)}about/")
    assert browser.post(at(chat), {"text": "hi"}).status_code == 403


def test_a_stranger_asks_and_is_answered(alice: User, carol: User) -> None:
    assert browser_of(carol).post("/messages/with/alice/").status_code == 302
    chat = Chat.objects.get()
    browser_of(carol).post(at(chat), {"text": "may I?"})
    browser = browser_of(alice)
    assert "may I?" not in page(browser, "/messages/")
    assert "may I?" in page(browser, "/messages/requests/")
    assert "Accept" in page(browser, at(chat))
    browser.post(f"{at(chat)}accept/")
    assert "may I?" in page(browser, "/messages/")


def test_a_group_is_made_and_looked_after(alice: User, bob: User, carol: User) -> None:
    chat_with(user=alice, other=bob)
    browser = browser_of(alice)
    answer = browser.post("/messages/new/", {"people": "@bob carol", "title": ""})
    assert "Give the group a name." in answer.content.decode()
    browser.post("/messages/new/", {"people": "@bob, carol", "title": "Tea"})
    chat = Chat.objects.get(pair=None)
    about = f"{at(chat)}about/"
    assert "@carol" in page(browser, about)
    browser.post(about, {"title": "Cake", "who_adds": "1"})
    assert "Cake" in page(browser, at(chat))
    make_user("dave")
    browser.post(f"{at(chat)}add/", {"people": "dave"})
    browser.post(f"{at(chat)}remove/carol/")
    present = Member.objects.present().filter(chat=chat).order_by("pk")
    assert list(present.values_list("user__username", flat=True)) == ["alice", "bob", "dave"]
    answer = browser.post(f"{at(chat)}add/", {"people": "nobody"})
    assert (answer.status_code, "No account named @nobody." in answer.content.decode()) == (
        400,
        True,
    )
    assert browser_of(bob).post(f"{at(chat)}leave/").status_code == 302


def test_of_several_people_all_are_added_or_nobody(alice: User, bob: User, carol: User) -> None:
    chat = group(alice, bob)
    block(blocker=carol, blocked=alice)
    make_user("dave")
    answer = browser_of(alice).post(f"{at(chat)}add/", {"people": "dave carol"})
    assert answer.status_code == 400
    assert "write to" in answer.content.decode()
    assert chat.members.count() == 2


def test_messages_are_changed_and_reacted_to(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice, "helo")
    one, other = browser_of(alice), browser_of(carol)
    there = f"{at(chat)}{message.pk}/"
    assert "helo" in page(one, f"{there}edit/")
    assert other.get(f"{there}edit/").status_code == 404
    one.post(f"{there}edit/", {"text": "hello"})
    other.post(f"{there}react/", {"emoji": "🎉"})
    shown = page(other, at(chat))
    assert "hello" in shown
    assert 'aria-pressed="true">🎉 1' in shown
    other.post(f"{there}react/", {"emoji": "🎉"})
    assert "aria-pressed" not in page(other, at(chat))
    other.post(at(chat), {"text": "answer", "reply_to": str(message.pk)})
    assert f'href="#message-{message.pk}"' in page(one, at(chat))
    other.post(f"{there}hide/")
    assert "hello" not in page(other, at(chat))
    one.post(f"{there}delete/")
    assert "Message deleted" in page(one, at(chat))


def test_a_post_is_shown_to_those_who_may_see_it(alice: User, bob: User, carol: User) -> None:
    chat = group(alice, bob, carol)
    post = post_status(author=alice, text="for followers", visibility=Visibility.FOLLOWERS)
    send(chat=chat, author=alice, status=post.pk)
    assert "for followers" in page(browser_of(bob), at(chat))
    hidden = page(browser_of(carol), at(chat))
    assert "for followers" not in hidden
    assert "A post that you can&#x27;t see" in hidden or "A post that you can't see" in hidden


def test_words_of_a_blocked_person_are_folded_in_a_group(
    alice: User, bob: User, carol: User
) -> None:
    chat = group(alice, bob, carol)
    say(chat, carol, "nuisance")
    block(blocker=alice, blocked=carol)
    drain()
    for address in ("/messages/", at(chat), f"{at(chat)}changes/"):
        assert "nuisance" not in page(browser_of(alice), address)
    assert "nuisance" in page(browser_of(bob), at(chat))


def test_who_deletes_their_account_has_no_name_any_more(
    chat: Chat, alice: User, carol: User
) -> None:
    say(chat, carol, "good-bye")
    delete_account(user=carol)
    drain()
    for address in ("/messages/", at(chat)):
        shown = page(browser_of(alice), address)
        assert "Deleted account" in shown
        assert "good-bye" in shown
        assert "carol" not in shown


def test_a_page_that_was_away_gets_what_it_missed(chat: Chat, alice: User, carol: User) -> None:
    say(chat, carol, "first")
    browser = browser_of(alice)
    assert 'data-version="1"' in page(browser, at(chat))
    say(chat, carol, "second")
    missed = page(browser, f"{at(chat)}changes/?since_id=1")
    assert "second" in missed
    assert "first" not in missed
    assert 'data-version="2"' in missed
    assert browser.get(f"{at(chat)}changes/?since_id=x").status_code == 400


def test_who_may_write_is_a_setting(alice: User) -> None:
    browser = browser_of(alice)
    assert "Who can write to you" in page(browser, "/settings/")
    assert browser.post("/settings/messages/", {"who_writes": "2"}).status_code == 302
    assert 'value="2" id="id_who_writes_2" checked' in page(browser, "/settings/messages/").replace(
        " required", ""
    )
    assert browser.post("/settings/messages/", {"who_writes": "7"}).status_code == 400

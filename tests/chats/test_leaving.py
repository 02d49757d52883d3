"""What becomes of chats when an account goes, and what its export has of them."""

from chats.exporting import chats, messages, preferences, reactions
from chats.membership import leave
from chats.models import Chat, Member, Message, Reaction
from chats.services import delete_message, react
from redistools import keys
from redistools.client import get_client
from taskqueue.drain import drain
from tests.chats.talking import group, pair, say, shown, texts, unread
from tests.redis_keys import keys_of_the_test
from users.models import User
from users.selectors import people
from users.services import delete_account


def test_what_they_said_stays_without_their_name(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    said = say(chat, alice, "good-bye")
    react(message=said, by=alice, emoji="🎉")
    number = alice.pk
    delete_account(user=alice)
    drain()
    (read,) = shown(chat, carol)
    assert (read.text, read.author_id, read.reactions) == ("good-bye", number, ())
    assert people([number]) == {}
    assert unread(carol) == 1
    assert get_client().exists(keys.chat_counts(number)) == 0


def test_a_chat_that_nobody_can_read_goes_too(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    say(chat, alice)
    texts(chat, carol)
    for user in (alice, carol):
        delete_account(user=user)
    drain()
    assert not Chat.objects.exists()
    assert not Message.objects.exists()
    assert keys_of_the_test("chat*") == []


def test_a_group_gets_another_owner(alice: User, bob: User, carol: User) -> None:
    group(alice, bob, carol)
    delete_account(user=alice)
    drain()
    assert Member.objects.get(role=Member.Role.OWNER).user == bob


def test_an_export_has_what_they_said_and_nothing_that_others_said(
    alice: User, carol: User
) -> None:
    chat = pair(alice, carol)
    say(chat, alice, "mine")
    theirs = say(chat, carol, "theirs")
    delete_message(message=say(chat, alice, "deleted"), by=alice)
    react(message=theirs, by=alice, emoji="🎉")
    assert [row["text"] for row in messages(alice)] == ["mine"]
    assert [(row["with"], row["is_group"]) for row in chats(alice)] == [(["carol"], False)]
    assert [row["emoji"] for row in reactions(alice)] == ["🎉"]
    assert list(preferences(alice)) == [{"who_writes": "everybody"}]
    assert Reaction.objects.count() == 1


def test_an_export_names_nobody_of_a_group_that_was_left(
    alice: User, bob: User, carol: User
) -> None:
    chat = group(alice, bob, carol)
    leave(chat=chat, user=carol)
    assert [row["with"] for row in chats(bob)] == [["alice"]]
    assert [row["with"] for row in chats(carol)] == [[]]

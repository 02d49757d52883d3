"""Who may write to whom: followers, strangers, blocked and suspended people."""

import pytest

from chats import selectors
from chats.models import Chat, Member, Preferences
from chats.services import react
from chats.starting import accept, begin_group, chat_with, choose_who_writes, decline
from chats.writing_to import MOST_TO_STRANGERS
from relations.blocks_and_mutes.services import block, unblock
from relations.services import follow
from tests.cast import make_user
from tests.chats.talking import counts, group, pair, say, texts, unread
from users import throttling
from users.models import User
from users.services import restore, suspend
from users.throttling import Pace
from web.refusals import Refusal

WHO_WRITES = Preferences.WhoWrites


def requests_of(user: User) -> list[int]:
    return [it.member.chat_id for it in selectors.requests(user).chats]


def test_two_people_have_one_chat(alice: User, carol: User) -> None:
    assert chat_with(user=alice, other=carol) == chat_with(user=carol, other=alice)
    assert Member.objects.count() == 2


def test_nobody_writes_to_themselves(alice: User) -> None:
    with pytest.raises(Refusal):
        chat_with(user=alice, other=alice)


def test_a_chat_is_listed_once_something_was_said(alice: User, bob: User) -> None:
    chat = chat_with(user=alice, other=bob)
    assert selectors.open_chats(alice).chats == []
    say(chat, alice)
    for reader, other in ((alice, bob), (bob, alice)):
        (listed,) = selectors.open_chats(reader).chats
        assert listed.other_id == other.pk


def test_a_stranger_lands_in_requests_and_counts_once(alice: User, carol: User) -> None:
    chat = chat_with(user=carol, other=alice)
    assert counts(alice).requests == 0
    for _ in range(2):
        say(chat, carol)
    assert counts(alice) == (0, 1)
    assert requests_of(alice) == [chat.pk]
    assert selectors.open_chats(alice).chats == []


def test_a_stranger_waits_for_an_answer(alice: User, carol: User) -> None:
    chat = chat_with(user=carol, other=alice)
    for _ in range(MOST_TO_STRANGERS):
        say(chat, carol)
    with pytest.raises(Refusal, match="has answered"):
        say(chat, carol)
    say(chat, alice, "yes?")
    say(chat, carol)
    assert requests_of(alice) == []
    assert counts(alice).requests == 0


def test_what_is_accepted_is_a_chat_like_others(alice: User, carol: User) -> None:
    chat = chat_with(user=carol, other=alice)
    say(chat, carol)
    accept(chat=chat, user=alice)
    assert counts(alice) == (1, 0)


def test_what_is_declined_is_gone_and_its_author_learns_nothing(alice: User, carol: User) -> None:
    chat = chat_with(user=carol, other=alice)
    say(chat, carol)
    decline(chat=chat, user=alice)
    assert counts(alice) == (0, 0)
    assert requests_of(alice) == []
    say(chat, carol)
    assert requests_of(alice) == []
    accept(chat=chat, user=carol)  # theirs, which changes nothing
    assert requests_of(alice) == []


def test_who_is_followed_after_all_may_write(alice: User, carol: User) -> None:
    chat = chat_with(user=carol, other=alice)
    follow(follower=alice, followee=carol)
    for _ in range(MOST_TO_STRANGERS + 1):
        say(chat, carol)
    assert counts(alice).requests == 0


def test_who_wants_no_messages_gets_those_of_people_they_follow(
    alice: User, bob: User, carol: User
) -> None:
    choose_who_writes(user=bob, who_writes=WHO_WRITES.NOBODY)
    with pytest.raises(Refusal, match="takes no messages"):
        chat_with(user=carol, other=bob)
    with pytest.raises(Refusal, match="takes no messages"):
        begin_group(user=carol, title="Tea", others=[bob])
    assert not Chat.objects.exists()
    chat_with(user=alice, other=bob)


def test_strangers_are_written_to_only_so_often(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "stranger", Pace(1))
    chat_with(user=carol, other=alice)
    chat_with(user=carol, other=alice)
    with pytest.raises(Refusal) as refused:
        chat_with(user=carol, other=make_user("dave"))
    assert refused.value.status == 429


def test_a_block_holds_in_an_open_chat(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    message = say(chat, alice)
    block(blocker=alice, blocked=carol)
    for author in (alice, carol):
        with pytest.raises(Refusal, match="can't write"):
            say(chat, author)
        with pytest.raises(Refusal, match="can't write"):
            react(message=message, by=author, emoji="🎉")
    unblock(blocker=alice, blocked=carol)
    say(chat, carol)


def test_a_suspension_holds_in_an_open_chat(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    suspend(user=carol)
    with pytest.raises(Refusal, match="no longer exists"):
        say(chat, alice)
    restore(user=carol)
    say(chat, alice)


def test_who_is_added_by_a_stranger_is_asked_first(alice: User, carol: User, bob: User) -> None:
    chat = group(carol)
    begun = begin_group(user=carol, title="Coffee", others=[alice])
    say(begun, carol)
    assert requests_of(alice) == [begun.pk]
    assert unread(alice) == 0
    accept(chat=begun, user=alice)
    assert (unread(alice), texts(begun, alice)) == (1, ["hello"])
    assert chat.pk != begun.pk

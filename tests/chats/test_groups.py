"""Groups: who is in them, and what each member reads of what is said."""

from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404

from chats import membership, selectors
from chats.membership import add_member, change_group, leave, remove_member, set_aside
from chats.models import Chat, Member, WhoAdds
from chats.selectors import membership_or_404
from chats.services import edit_message, react
from chats.starting import begin_group
from relations.blocks_and_mutes.services import block
from tests.cast import make_user
from tests.chats.talking import group, open_to_everybody, pair, say, shown, texts, unread
from users.models import User
from web.refusals import Refusal


@pytest.fixture
def dave(transactional_db: None) -> User:
    return make_user("dave")


@pytest.fixture
def chat(alice: User, bob: User, carol: User) -> Chat:
    return group(alice, bob, carol)


def test_a_group_needs_a_name(alice: User) -> None:
    with pytest.raises(ValidationError):
        begin_group(user=alice, title=" ")


def test_newcomers_read_what_is_said_from_then_on(chat: Chat, alice: User, dave: User) -> None:
    open_to_everybody(dave)
    say(chat, alice, "before")
    assert add_member(chat=chat, user=dave, by=alice)
    assert not add_member(chat=chat, user=dave, by=alice)
    assert (texts(chat, dave), unread(dave)) == ([], 0)
    say(chat, alice, "after")
    assert (texts(chat, dave), unread(dave)) == (["after"], 1)


@pytest.mark.parametrize("ending", ["leaves", "is removed"])
def test_those_who_are_gone_read_what_was_said_until_then(
    chat: Chat, alice: User, carol: User, ending: str
) -> None:
    old = say(chat, alice, "before")
    react(message=old, by=alice, emoji="🎉")
    if ending == "leaves":
        assert leave(chat=chat, user=carol)
        assert not leave(chat=chat, user=carol)
    else:
        assert remove_member(chat=chat, user=carol, by=alice)
    say(chat, alice, "after")
    assert (texts(chat, carol), unread(carol)) == (["before"], 0)
    edit_message(message=old, by=alice, text="after all")
    (read,) = shown(chat, carol)
    assert (read.text, read.is_deleted, read.reactions) == ("", True, ())
    changes = selectors.changes(membership_or_404(chat.pk, carol), since=0)
    assert changes is not None
    assert changes.messages == [read]
    with pytest.raises(Refusal, match="have left"):
        say(chat, carol)


def test_who_returns_does_not_read_what_was_said_meanwhile(
    chat: Chat, alice: User, carol: User
) -> None:
    leave(chat=chat, user=carol)
    say(chat, alice, "meanwhile")
    add_member(chat=chat, user=carol, by=alice)
    say(chat, alice, "again")
    assert texts(chat, carol) == ["again"]


def test_owners_say_who_adds_people(chat: Chat, alice: User, bob: User, dave: User) -> None:
    change_group(chat=chat, by=alice, title="Tea", who_adds=WhoAdds.OWNERS)
    with pytest.raises(Refusal, match="Only owners"):
        add_member(chat=chat, user=dave, by=bob)
    with pytest.raises(Refusal, match="Only owners"):
        change_group(chat=chat, by=bob, title="Coffee", who_adds=WhoAdds.MEMBERS)
    with pytest.raises(Refusal, match="Only owners"):
        remove_member(chat=chat, user=alice, by=bob)
    assert Chat.objects.get().title == "Tea"


def test_strangers_change_nothing(chat: Chat, alice: User, dave: User) -> None:
    for attempt in (
        partial(add_member, chat=chat, user=dave, by=dave),
        partial(remove_member, chat=chat, user=alice, by=dave),
        partial(change_group, chat=chat, by=dave, title="Mine", who_adds=WhoAdds.MEMBERS),
        partial(leave, chat=chat, user=dave),
        partial(set_aside, chat=chat, user=dave, is_muted=True),
    ):
        with pytest.raises(Http404):
            attempt()
    assert Member.objects.count() == 3


def test_somebody_is_always_the_owner(chat: Chat, alice: User, bob: User) -> None:
    leave(chat=chat, user=alice)
    assert Member.objects.get(user=bob).role == Member.Role.OWNER
    assert Member.objects.filter(role=Member.Role.OWNER).count() == 1


def test_a_group_is_full_at_some_point(
    chat: Chat, alice: User, dave: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "MOST_MEMBERS", 3)
    with pytest.raises(Refusal, match="at most 3"):
        add_member(chat=chat, user=dave, by=alice)


def test_nobody_is_added_by_somebody_they_blocked(chat: Chat, alice: User, dave: User) -> None:
    block(blocker=dave, blocked=alice)
    with pytest.raises(Refusal):
        add_member(chat=chat, user=dave, by=alice)


def test_a_chat_of_two_stays_one(alice: User, carol: User, dave: User) -> None:
    chat = pair(alice, carol)
    for attempt in (
        partial(add_member, chat=chat, user=dave, by=alice),
        partial(leave, chat=chat, user=alice),
        partial(remove_member, chat=chat, user=carol, by=alice),
    ):
        with pytest.raises(Refusal, match="two people"):
            attempt()


@pytest.mark.parametrize("how", ["is_muted", "is_archived"])
def test_what_is_set_aside_does_not_count(chat: Chat, alice: User, carol: User, how: str) -> None:
    say(chat, alice)
    set_aside(chat=chat, user=carol, **{how: True})
    assert unread(carol) == 0
    set_aside(chat=chat, user=carol, **{how: False})
    assert unread(carol) == 1


def test_the_list_of_chats_has_the_newest_first(chat: Chat, alice: User, carol: User) -> None:
    other = pair(make_user("erin"), make_user("frank"))
    mine = begin_group(user=alice, title="Coffee", others=[carol])
    say(other, User.objects.get(username="erin"))
    say(chat, carol, "first")
    say(mine, carol, "second")
    say(chat, carol, "third")
    listed = selectors.open_chats(alice).chats
    found = [(it.member.chat.title, it.newest and it.newest.text, it.unread) for it in listed]
    assert found == [("Tea", "third", 2), ("Coffee", "second", 1)]
    set_aside(chat=chat, user=alice, is_archived=True)
    assert [it.member.chat_id for it in selectors.open_chats(alice).chats] == [mine.pk]
    assert [it.member.chat_id for it in selectors.archived_chats(alice).chats] == [chat.pk]

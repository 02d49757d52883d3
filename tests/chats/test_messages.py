"""Messages of two people: sent, answered, edited, deleted, reacted to, read."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404

from chats import selectors
from chats.models import Chat, Message
from chats.selectors import membership_or_404
from chats.services import (
    delete_message,
    edit_message,
    hide_message,
    mark_read,
    react,
    send,
    take_back,
)
from chats.stored import StoredMessage
from redistools.ids import first_id_at, time_of
from statuses.services import post_status
from tests.cast import make_user
from tests.chats.talking import pair, say, shown, texts, unread
from users.audience import Visibility
from users.models import User
from web.refusals import Refusal


@pytest.fixture
def chat(alice: User, carol: User) -> Chat:
    return pair(alice, carol)


def test_both_read_what_was_said_in_order(chat: Chat, alice: User, carol: User) -> None:
    for number, author in enumerate([alice, carol, alice]):
        say(chat, author, f"line {number}")
    assert texts(chat, alice) == texts(chat, carol) == ["line 0", "line 1", "line 2"]


def test_others_find_no_chat(chat: Chat, alice: User) -> None:
    stranger, message = make_user("dave"), say(chat, alice)
    for refused in (
        lambda: membership_or_404(chat.pk, stranger),
        lambda: send(chat=chat, author=stranger, text="hi"),
        lambda: react(message=message, by=stranger, emoji="🎉"),
        lambda: edit_message(message=message, by=stranger, text="mine"),
        lambda: delete_message(message=message, by=stranger),
        lambda: hide_message(message=message, by=stranger),
        lambda: mark_read(chat=chat, user=stranger, up_to=message.pk),
    ):
        with pytest.raises(Http404):
            refused()
    assert texts(chat, alice) == ["hello"]


def test_a_second_click_sends_nothing(chat: Chat, alice: User) -> None:
    sent = [send(chat=chat, author=alice, text="hi", idempotency_key="k") for _ in range(2)]
    assert sent[0].pk == sent[1].pk
    assert texts(chat, alice) == ["hi"]


def test_an_empty_message_is_refused(chat: Chat, alice: User) -> None:
    with pytest.raises(ValidationError):
        say(chat, alice, " \n")


def test_a_message_answers_one_of_its_chat_only(chat: Chat, alice: User, carol: User) -> None:
    first = say(chat, alice)
    assert send(chat=chat, author=carol, text="yes", reply_to=first.pk).reply_to == first.pk
    elsewhere = say(pair_of_strangers(), User.objects.get(username="erin"))
    with pytest.raises(Http404):
        send(chat=chat, author=carol, text="yes", reply_to=elsewhere.pk)


def pair_of_strangers() -> Chat:
    return pair(make_user("erin"), make_user("frank"))


def test_a_post_is_sent_by_who_may_see_it(chat: Chat, alice: User, carol: User) -> None:
    post = post_status(author=alice, text="psst", visibility=Visibility.FOLLOWERS)
    send(chat=chat, author=alice, status=post.pk)
    assert [it.status_id for it in shown(chat, carol)] == [post.pk]
    with pytest.raises(Refusal):
        send(chat=chat, author=carol, status=post.pk)


def test_everybody_reads_what_it_was_changed_to(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice, "helo")
    assert edit_message(message=message, by=alice, text="hello")
    assert not edit_message(message=message, by=alice, text="hello")
    (read,) = shown(chat, carol)
    assert (read.text, read.is_edited) == ("hello", True)


def test_what_is_deleted_is_gone_for_everybody(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice)
    react(message=message, by=carol, emoji="🎉")
    delete_message(message=message, by=alice)
    (read,) = shown(chat, carol)
    assert (read.text, read.is_deleted, read.reactions) == ("", True, ())
    assert Message.objects.get().text == ""


def test_only_its_author_changes_a_message_and_for_an_hour(
    chat: Chat, alice: User, carol: User
) -> None:
    message = say(chat, alice)
    for change in (
        lambda by, it: edit_message(message=it, by=by, text="other"),
        lambda by, it: delete_message(message=it, by=by),
    ):
        with pytest.raises(Refusal, match="Only its author"):
            change(carol, message)
        with pytest.raises(Refusal, match="an hour"):
            change(alice, grown_old(chat, message))
    assert texts(chat, carol)[-1] == "hello"


def grown_old(chat: Chat, message: Message) -> Message:
    old = first_id_at(time_of(message.pk) - timedelta(hours=1, seconds=1))
    number = old + Message.objects.count()
    return Message.objects.create(
        pk=number, chat=chat, author=message.author, text="old", version=message.version
    )


def test_what_one_hides_the_other_still_reads(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice)
    for _ in range(2):
        hide_message(message=message, by=carol)
    assert texts(chat, carol) == []
    assert texts(chat, alice) == ["hello"]
    assert unread(carol) == 0


def test_reactions_are_shown_in_their_order(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice)
    assert react(message=message, by=carol, emoji="👍🏽")
    assert not react(message=message, by=carol, emoji="👍🏽")
    react(message=message, by=alice, emoji="👩‍🚀")
    react(message=message, by=alice, emoji="👍🏽")
    (read,) = shown(chat, alice)
    assert read.reactions == (("👍🏽", (carol.pk, alice.pk)), ("👩‍🚀", (alice.pk,)))
    assert take_back(message=message, by=carol, emoji="👍🏽")
    assert not take_back(message=message, by=carol, emoji="👍🏽")
    assert shown(chat, carol)[0].reactions == (("👩‍🚀", (alice.pk,)), ("👍🏽", (alice.pk,)))


@pytest.mark.parametrize("emoji", ["", "a", "🎉🎉", "1", "<b>", "👍 "[:1] * 40])
def test_a_reaction_is_one_emoji(chat: Chat, alice: User, emoji: str) -> None:
    with pytest.raises(ValidationError):
        react(message=say(chat, alice), by=alice, emoji=emoji)


def test_unread_is_what_others_said_since(chat: Chat, alice: User, carol: User) -> None:
    first = say(chat, alice)
    second = say(chat, alice)
    say(chat, carol)
    assert (unread(alice), unread(carol)) == (1, 2)
    assert mark_read(chat=chat, user=carol, up_to=first.pk)
    assert unread(carol) == 1
    assert not mark_read(chat=chat, user=carol, up_to=first.pk - 1)
    delete_message(message=second, by=alice)
    assert unread(carol) == 0


def test_nobody_has_read_what_is_not_yet_said(chat: Chat, alice: User, carol: User) -> None:
    say(chat, alice)
    mark_read(chat=chat, user=carol, up_to=2**60)
    say(chat, alice)
    assert unread(carol) == 1


def test_pages_go_back_without_a_seam(
    chat: Chat, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chats.store.SIZE", 5)
    monkeypatch.setattr("chats.store.SLACK", 2)
    for number in range(19):
        say(chat, alice, str(number))
        if number % 4 == 0:
            hide_message(message=Message.objects.latest("pk"), by=carol)
        texts(chat, carol)
    wanted = [str(number) for number in range(19) if number % 4]
    assert [it.text for it in all_pages(chat, carol)] == wanted


def all_pages(chat: Chat, reader: User) -> list[StoredMessage]:
    found, below = list[StoredMessage](), None
    while True:
        page = selectors.messages(membership_or_404(chat.pk, reader), below=below, limit=3)
        found = page.messages + found
        if page.older is None:
            return found
        below = page.older


def test_a_device_that_was_away_catches_up(chat: Chat, alice: User, carol: User) -> None:
    first = say(chat, alice, "one")
    since = selectors.messages(membership_or_404(chat.pk, carol)).version
    second = say(chat, carol, "two")
    react(message=first, by=carol, emoji="🎉")
    missed = selectors.changes(membership_or_404(chat.pk, alice), since=since)
    assert missed is not None
    assert [it.id for it in missed.messages] == [second.pk, first.pk]
    assert selectors.changes(membership_or_404(chat.pk, alice), since=missed.version) == (
        missed._replace(messages=[])
    )


def test_who_missed_very_much_loads_the_page_again(
    chat: Chat, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "MOST_CHANGES", 2)
    for _ in range(3):
        say(chat, alice)
    assert selectors.changes(membership_or_404(chat.pk, alice), since=0) is None

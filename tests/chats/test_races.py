"""Several people write at once: ids and versions rise in the order of the commits."""

from functools import partial
from itertools import pairwise, starmap

from chats import store
from chats.models import Chat, Member, Message
from chats.selectors import membership_or_404, messages
from chats.services import delete_message, edit_message, react, send
from chats.starting import chat_with
from taskqueue.drain import drain
from tests.chats.talking import group, open_to_everybody, pair, say, shown, texts, unread
from tests.notifications.reading import at_once
from tests.races import in_threads
from users.models import User

SENDERS, EACH = 4, 5


def test_a_reader_who_has_seen_an_id_never_finds_a_lower_one_later(
    alice: User, bob: User, carol: User
) -> None:
    chat = group(alice, bob, carol)
    seen = list[list[int]]()
    senders = [partial(say_some, chat, author) for author in (alice, bob, carol)]
    at_once(*senders, partial(watch, chat, alice, seen))
    for before, after in pairwise(seen):
        assert after[: len(before)] == before
    assert len(shown(chat, bob)) == 3 * EACH


def say_some(chat: Chat, author: User) -> None:
    for number in range(EACH):
        say(chat, author, str(number))


def watch(chat: Chat, reader: User, seen: list[list[int]]) -> None:
    while not seen or len(seen[-1]) < 3 * EACH:
        seen.append([it.id for it in shown(chat, reader)])


def test_versions_tell_a_device_everything_once(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    in_threads(SENDERS, say_some, chat, alice)
    versions = Message.objects.order_by("pk").values_list("version", flat=True)
    assert list(versions) == list(range(1, SENDERS * EACH + 1))
    assert Chat.objects.get().version == SENDERS * EACH
    assert unread(carol) == SENDERS * EACH


def test_the_log_is_right_however_writes_interleave(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    texts(chat, carol)
    said = [say(chat, alice, str(number)) for number in range(6)]
    at_once(
        partial(edit_message, message=said[0], by=alice, text="edited"),
        partial(edit_message, message=said[0], by=alice, text="again"),
        partial(delete_message, message=said[1], by=alice),
        partial(react, message=said[2], by=carol, emoji="🎉"),
        partial(say, chat, carol, "new"),
        partial(texts, chat, carol),
    )
    drain()
    page = messages(membership_or_404(chat.pk, carol))
    right = store.in_sql(chat.pk)
    assert right is not None
    assert page.messages == right.messages
    assert page.version == right.version


def test_two_clicks_send_one_message(alice: User, carol: User) -> None:
    chat = pair(alice, carol)
    click = partial(send, chat=chat, author=alice, text="hi", idempotency_key="once")
    assert len({message.pk for message in in_threads(3, click)}) == 1
    assert Message.objects.count() == 1


def test_two_who_begin_at_once_have_one_chat(alice: User, carol: User) -> None:
    open_to_everybody(alice, carol)
    begun = list[Chat]()
    pairs = [(alice, carol), (carol, alice)]
    at_once(*starmap(lambda one, two: lambda: begun.append(chat_with(user=one, other=two)), pairs))
    assert len({chat.pk for chat in begun}) == 1
    assert Member.objects.count() == 2

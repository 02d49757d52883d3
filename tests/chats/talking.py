"""What the tests of chats share: who talks to whom, and what each then reads."""

from chats import selectors
from chats.counts import Counts, counts_of
from chats.models import Chat, Message, Preferences
from chats.selectors import membership_or_404
from chats.services import send
from chats.starting import begin_group, chat_with
from chats.stored import StoredMessage
from taskqueue.drain import drain
from users.models import User


def open_to_everybody(*users: User) -> None:
    for user in users:
        Preferences.objects.create(user=user, who_writes=Preferences.WhoWrites.EVERYBODY)


def pair(one: User, other: User) -> Chat:
    """A chat in which both may write."""
    open_to_everybody(one, other)
    return chat_with(user=one, other=other)


def group(owner: User, *others: User) -> Chat:
    open_to_everybody(owner, *others)
    return begin_group(user=owner, title="Tea", others=others)


def say(chat: Chat, author: User, text: str = "hello") -> Message:
    return send(chat=chat, author=author, text=text)


def shown(chat: Chat, reader: User, *, below: int | None = None) -> list[StoredMessage]:
    return selectors.messages(membership_or_404(chat.pk, reader), below=below).messages


def texts(chat: Chat, reader: User) -> list[str]:
    return [it.text for it in shown(chat, reader)]


def unread(reader: User) -> int:
    return counts(reader).unread


def counts(reader: User) -> Counts:
    drain()
    return counts_of(reader.pk)

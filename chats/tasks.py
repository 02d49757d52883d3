"""The work that follows a write. Ids in; running a task twice changes nothing."""

from collections.abc import Collection

from django.db import transaction

from redistools import serving_copy
from redistools.client import get_client
from redistools.scripts import Batch
from streaming import publishing
from taskqueue import start
from taskqueue.task import task

from . import counts, store
from .models import Chat, Member, Message
from .rows import lock_chats, raise_versions
from .serving_copy import CHATS
from .stored import StoredMessage, stored

# Members that one task tells, and messages that one deletes; the next one goes on.
LINK_SIZE = 500
# What open pages call it.
EVENT = "chat"


def publish_known(chat_id: int, message: StoredMessage, *, is_new: bool = False) -> None:
    """Writes a change to the log of its chat, and has the members told. One round trip."""
    batch = Batch(get_client())
    store.put(batch, chat_id, message, is_new=is_new)
    # Many messages at once are told by one task.
    once = tell.using(unique_key=f"tell of chat {chat_id}")
    start.with_batch(batch, once, chat_id, 0)
    batch.run()


@task()
def publish(chat_id: int, message_id: int) -> None:
    """As the row is now: the log keeps what is newer."""
    for row in Message.objects.filter(pk=message_id, chat=chat_id):
        publish_known(chat_id, stored([row])[0])


@task()
def tell(chat_id: int, after: int) -> None:
    """Tells its members that something has changed, some members at a time."""
    members = Member.objects.filter(chat=chat_id, pk__gt=after).present().order_by("pk")
    some = list(members.values_list("pk", "user_id")[:LINK_SIZE])
    tell_some.call(chat_id, [user_id for _, user_id in some])
    if len(some) == LINK_SIZE:
        start.in_redis(tell, chat_id, some[-1][0])


@task()
def tell_some(chat_id: int, user_ids: Collection[int]) -> None:
    """Takes their counts away, and lets their open pages know which version the chat has now: not a
    word of what was said passes through the channel. Pages ask for what they miss. One round trip.
    """
    versions = Chat.objects.filter(pk=chat_id).values_list("version", flat=True)
    batch = Batch(get_client())
    counts.forget(batch, user_ids)
    for version in versions:
        content = {"chat": chat_id, "version": version}
        publishing.add_personal_to_each(batch, user_ids, EVENT, content)
    batch.run()


@task()
def tidy(chat_ids: Collection[int]) -> None:
    """After an account went: its reactions are gone, groups may need an owner, and what nobody can
    read any more goes too.
    """
    with transaction.atomic():
        raise_versions(chat_ids)
        for chat in lock_chats(chat_ids):
            if not chat.members.exists():
                start.on_commit(remove, chat.pk)
            elif chat.is_group:
                find_owner(chat)


def find_owner(chat: Chat) -> None:
    """Of a group without one: who has been there longest. The caller has locked the chat."""
    present = chat.members.present()
    if not present.filter(role=Member.Role.OWNER).exists():
        accepted_first = present.order_by("state", "joined_after", "pk")
        oldest = list(accepted_first.values_list("pk", flat=True)[:1])
        Member.objects.filter(pk__in=oldest).update(role=Member.Role.OWNER)


@task()
def remove(chat_id: int) -> None:
    """A chat without members. Some messages at a time."""
    some = Message.objects.filter(chat=chat_id).order_by("pk").values_list("pk", flat=True)
    gone, _ = Message.objects.filter(pk__in=list(some[:LINK_SIZE])).delete()
    if gone:
        start.on_commit(remove, chat_id)
        return
    Chat.objects.filter(pk=chat_id, members=None).delete()
    serving_copy.forget(CHATS, [Chat(pk=chat_id)])

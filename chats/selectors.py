"""Reading chats. Membership is asked of SQL each time, so nobody reads what they may not."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404

from users.models import User
from web.pager import rest_after

from . import counts, store
from .models import Chat, Hidden, Member, Message
from .rows import NOT_THERE
from .stored import StoredMessage, stored

PAGE_SIZE = 50
CHATS_PER_PAGE = 30
# Changes that a page which was away catches up with; after more it is loaded again.
MOST_CHANGES = 200


def membership_or_404(chat_id: int, viewer: User) -> Member:
    """With its chat: one query, so both are of the same moment."""
    rows = Member.objects.filter(chat=chat_id, user=viewer).select_related("chat")
    for member in rows:
        return member
    raise Http404(NOT_THERE)


class MessagePage(NamedTuple):
    messages: list[StoredMessage]  # the oldest first
    older: int | None  # the cursor of the page before
    version: int  # all changes up to this version are in it


def messages(member: Member, *, below: int | None = None, limit: int = PAGE_SIZE) -> MessagePage:
    """The newest that the member may read, below a message. One round trip; older ones than the log
    has are read from SQL.
    """
    found, chat = list[StoredMessage](), member.chat
    log = store.read(chat)
    top = member.last_message + 1 if below is None else min(below, member.last_message + 1)
    if log.floor < top:
        found = _readable(member, [it for it in log.messages if it.id < top])
    if len(found) <= limit and not log.whole:
        lowest = min(top, log.floor) if log.floor else top
        found = _older(member, lowest, limit + 1 - len(found)) + found
    shown = found[-limit:]
    older = shown[0].id if len(found) > limit else None
    return MessagePage(shown, older, chat.version)


def _older(member: Member, below: int, limit: int) -> list[StoredMessage]:
    rows = Message.objects.filter(chat=member.chat_id, pk__gt=member.joined_after, pk__lt=below)
    newest = rows.exclude(pk__in=hidden_from(member)).order_by("-pk")[:limit]
    return as_read_by(member, stored(list(newest)[::-1]))


def changes(member: Member, *, since: int) -> MessagePage | None:
    """What has changed after a version of the chat, the oldest first. None: too much, or too long
    ago. One or two queries.
    """
    rows = Message.objects.filter(chat=member.chat_id, version__gt=since).order_by("version")
    readable = rows.filter(pk__gt=member.joined_after, pk__lte=member.last_message)
    some = list(readable.exclude(pk__in=hidden_from(member))[: MOST_CHANGES + 1])
    if len(some) > MOST_CHANGES:
        return None
    return MessagePage(as_read_by(member, stored(some)), None, member.chat.version)


def _readable(member: Member, found: Sequence[StoredMessage]) -> list[StoredMessage]:
    between = [it for it in found if member.joined_after < it.id <= member.last_message]
    hidden = set(hidden_from(member).filter(message__in=[it.id for it in between]))
    return as_read_by(member, [it for it in between if it.id not in hidden])


def hidden_from(member: Member) -> QuerySet[Hidden, int]:
    return Hidden.objects.filter(user=member.user_id).values_list("message_id", flat=True)


def as_read_by(member: Member, found: Iterable[StoredMessage]) -> list[StoredMessage]:
    """What was said or done after a member left is not for them, even in older messages."""
    if member.left_version is None:
        return list(found)
    return [
        it.without_words() if it.edited_version > member.left_version else it._replace(reactions=())
        for it in found
    ]


class ListedChat(NamedTuple):
    member: Member
    other_id: int | None  # in a chat of two
    newest: StoredMessage | None  # that the member may read
    unread: int


class ChatPage(NamedTuple):
    chats: list[ListedChat]
    older: int | None


def open_chats(viewer: User, *, below: int | None = None) -> ChatPage:
    """With the newest message first. Four queries."""
    state = Q(state=Member.State.ACCEPTED, is_archived=False)
    return _chats(viewer, state, below)


def archived_chats(viewer: User, *, below: int | None = None) -> ChatPage:
    return _chats(viewer, Q(state=Member.State.ACCEPTED, is_archived=True), below)


def requests(viewer: User, *, below: int | None = None) -> ChatPage:
    return _chats(viewer, Q(state=Member.State.PENDING, left_after=None), below)


def _chats(viewer: User, which: Q, below: int | None) -> ChatPage:
    """A chat of two is listed once something was said."""
    rows = Member.objects.filter(which, user=viewer).select_related("chat")
    rows = rows.filter(Q(chat__pair=None) | Q(chat__last_message__gt=0))
    listed = rows.annotate(at=Coalesce("left_after", "chat__last_message"))
    if below is not None:
        listed = listed.filter(at__lt=below)
    members = list(listed.order_by("-at", "-pk")[:CHATS_PER_PAGE])
    older = rest_after([it.last_message for it in members], CHATS_PER_PAGE)
    return ChatPage(_listed(viewer, members), older or None)


def _listed(viewer: User, members: Sequence[Member]) -> list[ListedChat]:
    newest = _newest(viewer, members)
    unread = counts.unread_of(viewer.pk, [it.chat_id for it in members])
    return [
        ListedChat(it, other_in(it.chat, viewer), newest.get(it.chat_id), unread.get(it.chat_id, 0))
        for it in members
    ]


def _newest(viewer: User, members: Sequence[Member]) -> dict[int, StoredMessage]:
    ids = [it.last_message for it in members if it.last_message > it.joined_after]
    hidden = Hidden.objects.filter(user=viewer, message__in=ids).values("message")
    rows = Message.objects.filter(pk__in=ids).exclude(pk__in=hidden)
    found = {it.id: it for it in stored(list(rows))}
    return {
        it.chat_id: as_read_by(it, [found[it.last_message]])[0]
        for it in members
        if it.last_message in found and it.last_message > it.joined_after
    }


def other_in(chat: Chat, viewer: User) -> int | None:
    if chat.pair is None:
        return None
    return next(user_id for user_id in map(int, chat.pair.split("-")) if user_id != viewer.pk)


def waiting_requests(viewer: User) -> int:
    return counts.counts_of(viewer.pk).requests


def present_members(member: Member) -> QuerySet[Member]:
    """Owners first. Who has left learns nothing of those who came or went."""
    if not member.is_present:
        return Member.objects.none()
    return member.chat.members.present().order_by("-role", "pk")

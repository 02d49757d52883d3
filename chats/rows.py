"""Rows of chats: locked before anything in them is written."""

from collections.abc import Collection

from django.db.models import F
from django.http import Http404
from django.utils.translation import gettext

from redistools.client import get_client
from users.models import User
from web.refusals import Refusal

from .models import Chat, Member, Message, message_ids

NOT_THERE = "There is no such chat."


def lock_chats(chat_ids: Collection[int]) -> list[Chat]:
    """In the order of their ids: two transactions that lock the same never deadlock."""
    rows = Chat.objects.select_for_update(no_key=True).filter(pk__in=chat_ids)
    return list(rows.order_by("pk"))


def lock_chat(chat: Chat) -> Chat:
    """As it is now. Raises 404."""
    for locked in lock_chats([chat.pk]):
        return locked
    raise Http404(NOT_THERE)


def member_of(chat: Chat, user: User) -> Member:
    """Present or not. Raises 404: to others the chat seems not to exist."""
    for member in Member.objects.filter(chat=chat.pk, user=user):
        member.chat = chat
        return member
    raise Http404(NOT_THERE)


def present_member(chat: Chat, user: User) -> Member:
    member = member_of(chat, user)
    if not member.is_present:
        raise Refusal(gettext("You have left this chat."), code="left", status=403)
    return member


def message_of(member: Member, message_id: int) -> Message:
    """Raises 404 unless the member may read it."""
    chat = member.chat
    for row in Message.objects.filter(pk=message_id, chat=chat.pk, is_deleted=False):
        if member.joined_after < row.pk <= member.last_message:
            return row
    raise Http404("There is no such message.")


def next_id(chat: Chat, made: int) -> int:
    """`made` before the chat was locked, or another id if somebody was faster."""
    while made <= chat.last_message:
        made = message_ids.next(get_client(), ask_sql=True)
    return made


def next_version(chat: Chat) -> int:
    """The caller has locked the chat."""
    chat.version += 1
    chat.save(update_fields=["version", "last_message"])
    return chat.version


def raise_versions(chat_ids: Collection[int]) -> None:
    """Something of these changed at many places: every copy is out of date."""
    lock_chats(chat_ids)
    Chat.objects.filter(pk__in=chat_ids).update(version=F("version") + 1)

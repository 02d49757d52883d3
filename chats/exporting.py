"""Chats, for the export of an account's data: what they said, and where. What others said to them
is theirs.
"""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .models import Member, Message, Preferences, Reaction
from .selectors import present_members
from .writing_to import who_writes_to


@exports("chats", title=_("Chats"), covers=["chats.Member.user"])
def chats(user: User) -> Iterator[Row]:
    for member in walk(Member.objects.filter(user=user).select_related("chat")):
        others = present_members(member).filter(user__is_active=True).exclude(user=user)
        yield {
            "id": member.chat_id,
            "title": member.chat.title,
            "is_group": member.chat.is_group,
            "is_owner": member.role == Member.Role.OWNER,
            "has_left": not member.is_present,
            "is_muted": member.is_muted,
            "is_archived": member.is_archived,
            "with": list(others.order_by("pk").values_list("user__username", flat=True)),
        }


@exports("messages", title=_("Messages"), covers=["chats.Message.author"])
def messages(user: User) -> Iterator[Row]:
    for message in walk(Message.objects.filter(author=user, is_deleted=False)):
        yield {
            "id": message.pk,
            "chat": message.chat_id,
            "sent_at": message.sent_at,
            "edited_at": message.edited_at,
            "text": message.text,
            "reply_to": message.reply_to,
            "post": message.status_id,
        }


@exports("message_reactions", title=_("Reactions to messages"), covers=["chats.Reaction.user"])
def reactions(user: User) -> Iterator[Row]:
    for reaction in walk(Reaction.objects.filter(user=user).select_related("message")):
        yield {
            "chat": reaction.message.chat_id,
            "message": reaction.message_id,
            "emoji": reaction.emoji,
        }


@exports("chat_preferences", title=_("Who can write to you"), covers=["chats.Preferences.user"])
def preferences(user: User) -> Iterator[Row]:
    yield {"who_writes": Preferences.WhoWrites(who_writes_to(user)).name.lower()}


leave_out("chats.Chat.creator", because="Says nothing that the list of chats does not.")
leave_out("chats.Hidden.user", because="Messages that they wanted to see no more.")

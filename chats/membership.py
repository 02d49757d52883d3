"""Who is in a chat: adding, leaving, removing; and what each member does with it."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from taskqueue import start
from users.models import User
from users.throttling import throttled
from web.refusals import Refusal

from . import tasks
from .models import MOST_MEMBERS, Chat, Member, WhoAdds
from .rows import lock_chat, member_of, present_member
from .writing_to import state_for

OWNER = Member.Role.OWNER


@throttled("chat", by="by")
def add_member(*, chat: Chat, user: User, by: User) -> bool:
    """Returns False if they are in it already. Raises Refusal and 404."""
    with transaction.atomic():
        locked = lock_chat(chat)
        member = present_member(locked, by)
        _refuse_pair(locked)
        if locked.who_adds == WhoAdds.OWNERS and member.role != OWNER:
            raise Refusal(gettext("Only owners add people here."), code="owners", status=403)
        return join(locked, user, by=by)


def join(chat: Chat, user: User, *, by: User) -> bool:
    """The caller has locked the chat. They read what is said from now on; after a return too."""
    held = Member.objects.filter(chat=chat, user=user).first()
    if held and held.is_present:
        return False
    if chat.members.present().count() >= MOST_MEMBERS:
        words = gettext("A group has at most %(most)s members.")
        raise Refusal(words % {"most": MOST_MEMBERS}, code="limit")
    fields = {
        "state": state_for(by, user),
        "role": Member.Role.MEMBER,
        "joined_after": chat.last_message,
        "left_after": None,
        "left_version": None,
        "read_to": chat.last_message,
        "is_archived": False,
    }
    Member.objects.update_or_create(chat=chat, user=user, defaults=fields)
    start.run_on_commit(tasks.tell_some, chat.pk, [user.pk])
    return True


@throttled("chat", by="user")
def leave(*, chat: Chat, user: User) -> bool:
    """Nobody is told. Returns False if they had left. Raises Refusal and 404."""
    with transaction.atomic():
        locked = lock_chat(chat)
        _refuse_pair(locked)
        return _part(locked, member_of(locked, user))


@throttled("chat", by="by")
def remove_member(*, chat: Chat, user: User, by: User) -> bool:
    with transaction.atomic():
        locked = lock_chat(chat)
        _refuse_pair(locked)
        _owner(locked, by)
        return _part(locked, member_of(locked, user))


def _part(chat: Chat, member: Member) -> bool:
    if not member.is_present:
        return False
    member.left_after = member.read_to = chat.last_message
    member.left_version, member.role = chat.version, Member.Role.MEMBER
    member.save(update_fields=["left_after", "read_to", "left_version", "role"])
    tasks.find_owner(chat)
    start.run_on_commit(tasks.tell_some, chat.pk, [member.user_id])
    return True


@throttled("chat", by="by")
def change_group(*, chat: Chat, by: User, title: str, who_adds: int) -> None:
    """Raises Refusal, ValidationError and 404."""
    with transaction.atomic():
        locked = lock_chat(chat)
        _refuse_pair(locked)
        _owner(locked, by)
        locked.title, locked.who_adds = title.strip(), who_adds
        clean_group(locked)
        locked.save(update_fields=["title", "who_adds"])


@throttled("chat", by="user")
def set_aside(
    *, chat: Chat, user: User, is_muted: bool | None = None, is_archived: bool | None = None
) -> None:
    """Muted and archived chats don't count as unread. None leaves it as it is. Raises 404."""
    wanted = {"is_muted": is_muted, "is_archived": is_archived}
    changes = {name: value for name, value in wanted.items() if value is not None}
    with transaction.atomic():
        member = member_of(lock_chat(chat), user)
        if changes:
            Member.objects.filter(pk=member.pk).update(**changes)
            start.run_on_commit(tasks.tell_some, chat.pk, [user.pk])


def clean_group(chat: Chat) -> None:
    if not chat.title:
        raise ValidationError({"title": gettext("Give the group a name.")}, code="title")
    chat.clean_fields(exclude={"creator"})


def _refuse_pair(chat: Chat) -> None:
    if not chat.is_group:
        raise Refusal(gettext("This is a chat of two people."), code="pair", status=403)


def _owner(chat: Chat, user: User) -> Member:
    member = present_member(chat, user)
    if member.role != OWNER:
        raise Refusal(gettext("Only owners can do that."), code="owners", status=403)
    return member

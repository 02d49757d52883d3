"""Beginning a chat, and answering the wish of somebody else to begin one."""

from collections.abc import Collection

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from taskqueue import start
from users.models import User
from users.rows import lock_account
from users.selectors import refuse_unconfirmed
from users.throttling import throttled
from web.refusals import Refusal

from . import tasks
from .membership import clean_group, join
from .models import Chat, Member, Preferences
from .rows import lock_chat, member_of
from .writing_to import state_for


@throttled("chat", by="user")
def chat_with(*, user: User, other: User) -> Chat:
    """The chat of two people, which begins with this if there is none. Raises Refusal."""
    if user.pk == other.pk:
        raise Refusal(gettext("You can't write to yourself."), code="self")
    pair = "-".join(map(str, sorted((user.pk, other.pk))))
    return Chat.objects.filter(pair=pair).first() or _begin(pair, user, other)


def _begin(pair: str, user: User, other: User) -> Chat:
    refuse_unconfirmed(user)
    state = state_for(user, other)
    if state == Member.State.PENDING:
        return begin_with_stranger(pair=pair, user=user, other=other)
    return _new_pair(pair, user, other, state)


@throttled("stranger", by="user")
def begin_with_stranger(*, pair: str, user: User, other: User) -> Chat:
    return _new_pair(pair, user, other, Member.State.PENDING)


def _new_pair(pair: str, user: User, other: User, state: Member.State) -> Chat:
    try:
        with transaction.atomic():
            chat = Chat.objects.create(pair=pair, creator=user)
            Member.objects.create(chat=chat, user=user)
            Member.objects.create(chat=chat, user=other, state=state)
    except IntegrityError:
        # Both began it at once; or the other account has just been deleted.
        return Chat.objects.get(pair=pair)
    return chat


@throttled("chat", by="user")
def begin_group(*, user: User, title: str, others: Collection[User] = ()) -> Chat:
    """Raises Refusal, ValidationError and AccountGone."""
    refuse_unconfirmed(user)
    chat = Chat(title=title.strip(), creator=user)
    clean_group(chat)
    with transaction.atomic():
        lock_account(user)
        chat.save(force_insert=True)
        Member.objects.create(chat=chat, user=user, role=Member.Role.OWNER)
        for other in others:
            join(chat, other, by=user)
    return chat


@throttled("chat", by="user")
def accept(*, chat: Chat, user: User) -> None:
    _answer(chat, user, Member.State.ACCEPTED)


@throttled("chat", by="user")
def decline(*, chat: Chat, user: User) -> None:
    """Nobody is told: the other waits for an answer as before."""
    _answer(chat, user, Member.State.DECLINED)


def _answer(chat: Chat, user: User, state: Member.State) -> None:
    with transaction.atomic():
        member = member_of(lock_chat(chat), user)
        Member.objects.filter(pk=member.pk).exclude(state=Member.State.ACCEPTED).update(state=state)
        start.run_on_commit(tasks.tell_some, chat.pk, [user.pk])


@throttled("privacy", by="user")
def choose_who_writes(*, user: User, who_writes: int) -> None:
    """Raises ValidationError. Chats that have begun go on."""
    chosen = Preferences(user=user, who_writes=who_writes)
    chosen.clean_fields(exclude={"user"})
    Preferences.objects.update_or_create(user=user, defaults={"who_writes": who_writes})

"""Blocks, mutes, muted words. SQL first; what follows is a task."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from taskqueue import start
from users.models import User
from users.rows import lock_account, lock_pair
from users.throttling import throttled
from web.languages import grouped
from web.refusals import Refusal

from .. import events
from ..models import Block, Mute, MutedWord, ThreadMute
from ..services import end_follow, end_request
from ..tasks import sync_viewpoints
from .muted_words import fold

# Each is part of what a page reads.
MOST: dict[type, tuple[int, StrOrPromise]] = {
    Mute: (5_000, _("You mute %(most)s accounts, the maximum. Unmute one first.")),
    ThreadMute: (5_000, _("You mute %(most)s conversations, the maximum. Unmute one first.")),
    MutedWord: (200, _("You mute %(most)s words, the maximum. Unmute one first.")),
}


@throttled("block", by="blocker")
def block(*, blocker: User, blocked: User) -> bool:
    """Ends follows, requests and places in each other's lists, both ways. Returns False if it is so
    already. Raises Refusal and AccountGone.
    """
    if blocker.pk == blocked.pk:
        raise Refusal(gettext("You can't block yourself."), code="self")
    pair = [blocker.pk, blocked.pk]
    with transaction.atomic():
        lock_pair(blocker, blocked.pk)
        _row, is_new = Block.objects.get_or_create(blocker=blocker, blocked=blocked)
        if not is_new:
            return False
        for one, other in (pair, pair[::-1]):
            end_request(one, other)
            end_follow(one, other)
        start.run_on_commit(sync_viewpoints, pair)
        events.blocked(*pair)
    return True


@throttled("undo", by="blocker")
def unblock(*, blocker: User, blocked: User) -> bool:
    """Follows do not come back. Returns False if there was no block."""
    with transaction.atomic():
        ended, _ = Block.objects.filter(blocker=blocker, blocked=blocked).delete()
        if ended:
            start.run_on_commit(sync_viewpoints, [blocker.pk, blocked.pk])
    return bool(ended)


@throttled("mute", by="user")
def mute(*, user: User, muted: User, until: datetime | None = None) -> None:
    """Muting again changes how long. The muted account does not learn of it. Raises Refusal and
    AccountGone.
    """
    if user.pk == muted.pk:
        raise Refusal(gettext("You can't mute yourself."), code="self")
    _set(user, Mute, {"muted": muted}, {"until": until})


@throttled("undo", by="user")
def unmute(*, user: User, muted: User) -> bool:
    return _remove(user, Mute, muted=muted)


@throttled("mute", by="user")
def mute_thread(*, user: User, thread: int, until: datetime | None = None) -> None:
    _set(user, ThreadMute, {"thread": thread}, {"until": until})


@throttled("undo", by="user")
def unmute_thread(*, user: User, thread: int) -> bool:
    return _remove(user, ThreadMute, thread=thread)


@throttled("mute", by="user")
def mute_word(
    *, user: User, phrase: str, action: str = MutedWord.Action.HIDE, until: datetime | None = None
) -> None:
    """Muting again changes how. Raises Refusal, ValidationError and AccountGone."""
    phrase = " ".join(phrase.split())
    MutedWord(user=user, phrase=phrase, action=action).clean_fields(exclude={"user"})
    if not fold(phrase):
        raise ValidationError({"phrase": gettext("Write a word, a tag or a phrase.")})
    _set(user, MutedWord, {"phrase": phrase}, {"action": action, "until": until})


@throttled("undo", by="user")
def unmute_word(*, user: User, word_id: int) -> bool:
    return _remove(user, MutedWord, pk=word_id)


def _set(
    user: User,
    table: type[Mute] | type[ThreadMute] | type[MutedWord],
    which: dict[str, Any],
    how: dict[str, Any],
) -> None:
    with transaction.atomic():
        lock_account(user)
        _row, is_new = table._default_manager.update_or_create(user=user, **which, defaults=how)
        most, refusal = MOST[table]
        if is_new and table._default_manager.filter(user=user).count() > most:
            raise Refusal(refusal % {"most": grouped(most)}, code="limit")
        start.run_on_commit(sync_viewpoints, [user.pk])


def _remove(
    user: User, table: type[Mute] | type[ThreadMute] | type[MutedWord], **which: object
) -> bool:
    with transaction.atomic():
        removed, _ = table._default_manager.filter(user=user, **which).delete()
        if removed:
            start.run_on_commit(sync_viewpoints, [user.pk])
    return bool(removed)

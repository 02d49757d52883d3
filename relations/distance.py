"""Keeping others at a distance: blocks, mutes, muted words. SQL first; what follows is a task."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from taskqueue.outbox import run_on_commit
from timelines.tasks import settle_viewpoints
from users.models import AccountGone, User
from users.rows import lock_accounts

from .models import Block, FollowRequest, Mute, MutedWord, ThreadMute
from .services import end_follow

MOST_WORDS = 200
MOST_MUTES = 5_000


def block(*, blocker: User, blocked: User) -> bool:
    """Neither sees anything of the other from now on; follows end both ways. False if it is so
    already. Raises ValidationError and AccountGone.
    """
    if blocker.pk == blocked.pk:
        raise ValidationError("You can't block yourself.", code="self")
    pair = [blocker.pk, blocked.pk]
    with transaction.atomic():
        if blocker.pk not in lock_accounts(pair):
            raise AccountGone
        _, is_new = Block.objects.get_or_create(blocker=blocker, blocked=blocked)
        if not is_new:
            return False
        FollowRequest.objects.filter(follower__in=pair, followee__in=pair).delete()
        for one, other in (pair, pair[::-1]):
            end_follow(one, other)
        run_on_commit(settle_viewpoints, pair)
    return True


def unblock(*, blocker: User, blocked: User) -> bool:
    """Follows do not come back. False if there was no block."""
    with transaction.atomic():
        ended, _ = Block.objects.filter(blocker=blocker, blocked=blocked).delete()
        if ended:
            run_on_commit(settle_viewpoints, [blocker.pk, blocked.pk])
    return bool(ended)


def mute(*, user: User, muted: User, until: datetime | None = None) -> None:
    """What they say no longer comes up by itself. They do not learn of it."""
    if user.pk == muted.pk:
        raise ValidationError("You can't mute yourself.", code="self")
    _refuse_too_many(user.mutes_made.count(), MOST_MUTES)
    _set(user, Mute, {"muted": muted}, {"until": until})


def unmute(*, user: User, muted: User) -> bool:
    return _remove(user, Mute, muted=muted)


def mute_thread(*, user: User, thread: int, until: datetime | None = None) -> None:
    _refuse_too_many(user.thread_mutes.count(), MOST_MUTES)
    _set(user, ThreadMute, {"thread": thread}, {"until": until})


def unmute_thread(*, user: User, thread: int) -> bool:
    return _remove(user, ThreadMute, thread=thread)


def mute_word(
    *,
    user: User,
    phrase: str,
    action: str = MutedWord.Action.HIDE,
    until: datetime | None = None,
) -> None:
    """Raises ValidationError."""
    phrase = " ".join(phrase.split())
    MutedWord(user=user, phrase=phrase, action=action).clean_fields(exclude={"user"})
    _refuse_too_many(user.muted_words.count(), MOST_WORDS)
    _set(user, MutedWord, {"phrase": phrase}, {"action": action, "until": until})


def unmute_word(*, user: User, word_id: int) -> bool:
    return _remove(user, MutedWord, pk=word_id)


def _refuse_too_many(count: int, most: int) -> None:
    if count >= most:
        raise ValidationError(f"You have {most} of these, the maximum.", code="limit")


def _set(
    user: User,
    table: type[Mute] | type[ThreadMute] | type[MutedWord],
    which: dict[str, Any],
    how: dict[str, Any],
) -> None:
    with transaction.atomic():
        table._default_manager.update_or_create(user=user, **which, defaults=how)
        run_on_commit(settle_viewpoints, [user.pk])


def _remove(
    user: User, table: type[Mute] | type[ThreadMute] | type[MutedWord], **which: object
) -> bool:
    with transaction.atomic():
        removed, _ = table._default_manager.filter(user=user, **which).delete()
        if removed:
            run_on_commit(settle_viewpoints, [user.pk])
    return bool(removed)

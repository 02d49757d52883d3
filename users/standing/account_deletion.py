"""How an account goes. Other apps register here what they do before it is deleted."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from ..login import session_rows
from ..models import Session, User
from ..names import resting
from ..pictures.changing import remove_all as remove_pictures_of
from . import stream_endings

Leave = Callable[[User], None]

_leaves: list[Leave] = []


def before_leaving(leave: Leave) -> Leave:
    """Registers what runs while an account is deleted, when SQL still knows its rows."""
    _leaves.append(leave)
    return leave


def remove_account(user: User) -> None:
    """With everything of theirs; the name rests. Doing it twice changes nothing."""
    with transaction.atomic():
        for leave in _leaves:
            leave(user)
        remove_pictures_of(user)
        session_rows.end(Session.objects.filter(user=user.pk), reason="The account is deleted.")
        gone, _ = User.objects.filter(pk=user.pk).delete()
        if gone:
            resting.lay_to_rest(user.username)
        stream_endings.end_streams_of_user(user.pk, "The account is deleted.")


def due_accounts(now: datetime) -> list[int]:
    return list(User.objects.filter(leaving_at__lte=now).values_list("pk", flat=True))


def remove_if_due(user_id: int, *, now: datetime) -> bool:
    """False if they have changed their mind at the last moment, or are gone already."""
    with transaction.atomic():
        due = User.objects.select_for_update().filter(pk=user_id, leaving_at__lte=now).first()
        if due is not None:
            remove_account(due)
    return due is not None

"""How an account goes. What other apps do then: `users/events.py`."""

from datetime import datetime

from django.db import transaction

from redistools.chunks import chunks

from ..events import before_leaving, whose_counters_change
from ..login import session_rows
from ..models import Session, User
from ..names import resting
from ..pictures.changing import remove_all as remove_pictures_of
from ..rows import lock_accounts
from . import stream_endings

# Accounts that one statement locks.
PART = 1_000


def remove_account(user: User) -> None:
    """With everything of theirs; the name rests. Doing it twice changes nothing."""
    with transaction.atomic():
        before_leaving(_locked(user))
        remove_pictures_of(user)
        session_rows.end(Session.objects.filter(user=user.pk), reason="The account is deleted.")
        gone, _ = User.objects.filter(pk=user.pk).delete()
        if gone:
            resting.lay_to_rest(user.username)
        stream_endings.end_streams_of_user(user.pk, "The account is deleted.")


def _locked(user: User) -> User:
    """As it is now. Everybody whose counters change is locked in the order in which others lock
    accounts too; the account itself more firmly: what it likes or posts now comes before, or not
    at all.
    """
    for some in chunks(sorted({user.pk}.union(*whose_counters_change(user))), PART):
        lock_accounts(some)
    return User.objects.select_for_update().filter(pk=user.pk).first() or user


def due_accounts(now: datetime) -> list[int]:
    return list(User.objects.filter(leaving_at__lte=now).values_list("pk", flat=True))


def remove_if_due(user_id: int, *, now: datetime) -> bool:
    """False if they have changed their mind at the last moment, or are gone already."""
    with transaction.atomic():
        due = User.objects.select_for_update().filter(pk=user_id, leaving_at__lte=now).first()
        if due is not None:
            remove_account(due)
    return due is not None

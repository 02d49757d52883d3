"""The counters on users: moved by what they count, in the same transaction."""

from typing import Literal

from django.db.models import F

from .models import User

Counter = Literal["followers_count", "following_count", "statuses_count", "listed_count"]


def count(user_id: int, counter: Counter, change: int) -> bool:
    """False where there is no such account. Locks its row until the transaction ends."""
    return bool(User.objects.filter(pk=user_id).update(**{counter: F(counter) + change}))

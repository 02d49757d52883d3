"""Reading users."""

from collections.abc import Collection

from django.db.models import QuerySet
from django.db.models.functions import Lower

from . import store
from .models import User
from .store import Profile


def by_username(username: str) -> User:
    """In any case. Raises User.DoesNotExist."""
    return User.objects.get_by_natural_key(username)


def by_email(email: str) -> QuerySet[User]:
    """Several accounts may share an address. The oldest first."""
    return User.objects.alias(folded=Lower("email")).filter(folded=email.lower()).order_by("pk")


def profiles(user_ids: Collection[int]) -> dict[int, Profile]:
    """From Redis; what it lacks is rebuilt from SQL first. Ids without an account are left out."""
    found = store.read_users(user_ids)
    missing = set(user_ids) - found.keys()
    if not missing:
        return found
    # Rebuilding locks rows (on SQLite: every writer), so ids of deleted accounts must not cause it.
    alive = list(User.objects.filter(pk__in=missing).values_list("pk", flat=True))
    if not alive:
        return found
    store.refresh_users(alive)
    return found | store.read_users(alive)

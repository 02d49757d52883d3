"""Accounts by name or id; suspended ones do not count."""

from collections.abc import Collection

from users.models import User


def by_names(names: Collection[str]) -> dict[str, User]:
    """Maps names in lower case to accounts. At most one query."""
    if not names:
        return {}
    found = User.objects.named(names).filter(is_active=True)
    return {user.username.lower(): user for user in found}


def known_ids(user_ids: Collection[int]) -> set[int]:
    known = User.objects.filter(pk__in=user_ids, is_active=True)
    return set(known.values_list("pk", flat=True))

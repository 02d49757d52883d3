"""Accounts by name or id, for `follow` and for mentions."""

from collections.abc import Collection

from django.db.models.functions import Lower

from users.models import User


def by_names(names: Collection[str]) -> dict[str, User]:
    """Under their names in lower case; unknown and suspended ones are left out.

    One query, if there are names.
    """
    if not names:
        return {}
    folded = User.objects.annotate(folded=Lower("username"))
    found = folded.filter(is_active=True, folded__in={name.lower() for name in names})
    return {user.username.lower(): user for user in found}


def known_ids(user_ids: Collection[int]) -> set[int]:
    """Those of them that exist and are not suspended. One query."""
    known = User.objects.filter(pk__in=user_ids, is_active=True)
    return set(known.values_list("pk", flat=True))

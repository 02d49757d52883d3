"""Accounts with many followers, by the language in which they post, and the newest accounts.

A chain of tasks looks at all accounts, some at a time, once an hour: an index by followers would
cost every follow.
"""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import TypedDict

from django.core.cache import cache
from django.db.models import QuerySet

from users.models import User
from web.languages import OFFERED

# Accounts that one link of the chain looks at.
LINK_SIZE = 5_000
MOST = 60
# Beside the languages: everybody.
ANY = ""
SO_FAR = "suggestions:popular so far"
FOUND_SECONDS, LINK_SECONDS = 3 * 3600, 3600
NEWCOMERS, NEWCOMERS_KEPT, NEWCOMERS_SECONDS = 1_000, 100, 10 * 60

# Pairs of followers and id by language.
Leaders = dict[str, list[tuple[int, int]]]


class _SoFar(TypedDict):
    last: int
    leaders: Leaders


def people(codes: Sequence[str]) -> list[int]:
    """With the most followers first, in each language after the other. One round trip."""
    found: dict[str, list[int]] = cache.get_many([_name(code) for code in codes])
    return [who for code in codes for who in found.get(_name(code), ())]


def _name(code: str) -> str:
    return f"suggestions:popular:{code}"


def look_on(last: int) -> int | None:
    """Looks at the accounts after this one. Returns the last it saw; None at the end, when what it
    found counts. One query and two round trips.

    A chain that has lost what it found so far, or was overtaken by another, ends.
    """
    so_far: _SoFar | None = cache.get(SO_FAR) if last else _SoFar(last=0, leaders={})
    if so_far is None or so_far["last"] != last:
        return None
    rows = list(
        _open()
        .filter(pk__gt=last)
        .order_by("pk")
        .values_list("pk", "followers_count", "posting_language")[:LINK_SIZE]
    )
    leaders = _merged(so_far["leaders"], rows)
    if len(rows) < LINK_SIZE:
        found = {_name(code): [who for _, who in pairs] for code, pairs in leaders.items()}
        cache.set_many(found, FOUND_SECONDS)
        return None
    cache.set(SO_FAR, _SoFar(last=rows[-1][0], leaders=leaders), LINK_SECONDS)
    return rows[-1][0]


def _merged(before: Leaders, rows: Iterable[tuple[int, int, str]]) -> Leaders:
    found = {code: [(count, who) for count, who in it] for code, it in before.items()}
    for who, followers, language in rows:
        if followers:
            for code in {ANY, language if language in OFFERED else ANY}:
                found.setdefault(code, []).append((followers, who))
    return {code: nlargest(MOST, pairs) for code, pairs in found.items()}


def newcomers() -> list[int]:
    """Of the newest accounts those with the most followers, so that all are never sorted."""
    found: list[int] = cache.get_or_set("suggestions:new", _newcomers, NEWCOMERS_SECONDS) or []
    return found


def _newcomers() -> list[int]:
    newest = _open().order_by("-pk").values_list("followers_count", "pk")[:NEWCOMERS]
    return [who for _, who in nlargest(NEWCOMERS_KEPT, newest)]


def _open() -> QuerySet[User]:
    return User.objects.filter(is_active=True, is_private=False, is_silenced=False)

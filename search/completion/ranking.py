"""In which order people are offered: by their followers, in steps of a tenth, and the newest first.

Steps, so that a follow moves somebody in the lists that Redis keeps only now and then.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.db.models import Count, QuerySet
from django.db.models.functions import Left, Length

from users.models import NameWord, User
from users.names.index import matching
from users.names.models import Source

# So many are looked up by their ids.
FEW = 2_000
# More followers than a column can count.
_MOST = 2**31


def _steps() -> list[int]:
    steps = [1]
    while steps[-1] < _MOST:
        steps.append(steps[-1] + max(1, steps[-1] // 10))
    return steps


_STEPS = _steps()


class Rank(NamedTuple):
    """The higher comes first."""

    level: int
    user_id: int


def level(followers: int) -> int:
    return bisect_right(_STEPS, followers)


def ranks_of(user_ids: Collection[int]) -> dict[int, Rank]:
    """Of those who may be offered to anybody. One query."""
    rows = User.objects.filter(pk__in=user_ids, is_active=True, is_silenced=False)
    return {it.user_id: it for it in _ranked(rows.values_list("pk", "followers_count"))}


def best(terms: Sequence[str], limit: int) -> list[Rank]:
    """The first of all people who may be offered. Reads and sorts all who match, by index; those of
    many twice, if the last of these shares a level with others.
    """
    few = _ids(terms, FEW)
    if len(few) < FEW:
        return sorted(ranks_of(few).values(), reverse=True)[:limit]
    people = _people(terms)
    first = _ranked(people.order_by("-user__followers_count", "-user_id")[: limit + 1])
    if len(first) <= limit:
        return sorted(first, reverse=True)
    last = first[limit - 1].level
    if first[limit].level < last:
        return sorted(first[:limit], reverse=True)
    above = [it for it in first if it.level > last]
    lowest, highest = _STEPS[last - 1] if last else 0, _STEPS[last] - 1
    same = people.filter(user__followers_count__range=(lowest, highest)).order_by("-user_id")
    return sorted(above, reverse=True) + _ranked(same[: limit - len(above)])


def all_of(terms: Sequence[str], *, most: int) -> list[Rank] | None:
    """All who match and may be offered, in order; None if more match, offered or not."""
    ids = _ids(terms, most + 1)
    return sorted(ranks_of(ids).values(), reverse=True) if len(ids) <= most else None


def down_to(terms: Sequence[str], floor: Rank) -> list[Rank]:
    """All who match, down to this one."""
    lowest = _STEPS[floor.level - 1] if floor.level else 0
    people = _ranked(_people(terms).filter(user__followers_count__gte=lowest))
    return sorted((it for it in people if it >= floor), reverse=True)


def shared(length: int, *, by: int) -> set[str]:
    """Beginnings of this length that more people share. Reads all words."""
    rows = NameWord.objects.alias(length=Length("word")).filter(
        source=Source.NAME, length__gte=length
    )
    offered = rows.filter(user__is_active=True, user__is_silenced=False)
    counted = offered.values(beginning=Left("word", length)).annotate(
        n=Count("user", distinct=True)
    )
    return set(counted.filter(n__gt=by).values_list("beginning", flat=True))


def _ids(terms: Sequence[str], limit: int) -> list[int]:
    """As a list: asked for a few people in one query, PostgreSQL may read all accounts."""
    return list(matching(terms).values_list("user_id", flat=True).distinct()[:limit])


def _people(terms: Sequence[str]) -> "QuerySet[NameWord, tuple[int, int]]":
    """Each once: a name may have several words with this beginning."""
    rows = matching(terms).filter(user__is_active=True, user__is_silenced=False)
    return rows.values_list("user_id", "user__followers_count").distinct()


def _ranked(rows: Iterable[tuple[int, int]]) -> list[Rank]:
    return [Rank(level(followers), user_id) for user_id, followers in rows]

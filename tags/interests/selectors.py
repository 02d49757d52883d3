"""Reading what people say on their profiles that interests them."""

from collections import Counter
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Value

from users.models import User
from web.languages import own_name

from ..models import Interest, SpokenLanguage

# Interests that are counted for the popular ones, not more often than this.
NEWEST = 2_000
KEPT_SECONDS = 10 * 60
MOST_POPULAR = 40


class Language(NamedTuple):
    code: str
    name: str  # as its speakers call it


class TagName(NamedTuple):
    name: str  # folded, as in its address
    written: str

    def __str__(self) -> str:
        return f"#{self.written or self.name}"


class Interests(NamedTuple):
    tags: list[TagName]
    languages: list[Language]

    @property
    def spoken(self) -> str:
        return ", ".join(it.name for it in self.languages)


def interests_of(user: User) -> Interests:
    """In the order in which they were added. One query, since each profile asks it."""
    tags = Interest.objects.filter(user=user).annotate(code=Value(""))
    spoken = SpokenLanguage.objects.filter(user=user).annotate(name=Value(""), written=Value(""))
    rows = tags.values_list("pk", "tag__name", "tag__written", "code").union(
        spoken.values_list("pk", "name", "written", "code"), all=True
    )
    # By hand: a sorted union costs SQLite a table.
    found = sorted(rows)
    return Interests(
        [TagName(name, written) for _, name, written, code in found if not code],
        [Language(code, own_name(code)) for *_, code in found if code],
    )


def popular_interests(limit: int) -> list[TagName]:
    """Of those that people put on their profiles lately. One round trip, and every ten minutes a
    query.
    """
    key = "tags:popular_interests"
    found: list[list[str]] = cache.get_or_set(key, _popular_in_sql, KEPT_SECONDS) or []
    return [TagName(*it) for it in found[:limit]]


def _popular_in_sql() -> list[list[str]]:
    """Without those of people whom searches don't find."""
    newest = Interest.objects.order_by("-pk").values_list("tag__name", "tag__written", "user")
    some = list(newest[:NEWEST])
    hidden = User.objects.filter(pk__in={user_id for *_, user_id in some}).exclude(
        is_active=True, is_silenced=False
    )
    out = set(hidden.values_list("pk", flat=True))
    counted = Counter((name, written) for name, written, user_id in some if user_id not in out)
    return [[*tag] for tag, _ in counted.most_common(MOST_POPULAR)]

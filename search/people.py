"""Finding people by the beginnings of the words in their names and bios (`users/names/`)."""

import re
from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet

from relations.models import Follow
from users.models import NameWord, User
from users.names.folding import terms_of
from users.names.index import NAMES, NAMES_AND_BIOS, matching
from users.names.models import Source
from users.names.usernames import PATTERN

# The people behind more matches than this are not compared: such a beginning says very little.
CANDIDATES = 10_000
# A beginning of so few letters has more matches than anybody follows people.
SHORT = 2

_username = re.compile(rf"@?({PATTERN})")


def find(query: str, *, viewer: User | None, hidden: Collection[int], limit: int) -> list[int]:
    """Ids: exactly this name, then people whom the viewer follows, then the rest, then those found
    by their bios; the most followed first. At most five queries, by index.

    Suspended accounts are never found, silenced ones only by name or by their followers.
    """
    terms = terms_of(query)
    if not terms:
        return []
    most = limit + len(hidden)
    found = dict.fromkeys([*named(query), *_followed(terms, viewer, most), *anybody(terms, most)])
    if len(found) < most:
        found |= dict.fromkeys(_described(terms, viewer, most))
    return [it for it in found if it not in hidden][:limit]


def named(query: str) -> list[int]:
    typed = _username.fullmatch(query)
    if typed is None:
        return []
    return list(User.objects.named([typed[1]]).filter(is_active=True).values_list("pk", flat=True))


def _followed(terms: Sequence[str], viewer: User | None, limit: int) -> list[int]:
    return followed(terms, viewer, limit) if viewer else []


def followed(terms: Sequence[str], viewer: User, limit: int) -> list[int]:
    """Tries a short beginning on each followed account; for a longer one, looks for each match
    among the follows.
    """
    if max(map(len, terms)) <= SHORT:
        return popular_first(matching(terms).filter(user__follows_got__follower=viewer), limit)
    rows = Follow.objects.filter(follower=viewer, followee__in=matching(terms).values("user_id"))
    active = rows.filter(followee__is_active=True).values_list("followee_id", flat=True)
    return list(active.order_by("-followee__followers_count", "-followee_id")[:limit])


def popular_first(rows: QuerySet[NameWord], limit: int) -> list[int]:
    people = rows.filter(user__is_active=True).values_list("user_id", flat=True)
    # A name may have several words with this beginning.
    return list(people.order_by("-user__followers_count", "-user_id").distinct()[:limit])


def anybody(terms: Sequence[str], limit: int, *, candidates: int = CANDIDATES) -> list[int]:
    found = _matching_accounts(terms, NAMES, candidates).filter(is_silenced=False)
    return list(found.order_by("-followers_count", "-pk").values_list("pk", flat=True)[:limit])


def _described(terms: Sequence[str], viewer: User | None, limit: int) -> list[int]:
    """By names and bios together."""
    follows = Follow.objects.filter(follower=viewer.pk if viewer else 0, followee=OuterRef("pk"))
    found = _matching_accounts(terms, NAMES_AND_BIOS, CANDIDATES).annotate(followed=Exists(follows))
    shown = found.filter(Q(is_silenced=False) | Q(followed=True))
    order = "-followed", "-followers_count", "-pk"
    return list(shown.order_by(*order).values_list("pk", flat=True)[:limit])


def _matching_accounts(
    terms: Sequence[str], sources: Sequence[Source], candidates: int
) -> QuerySet[User]:
    longest, *others = sorted(terms, key=len, reverse=True)
    # As a list: given the query itself, PostgreSQL may read all accounts to look them up.
    some = set(matching([longest], sources).values_list("user_id", flat=True)[:candidates])
    found = User.objects.filter(pk__in=some, is_active=True)
    for term in others:
        found = found.filter(Exists(matching([term], sources).filter(user=OuterRef("pk"))))
    return found

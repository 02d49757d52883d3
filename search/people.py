"""Finding people by the beginnings of the words in their names and bios (`users/names/`)."""

import re
from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet

from redistools.client import get_client
from redistools.scripts import Batch
from relations.blocks_and_mutes import viewpoint
from relations.models import Follow
from users.models import NameWord, User
from users.names.folding import terms_of
from users.names.index import NAMES, NAMES_AND_BIOS, matching
from users.names.models import Source
from users.names.usernames import PATTERN
from users.standing import suspension

from .completion.lists import Everybody
from .completion.names import NAMES as LISTS

# The people behind more matches than this are not compared: such a beginning says very little.
CANDIDATES = 10_000
# A beginning of so few letters has more matches than anybody follows people.
SHORT = 2

_username = re.compile(rf"@?({PATTERN})")


def find(query: str, *, viewer: User | None, limit: int, also_by_bio: bool = True) -> list[int]:
    """Ids: exactly this name, then people whom the viewer follows, then the rest, then those found
    by their bios; the most followed first. One round trip, and at most seven queries, by index.

    Suspended accounts are never found, nor those with a block between them and the viewer; silenced
    ones only by name or by their followers.
    """
    terms = terms_of(query)
    if not terms:
        return []
    listed, blocked, suspended = _read(terms, viewer)
    most, first = limit + len(blocked), first_of_all(terms, listed)
    popular = LISTS.ranking.exactly(first.ids)
    found = dict.fromkeys([*named(query), *_followed(terms, viewer, most), *popular])
    if not first.whole:
        found |= dict.fromkeys(_anybody(terms, most))
    if also_by_bio and len(found) < most:
        found |= dict.fromkeys(_described(terms, viewer, most))
    return [it for it in found if it not in blocked and it not in suspended][:limit]


Ids = frozenset[int]


def _read(terms: Sequence[str], viewer: User | None) -> tuple[str | None, Ids, Ids]:
    """The list in Redis of the longest term, and whom the viewer must not find."""
    batch = Batch(get_client())
    batch.add(*LISTS.command(max(terms, key=len)))
    batch.add(*suspension.version_command())
    if viewer:
        batch.add(*viewpoint.command(viewer.pk))
    listed, version, *view = batch.run()
    blocked = viewpoint.viewpoint_in(view[0], viewer.pk).blocked if viewer else Ids()
    return listed, blocked, suspension.suspended_at(version)


def first_of_all(terms: Sequence[str], listed: str | None) -> Everybody:
    """`listed`: what Redis answered for the longest term."""
    longest, *others = sorted(terms, key=len, reverse=True)
    found = LISTS.everybody(longest, listed)
    if not others:
        return found
    rows = matching(others).filter(user__in=found.ids)
    named = set(rows.values_list("user_id", flat=True))
    return found._replace(runs=[[it for it in run if it in named] for run in found.runs])


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


def _anybody(terms: Sequence[str], limit: int) -> list[int]:
    found = _matching_accounts(terms, NAMES).filter(is_silenced=False)
    return list(found.order_by("-followers_count", "-pk").values_list("pk", flat=True)[:limit])


def _described(terms: Sequence[str], viewer: User | None, limit: int) -> list[int]:
    """By names and bios together."""
    follows = Follow.objects.filter(follower=viewer.pk if viewer else 0, followee=OuterRef("pk"))
    found = _matching_accounts(terms, NAMES_AND_BIOS).annotate(followed=Exists(follows))
    shown = found.filter(Q(is_silenced=False) | Q(followed=True))
    order = "-followed", "-followers_count", "-pk"
    return list(shown.order_by(*order).values_list("pk", flat=True)[:limit])


def _matching_accounts(terms: Sequence[str], sources: Sequence[Source]) -> QuerySet[User]:
    longest, *others = sorted(terms, key=len, reverse=True)
    # As a list: given the query itself, PostgreSQL may read all accounts to look them up.
    some = set(matching([longest], sources).values_list("user_id", flat=True)[:CANDIDATES])
    found = User.objects.filter(pk__in=some, is_active=True)
    for term in others:
        found = found.filter(Exists(matching([term], sources).filter(user=OuterRef("pk"))))
    return found

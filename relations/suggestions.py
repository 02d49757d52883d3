"""Whom to follow: friends of friends, then popular and new accounts.

The result is kept for a few minutes; follows, blocks and suspensions since then are looked at each
time.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from django.core.cache import cache
from django.db.models import QuerySet

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from users import store as users
from users.models import User
from users.selectors import people, with_missing
from users.standing import suspension

from . import store
from .blocks_and_mutes import viewpoint
from .selectors import People, asked_among

KEPT_SECONDS = 10 * 60
# Kept for a reader: enough for a page after some were followed.
KEPT = 60
# Friends of friends: how many the reader follows are asked, and for how many each.
FRIENDS, FRIENDS_OF_EACH = 30, 60
# New accounts are picked from the newest, so that we never sort all of them.
NEWCOMERS = 1_000
POPULAR, POPULAR_SECONDS, POPULAR_KEY = 200, 2 * 3600, "suggestions:popular"


def suggestions(viewer: User | None, *, limit: int, first: Sequence[int] = ()) -> People:
    """Leaves out accounts that the viewer follows, asks, blocks or mutes. A member gets `first`
    before others. Two round trips, and a query if there are private accounts; three for visitors.
    """
    if viewer is None:
        return _for_visitors(limit)
    return _for_member(viewer, _with_first(_kept_for(viewer), first), limit)


def _with_first(ids: Sequence[int], first: Sequence[int]) -> list[int]:
    preferred = set(first)
    return list(dict.fromkeys([*(it for it in ids if it in preferred), *first, *ids]))


def forget(viewer_id: int) -> None:
    get_client().unlink(keys.suggested(viewer_id))


def _for_visitors(limit: int) -> People:
    """The same for all visitors, so worked out once."""
    key = "suggestions:visitors"
    ids: list[int] = cache.get_or_set(key, lambda: _newcomers(KEPT), KEPT_SECONDS) or []
    hidden = suspension.suspended_ids()
    found = people(ids)
    return People(_open_ones(found[it] for it in ids if it in found and it not in hidden)[:limit])


def _for_member(viewer: User, ids: Collection[int], limit: int) -> People:
    batch = Batch(get_client())
    batch.add(*suspension.version_command())
    batch.add(*viewpoint.command(viewer.pk))
    store.add_follow_reads(batch, viewer.pk, [viewer.pk, *ids])
    users.add_reads(batch, ids)
    version, view, follows, *hashes = batch.run()
    unwanted = viewpoint.viewpoint_in(view, viewer.pk).unwanted(viewpoint.this_moment())
    followed = store.read_follows(follows, viewer.pk, ids)
    found = with_missing(ids, users.found_in(ids, hashes))
    private = [it.id for it in found.values() if it.private]
    asked = asked_among(viewer, private) if private else set()
    hidden = suspension.suspended_at(version) | unwanted | followed | asked | {viewer.pk}
    return People(_open_ones(found[it] for it in ids if it in found and it not in hidden)[:limit])


def _open_ones(found: Iterable[users.Person]) -> list[users.Person]:
    """Leaves out silenced accounts. Private ones can be asked."""
    return [person for person in found if person.private or not person.limited]


def _kept_for(viewer: User) -> list[int]:
    key = keys.suggested(viewer.pk)
    batch = Batch(get_client())
    batch.add("GET", key)
    (kept,) = batch.run()
    if kept is not None:
        return list(json.loads(kept))
    ids = _worked_out_for(viewer)
    get_client().set(key, json.dumps(ids), ex=KEPT_SECONDS)
    return ids


def _worked_out_for(viewer: User) -> list[int]:
    followed = set(store.following_ids(viewer.pk))
    ranked = [
        *_friends_of_friends(viewer, followed),
        *_popular(),
        *_newcomers(KEPT + len(followed)),
    ]
    wanted = [it for it in dict.fromkeys(ranked) if it not in followed and it != viewer.pk]
    return wanted[:KEPT]


def _friends_of_friends(viewer: User, followed: Collection[int]) -> list[int]:
    """Ranks by how many of the accounts that the viewer followed last do. Two round trips."""
    newest = store.newest_following(viewer.pk, below=None, limit=FRIENDS).edges
    circles = store.newest_followed_by_each([it.user_id for it in newest], limit=FRIENDS_OF_EACH)
    counted = Counter(it for circle in circles for it in circle if it not in followed)
    counted.pop(viewer.pk, None)
    return [user_id for user_id, _ in counted.most_common(KEPT)]


def find_popular() -> None:
    """Reads the whole site, in a task once an hour: an index would cost every follow."""
    popular = _open().filter(followers_count__gt=0).order_by("-followers_count", "-pk")
    ids = list(popular.values_list("pk", flat=True)[:POPULAR])
    cache.set(POPULAR_KEY, ids, POPULAR_SECONDS)


def _popular() -> list[int]:
    ids: list[int] = cache.get(POPULAR_KEY) or []
    return ids


def _newcomers(limit: int) -> list[int]:
    newest = _open().order_by("-pk").values_list("followers_count", "pk")[:NEWCOMERS]
    return [pk for _, pk in sorted(newest, reverse=True)[:limit]]


def _open() -> QuerySet[User]:
    return User.objects.filter(is_active=True, is_silenced=False)

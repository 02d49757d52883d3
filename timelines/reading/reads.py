"""Where the pages of timelines read: from Redis, or while it is away from SQL.

From SQL a page costs more, and lacks what only Redis can tell at small cost: which people both
reader and account know, and what the reader has done with a status. Who sees what is the same.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar, Unpack

from redistools.loaded_set import IdPage, Loaded, Range
from relations.acquaintances import NOBODY, Acquaintances, among_followers
from relations.models import Follow
from relations.selectors import ProfileVisit, profile_visit, profile_visit_in_sql
from statuses.models import Status, Tagging
from statuses.reading import from_sql
from statuses.reading.shown import ShownStatus
from tags.models import TagFollow
from users.models import User

from .. import selectors
from ..collecting import collect_from_sql
from .home_paging import home_page
from .paging import Cursors, Source, make_range

# How much of a home is looked at: enough for a few pages, or for one with much that is hidden.
HOME_SIZE = 200
# Above all ids: Redis holds none of them.
NOTHING_HELD = IdPage([], floor=2**53)

AnySource = TypeVar("AnySource", bound=Source)


class Reads(NamedTuple):
    home: Callable[..., list[ShownStatus]]
    profile: Callable[..., list[ShownStatus]]
    with_replies: Callable[..., list[ShownStatus]]
    profile_visit: Callable[[User | None, User], ProfileVisit]
    among_followers: Callable[[int, Collection[int]], Acquaintances]


def home_from_sql(viewer: User, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """Some twenty queries, whatever is followed."""
    read = partial(_slice, _newest_at_home(viewer.pk))
    source = replace(
        _without_redis(selectors.home_source(viewer)),
        read=read,
        read_two=lambda one, other: (read(one), read(other)),
    )
    return home_page(source, make_range(**cursors), viewer=viewer)


def profile_from_sql(
    user: User, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    source = _without_redis(selectors.posts_source(user))
    return selectors.page_of(user, source, viewer, cursors)


def with_replies_from_sql(
    user: User, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    source = _without_redis(selectors.profile_source(user))
    return selectors.page_of(user, source, viewer, cursors)


def _without_redis(source: AnySource) -> AnySource:
    return replace(
        source, read=lambda _wanted: NOTHING_HELD, forget=lambda _ids: None, show=from_sql.show
    )


def _newest_at_home(user_id: int) -> Loaded:
    """Author by author, like a home that is built. A handful of queries."""
    followed = Follow.objects.filter(follower_id=user_id).values_list("followee_id", flat=True)
    by_authors = collect_from_sql([*followed, user_id], limit=HOME_SIZE)
    tagged = _newest_tagged(user_id)
    ids = sorted({*by_authors.scores, *tagged}, reverse=True)[:HOME_SIZE]
    whole = by_authors.whole and len(tagged) < HOME_SIZE and len(ids) < HOME_SIZE
    return Loaded(dict(zip(ids, ids, strict=True)), whole=whole)


def _newest_tagged(user_id: int) -> list[int]:
    tags = list(TagFollow.objects.filter(user_id=user_id).values_list("tag_id", flat=True))
    if not tags:
        return []
    rows = Status.objects.filter(pk__in=Tagging.objects.filter(tag_id__in=tags).values("status_id"))
    return list(rows.in_timelines().newest_first().values_list("id", flat=True)[:HOME_SIZE])


def _slice(held: Loaded, wanted: Range) -> IdPage:
    above, below = wanted.above, wanted.below
    ids = [it for it in held.scores if it > above and (below is None or it < below)]
    floor = 0 if held.whole else min(held.scores)
    return IdPage(ids[: wanted.limit] if wanted.end == "newest" else ids[-wanted.limit :], floor)


def _nobody(_account_id: int, _followed: Collection[int]) -> Acquaintances:
    return NOBODY


FROM_REDIS = Reads(
    selectors.home, selectors.profile, selectors.with_replies, profile_visit, among_followers
)
FROM_SQL = Reads(
    home_from_sql, profile_from_sql, with_replies_from_sql, profile_visit_in_sql, _nobody
)

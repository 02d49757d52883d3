"""Reading timelines."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Unpack

from lists.models import List
from redistools.loaded_set import Range, Slice
from relations.models import Follow
from statuses import store as status_store
from statuses.models import Status, StatusQuerySet
from statuses.selectors import Rules
from statuses.shown import ShownStatus
from users.models import User

from . import store
from .home_rules import HomeRules
from .paging import Cursors, Source, make_range, page
from .timeline import Timeline, home_of, timeline_of


def home(viewer: User, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """What the viewer and the people they follow say. Two round trips, no SQL."""
    source = _source(home_of(viewer.pk), partial(home_in_sql, viewer.pk), HomeRules(viewer))
    return page(source, make_range(**cursors), viewer=viewer)


def profile(
    user: User,
    *,
    viewer: User | None = None,
    **cursors: Unpack[Cursors],
) -> list[ShownStatus]:
    """What one user says and boosts, without replies to others. Two round trips, no SQL."""
    source = _profile_source(user.pk, status_store.read_posts, posts_in_sql)
    return _page_of(user, source, viewer, cursors)


def with_replies(
    user: User,
    *,
    viewer: User | None = None,
    **cursors: Unpack[Cursors],
) -> list[ShownStatus]:
    """Everything that one user says. Two round trips, no SQL."""
    source = _profile_source(user.pk, status_store.read_profile, profile_in_sql)
    return _page_of(user, source, viewer, cursors)


def _page_of(
    user: User, source: Source, viewer: User | None, cursors: Cursors
) -> list[ShownStatus]:
    if not user.is_active:
        return []  # without looking at each of their statuses
    return page(source, make_range(**cursors), viewer=viewer)


def list_timeline(
    list_: List, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    """What the members of a list say. Two round trips, no SQL."""
    source = _source(timeline_of(list_), partial(list_in_sql, list_.pk))
    return page(source, make_range(**cursors), viewer=viewer)


def everything(*, viewer: User | None = None, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """What anybody says. One query for the ids, one round trip."""
    source = Source(_nothing_in_redis, Status.objects.all, lambda _ids: None)
    return page(source, make_range(**cursors), viewer=viewer)


def _nothing_in_redis(_wanted: Range) -> Slice:
    return Slice([], floor=2**53)


def _source(
    timeline: Timeline, in_sql: Callable[[], StatusQuerySet], rules: Rules | None = None
) -> Source:
    forget = partial(store.remove_statuses, timeline)
    read_two = partial(store.read_two, timeline)
    return Source(partial(store.read, timeline), in_sql, forget, rules, read_two)


def _profile_source(
    user_id: int, read: Callable[[int, Range], Slice], in_sql: Callable[[int], StatusQuerySet]
) -> Source:
    def forget(status_ids: Collection[int]) -> None:
        status_store.forget_statuses(user_id, status_ids)

    return Source(partial(read, user_id), partial(in_sql, user_id), forget)


def profile_in_sql(user_id: int) -> StatusQuerySet:
    return Status.objects.filter(author_id=user_id)


def posts_in_sql(user_id: int) -> StatusQuerySet:
    return profile_in_sql(user_id).without_replies()


def home_in_sql(user_id: int) -> StatusQuerySet:
    """By the ids of the authors: a subquery beside an OR would not use the index by author."""
    followed = Follow.objects.filter(follower_id=user_id).values_list("followee_id", flat=True)
    return Status.objects.filter(author_id__in=[*followed, user_id])


def list_in_sql(list_id: int) -> StatusQuerySet:
    return Status.objects.filter(author__listed_in__list_id=list_id)

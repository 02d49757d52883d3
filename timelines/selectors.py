"""Reading timelines. A page takes two round trips and no SQL, that of a home three."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Unpack

from django.db.models import Q

from lists.models import List, ListMember
from redistools.loaded_set import IdPage, Range
from relations.blocks_and_mutes.viewpoint import viewpoint_of
from relations.models import Follow
from statuses import store as status_store
from statuses.models import Status, StatusQuerySet, Tagging
from statuses.reading.shown import ShownStatus
from statuses.visibility.rules import FeedRules, HomeRules
from tags.models import Tag, TagFollow
from users.models import User
from users.selectors import in_order
from users.standing.suspension import suspended_ids
from users.store import Person

from . import store
from .index import mentions as mentioned
from .index import tagged
from .reading.home_paging import HomeSource, home_page
from .reading.home_rules import hidden_in_sql
from .reading.paging import Cursors, Source, make_range, page
from .store import home_of, timeline_of


def home(viewer: User, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    return home_page(home_source(viewer), make_range(**cursors), viewer=viewer)


def home_source(viewer: User) -> HomeSource:
    timeline = home_of(viewer.pk)
    return HomeSource(
        read=partial(store.read, timeline),
        in_sql=partial(home_in_sql, viewer.pk),
        forget=partial(_forget_at_home, viewer.pk),
        rules=HomeRules(),
        read_two=partial(store.read_two, timeline),
        hidden_in_sql=partial(hidden_in_sql, viewer),
    )


def _forget_at_home(viewer_id: int, status_ids: Collection[int]) -> None:
    store.remove_statuses(home_of(viewer_id), status_ids)
    tagged.forget_gone_at_home(viewer_id, status_ids)


def profile(
    user: User, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    """Leaves out replies to others. Two round trips, no SQL."""
    return page_of(user, posts_source(user), viewer, cursors)


def with_replies(
    user: User, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    return page_of(user, profile_source(user), viewer, cursors)


def page_of(user: User, source: Source, viewer: User | None, cursors: Cursors) -> list[ShownStatus]:
    if not user.is_active:
        return []  # without looking at each of their statuses
    return page(source, make_range(**cursors), viewer=viewer)


def list_timeline(
    list_: List, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    timeline = timeline_of(list_)
    source = Source(
        read=partial(store.read, timeline),
        in_sql=Status.objects.in_timelines,
        forget=partial(store.remove_statuses, timeline),
        rules=FeedRules(),
        authors_in_sql=partial(members_in_sql, list_.pk),
    )
    return page(source, make_range(**cursors), viewer=viewer)


def tag_timeline(
    tag: Tag, *, viewer: User | None = None, **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    if not tag.pk:
        return []
    forget = partial(tagged.forget_gone, tag.pk)
    source = Source(
        partial(tagged.read, tag.pk), partial(tagged.in_sql, tag.pk), forget, FeedRules()
    )
    return page(source, make_range(**cursors), viewer=viewer)


def mentions(viewer: User, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """What names or answers the viewer. Two round trips, no SQL."""
    who = viewer.pk
    forget = partial(mentioned.forget_gone, who)
    source = Source(
        partial(mentioned.read, who), partial(mentioned.in_sql, who), forget, FeedRules()
    )
    return page(source, make_range(**cursors), viewer=viewer)


def addressees(user: User) -> list[Person]:
    """Whom the user names or answers, the latest first; at most a hundred. Two round trips."""
    hidden = suspended_ids() | viewpoint_of(user.pk).blocked
    return in_order([it for it in mentioned.addressee_ids(user.pk) if it not in hidden])


def posts_source(user: User) -> Source:
    return _profile_source(user, status_store.read_posts, posts_in_sql)


def profile_source(user: User) -> Source:
    return _profile_source(user, status_store.read_profile, profile_in_sql)


def _profile_source(
    user: User, read: Callable[[int, Range], IdPage], in_sql: Callable[[int], StatusQuerySet]
) -> Source:
    def forget(status_ids: Collection[int]) -> None:
        status_store.forget_statuses(user.pk, status_ids)

    return Source(
        read=partial(read, user.pk),
        in_sql=partial(in_sql, user.pk),
        forget=forget,
        followers_only={user.pk: user.is_followers_only},
    )


def profile_in_sql(user_id: int) -> StatusQuerySet:
    return Status.objects.filter(author_id=user_id).in_timelines()


def posts_in_sql(user_id: int) -> StatusQuerySet:
    return profile_in_sql(user_id).without_replies()


def home_in_sql(user_id: int) -> StatusQuerySet:
    """The reader's own, and those of people and tags that they follow.

    By the ids of the authors: a subquery beside an OR would not use the index by author.
    """
    followed = Follow.objects.filter(follower_id=user_id).values_list("followee_id", flat=True)
    wanted = Q(author_id__in=[*followed, user_id])
    # Mostly there are none: then the query is simpler, and quicker.
    if tags := list(TagFollow.objects.filter(user_id=user_id).values_list("tag_id", flat=True)):
        wanted |= Q(pk__in=Tagging.objects.filter(tag_id__in=tags).values("status_id"))
    return Status.objects.filter(wanted).in_timelines()


def list_in_sql(list_id: int) -> StatusQuerySet:
    return Status.objects.filter(author_id__in=members_in_sql(list_id)).in_timelines()


def members_in_sql(list_id: int) -> list[int]:
    return list(ListMember.objects.filter(list_id=list_id).values_list("user_id", flat=True))

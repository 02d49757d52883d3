"""What homes and lists have in common: authors, and their statuses in the owner's partition."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lists import store as list_store
from lists.models import List
from redistools import keys
from relations import store as edges
from tags import store as tag_follows


@dataclass(frozen=True)
class Timeline:
    """A list of status ids (`lua/timeline.lua`) and the loaded set of the authors that feed it."""

    key: str
    sources_key: str
    partition: int
    # Everybody whose statuses belong here; reads the sources from SQL if Redis lost them.
    author_ids: Callable[[], list[int]]
    ensure_sources: Callable[[], None]
    # Are pulled authors merged in when it is read? If not, they are delivered like others.
    merges_pulled: bool
    tags_key: str = ""  # the loaded set of the tags that are merged in; empty: none are
    ensure_tags: Callable[[], None] = lambda: None


def home_of(user_id: int) -> Timeline:
    return Timeline(
        key=keys.home(user_id),
        sources_key=keys.following(user_id),
        partition=keys.partition(user_id),
        author_ids=lambda: [*edges.following_ids(user_id), user_id],
        ensure_sources=partial(edges.ensure_following, user_id),
        merges_pulled=True,
        tags_key=keys.tags_followed(user_id),
        ensure_tags=partial(tag_follows.ensure, user_id),
    )


def timeline_of(list_: List) -> Timeline:
    return Timeline(
        key=keys.list_timeline(list_.owner_id, list_.pk),
        sources_key=keys.list_members(list_.owner_id, list_.pk),
        partition=keys.partition(list_.owner_id),
        author_ids=partial(list_store.member_ids, list_.owner_id, list_.pk),
        ensure_sources=partial(list_store.ensure_members, list_.owner_id, list_.pk),
        merges_pulled=False,
    )

"""Publishes what happens, once: to all stream processes, and to a log for clients that come back.

One script publishes an event to a channel and appends it to a capped Redis Stream. What not
everybody may see has a channel and a log of its own, which only the streams of homes read; what
concerns one user alone has a channel, and no log.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from redistools import keys
from redistools.ids import EPOCH_MS
from redistools.scripts import Batch, Script
from relations.events import FollowChange
from statuses import store as statuses
from statuses.models import Status
from statuses.publication.events import Posting
from statuses.reading.history import earlier_versions
from statuses.stored import StoredStatus
from users.audience import Reach, Visibility

from .event import (
    DELETE,
    EDIT,
    FOLLOW,
    POST,
    TAG,
    UNFOLLOW,
    StatusFacts,
    body_of,
    facts_of,
    json_text,
    seal,
)

_publish = Script(__file__, "publish")


def add_posting(posting: Posting) -> None:
    """Statuses for mentioned people alone are in no stream: those people are notified."""
    if posting.reach == Reach.NOBODY:
        return
    if posting.status.boost_of is None:
        is_findable = posting.author.posts_are_searchable
        add_post(posting.batch, posting.status, reach=posting.reach, is_findable=is_findable)
    # Without its original a boost is nothing, and about to be removed.
    elif posting.boosted:
        _add_boost(posting, posting.boosted)


def _add_boost(posting: Posting, boosted: Status) -> None:
    (original,) = statuses.render([boosted])
    boost, reach, narrow = posting.status, posting.reach, is_narrow(boosted)
    add_post(posting.batch, boost, original, reach=reach, is_narrow=narrow)
    # The original may have been edited between two of our looks at it.
    earlier = earlier_versions(boosted)
    add_edit(posting.batch, boost, earlier, original, reach=reach, is_narrow=narrow)


def is_narrow(boosted: Status) -> bool:
    """Everybody could see it when it was boosted; its author may be private or silenced by now."""
    return boosted.author.is_followers_only or boosted.visibility > Visibility.UNLISTED


def add_post(
    batch: Batch,
    status: StoredStatus,
    original: StoredStatus | None = None,
    *,
    reach: int,
    is_narrow: bool = False,
    is_findable: bool = False,
) -> None:
    """Repeats change nothing. A boost comes with its `original`; if `is_narrow`, only followers of
    the original's author get it.
    """
    _add(
        *(batch, POST, f"{POST}:{status.id}", body_of(status, original, is_narrow=is_narrow)),
        about=seal(facts_of(status, original, is_findable=is_findable)),
        too_late_after=f"{DELETE}:{status.id} {EDIT}:{status.id}",
        version=_version(original or status),
        is_private=is_narrow or reach != Reach.EVERYBODY,
    )


def add_edit(
    batch: Batch,
    status: StoredStatus,
    earlier: Collection[StoredStatus],
    original: StoredStatus | None = None,
    *,
    reach: int,
    is_narrow: bool = False,
    is_findable: bool = False,
) -> None:
    """Replaces the status in the log and publishes it, unless a newer edit is there.

    Everybody who got an `earlier` version learns of the edit, and later of a deletion. A boost is
    edited when its `original` is; nothing is published if the log no longer has the boost.
    """
    said = original or status
    if not said.changed_ms:
        return
    newest_edit = f"{EDIT}:{status.id}"
    facts = facts_of(status, original, is_findable=is_findable)
    before = [facts_of(status, it) if original else facts_of(it) for it in earlier]
    body = body_of(status, original, is_narrow=is_narrow)
    _add(
        *(batch, EDIT, f"{newest_edit}:{said.changed_ms}", body),
        about=seal(facts.including(before)),
        too_late_after=f"{DELETE}:{status.id}",
        erases=_entries_of(status.id),
        version=_version(said),
        moving_name=newest_edit,
        needs_place=original is not None,
        is_private=is_narrow or reach != Reach.EVERYBODY,
    )


def _version(said: StoredStatus) -> str:
    return str(said.changed_ms or "")


def _entries_of(status_id: int) -> str:
    """An edit is more than its post: it includes what was said before."""
    return f"{EDIT}:{status_id} {POST}:{status_id}"


def add_deletions(
    batch: Batch,
    author_id: int,
    status_ids: Collection[int],
    known: Mapping[int, StatusFacts],
    *,
    reach: int,
) -> None:
    """Takes the statuses out of their log and publishes their deletion there, without their text.

    Facts for filters come from the log, or else from `known`; without either, no `track`, place or
    language finds the deletion. `reach`: where to publish if no log has the status any more.
    """
    for status_id in status_ids:
        _add(
            *(batch, DELETE, f"{DELETE}:{status_id}"),
            {"id": status_id, "author": author_id},
            about=seal(known[status_id]) if status_id in known else "",
            erases=_entries_of(status_id),
            needs_place=reach == Reach.NOBODY,
            is_private=reach != Reach.EVERYBODY,
        )


def add_viewpoints(batch: Batch, user_ids: Collection[int]) -> None:
    message = json_text({"viewpoints": list(user_ids)})
    batch.add("PUBLISH", keys.stream_control_channel(), message)


def add_follow(change: FollowChange) -> None:
    pair = f"{change.follower_id}:{change.followee_id}"
    kind, opposite = (FOLLOW, UNFOLLOW) if change.follows else (UNFOLLOW, FOLLOW)
    body = {"follower": change.follower_id, "followee": change.followee_id}
    name = f"{kind}:{pair}"
    _add(change.batch, kind, name, body, undoes=f"{opposite}:{pair}", is_private=True)


def add_tag_follow(batch: Batch, user_id: int, tag: str, *, follows: bool) -> None:
    now, before = ("tag", "untag") if follows else ("untag", "tag")
    pair = f"{user_id}:{tag}"
    body = {"follower": user_id, "tag": tag, "follows": follows}
    _add(batch, TAG, f"{now}:{pair}", body, undoes=f"{before}:{pair}", is_private=True)


def add_personal(batch: Batch, user_id: int, name: str, content: Mapping[str, Any]) -> None:
    """For one user's open pages. Not kept: who is away misses it. If `content["html"]` maps
    languages to HTML, a page gets its own.
    """
    add_personal_to_each(batch, [user_id], name, content)


def add_personal_to_each(
    batch: Batch, user_ids: Collection[int], name: str, content: Mapping[str, Any]
) -> None:
    """The same for the pages of several users: one message, which names them."""
    message = {"users": [*user_ids], "event": {name: content}}
    batch.add("PUBLISH", keys.personal_channel(), json_text(message))


def _add(
    batch: Batch,
    kind: str,
    name: str,
    body: Mapping[str, Any],
    *,
    about: str = "",
    erases: str = "",
    too_late_after: str = "",
    undoes: str = "",
    version: str = "",
    moving_name: str = "",
    needs_place: bool = False,
    is_private: bool = False,
) -> None:
    """Atomic, O(log n) in the events kept."""
    batch.call(
        _publish,
        [keys.event_log(), keys.private_log(), keys.event_marks()],
        [
            *(name, too_late_after, undoes, erases, 2 if is_private else 1),
            *(keys.event_channel(), keys.private_channel(), kind, json_text(body), about),
            *(settings.STREAM_EVENTS_KEPT, EPOCH_MS, "", version, moving_name, int(needs_place)),
        ],
    )

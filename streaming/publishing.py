"""Publishes what happens, once: to all stream processes, and to a log for clients that come back.

One script publishes an event to the channel and appends it to a capped Redis Stream. Only what
anybody may read goes here; private events need a channel of their own.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from redistools import keys
from redistools.ids import EPOCH_MS
from redistools.scripts import Batch, Script
from statuses.entities import find_entities
from statuses.stored import StoredStatus

from .about import seal
from .event import BOOSTS, DELETE, EDIT, FOLLOW, POST, TAG, UNFOLLOW, body_of
from .formats import json_text
from .subject import subject_of, tags_of
from .words import words_of

_publish = Script(__file__, "publish")


def add_post(batch: Batch, status: StoredStatus, original: StoredStatus | None = None) -> None:
    """Repeats change nothing. What filters look at is found here, once, and sealed. `original` is
    what a boost boosts.
    """
    name, too_late = f"{POST}:{status.id}", f"{DELETE}:{status.id}"
    about = seal(subject_of(status, original))
    _add(batch, POST, name, body_of(status, original), about=about, too_late_after=too_late)


def add_edit(batch: Batch, status: StoredStatus, before: Collection[str]) -> None:
    """Replaces the status in the log and publishes it as it is now. `before`: what it said earlier,
    so that all who got it then learn of the edit, and of a deletion later.
    """
    subject = subject_of(status)
    earlier = [(text, find_entities(text)) for text in before]
    words = subject.words.union(*(words_of(text, entities) for text, entities in earlier))
    tags = subject.tags.union(*(tags_of(entities) for _, entities in earlier))
    post = f"{POST}:{status.id}"
    _add(
        *(batch, EDIT, f"{EDIT}:{status.id}:{status.edited_ms}", body_of(status)),
        about=seal(replace(subject, words=words, tags=tags)),
        too_late_after=f"{DELETE}:{status.id}",
        erases=post,
        takes_place_of=post,
    )


def add_deletions(
    batch: Batch, author_id: int, status_ids: Collection[int], known: Mapping[int, StoredStatus]
) -> None:
    """Takes the statuses out of the log and publishes their deletion, without their text.

    What filters look at comes from the log, or from `known` for statuses that the log no longer
    has. Without either, no `track`, place or language finds the deletion.
    """
    for status_id in status_ids:
        _add(
            *(batch, DELETE, f"{DELETE}:{status_id}"),
            {"id": status_id, "author": author_id},
            about=seal(subject_of(known[status_id])) if status_id in known else "",
            erases=f"{POST}:{status_id}",
        )


def add_boosts_hidden(batch: Batch, follower_id: int, followee_id: int, *, hidden: bool) -> None:
    """A reader no longer wants somebody's boosts, or wants them again."""
    now, before = ("hidden", "shown") if hidden else ("shown", "hidden")
    pair = f"{follower_id}:{followee_id}"
    body = {"follower": follower_id, "followee": followee_id, "hidden": hidden}
    _add(batch, BOOSTS, f"{now}:{pair}", body, undoes=f"{before}:{pair}")


def add_follow(batch: Batch, follower_id: int, followee_id: int, *, follows: bool) -> None:
    """One follows the other now, or no longer does. Only a change is published."""
    pair = f"{follower_id}:{followee_id}"
    kind, opposite = (FOLLOW, UNFOLLOW) if follows else (UNFOLLOW, FOLLOW)
    body = {"follower": follower_id, "followee": followee_id}
    _add(batch, kind, f"{kind}:{pair}", body, undoes=f"{opposite}:{pair}")


def add_tag_follow(batch: Batch, user_id: int, tag: str, *, follows: bool) -> None:
    """A reader follows a tag now, or no longer does. Only a change is published."""
    now, before = ("tag", "untag") if follows else ("untag", "tag")
    pair = f"{user_id}:{tag}"
    body = {"follower": user_id, "tag": tag, "follows": follows}
    _add(batch, TAG, f"{now}:{pair}", body, undoes=f"{before}:{pair}")


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
    takes_place_of: str = "",
) -> None:
    """Atomic, O(log n) in the events kept. The body is published as it is encoded here."""
    batch.call(
        _publish,
        [keys.event_log(), keys.event_marks()],
        [
            *(keys.event_channel(), name, too_late_after, undoes, erases),
            *(kind, json_text(body), about, settings.STREAM_EVENTS_KEPT, EPOCH_MS, ""),
            takes_place_of,
        ],
    )

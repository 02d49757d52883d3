"""Publishes what happens, once: to all stream processes, and to a log for clients that come back.

One script publishes an event to a channel and appends it to a capped Redis Stream. What not
everybody may see has a channel and a log of its own, which only the streams of homes read.
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
from .event import DELETE, EDIT, FOLLOW, POST, UNFOLLOW, body_of
from .formats import json_text
from .subject import subject_of
from .words import words_of

_publish = Script(__file__, "publish")


def add_post(
    batch: Batch,
    status: StoredStatus,
    original: StoredStatus | None = None,
    *,
    is_private: bool = False,
) -> None:
    """Repeats change nothing. What filters look at is found here, once, and sealed. `original` is
    what a boost boosts.
    """
    name, too_late = f"{POST}:{status.id}", f"{DELETE}:{status.id}"
    about = seal(subject_of(status, original))
    body = body_of(status, original)
    _add(batch, POST, name, body, about=about, too_late_after=too_late, is_private=is_private)


def add_edit(
    batch: Batch, status: StoredStatus, before: Collection[str], *, is_private: bool = False
) -> None:
    """Replaces the status in the log and publishes it as it is now: its text was changed, or it
    was marked as sensitive, which can be undone and done again. `before`: what it said earlier, so
    that all who got it then learn of the edit, and of a deletion later.
    """
    subject = subject_of(status)
    words = subject.words.union(*(words_of(text, find_entities(text)) for text in before))
    version = f"{EDIT}:{status.id}:{status.edited_ms}"
    covered, bare = f"{version}:covered", f"{version}:bare"
    name, opposite = (covered, bare) if status.is_sensitive else (bare, covered)
    _add(
        *(batch, EDIT, name, body_of(status)),
        undoes=opposite,
        about=seal(replace(subject, words=words)),
        too_late_after=f"{DELETE}:{status.id}",
        erases=f"{POST}:{status.id}",
        takes_its_place=True,
        is_private=is_private,
    )


def add_deletions(
    batch: Batch,
    author_id: int,
    status_ids: Collection[int],
    known: Mapping[int, StoredStatus],
    *,
    is_private: bool = False,
) -> None:
    """Takes the statuses out of their log and publishes their deletion there, without their text.

    What filters look at comes from the log, or from `known` for statuses that the log no longer
    has. Without either, no `track`, place or language finds the deletion. `is_private` is for those
    that no log has any more.
    """
    for status_id in status_ids:
        status = known.get(status_id)
        _add(
            *(batch, DELETE, f"{DELETE}:{status_id}"),
            {"id": status_id, "author": author_id},
            about=seal(subject_of(status)) if status else "",
            erases=f"{POST}:{status_id}",
            is_private=is_private,
        )


def add_viewpoint(batch: Batch, user_id: int) -> None:
    """What the user wants to see, or may, has changed: open streams look again."""
    batch.add("PUBLISH", keys.stream_control_channel(), json_text({"viewpoints": [user_id]}))


def add_follow(batch: Batch, follower_id: int, followee_id: int, *, follows: bool) -> None:
    """One follows the other now, or no longer does. Only a change is published."""
    pair = f"{follower_id}:{followee_id}"
    kind, opposite = (FOLLOW, UNFOLLOW) if follows else (UNFOLLOW, FOLLOW)
    body = {"follower": follower_id, "followee": followee_id}
    name = f"{kind}:{pair}"
    _add(batch, kind, name, body, undoes=f"{opposite}:{pair}", is_private=True)


def _add(
    batch: Batch,
    kind: str,
    name: str,
    body: Mapping[str, Any],
    *,
    about: str = "",
    erases: str = "",
    takes_its_place: bool = False,
    too_late_after: str = "",
    undoes: str = "",
    is_private: bool = False,
) -> None:
    """Atomic, O(log n) in the events kept. The body is published as it is encoded here."""
    batch.call(
        _publish,
        [keys.event_log(), keys.private_log(), keys.event_marks()],
        [
            *(name, too_late_after, undoes, erases, int(takes_its_place), 2 if is_private else 1),
            *(keys.event_channel(), keys.private_channel(), kind, json_text(body), about),
            *(settings.STREAM_EVENTS_KEPT, EPOCH_MS, ""),
        ],
    )

"""Publishes what happens, once: to all stream processes, and to a log for clients that come back.

One script publishes an event to the channel and appends it to a capped Redis Stream. Only what
anybody may read goes here; private events need a channel of their own.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from redistools import keys
from redistools.ids import EPOCH_MS
from redistools.scripts import Batch, Script
from statuses.stored import StoredStatus

from .about import seal
from .event import DELETE, FOLLOW, POST, UNFOLLOW
from .formats import json_text
from .subject import subject_of

_publish = Script(__file__, "publish")


def add_post(batch: Batch, status: StoredStatus) -> None:
    """Repeats change nothing. What filters look at is found here, once, and sealed."""
    name, too_late = f"{POST}:{status.id}", f"{DELETE}:{status.id}"
    about = seal(subject_of(status))
    _add(batch, POST, name, status.fields(), about=about, too_late_after=too_late)


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


def add_follow(batch: Batch, follower_id: int, followee_id: int, *, follows: bool) -> None:
    """One follows the other now, or no longer does. Only a change is published."""
    pair = f"{follower_id}:{followee_id}"
    kind, opposite = (FOLLOW, UNFOLLOW) if follows else (UNFOLLOW, FOLLOW)
    body = {"follower": follower_id, "followee": followee_id}
    _add(batch, kind, f"{kind}:{pair}", body, undoes=f"{opposite}:{pair}")


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
) -> None:
    """Atomic, O(log n) in the events kept. The body is published as it is encoded here."""
    batch.call(
        _publish,
        [keys.event_log(), keys.event_marks()],
        [
            *(keys.event_channel(), name, too_late_after, undoes, erases),
            *(kind, json_text(body), about, settings.STREAM_EVENTS_KEPT, EPOCH_MS, ""),
        ],
    )

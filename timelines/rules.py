"""What a timeline holds but does not show its reader, or shows folded away.

A timeline in Redis depends on SQL alone. These depend on the reader and the moment, so they are
decided when it is read: mutes and muted words; in homes also replies to people whom the reader does
not follow, boosts by people whose boosts they hide, and what they have just seen.
"""

import time
from collections.abc import Collection, Mapping, Sequence

from relations.muted_words import FOLD, HIDE
from statuses.shown import ShownStatus
from statuses.stored import StoredStatus
from statuses.visibility import Sight

# A status is not shown again this close below itself, whoever boosted it.
NEAR = 40


class FeedRules:
    """What comes up by itself: lists, tags, explore. One's own statuses are always shown."""

    def __init__(self) -> None:
        self._now = int(time.time() * 1000)

    def people(self, statuses: Collection[StoredStatus]) -> set[int]:  # noqa: ARG002 - for none
        return set()

    def hides(self, entry: ShownStatus, sight: Sight) -> bool:
        status, view = entry.status, sight.viewpoint
        if status.author_id == sight.viewer_id:
            return False
        if view.muted and any(view.mutes(it, self._now) for it in _authors(entry)):
            return True
        if view.muted_threads and view.mutes_thread(status.thread or status.id, self._now):
            return True
        return self._action(entry, sight) == HIDE

    def folds(self, entry: ShownStatus, sight: Sight) -> bool:
        return entry.status.author_id != sight.viewer_id and self._action(entry, sight) == FOLD

    def _action(self, entry: ShownStatus, sight: Sight) -> str:
        words = sight.viewpoint.words
        if not words:
            return ""
        said = entry.status
        return words.action_on(
            f"{said.warning} {said.text}" if said.warning else said.text, self._now
        )


class HomeRules(FeedRules):
    def people(self, statuses: Collection[StoredStatus]) -> set[int]:
        return {it.reply_to_author or 0 for it in statuses if it.is_reply_to_others}

    def hides(self, entry: ShownStatus, sight: Sight) -> bool:
        if entry.boost and entry.boost.author_id in sight.viewpoint.boosts_hidden:
            return True
        return self._is_strange(entry, sight) or super().hides(entry, sight)

    def _is_strange(self, entry: ShownStatus, sight: Sight) -> bool:
        """A reply to somebody whom the reader neither follows nor is."""
        status = entry.status
        if entry.boost or not status.is_reply_to_others or status.author_id == sight.viewer_id:
            return False
        return status.reply_to_author not in {*sight.followed, sight.viewer_id}


def _authors(entry: ShownStatus) -> list[int]:
    return [it.author_id for it in (entry.status, entry.boost) if it]


def without_repeats(
    entry_ids: Sequence[int], shown: Mapping[int, ShownStatus]
) -> list[ShownStatus]:
    """Of the entries of a home, the newest first, those whose status is not right above already."""
    last: dict[int, int] = {}
    kept: list[ShownStatus] = []
    for place, entry_id in enumerate(entry_ids):
        if entry_id not in shown:
            continue
        entry = shown[entry_id]
        if place - last.get(entry.status.id, -NEAR - 1) > NEAR:
            kept.append(entry)
        last[entry.status.id] = place
    return kept

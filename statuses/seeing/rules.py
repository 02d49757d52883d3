"""What a page holds back from its reader, or folds away, though they may see it.

These depend on the reader and the moment, so they are decided when a page is read, or when an event
reaches an open stream.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Protocol

from relations.muted_words import FOLD, HIDE
from relations.viewpoint import Viewpoint, this_moment

from ..shown import ShownStatus
from ..stored import StoredStatus
from .visibility import Sight


class Rules(Protocol):
    def people(self, statuses: Collection[StoredStatus]) -> set[int]:
        """For whom it matters whether the reader follows them."""

    def hides(self, entry: ShownStatus, sight: Sight) -> bool: ...

    def folds(self, entry: ShownStatus, sight: Sight) -> bool: ...


class NoRules:
    def people(self, statuses: Collection[StoredStatus]) -> set[int]:  # noqa: ARG002 - for none
        return set()

    def hides(self, entry: ShownStatus, sight: Sight) -> bool:  # noqa: ARG002 - it hides none
        return False

    def folds(self, entry: ShownStatus, sight: Sight) -> bool:  # noqa: ARG002 - nor folds any
        return False


NO_RULES = NoRules()


class FeedRules:
    """Mutes, for what comes up by itself: lists, tags, threads, explore. One's own statuses are
    always shown, but not again because somebody muted boosts them.
    """

    @cached_property
    def _now(self) -> int:
        """The same for a whole page. Most readers mute nothing, and it is never asked for."""
        return this_moment()

    def people(self, statuses: Collection[StoredStatus]) -> set[int]:  # noqa: ARG002 - for none
        return set()

    def hides(self, entry: ShownStatus, sight: Sight) -> bool:
        status, view = entry.status, sight.viewpoint
        if view.muted and any(view.mutes(it, self._now) for it in _authors(entry)):
            return True
        if status.author_id == sight.viewer_id:
            return False
        if self.hides_thread(status, view):
            return True
        return self._action(entry, sight) == HIDE

    def hides_thread(self, status: StoredStatus, view: Viewpoint) -> bool:
        return bool(view.muted_threads) and view.mutes_thread(status.thread or status.id, self._now)

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


class ThreadRules(FeedRules):
    """On the page of a muted thread: its reader has come to read it."""

    def hides_thread(self, status: StoredStatus, view: Viewpoint) -> bool:  # noqa: ARG002 - none
        return False


class HomeRules(FeedRules):
    """In a home, on its page and in its stream: no replies to people whom the reader does not
    follow, even with a tag that they follow, and no boosts by people whose boosts they hide.
    """

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
        answered = status.reply_to_author
        return answered != sight.viewer_id and answered not in sight.followed


def _authors(entry: ShownStatus) -> list[int]:
    return [it.author_id for it in (entry.status, entry.boost) if it]

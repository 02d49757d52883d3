"""Does a status come up by itself for a reader who may see it? One rule for pages, rankings,
streams and notifications.

Rules are pure: the reader's wishes and the time are passed in. They are applied when a page is
read, or when an event reaches an open stream.
"""

from collections.abc import Iterable

from relations.blocks_and_mutes.muted_words import HIDE, SHOW
from relations.blocks_and_mutes.viewpoint import Viewpoint

from ..reading.shown import ShownStatus
from ..reading.summaries import StatusSummary, SummarizedEntry
from ..stored import StoredStatus
from .predicate import VisibilityContext

# For pages, and for code that looks at hundreds of statuses to show thirty.
JudgedStatus = StoredStatus | StatusSummary
TimelineEntry = ShownStatus | SummarizedEntry


class Rules:
    """Everything comes up: for pages that their reader asked for, such as profiles."""

    def people(self, statuses: Iterable[JudgedStatus]) -> set[int]:  # noqa: ARG002 - for none
        return set()

    def action(self, entry: TimelineEntry, reader: VisibilityContext, now: int) -> str:  # noqa: ARG002 - shows all
        return SHOW


NO_RULES = Rules()


class FeedRules(Rules):
    """Applies mutes, for lists, tags and explore. The reader's own statuses are always shown, but
    not again because a muted account boosts them.
    """

    def action(self, entry: TimelineEntry, reader: VisibilityContext, now: int) -> str:
        said, view = entry.status, reader.viewpoint
        if view.muted and any(view.mutes(it, now) for it in _authors(entry)):
            return HIDE
        if said.author_id == reader.viewer_id:
            return SHOW
        if self.hides_thread(said, view, now):
            return HIDE
        return _action_of_words(said, view, now)

    def hides_thread(self, said: JudgedStatus, view: Viewpoint, now: int) -> bool:
        return in_muted_thread(said, view, now)


class ThreadRules(FeedRules):
    """Shows a muted thread on its own page: the reader has come to read it."""

    def hides_thread(self, said: JudgedStatus, view: Viewpoint, now: int) -> bool:  # noqa: ARG002 - none
        return False


class HomeRules(FeedRules):
    """Hides replies to people whom the reader does not follow, even with a tag that they follow,
    and boosts by people whose boosts they hide. The same for both orders of a home, and its stream.
    """

    def people(self, statuses: Iterable[JudgedStatus]) -> set[int]:
        return {it.reply_to_author or 0 for it in statuses if it.is_reply_to_others}

    def action(self, entry: TimelineEntry, reader: VisibilityContext, now: int) -> str:
        if entry.boost and entry.boost.author_id in reader.viewpoint.boosts_hidden:
            return HIDE
        if _is_reply_to_a_stranger(entry, reader):
            return HIDE
        return super().action(entry, reader, now)


def in_muted_thread(said: JudgedStatus, view: Viewpoint, now: int) -> bool:
    return bool(view.muted_threads) and view.mutes_thread(said.thread or said.id, now)


def _is_reply_to_a_stranger(entry: TimelineEntry, reader: VisibilityContext) -> bool:
    said = entry.status
    if entry.boost or not said.is_reply_to_others or said.author_id == reader.viewer_id:
        return False
    answered = said.reply_to_author
    return answered != reader.viewer_id and answered not in reader.followed


def _action_of_words(said: JudgedStatus, view: Viewpoint, now: int) -> str:
    """Most readers mute no words, and no text is looked at."""
    if not view.phrases:
        return SHOW
    return view.words.action_on(f"{said.warning} {said.text}" if said.warning else said.text, now)


def _authors(entry: TimelineEntry) -> list[int]:
    return [it.author_id for it in (entry.status, entry.boost) if it]

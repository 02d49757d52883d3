"""Does the recipient hear of it? One rule for what counts as unread, live updates and pages.

It is pure, like the rules of timelines, and removes nothing: an unmute brings back what it hid.
"""

from collections.abc import Collection

from redistools.client import get_client
from redistools.scripts import Batch
from relations.blocks_and_mutes import viewpoint
from relations.blocks_and_mutes.muted_words import HIDE
from statuses.reading.summaries import StatusSummary, SummarizedEntry
from statuses.visibility.predicate import VisibilityContext, reader_of
from statuses.visibility.rules import FeedRules, TimelineEntry, in_muted_thread
from users.standing import suspension


class NewsRules(FeedRules):
    """Hides everything about a muted conversation, even about the recipient's own statuses."""

    def action(self, entry: TimelineEntry, reader: VisibilityContext, now: int) -> str:
        if in_muted_thread(entry.status, reader.viewpoint, now):
            return HIDE
        return super().action(entry, reader, now)


def hears_of(actor: int, reader: VisibilityContext, now: int) -> bool:
    """Not of accounts that are suspended, blocked either way, or muted; and not of oneself."""
    view = reader.viewpoint
    is_gone = actor in reader.suspended or actor in view.blocked or actor == reader.viewer_id
    return not is_gone and not view.mutes(actor, now)


def hears(
    about: StatusSummary | None, actors: Collection[int], reader: VisibilityContext, now: int
) -> bool:
    """What names nobody is always heard."""
    if about and NewsRules().action(SummarizedEntry(about), reader, now) == HIDE:
        return False
    return not actors or any(hears_of(actor, reader, now) for actor in actors)


def recipients(user_ids: Collection[int]) -> dict[int, VisibilityContext]:
    """One round trip when known."""
    batch = Batch(get_client())
    batch.add(*suspension.version_command())
    for user_id in user_ids:
        batch.add(*viewpoint.command(user_id))
    version, *texts = batch.run()
    pairs = zip(user_ids, texts, strict=True)
    return {user_id: reader_of(user_id, version, text) for user_id, text in pairs}

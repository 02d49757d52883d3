"""The home in the order of importance (`importance.py`), which is kept for a few minutes.

Not a copy of SQL: without it, the order is worked out again. So it is after the reader posts,
follows or unfollows; one that happens in the very moment shows a few minutes later.
"""

from dataclasses import replace

from redistools import keys
from redistools.client import get_client
from redistools.loaded_set import Range
from redistools.scripts import Batch, Script
from redistools.staleness import fresh
from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.reading.summaries import StatusSummary, summaries
from statuses.selectors import show
from statuses.visibility.predicate import VisibilityContext, reader_of
from statuses.visibility.rules import HomeRules
from users.models import User
from users.standing import suspension
from web.pager import Step, past_hidden

from .. import store
from ..index import mentions
from ..reading.home_rules import hidden
from ..reading.paging import PAGE_SIZE
from ..store import home_of
from .importance import Home, in_order

KEPT_SECONDS = 5 * 60

_keep = Script(__file__, "keep_important")


def important(viewer: User, *, after: int | None = None) -> StatusPage:
    """A page of the newest 800 entries of a home. `after` is the last entry of the page before.

    Three round trips while the order is kept, no SQL.
    """
    entry_ids = _below(_kept(viewer.pk) or _worked_out(viewer), after)

    def read(first: int | None, limit: int) -> Step[list[int], int]:
        place = first or 0
        end = place + limit
        return Step(entry_ids[place:end], end if end < len(entry_ids) else None)

    def keep(some: list[int]) -> list[ShownStatus]:
        return show(some, viewer=viewer, rules=HomeRules()).statuses

    found = past_hidden(read, keep, 0, limit=PAGE_SIZE + 1).rows
    shown = found[:PAGE_SIZE]
    more = shown[-1].id if len(found) > PAGE_SIZE else None
    return StatusPage(shown, is_first=after is None, more=more)


def _below(entry_ids: list[int], after: int | None) -> list[int]:
    """Empty if the order has changed, and lost the entry."""
    if after is None:
        return entry_ids
    return entry_ids[entry_ids.index(after) + 1 :] if after in entry_ids else []


def forget(batch: Batch, user_id: int) -> None:
    batch.add("UNLINK", keys.important(user_id))


def _kept(user_id: int) -> list[int]:
    """Empty if there is none. One round trip."""
    return [int(entry_id) for entry_id in get_client().lrange(keys.important(user_id), 0, -1)]


def _worked_out(viewer: User) -> list[int]:
    """Six or seven round trips for a full home, and a query if Redis lacks some of its statuses."""
    with fresh():  # it is kept for minutes
        entry_ids = in_order(_home(viewer))
    if entry_ids:
        _keep(get_client(), [keys.important(viewer.pk)], [KEPT_SECONDS, *entry_ids])
    return entry_ids


def _home(viewer: User) -> Home:
    entry_ids = store.read(home_of(viewer.pk), Range(limit=store.TIMELINE_SIZE)).ids
    found = summaries(entry_ids)
    entries = [found[entry_id] for entry_id in entry_ids if entry_id in found]
    originals = found | summaries({it.boost_of for it in entries if it.boost_of} - found.keys())
    reader = _reader(viewer, entries)
    unheard = reader.suspended | reader.viewpoint.unwanted(viewpoint.this_moment())
    return Home(
        reader_id=viewer.pk,
        entries=[entry for entry in entries if entry.author_id not in unheard],
        originals=originals,
        hidden=hidden(entries, originals, reader),
        written_to=frozenset(mentions.addressee_ids(viewer.pk)),
    )


def _reader(viewer: User, entries: list[StatusSummary]) -> VisibilityContext:
    answered = {viewer.pk, *HomeRules().people(entries)}
    batch = Batch(get_client())
    batch.add(*suspension.version_command())
    batch.add(*viewpoint.command(viewer.pk))
    edges.add_follow_reads(batch, viewer.pk, answered)
    version, text, followed = batch.run()
    known = edges.read_follows(followed, viewer.pk, answered)
    return replace(reader_of(viewer.pk, version, text), followed=known)

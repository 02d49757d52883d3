"""How a status reaches those who should see it: its copies, then what other apps make of it.

The steps are the same inside the request and in a worker that finishes the work of a dead process;
each may run any number of times.
"""

from dataclasses import dataclass, field
from functools import partial

from redistools.client import fail_if_away, get_client
from redistools.writing_until_stable import write_until_stable
from taskqueue.consequences import SharedBatch
from users import store as users
from web.pages.page_versions import drop_all_pages

from .. import store
from ..reactions import store as reaction_store
from ..reactions.counts import counts_of, write_counts
from ..rows import StatusRow, is_as_posted, read_row, read_with_counted
from .events import Edit, Posting, changed, posted


@dataclass(frozen=True)
class Seen:
    row: StatusRow | None
    original: StatusRow | None  # what it boosts
    # What it answers or boosts: of this one, only the counters are written.
    counted: StatusRow | None = field(compare=False)


def publish(
    status_id: int,
    author_id: int,
    *,
    boost_of: int | None = None,
    known: StatusRow | None = None,
) -> None:
    """Writes the copies of a status and its author, and lets other apps add what follows
    (`posted`).

    Two queries and one round trip, unless status or author changes meanwhile, or an app goes on
    with the answers; one query if it is `known`, and neither answers nor boosts. A status that is
    gone is removed.
    """
    fail_if_away()
    publishing = _Publishing(status_id, author_id, boost_of)
    if known:
        seen = Seen(known, None, None)
        write_until_stable(partial(_see_again, status_id, seen), publishing.write, known=seen)
    else:
        write_until_stable(partial(_see, status_id), publishing.write)
    publishing.batch.finish()
    if publishing.is_gone:
        users.refresh_users([author_id])


def _see(status_id: int) -> Seen:
    row, counted = read_with_counted(status_id)
    return Seen(row, counted if row and row.boost_of else None, counted)


def _see_again(status_id: int, posted: Seen) -> Seen:
    return posted if posted.row and is_as_posted(posted.row) else _see(status_id)


class _Publishing:
    def __init__(self, status_id: int, author_id: int, boost_of: int | None) -> None:
        self._status_id, self._author_id, self._boost_of = status_id, author_id, boost_of
        self.is_gone = False
        self.batch = SharedBatch(get_client())

    def write(self, seen: Seen) -> None:
        batch = self.batch = SharedBatch(get_client())
        self.is_gone = seen.row is None
        if seen.row is None:
            self._remove(batch)
            return
        status = seen.row.status
        (stored,) = store.write_statuses(batch, [status])
        users.write_user(batch, status.author)
        if seen.counted:
            counted = seen.counted.status
            write_counts(batch, counted.pk, counts_of(counted))
        if stored.boost_of:
            reaction_store.write(batch, "boost", stored.author_id, stored.boost_of, stored.id)
        original = seen.original.status if seen.original else None
        posted(Posting(batch, stored, status.author, status.reach, original))
        batch.run()

    def _remove(self, batch: SharedBatch) -> None:
        """An undone boost may be done again by now, or be undone only since we wrote it."""
        store.remove_statuses(batch, self._author_id, [self._status_id])
        if self._boost_of:
            reaction_store.refresh("boost", self._author_id, self._boost_of, together=batch)
        else:
            batch.run()


def publish_edit(status_id: int, author_id: int) -> None:
    """Writes an edited status as it is now. Homes stay as they are."""
    fail_if_away()
    write_until_stable(partial(read_row, status_id), partial(_write_edited, status_id, author_id))


def _write_edited(status_id: int, author_id: int, row: StatusRow | None) -> None:
    batch = SharedBatch(get_client())
    if row is None:
        store.remove_statuses(batch, author_id, [status_id])
    else:
        status = row.status
        (stored,) = store.write_statuses(batch, [status])
        changed(Edit(batch, stored, status))
    drop_all_pages(batch)
    batch.run()

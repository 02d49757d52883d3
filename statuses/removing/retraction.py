"""What removing statuses means in Redis, whether their author, a moderator or the end of an account
removes them.
"""

from collections.abc import Sequence

from django.conf import settings

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script
from taskqueue.consequences import SharedBatch
from users import store as users
from web.pages.page_versions import drop_all_pages

from .. import store
from ..publication.events import Removal, removed
from ..reactions import store as reaction_store
from ..reactions.counts import refresh_counts
from ..stored import StoredStatus
from . import removal

# A partition remembers a deletion for longer than any fan-out takes.
DELETION_MEMORY = 24 * 3600

_mark_deleted = Script(__file__, "mark_deleted")


def retract(status_id: int, author_id: int, counted_at: int | None, *, reach: int) -> None:
    """`counted_at`: what it answered or boosted. `reach`: whose streams it came to."""
    known = hide(author_id, [status_id], reach=reach, counted_at=counted_at).get(status_id)
    if counted_at is not None:
        _uncount(known, author_id, counted_at)
        removal.close_gaps(counted_at)
    users.refresh_users([author_id])


def hide(
    author_id: int, status_ids: Sequence[int], *, reach: int, counted_at: int | None = None
) -> dict[int, StoredStatus]:
    """Hides them from every reader, with what other apps do then (`removed`); returns those that
    Redis knew. Two round trips. The partitions first: from then on no running fan-out delivers
    them.
    """
    batch = SharedBatch(get_client())
    _add_marks(batch, status_ids)
    known = store.read_statuses(status_ids)
    store.remove_statuses(batch, author_id, status_ids)
    if not _are_boosts(status_ids, known):
        drop_all_pages(batch)
    removed(Removal(batch, author_id, status_ids, known, reach, counted_at))
    batch.run()
    batch.finish()
    return known


def _add_marks(batch: Batch, status_ids: Sequence[int]) -> None:
    for partition in range(settings.PARTITIONS):
        names = [keys.deleted_statuses(partition)]
        batch.call(_mark_deleted, names, [DELETION_MEMORY, "", *status_ids])


def _are_boosts(status_ids: Sequence[int], known: dict[int, StoredStatus]) -> bool:
    """Removing boosts hides nothing: pages for visitors may show them as long as they are kept."""
    return len(known) == len(status_ids) and all(it.boost_of for it in known.values())


def _uncount(known: StoredStatus | None, author_id: int, counted_at: int) -> None:
    """The author may have boosted it again meanwhile."""
    if known is None or known.boost_of:
        reaction_store.refresh("boost", author_id, counted_at)
    else:
        refresh_counts([counted_at])

"""How a status reaches everybody who should see it, and leaves them when it is deleted.

The steps are the same inside the request and in a worker that finishes the work of a dead process;
each may run any number of times.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch, Script
from redistools.settling import settle
from statuses import own
from statuses import store as statuses
from statuses.counts import add_counts, refresh_counts
from statuses.models import StatusVersion
from statuses.rows import StatusRow, read_row
from statuses.stored import StoredStatus
from streaming import publishing
from users import store as users
from users.models import User

from . import fan_out, index_copies, pulled, store
from .fan_out import Leg
from .timeline import home_of

# How many followers get it before the author's request is answered.
FIRST_DELIVERIES = 1_000
# A partition remembers a deletion for longer than any fan-out takes.
DELETION_MEMORY = 24 * 3600

_mark_deleted_script = Script(__file__, "mark_deleted")


class Served(NamedTuple):
    author: User
    legs: list[Leg]
    """Who has yet to get it."""


Add = Callable[[Batch, StoredStatus], None]


def serve(status_id: int, author_id: int, *, follow_up: Add) -> Served | None:
    """Put the status where pages, its author, the streams and the first followers find it, and
    queue what follows (`follow_up`).

    Two queries and one round trip, unless somebody changes status or author meanwhile, or there are
    more than a thousand followers. A status that is gone is removed.
    """
    fail_if_away()
    serving = _Serving(status_id, author_id, follow_up)
    settle(partial(read_row, status_id), serving.write)
    if serving.author is None:
        users.refresh_users([author_id])
        return None
    return Served(serving.author, serving.go_on())


class _Serving:
    def __init__(self, status_id: int, author_id: int, follow_up: Add) -> None:
        self._status_id, self._author_id = status_id, author_id
        self._follow_up = follow_up
        self.author: User | None = None
        self._legs: list[Leg] = []
        self._answers: list[Any] = []

    def write(self, row: StatusRow | None) -> None:
        batch = Batch(get_client())
        if row is None:
            self.author = None
            statuses.remove_statuses(batch, self._author_id, [self._status_id])
            batch.run()
        else:
            status = row.status
            (stored,) = statuses.write_statuses(batch, [status])
            users.write_user(batch, status.author)
            fan_out.add_to_author(batch, stored.author_id, stored.id)
            if stored.counted_at:
                add_counts(batch, [stored.counted_at])
            _publish(batch, stored)
            self._follow_up(batch, stored)
            self._deliver(batch, status.author)

    def _deliver(self, batch: Batch, author: User) -> None:
        """Somebody who follows the author meanwhile gets the status nevertheless: either their home
        is merged with the profile, which has it by then, or the author's counter has changed, and
        everything is written again.
        """
        batch.fence()
        copies = len(batch)
        self.author, self._legs = author, fan_out.all_legs(author)
        fan_out.add_first_deliveries(batch, self._legs, self._status_id, budget=FIRST_DELIVERIES)
        self._answers = batch.run()[copies:]

    def go_on(self) -> list[Leg]:
        return fan_out.go_on(self._legs, self._answers, self._status_id, budget=FIRST_DELIVERIES)


def _publish(batch: Batch, stored: StoredStatus) -> None:
    if stored.boost_of is None:
        publishing.add_post(batch, stored)
        return
    own.write(batch, "boosts", stored.author_id, stored.boost_of, stored.id)
    # Without its original a boost is nothing, and about to be removed.
    for original in statuses.find_statuses([stored.boost_of]).values():
        publishing.add_post(batch, stored, original)


def update(status_id: int, author_id: int, *, follow_up: Add) -> None:
    """Put an edited status where it was before, as it is now. Homes stay as they are."""
    fail_if_away()
    write = partial(_write_edited, status_id, author_id, follow_up)
    settle(partial(read_row, status_id), write)


def _write_edited(status_id: int, author_id: int, follow_up: Add, row: StatusRow | None) -> None:
    batch = Batch(get_client())
    if row is None:
        statuses.remove_statuses(batch, author_id, [status_id])
    else:
        (stored,) = statuses.write_statuses(batch, [row.status])
        before = StatusVersion.objects.filter(status_id=status_id).values_list("text", flat=True)
        publishing.add_edit(batch, stored, list(before))
        follow_up(batch, stored)
    batch.run()


def retract(status_id: int, author_id: int, counted_at: int | None = None) -> list[Leg]:
    """Hide the status from every reader at once; returns whose timelines are to be swept.

    Two round trips; another for a reply or boost (`counted_at`: of what). The partitions first:
    from then on no running fan-out delivers it.
    """
    known = statuses.read_statuses([status_id])
    batch = Batch(get_client())
    for partition in range(settings.PARTITIONS):
        _mark_deleted(batch, partition, status_id)
    publishing.add_deletions(batch, author_id, [status_id], known)
    statuses.remove_statuses(batch, author_id, [status_id])
    pulled.remove_status(batch, author_id, status_id)
    index_copies.add_removals(batch, author_id, [status_id], known.values())
    store.remove_from(batch, home_of(author_id), [status_id])
    batch.run()
    if counted_at is not None:
        _uncount(known.get(status_id), author_id, counted_at)
    author = users.refresh_users([author_id]).get(author_id)
    return fan_out.all_legs(author) if author else []


def _uncount(known: StoredStatus | None, author_id: int, counted_at: int) -> None:
    """The author may have boosted it again meanwhile."""
    if known is None or known.boost_of:
        own.refresh("boosts", author_id, counted_at)
    else:
        refresh_counts([counted_at])


def _mark_deleted(batch: Batch, partition: int, status_id: int) -> None:
    names = [keys.deleted_statuses(partition)]
    batch.call(_mark_deleted_script, names, [status_id, DELETION_MEMORY, ""])

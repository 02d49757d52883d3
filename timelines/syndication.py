"""How a status reaches everybody who should see it, and leaves them when it is deleted.

The steps are the same inside the request and in a worker that finishes the work of a dead process;
each may run any number of times.
"""

from functools import partial

from django.conf import settings

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch, Script
from redistools.settling import settle
from statuses import store as statuses
from statuses.rows import read_row, status_in
from streaming import publishing
from users import store as users
from users.models import User
from web.ready_sql import Row

from . import fan_out, pulled, store
from .fan_out import Leg
from .timeline import home_of

# How many followers get it before the author's request is answered.
FIRST_DELIVERIES = 1_000
# A partition remembers a deletion for longer than any fan-out takes.
DELETION_MEMORY = 24 * 3600

_mark_deleted_script = Script(__file__, "mark_deleted")


def serve(status_id: int, author_id: int) -> User | None:
    """Put the status where pages, its author and the streams find it; returns the author.

    Two queries and one round trip, unless somebody changes status or author meanwhile. A status
    that is gone is removed.
    """
    fail_if_away()
    row = settle(partial(read_row, status_id), partial(_write_copies, status_id, author_id))
    return status_in(row).author if row else users.refresh_users([author_id]).get(author_id)


def _write_copies(status_id: int, author_id: int, row: Row | None) -> None:
    batch = Batch(get_client())
    if row is None:
        statuses.remove_statuses(batch, author_id, [status_id])
    else:
        status = status_in(row)
        (stored,) = statuses.write_statuses(batch, [status])
        fan_out.add_to_author(batch, stored.author_id, stored.id)
        publishing.add_post(batch, stored)
        users.write_user(batch, status.author)
    batch.run()


def deliver_first(status_id: int, author: User) -> list[Leg]:
    """Deliver to the first followers; returns who is left.

    The author was read after the status was served. Later followers find the status in the
    profile, so it does not matter that the author's counters do not include them.
    """
    return fan_out.deliver(fan_out.all_legs(author), status_id, budget=FIRST_DELIVERIES)


def retract(status_id: int, author_id: int) -> list[Leg]:
    """Hide the status from every reader at once; returns whose timelines are to be swept.

    Two round trips. The partitions first: from then on no running fan-out delivers it.
    """
    known = statuses.read_statuses([status_id])
    batch = Batch(get_client())
    for partition in range(settings.PARTITIONS):
        _mark_deleted(batch, partition, status_id)
    publishing.add_deletions(batch, author_id, [status_id], known)
    statuses.remove_statuses(batch, author_id, [status_id])
    pulled.remove_status(batch, author_id, status_id)
    store.remove_from(batch, home_of(author_id), [status_id])
    batch.run()
    author = users.refresh_users([author_id]).get(author_id)
    return fan_out.all_legs(author) if author else []


def _mark_deleted(batch: Batch, partition: int, status_id: int) -> None:
    names = [keys.deleted_statuses(partition)]
    batch.call(_mark_deleted_script, names, [status_id, DELETION_MEMORY, ""])

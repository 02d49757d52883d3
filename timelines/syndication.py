"""How a status reaches everybody who should see it, and leaves them when it is deleted.

The steps are the same inside the request and in a worker that finishes the work of a dead process;
each may run any number of times.
"""

from django.conf import settings
from django.db import transaction

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch, Script
from statuses import store as statuses
from statuses.models import Status
from statuses.rows import lock_status, read_status
from streaming import publishing
from users import store as users
from users.models import User

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

    One transaction, which locks the status and its author until Redis has answered, and one round
    trip. It is rendered before: others wait for the lock. A status that was deleted meanwhile is
    removed.
    """
    fail_if_away()
    seen = read_status(status_id)
    batch = _copies_of(seen) if seen else None
    with transaction.atomic():
        row = lock_status(status_id)
        if row is not None:
            if seen is None or batch is None or not _is_same(seen, row):
                batch = _copies_of(row)
            users.write_user(batch, row.author)
            batch.run()
            return row.author
    statuses.refresh_statuses([status_id])
    return users.refresh_users([author_id]).get(author_id)


def _copies_of(status: Status) -> Batch:
    batch = Batch(get_client())
    (stored,) = statuses.write_statuses(batch, [status])
    fan_out.add_to_author(batch, stored.author_id, stored.id)
    publishing.add_post(batch, stored)
    return batch


def _is_same(one: Status, other: Status) -> bool:
    """To a reader."""
    names = (one.author.username, one.author.name) == (other.author.username, other.author.name)
    return names and one.text == other.text


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

"""How a status reaches everybody who should see it, and leaves them when it is deleted.

The steps are the same inside the request and in a worker that finishes the work of a process
which died; each may run any number of times.
"""

from django.conf import settings

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script
from statuses import store as statuses
from streaming import events
from users import store as users
from users.models import User

from . import fan_out, pulled, store
from .fan_out import Leg
from .timeline import home_of

# So many followers have it before the author's request is answered.
FIRST_DELIVERIES = 1_000
# A partition remembers a deletion for longer than any fan-out takes.
DELETION_MEMORY = 24 * 3600

_mark_deleted = Script(__file__, "mark_deleted")


def serve(status_id: int, author_id: int) -> User | None:
    """Put the status where pages, its author and the streams find it; returns the author."""
    statuses.refresh_statuses([status_id])
    author = users.refresh_users([author_id]).get(author_id)
    fan_out.deliver_to_author(author_id, status_id)
    events.status_posted(status_id)
    return author


def deliver_first(status_id: int, author: User) -> list[Leg]:
    """Deliver to the first followers; returns who is left.

    The author was read after the status was served: whoever follows later finds it in the
    profile, so nobody is missed whom the author's counters do not know yet.
    """
    return fan_out.deliver(fan_out.all_legs(author), status_id, budget=FIRST_DELIVERIES)


def retract(status_id: int, author_id: int) -> list[Leg]:
    """Hide the status from every reader at once; returns whose timelines are to be swept."""
    _mark_deleted_everywhere(status_id)
    events.statuses_deleted(author_id, [status_id])
    statuses.forget_statuses(author_id, [status_id])
    pulled.drop_status(author_id, status_id)
    store.remove_statuses(home_of(author_id), [status_id])
    author = users.refresh_users([author_id]).get(author_id)
    return fan_out.all_legs(author) if author else []


def _mark_deleted_everywhere(status_id: int) -> None:
    """From here on no fan-out under way delivers it. Atomic in each partition, one round trip."""
    batch = Batch(get_client())
    for shard in range(settings.PARTITIONS):
        batch.call(_mark_deleted, [keys.deleted_statuses(shard)], [status_id, DELETION_MEMORY, ""])
    batch.run()

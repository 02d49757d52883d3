"""Work on the logs of streams. Ids in; running a task twice changes nothing."""

from collections.abc import Sequence
from functools import partial

from redistools.client import get_client
from redistools.scripts import Batch
from redistools.writing_until_stable import write_until_stable
from statuses import store as statuses
from statuses.models import Status
from statuses.reading.history import earlier_versions
from statuses.rows import StatusRow, read_row
from taskqueue import start
from taskqueue.task import task

from . import publishing

# How many boosts of an edited status are looked at together.
BOOSTS_AT_ONCE = 200


@task()
def update_boosts(status_id: int, above: int) -> None:
    """Replaces the edited original inside boosts in the log, some at a time, by ascending id."""
    rows = Status.objects.with_names().filter(boost_of_id=status_id, pk__gt=above)
    boosts = list(rows.order_by("pk")[:BOOSTS_AT_ONCE])
    write_until_stable(partial(read_row, status_id), partial(_write_boosts, boosts))
    if len(boosts) == BOOSTS_AT_ONCE:
        start.on_commit(update_boosts, status_id, boosts[-1].pk)


def _write_boosts(boosts: Sequence[Status], row: StatusRow | None) -> None:
    if row is None:
        return
    status = row.status
    (original,) = statuses.render([status])
    earlier = earlier_versions(status)
    is_narrow = publishing.is_narrow(status)
    batch = Batch(get_client())
    for boost, stored in zip(boosts, statuses.render(boosts), strict=True):
        publishing.add_edit(
            batch, stored, earlier, original, reach=boost.reach, is_narrow=is_narrow
        )
    batch.run()

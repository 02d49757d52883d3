"""Which posts are to be looked at: new ones as they come, old ones from the newest to the oldest.

How far both have come is in SQL, written with the entries. So a process may die anywhere, and a
site that is upgraded, restored or rebuilt fills its index by itself.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from redistools.ids import first_id_at, time_of
from statuses.models import Status

from ..models import Entry, Progress
from .writing import AT_ONCE, findable, write, write_some

# A post gets its id before it is committed, others meanwhile: none takes longer than this.
UNSETTLED = timedelta(minutes=1)


def progress() -> Progress:
    """On a new index, all posts are still to be looked at."""
    found = Progress.objects.first()
    if found is None:
        newest = highest()
        found, _ = Progress.objects.get_or_create(
            pk=1, defaults={"settled": _settled(newest), "rest": newest + 1}
        )
    return found


def index_new(*, steps: int) -> bool:
    """Returns whether there is more. One query, and a transaction for each step."""
    begun = progress()
    for _ in range(steps):
        rows = findable(Status.objects.filter(pk__gt=begun.settled))
        missing = rows.exclude(Exists(Entry.objects.filter(pk=OuterRef("pk"))))
        ids = list(missing.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
        write(ids)
        if len(ids) < AT_ONCE:
            settled = _settled(highest())
            Progress.objects.filter(pk=begun.pk, settled__lt=settled).update(settled=settled)
            return False
    return True


def index_old(*, steps: int) -> int:
    """Goes on below what was looked at; removes what belongs to nothing, too. Returns how many were
    looked at: 0 if all have been.
    """
    progress()
    return sum(_step_down() for _ in range(steps))


@transaction.atomic
def _step_down() -> int:
    row = Progress.objects.select_for_update().filter(rest__gt=0).first()
    if row is None:
        return 0
    below = Status.objects.filter(pk__lt=row.rest).newest_first()
    ids = list(below.values_list("pk", flat=True)[:AT_ONCE])
    lowest = ids[-1] if len(ids) == AT_ONCE else 0
    Entry.objects.filter(pk__gte=lowest, pk__lt=row.rest).exclude(pk__in=ids).delete()
    write_some(ids)
    row.rest = lowest
    row.save(update_fields=["rest"])
    return len(ids)


def start_over() -> None:
    """Everything is looked at once more. What is found meanwhile stays found."""
    Progress.objects.filter(pk=progress().pk).update(rest=highest() + 1)


def left() -> int:
    """How many posts are still to be looked at."""
    return Status.objects.filter(pk__lt=progress().rest).count()


def highest() -> int:
    return Status.objects.newest_first().values_list("pk", flat=True).first() or 0


def _settled(highest: int) -> int:
    """By the clock that gives out the ids."""
    return first_id_at(time_of(highest) - UNSETTLED)

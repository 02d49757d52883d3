"""The work that follows a write. Ids in; running a task twice changes nothing.

Some of it runs in the writer's own process, right after the commit (`start.run_on_commit`), and is
only repeated here if that process died.
"""

from collections.abc import Iterator
from itertools import chain

from django.db import transaction

from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue import start
from taskqueue.task import task
from users.audience import Reach
from users.models import User
from web.pages.page_versions import drop_all_pages_now

from . import store
from .models import Status, StatusQuerySet
from .publication import publish as publication
from .publication.events import noticed, reaction_changed
from .reactions import counts
from .reactions import store as reaction_store
from .removing import removal, retraction

# Rows locked for one round trip to Redis; other writers get their turn before the next.
PART = 100
# Counters that one round trip writes.
COUNTED_AT_ONCE = 200


@task()
def publish(status_id: int, author_id: int, boost_of: int | None = None) -> None:
    publication.publish(status_id, author_id, boost_of=boost_of)


@task()
def publish_edit(status_id: int, author_id: int) -> None:
    publication.publish_edit(status_id, author_id)


@task()
def follow_up(status_id: int) -> None:
    """What nobody waits for: the tags and people in a status, and who is to be told of it."""
    for status in store.find_statuses([status_id]).values():
        batch = Batch(get_client())
        noticed(batch, status)
        batch.run()


@task()
def retract(
    status_id: int, author_id: int, counted_at: int | None, reach: int = Reach.NOBODY
) -> None:
    """`counted_at`: the status that it answered or boosted. `reach`: whose streams it came to."""
    retraction.retract(status_id, author_id, counted_at, reach=reach)


@task()
def remove_belongings(status_id: int) -> None:
    if Status.objects.filter(pk=status_id).exists():
        return
    removal.remove_belongings(status_id)
    for boosts in removal.boosts_of(status_id):
        with transaction.atomic():
            rows = [removal.remove_row(author_id=author_id, pk=pk) for pk, author_id in boosts]
            gone = [row for row in rows if row]
            start.all_on_commit(
                [start.call(retract, row.pk, row.author_id, None, row.reach) for row in gone]
            )


@task()
def hide(status_ids: list[int], author_id: int, reach: int) -> None:
    retraction.hide(author_id, status_ids, reach=reach)


@task()
def refresh(status_ids: list[int]) -> None:
    for some in chunks(status_ids, PART):
        store.refresh_statuses(some)
    drop_all_pages_now()


@task()
def refresh_counts(status_ids: list[int]) -> None:
    for some in chunks(status_ids, COUNTED_AT_ONCE):
        counts.refresh_counts(some)
    drop_all_pages_now()


@task()
def sync_like(user_id: int, status_id: int) -> None:
    batch = Batch(get_client())
    reaction_changed(batch, "like", user_id, status_id)
    reaction_store.refresh("like", user_id, status_id, together=batch)


@task()
def sync_bookmark(user_id: int, status_id: int) -> None:
    reaction_store.refresh("bookmark", user_id, status_id)


@task()
def name_author(author_id: int) -> None:
    """Writes an author's new name or avatar into their statuses, and into those that name them, the
    newest first.

    Stops if the name changes meanwhile: that change has queued its own run.
    """
    begun_with = None
    for ids in _parts(Status.objects.filter(author_id=author_id)):
        names = store.name_author(author_id, ids)
        begun_with = begun_with or names
        if names != begun_with:
            return
    _name_mentioned(author_id)
    drop_all_pages_now()


def _name_mentioned(user_id: int) -> None:
    """Skips statuses that Redis does not hold: they have to be rendered."""
    for ids in chain.from_iterable(map(_parts, _statuses_naming(user_id))):
        if held := store.read_statuses(ids):
            store.refresh_statuses(held.keys())


def _statuses_naming(user_id: int) -> Iterator[StatusQuerySet]:
    """Includes the user's own: naming oneself makes no mention."""
    yield Status.objects.filter(mentions__user_id=user_id)
    for user in User.objects.filter(pk=user_id):
        yield Status.objects.filter(author=user, text__icontains=f"@{user.username}")


def _parts(statuses: StatusQuerySet) -> Iterator[list[int]]:
    ids = statuses.newest_first().values_list("id", flat=True)
    part = list(ids[:PART])
    while part:
        yield part
        part = list(ids.filter(pk__lt=part[-1])[:PART])

"""Work on statuses that nobody waits for. Ids in; running a task twice changes nothing."""

from collections.abc import Iterator
from itertools import chain

from explore import tasks as explore
from notifications import tasks as notifications
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.backend import call, get_backend
from taskqueue.outbox import enqueue_on_commit
from taskqueue.task import task
from users.models import User
from web.pages.page_versions import drop_all_pages_now

from . import own, store
from .models import Status, StatusQuerySet

# Rows locked for one round trip to Redis; other writers get their turn before the next.
PART = 100


def name_author_on_commit(author_id: int) -> None:
    """Runs once for all saves before it begins; a later save queues its own run."""
    enqueue_on_commit(name_author.using(unique_key=f"names of {author_id}"), author_id)


@task()
def settle_like(user_id: int, status_id: int) -> None:
    """Make Redis agree with SQL: does the user like the status now?"""
    batch = Batch(get_client())
    count = explore.count_like
    # Along with the copies, so that nobody waits for it.
    get_backend(count.backend).add(batch, call(count, user_id, status_id))
    notifications.add_likes_changed(batch, status_id)
    own.refresh("likes", user_id, status_id, together=batch)


@task()
def settle_bookmark(user_id: int, status_id: int) -> None:
    """Make Redis agree with SQL: does the user keep the status now?"""
    own.refresh("bookmarks", user_id, status_id)


@task()
def name_author(author_id: int) -> None:
    """Write an author's new name or avatar into their statuses, and into those that name them, the
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
    """Only where Redis holds them: they have to be rendered."""
    for ids in chain.from_iterable(map(_parts, _statuses_naming(user_id))):
        if held := store.read_statuses(ids):
            store.refresh_statuses(held.keys())


def _statuses_naming(user_id: int) -> Iterator[StatusQuerySet]:
    """Those of others, and their own: naming oneself makes no mention."""
    yield Status.objects.filter(mentions__user_id=user_id)
    for user in User.objects.filter(pk=user_id):
        yield Status.objects.filter(author=user, text__icontains=f"@{user.username}")


def _parts(statuses: StatusQuerySet) -> Iterator[list[int]]:
    ids = statuses.newest_first().values_list("id", flat=True)
    part = list(ids[:PART])
    while part:
        yield part
        part = list(ids.filter(pk__lt=part[-1])[:PART])

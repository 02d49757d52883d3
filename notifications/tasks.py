"""Who is to be notified of what. Ids in; running a task twice changes nothing.

A task says only where something has changed, and everything about that place is read from SQL: so
it does not matter how many come together, or in which order.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from django.db import transaction

from redistools.chunks import chunks
from redistools.scripts import Batch
from statuses.models import Status
from statuses.rows import read_row
from statuses.stored import StoredStatus
from taskqueue import start
from taskqueue.task import RedisTask, task

from . import publishing, store
from .grouping import record
from .grouping.facts import addressed
from .grouping.hearing import recipients
from .grouping.kinds import Group, Kind, day_of

# Groups that one transaction reconciles; other writers get their turn before the next.
PART = 50
# One link of a chain does this many, then queues the next.
LINK_SIZE = 200


def notify_addressed(status: StoredStatus) -> None:
    """A status was posted or edited: it may answer or name somebody, or no longer do so."""
    groups = {Group(who, kind, status.id) for who, kind in addressed(status).items()}
    if status.changed_ms:
        groups |= set(record.groups_about(status.id, kinds=("mention", "reply")))
    _reconcile(groups)
    if status.edited_ms:
        start.on_commit(status_edited, status.id, 0)


@task()
def status_edited(status_id: int, after: int) -> None:
    """Those who boosted it, some at a time; `after` is the last boost that was done."""
    boosts = Status.objects.filter(boost_of_id=status_id, pk__gt=after).order_by("pk")
    some = list(boosts.values_list("pk", "author_id")[:LINK_SIZE])
    _reconcile([Group(author_id, "edit", status_id) for _, author_id in some])
    if len(some) == LINK_SIZE:
        start.on_commit(status_edited, status_id, some[-1][0])


@task()
def likes_changed(status_id: int) -> None:
    _reconcile(_for_author("like", status_id))


@task()
def boosts_changed(status_id: int) -> None:
    _reconcile(_for_author("boost", status_id))


@task()
def boost_removed(status_id: int, booster_id: int) -> None:
    """Its author had been notified of the boost, and the booster perhaps of an edit."""
    _reconcile([*_for_author("boost", status_id), Group(booster_id, "edit", status_id)])


@task()
def follows_changed(followee_id: int, day: int) -> None:
    _reconcile([Group(followee_id, "follow", day)])


@task()
def requests_changed(followee_id: int, day: int) -> None:
    _reconcile([Group(followee_id, "request", day)])


@task()
def status_deleted(status_id: int) -> None:
    if Status.objects.filter(pk=status_id).exists():
        return
    groups = record.groups_about(status_id, limit=LINK_SIZE)
    _reconcile(groups)
    if len(groups) == LINK_SIZE:
        start.on_commit(status_deleted, status_id)


@task()
def reconcile_groups(groups: Sequence[tuple[int, Kind, int]]) -> None:
    _reconcile([Group(*group) for group in groups])


@task()
def forget(ids: list[int]) -> None:
    store.forget_hashes(ids)


@task()
def publish(recipient_id: int, changed: list[int], news: list[int]) -> None:
    publishing.publish(recipient_id, changed, news)


def once_about(kind: Literal["like", "boost"], status_id: int) -> RedisTask[[int], None]:
    changed = likes_changed if kind == "like" else boosts_changed
    return changed.using(unique_key=_key(kind, status_id))


def add_follows_changed(batch: Batch, followee_id: int, follow_id: int) -> None:
    """Queue it along with a batch. Many followers at once are one task."""
    day = day_of(follow_id)
    once = follows_changed.using(unique_key=_key("follow", f"{followee_id} {day}"))
    start.with_batch(batch, once, followee_id, day)


def requests_changed_on_commit(followee_id: int, request_ids: Collection[int]) -> None:
    """Inside the transaction that makes, grants or removes them. Many at once are one task."""
    for day in {day_of(request_id) for request_id in request_ids}:
        once = requests_changed.using(unique_key=_key("request", f"{followee_id} {day}"))
        start.on_commit(once, followee_id, day)


def _key(kind: Kind, subject: int | str) -> str:
    return f"notify {kind} {subject}"


def _for_author(kind: Kind, status_id: int) -> list[Group]:
    if row := read_row(status_id):
        return [Group(row.author_id, kind, status_id)]
    return record.groups_about(status_id, kinds=[kind])


def _reconcile(groups: Collection[Group]) -> None:
    for part in chunks(sorted(groups), PART):
        # Before the accounts are locked: Redis may be slow.
        readers = recipients({group.recipient_id for group in part})
        with transaction.atomic():
            for recipient_id, (changed, news) in record.reconcile(part, readers).items():
                start.run_on_commit(publish, recipient_id, changed, news)

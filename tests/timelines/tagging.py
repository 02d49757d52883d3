"""Statuses with tags and mentions, and walks through what they end up in."""

from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from redistools.client import get_client
from redistools.ids import first_id_at, time_of
from redistools.scripts import Batch
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.services import post_status
from taskqueue.drain import drain
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.soundness import wrong_with_statuses, wrong_with_tags, wrong_with_users
from timelines.events import tags_changed
from timelines.index import indexing
from users.models import User
from users.store import refresh_users

Reader = Callable[..., list[ShownStatus]]


def texts(page: list[ShownStatus]) -> list[str]:
    return [status.text for status in page]


def post(author: User, text: str, **fields: Any) -> Status:
    """And index it."""
    status = post_status(author=author, text=text, **fields)
    drain()
    return status


def said_before(author: User, text: str, count: int) -> list[int]:
    """Statuses that Redis has never heard of, oldest first, newer than everything so far."""
    newest = Status.objects.newest_first().first()
    first = newest.pk + 1 if newest else first_id_at(timezone.now())
    ids = list(range(first, first + count))
    Status.objects.bulk_create(
        Status(id=each, author=author, text=text, created_at=time_of(each)) for each in ids
    )
    User.objects.filter(pk=author.pk).update(statuses_count=author.statuses.count())
    refresh_users([author.pk])
    with transaction.atomic():
        indexed = indexing.write_rows(ids)
    batch = Batch(get_client())
    tags_changed(batch, {tag_id for it in indexed for tag_id in it.tags})
    batch.run()
    get_client().delete(*keys_of_the_test("profile:*"), *keys_of_the_test("tag:*"), "none")
    return ids


def walk(read: Reader, limit: int = 30) -> list[int]:
    seen: list[int] = []
    while page := read(max_id=seen[-1] if seen else None, limit=limit):
        seen += [status.id for status in page]
    return seen


def walk_up(read: Reader, limit: int = 30) -> list[int]:
    seen: list[int] = []
    while page := read(min_id=seen[0] if seen else 0, limit=limit):
        seen = [status.id for status in page] + seen
    return seen


def assert_sound() -> None:
    drain()
    assert wrong_with_users(list(User.objects.all())) == []
    assert wrong_with_statuses(list(Status.objects.values_list("pk", flat=True))) == []
    assert wrong_with_tags() == []


def at_once(*jobs: Callable[[], object]) -> None:
    waiting = list(jobs)

    def work() -> None:
        try:
            waiting.pop()()
        finally:
            connection.close()

    in_threads(len(jobs), work)

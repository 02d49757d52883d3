"""Keeping the index of posts, its window in Redis, and the lists of who is offered first. Ids in;
running a task twice changes nothing.
"""

from datetime import timedelta

from django_tasks.base import TASK_MIN_PRIORITY

from statuses.models import Status
from taskqueue import start
from taskqueue.periodic import periodic
from taskqueue.task import task

from .completion import lists
from .index import feeding
from .index.window import filling
from .index.writing import write

# Transactions, or posts, of one task: others get their turn before the next.
STEPS, SOME = 20, 1_000


@periodic(every=timedelta(seconds=2))
@task()
def index_new() -> None:
    """What is posted meanwhile shares a transaction, and nobody who posts does anything for it."""
    feeding.index_new(steps=STEPS)
    if feeding.progress().rest:
        start.in_redis(index_old.using(unique_key="old posts"))


@task(priority=TASK_MIN_PRIORITY)
def index_old() -> None:
    """Behind all other work, until every post has been looked at."""
    if feeding.index_old(steps=STEPS):
        start.in_redis(index_old.using(unique_key="old posts"))


@periodic(every=timedelta(seconds=10))
@task()
def keep_window() -> None:
    """Looks whether something is to be done."""
    if filling.keep():
        start.in_redis(fill_window.using(unique_key="window"))


@task(priority=TASK_MIN_PRIORITY)
def fill_window() -> None:
    """Behind all other work, until nothing is to be done now."""
    if all(filling.keep() for _ in range(STEPS)):
        start.in_redis(fill_window.using(unique_key="window"))


@task()
def index(status_ids: list[int]) -> None:
    """For what has changed, or is gone."""
    write(status_ids)


@task()
def index_author(author_id: int, below: int | None = None) -> None:
    """When they want to be found, or no longer; the newest first."""
    posts = Status.objects.filter(author_id=author_id).without_boosts().between(below=below)
    ids = list(posts.newest_first().values_list("pk", flat=True)[:SOME])
    write(ids)
    if len(ids) == SOME:
        start.on_commit(index_author, author_id, ids[-1])


@task()
def place(user_id: int, former: list[str] | None = None) -> None:
    lists.place(user_id, former or ())


@task()
def place_all(user_ids: list[int]) -> None:
    for user_id in user_ids:
        lists.place(user_id)

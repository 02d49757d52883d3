"""Counting what people do, and working out whom they may like to follow. Ids in; running a task
twice changes nothing.
"""

from datetime import timedelta

from django_tasks.base import TASK_MIN_PRIORITY

from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue import start
from taskqueue.periodic import periodic
from taskqueue.task import task

from . import counting
from .people import popular, store, working_out

# Users for whom one task works; others get their turn before the next.
SOME = 20


@task()
def count_like(user_id: int, status_id: int) -> None:
    batch = Batch(get_client())
    counting.count_like(batch, user_id, status_id)
    batch.run()


@periodic(every=timedelta(minutes=1))
@task(priority=TASK_MIN_PRIORITY)
def suggest_again() -> None:
    """For those whose follows have changed, or whose suggestions are old and were looked at."""
    due = store.take_due(SOME)
    for user_id in due:
        working_out.work_out_again(user_id)
    if len(due) == SOME:
        start.in_redis(suggest_again.using(unique_key="suggestions that are due"))


@periodic(every=timedelta(hours=1))
@task()
def find_popular() -> None:
    start.in_redis(look_for_popular.using(unique_key="popular people"))


@task(priority=TASK_MIN_PRIORITY)
def look_for_popular(last: int = 0) -> None:
    """A link of a chain through all accounts."""
    if (seen := popular.look_on(last)) is not None:
        start.in_redis(look_for_popular, seen)


@task()
def drop_suggested(user_id: int, person_id: int) -> None:
    store.drop(user_id, {person_id} & working_out.dismissed_by(user_id))


@task()
def forget_suggested(user_id: int) -> None:
    """The next page works them out again."""
    batch = Batch(get_client())
    store.forget(batch, user_id)
    batch.run()

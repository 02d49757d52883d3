"""Counting what people do. Ids in; running a task twice counts once."""

from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.task import task

from . import counting


@task()
def count_like(user_id: int, status_id: int) -> None:
    batch = Batch(get_client())
    counting.count_like(batch, user_id, status_id)
    batch.run()

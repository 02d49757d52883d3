"""Work that nobody waits for."""

from datetime import timedelta

from taskqueue.periodic import periodic
from taskqueue.task import task

from . import selectors


@periodic(every=timedelta(hours=1))
@task()
def count_numbers() -> None:
    selectors.count()

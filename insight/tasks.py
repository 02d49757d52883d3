"""What is done with measurements from time to time. Running a task twice changes nothing."""

from datetime import timedelta

from django.conf import settings
from django_tasks.base import TASK_MIN_PRIORITY

from taskqueue.periodic import periodic
from taskqueue.task import task

from . import keeping
from .places import loading
from .recording import memory
from .structures.visitors import today


@periodic(every=timedelta(minutes=10))
@task(priority=TASK_MIN_PRIORITY)
def keep_days() -> None:
    """Today, and yesterday once more: its last minutes."""
    if settings.INSIGHT:
        for back in (1, 0):
            keeping.keep_day(today() - timedelta(days=back))


@periodic(every=timedelta(hours=1))
@task(priority=TASK_MIN_PRIORITY)
def keep_weeks() -> None:
    if settings.INSIGHT:
        this_week = keeping.monday_of(today())
        for monday in (this_week - keeping.WEEK, this_week):
            keeping.keep_week(monday)


@periodic(every=timedelta(minutes=1))
@task(priority=TASK_MIN_PRIORITY)
def keep_places() -> None:
    """A setting may have changed, or Redis may have lost its memory."""
    loading.keep()


@periodic(every=timedelta(minutes=5))
@task(priority=TASK_MIN_PRIORITY)
def sample_memory() -> None:
    if settings.INSIGHT:
        memory.sample()

"""What must not be done twice, such as sending a mail, though every task may run twice.

It is noted in SQL, under the id of the task: a repeat after a crash has the same id. A process that
dies between the work and the note leaves the work to be done once more, never undone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

from django.utils import timezone

from .models import DoneOnce

# Longer than anything is repeated.
NOTES_KEPT = timedelta(days=7)

_task_id: ContextVar[str] = ContextVar("task_id", default="")


@contextmanager
def as_task(task_id: str) -> Iterator[None]:
    """For those who run tasks: the block is what the task with this id does."""
    token = _task_id.set(task_id)
    try:
        yield
    finally:
        _task_id.reset(token)


def once(what: str, do: Callable[[], object]) -> None:
    """Does it unless this task did it before; outside of tasks, always. Two statements."""
    task_id = _task_id.get()
    if task_id and DoneOnce.objects.filter(task_id=task_id, what=what).exists():
        return
    do()
    if task_id:
        DoneOnce.objects.get_or_create(task_id=task_id, what=what)


def forget_old_notes() -> None:
    DoneOnce.objects.filter(done_at__lt=timezone.now() - NOTES_KEPT).delete()

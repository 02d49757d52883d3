"""The small tasks that are measured. They run in the process that counts them."""

import threading
import time

from taskqueue.task import task

lateness: list[float] = []
ran = threading.Semaphore(0)


def increment(number: int) -> int:
    ran.release()
    return number + 1


def note_lateness(due: float) -> None:
    lateness.append(time.time() - due)
    ran.release()


@task()
def increment_task(number: int) -> int:
    return increment(number)


@task()
def note_lateness_task(due: float) -> None:
    note_lateness(due)

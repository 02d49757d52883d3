"""Tasks for the tests: they leave marks in Redis, where every process can see them."""

import time
from datetime import timedelta

from django.conf import settings
from django.db import OperationalError
from django_tasks import TaskContext
from django_tasks import task as django_task

from redistools.client import get_client
from taskqueue.at_most import at_most
from taskqueue.task import task

# For as long as a test may take.
KEPT = timedelta(hours=1)


def marks(name: str) -> str:
    return f"{settings.REDIS_KEY_PREFIX}marks:{name}"


@task(result_ttl=KEPT)
def add(a: int, b: int) -> int:
    return a + b


@task(result_ttl=KEPT)
def note(name: str, value: str) -> None:
    get_client().rpush(marks(name), value)


@task(result_ttl=KEPT)
async def note_async(name: str, value: str) -> str:
    get_client().rpush(marks(name), value)
    return value


@task(result_ttl=KEPT, max_attempts=2)
def need_store(name: str) -> None:
    if not get_client().exists(marks(name)):
        raise OperationalError("the database is away")


@task(result_ttl=KEPT, max_attempts=2)
def print_page(name: str) -> None:
    with at_most(2, "press", lease=30):
        get_client().rpush(marks(name), "printed")


@task(result_ttl=KEPT, max_attempts=3, backoff=timedelta(seconds=10))
def fail(message: str) -> None:
    raise ValueError(message)


@task(result_ttl=KEPT, max_attempts=1)
def fail_once_and_for_all() -> None:
    raise ValueError("no use")


@django_task(result_ttl=KEPT, takes_context=True, max_attempts=4)
def fail_until_attempt(context: TaskContext, attempt: int) -> int:
    if context.attempt < attempt:
        raise ValueError(f"attempt {context.attempt}")
    return context.attempt


@task(result_ttl=KEPT, max_attempts=1)
def leave() -> None:
    raise SystemExit


@task(result_ttl=KEPT)
def return_something_unreadable() -> object:
    return object()


@task(result_ttl=KEPT)
def add_to_set(name: str, value: int) -> None:
    get_client().sadd(marks(name), value)


@task(result_ttl=KEPT)
def sleep(name: str, seconds: float) -> None:
    get_client().rpush(marks(name), "began")
    time.sleep(seconds)
    get_client().rpush(marks(name), "ended")


@task(result_ttl=KEPT)
def add_to_set_slowly(name: str, value: int) -> None:
    time.sleep(0.016)
    get_client().sadd(marks(name), value)


@task(result_ttl=KEPT)
def tick() -> None:
    get_client().rpush(marks("tick"), "tock")

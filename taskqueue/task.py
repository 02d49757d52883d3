"""`@task()` with the options of this backend. django_tasks' own `@task()` takes them too, untyped.

@task(max_attempts=8, backoff=timedelta(seconds=5))
def deliver(status_id: int) -> None: ...

start.on_commit(deliver.using(unique_key=f"deliver {status_id}"), status_id)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeVar, overload

from django_tasks import DEFAULT_TASK_BACKEND_ALIAS
from django_tasks.base import Task, TaskContext

from .exceptions import InvalidTask

P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_MAX_ATTEMPTS = 5
LONGEST_UNIQUE_KEY = 200
DEFAULT_BACKOFF = timedelta(seconds=2)


@dataclass(frozen=True, kw_only=True)
class RedisTask(Task[P, T]):
    # How often the function may raise before the task counts as failed.
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    # The wait before the second attempt; it doubles with every further one.
    backoff: timedelta = DEFAULT_BACKOFF
    unique_key: str = ""  # while a task with this key waits in the queue, another is not added
    # For how long the result of a task that is done can be read. None: the backend decides.
    result_ttl: timedelta | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_attempts < 1:
            raise InvalidTask(f"max_attempts must be 1 or more, got {self.max_attempts}")
        if len(self.unique_key) > LONGEST_UNIQUE_KEY:
            raise InvalidTask(f"unique_key must have at most {LONGEST_UNIQUE_KEY} characters")
        if self.backoff < timedelta(0):
            raise InvalidTask(f"backoff must not be negative, got {self.backoff}")

    def using(
        self,
        *,
        priority: int | None = None,
        queue_name: str | None = None,
        run_after: datetime | None = None,
        backend: str | None = None,
        unique_key: str | None = None,
    ) -> Self:
        changed = super().using(
            priority=priority, queue_name=queue_name, run_after=run_after, backend=backend
        )
        return changed if unique_key is None else replace(changed, unique_key=unique_key)


@overload
def task(
    *,
    priority: int = ...,
    queue_name: str = ...,
    backend: str = ...,
    takes_context: Literal[False] = ...,
    max_attempts: int = ...,
    backoff: timedelta = ...,
    result_ttl: timedelta | None = ...,
) -> Callable[[Callable[P, T]], RedisTask[P, T]]: ...


@overload
def task(
    *,
    priority: int = ...,
    queue_name: str = ...,
    backend: str = ...,
    takes_context: Literal[True],
    max_attempts: int = ...,
    backoff: timedelta = ...,
    result_ttl: timedelta | None = ...,
) -> Callable[[Callable[Concatenate[TaskContext, P], T]], RedisTask[P, T]]: ...


def task(
    *,
    backend: str = DEFAULT_TASK_BACKEND_ALIAS,
    **options: Any,
) -> Callable[[Callable[..., T]], RedisTask[..., T]]:
    """Mark a function of a module as a task."""

    def decorate(function: Callable[..., T]) -> RedisTask[..., T]:
        return RedisTask(func=function, backend=backend, **options)

    return decorate

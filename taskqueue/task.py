"""`@task()` with the options of this backend, typed; django_tasks' own takes them too."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ParamSpec, Self, TypeVar

from django_tasks import DEFAULT_TASK_BACKEND_ALIAS
from django_tasks.base import Task

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


def task(
    *,
    backend: str = DEFAULT_TASK_BACKEND_ALIAS,
    max_attempts: int = DEFAULT_MAX_ATTEMPTS,
    backoff: timedelta = DEFAULT_BACKOFF,
    result_ttl: timedelta | None = None,
    **options: Any,
) -> Callable[[Callable[P, T]], RedisTask[P, T]]:
    options |= {"max_attempts": max_attempts, "backoff": backoff, "result_ttl": result_ttl}
    return lambda function: RedisTask(func=function, backend=backend, **options)

"""The backend of Django's Tasks API."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, ParamSpec, TypeVar
from zlib import crc32

from django.core.exceptions import ImproperlyConfigured
from django_tasks import TaskResult, task_backends
from django_tasks.backends.base import BaseTaskBackend
from django_tasks.base import Task
from django_tasks.exceptions import TaskResultDoesNotExist
from django_tasks.signals import task_enqueued
from redis.exceptions import RedisError

from redistools.client import get_client
from redistools.scripts import Batch
from redistools.servers import slots

from .exceptions import InvalidTask, QueueUnavailable
from .payload import encode_body, new_result, result_of, update
from .store import Message, Queue, find_task
from .task import RedisTask

P = ParamSpec("P")
T = TypeVar("T")


LEAST = {"LEASE": 1, "RESULT_TTL": 0, "MAX_LOST": 1, "MAX_FAILED": 1, "SHARDS": 1}


@dataclass(frozen=True)
class Options:
    LEASE: float = 30.0  # seconds after which the task of a silent worker is given to another
    RESULT_TTL: int = 24 * 3600  # seconds for which the result of a finished task can be read
    MAX_LOST: int = 5  # how often a task may take its worker down before it counts as failed
    MAX_FAILED: int = 10_000  # how many failed tasks of a queue are kept; the oldest go
    SHARDS: int = 1  # over how many slots of a Redis Cluster each queue is spread

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            if getattr(self, name) < least:
                got = getattr(self, name)
                raise ImproperlyConfigured(f"TASKS: {name} must be {least} or more, got {got}")

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Options":
        known = {option.name for option in fields(cls)}
        if unknown := set(given) - known:
            raise ImproperlyConfigured(
                f"TASKS has unknown OPTIONS {sorted(unknown)}: RedisBackend knows {sorted(known)}"
            )
        return cls(**given)


@dataclass(frozen=True)
class Call:
    """A task with its arguments; `start.call` makes one that is checked by type."""

    task: Task[..., Any]
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


class RedisBackend(BaseTaskBackend):
    task_class = RedisTask
    supports_defer = True
    supports_async_task = True
    supports_get_result = True
    supports_priority = True

    def __init__(self, alias: str, params: dict[str, Any]) -> None:
        super().__init__(alias, params)
        self.settings = Options.read(self.options)
        if not self.queues:
            raise ImproperlyConfigured("TASKS: QUEUES must name the queues that workers serve")
        self.enqueue_on_commit = bool(params.get("ENQUEUE_ON_COMMIT", False))

    def queue_names(self) -> list[str]:
        return sorted(self.queues)

    def shards(self, queue_name: str) -> Sequence[str]:
        count = self.settings.SHARDS
        return [queue_name] if count == 1 else slots.tags(count, f"{queue_name}.")

    def shard(self, queue_name: str, name: str) -> str:
        """The one for a task with this name: its unique key or, where it has none, its id."""
        shards = self.shards(queue_name)
        return shards[crc32(name.encode()) % len(shards)]

    def all_shards(self) -> list[str]:
        return [shard for name in self.queue_names() for shard in self.shards(name)]

    def enqueue(self, task: Task[P, T], args: Any, kwargs: Any) -> TaskResult[T]:
        """One round trip; raises QueueUnavailable when Redis can't be reached.

        With ENQUEUE_ON_COMMIT it is written to the outbox instead, and raises nothing.
        """
        if self.enqueue_on_commit:
            from .start import on_commit  # which is built on this module

            return on_commit(task, *args, **kwargs)
        return self.enqueue_many([Call(task, args, kwargs)])[0]

    def enqueue_many(self, calls: Iterable[Call]) -> list[TaskResult[Any]]:
        """Queues tasks together: one round trip, whatever their queues and options."""
        prepared = [self.prepare(call) for call in calls]
        standing = self.hand_over([message for message, _ in prepared])
        for (message, result), standing_id in zip(prepared, standing, strict=True):
            if standing_id == message.id:
                task_enqueued.send(type(self), task_result=result)
            else:  # a task with the same unique key waits already
                update(result, id=standing_id)
        return [result for _, result in prepared]

    def add(self, batch: Batch, call: Call) -> None:
        message, _ = self.prepare(call)
        Queue(self.shard_of(message)).add_messages(batch, [message])

    def prepare(self, call: Call) -> tuple[Message, TaskResult[Any]]:
        """Validates a call and gives it an id, without touching Redis."""
        task = call.task
        self.validate_task(task)
        enqueued_at = datetime.now(UTC)
        result = new_result(task, uuid.uuid4().hex, call.args, call.kwargs, enqueued_at)
        body = encode_body(task, result.args, result.kwargs, enqueued_at)
        unique_key = getattr(task, "unique_key", "")
        options = (task.priority, task.run_after, unique_key)
        return Message(result.id, task.queue_name, body, *options), result

    def hand_over(self, messages: Sequence[Message]) -> list[str]:
        """Puts messages into their queues and returns the id that stands for each.

        One round trip, atomic for each shard of a queue. Handing a message over twice queues it
        once for as long as its result is kept.
        """
        by_shard: dict[str, list[Message]] = {}
        for message in messages:
            by_shard.setdefault(self.shard_of(message), []).append(message)
        standing: dict[str, str] = {}
        for group, ids in zip(by_shard.values(), self._send(by_shard), strict=True):
            standing |= zip((message.id for message in group), ids, strict=True)
        return [standing[message.id] for message in messages]

    def shard_of(self, message: Message) -> str:
        return self.shard(message.queue_name, message.unique_key or message.id)

    def _send(self, by_shard: dict[str, list[Message]]) -> list[list[str]]:
        batch = Batch(get_client())
        for name, group in by_shard.items():
            Queue(name).add_messages(batch, group)
        try:
            return batch.run()
        except RedisError as error:
            words = f"Redis can't be used, so nothing was queued: {error}"
            raise QueueUnavailable(words) from error

    def get_result(self, result_id: str) -> TaskResult[Any]:
        fields = find_task(self.all_shards(), result_id)
        if fields is None:
            raise TaskResultDoesNotExist(result_id)
        return result_of(result_id, fields)


def get_backend(alias: str) -> RedisBackend:
    backend = task_backends[alias]
    if not isinstance(backend, RedisBackend):
        raise InvalidTask(
            f"TASKS[{alias!r}] must be taskqueue.backend.RedisBackend, not {type(backend).__name__}"
        )
    return backend

"""What a queue stores of a task, and the way back to `Task` and `TaskResult`."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.utils.module_loading import import_string
from django_tasks import TaskResult, TaskResultStatus
from django_tasks.base import Task, TaskError

from .exceptions import UnknownTask

Body = dict[str, Any]


def encode_body(
    task: Task[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], enqueued_at: datetime
) -> str:
    body = {
        "task": task.module_path,
        "args": args,
        "kwargs": kwargs,
        "queue": task.queue_name,
        "backend": task.backend,
        "priority": task.priority,
        "enqueued_at": enqueued_at.timestamp(),
    }
    if task.run_after:
        body["run_after"] = task.run_after.timestamp()
    return json.dumps(body, separators=(",", ":"))


@lru_cache(maxsize=1024)
def _task(path: str, backend: str, queue: str, priority: int) -> Task[..., Any]:
    try:
        task = import_string(path)
    except ImportError as error:
        raise UnknownTask(f"There is no task {path!r}: {error}") from error
    if not isinstance(task, Task):
        raise UnknownTask(f"{path!r} is not a task")
    if (task.backend, task.queue_name, task.priority) == (backend, queue, priority):
        return task
    return task.using(backend=backend, queue_name=queue, priority=priority)


def decode_task(body: Body) -> Task[..., Any]:
    """The task as it was queued. Raises UnknownTask if the code no longer has it."""
    task = _task(body["task"], body["backend"], body["queue"], body["priority"])
    run_after = moment(body.get("run_after"))
    return task.using(run_after=run_after) if run_after else task


def moment(timestamp: float | None) -> datetime | None:
    return None if timestamp is None else datetime.fromtimestamp(timestamp, UTC)


def encode_errors(errors: Sequence[TaskError]) -> str:
    return json.dumps([(error.exception_class_path, error.traceback) for error in errors])


def decode_errors(text: str) -> list[TaskError]:
    if text == "[]":
        return []
    found = json.loads(text)
    return [TaskError(exception_class_path=path, traceback=trace) for path, trace in found]


def new_result(
    task: Task[..., Any],
    task_id: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    enqueued_at: datetime | None,
) -> TaskResult[Any]:
    return TaskResult(
        task=task,
        id=task_id,
        status=TaskResultStatus.READY,
        enqueued_at=enqueued_at,
        started_at=None,
        finished_at=None,
        last_attempted_at=None,
        args=args,  # type: ignore[arg-type]  # it turns any sequence and mapping into its own
        kwargs=kwargs,  # type: ignore[arg-type]
        backend=task.backend,
        errors=[],
        worker_ids=[],
    )


def update(result: TaskResult[Any], **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(result, name, value)


def result_of(task_id: str, fields: Mapping[str, str]) -> TaskResult[Any]:
    body = json.loads(fields["body"])
    task, enqueued_at = decode_task(body), moment(body["enqueued_at"])
    result = new_result(task, task_id, body["args"], body["kwargs"], enqueued_at)
    outcome = json.loads(fields.get("outcome", "{}"))
    claimed = moment(int(fields["claimed"]) / 1000) if "claimed" in fields else None
    update(
        result,
        status=TaskResultStatus(fields["status"]),
        started_at=moment(outcome.get("started_at")) or claimed,
        last_attempted_at=moment(outcome.get("attempted_at")) or claimed,
        finished_at=moment(outcome.get("finished_at")),
        errors=decode_errors(fields.get("errors", "[]")),
        worker_ids=fields.get("workers", "").split(),
        _return_value=outcome.get("value"),
    )
    return result

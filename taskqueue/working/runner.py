"""Runs one claimed task and says how it ended."""

import json
import logging
import random
import time
from datetime import timedelta
from traceback import format_exception
from typing import Any

from django_tasks import TaskContext, TaskResult, TaskResultStatus
from django_tasks.base import Task, TaskError
from django_tasks.signals import task_finished, task_started
from django_tasks.utils import normalize_json

from redistools.outages.errors import is_outage

from ..backend import RedisBackend
from ..events import task_ended
from ..exceptions import PutOff, WorkerLost
from ..once import as_task
from ..payload import decode_errors, decode_task, encode_errors, moment, new_result, update
from ..store import Claim, Ending
from ..task import DEFAULT_BACKOFF, DEFAULT_MAX_ATTEMPTS

# Enough to see the cause; an endless traceback would sit in Redis until somebody discards it.
LONGEST_TRACEBACK = 20_000
# A store that is away is not the task's fault, and does not count against its `max_attempts`.
# With the usual back-off it is tried for some twenty minutes, so that no outage makes it fail.
MOST_ATTEMPTS_IN_OUTAGES = 100
# The wait doubles no further than with the fourth attempt: what is awaited may be back any moment.
LONGEST_EXCUSED_WAIT = 4
LONGEST_DELAY = timedelta(hours=1)
# Instead of its path.
UNREADABLE = "a task that can't be read"

logger = logging.getLogger("taskqueue.worker")


class Runner:
    def __init__(self, backend: RedisBackend) -> None:
        self.backend = backend

    def run(self, claim: Claim) -> Ending:
        """Never raises what the task raised. Ctrl-C goes through."""
        began = time.perf_counter()
        ending, path = self._run(claim)
        task_ended(path, ending.kind, time.perf_counter() - began)
        return ending

    def _run(self, claim: Claim) -> tuple[Ending, str]:
        """And the task's path."""
        try:
            outcome = json.loads(claim.outcome)
            result = self._load(claim)
        except Exception as error:  # whatever is wrong with it, it won't get better
            logger.exception("Task id=%s can't be read: it counts as failed", claim.id)
            return Ending(
                claim, "failed", encode_errors([_describe(error)]), claim.outcome
            ), UNREADABLE
        started = time.time()
        outcome = {"started_at": outcome.get("started_at", started), "attempted_at": started}
        update(
            result,
            status=TaskResultStatus.RUNNING,
            started_at=moment(outcome["started_at"]),
            last_attempted_at=moment(started),
        )
        task_started.send_robust(type(self.backend), task_result=result)
        return self._attempt(claim, result, outcome), result.task.module_path

    def _load(self, claim: Claim) -> TaskResult[Any]:
        body = json.loads(claim.body or "")
        task, enqueued_at = decode_task(body), moment(body["enqueued_at"])
        result = new_result(task, claim.id, body["args"], body["kwargs"], enqueued_at)
        update(result, errors=decode_errors(claim.errors), worker_ids=claim.workers.split())
        return result

    def _attempt(self, claim: Claim, result: TaskResult[Any], outcome: dict[str, Any]) -> Ending:
        try:
            if claim.times_lost >= self.backend.settings.MAX_LOST:
                raise WorkerLost(f"Workers died or hung {claim.times_lost} times with it")
            with as_task(claim.id):
                value = normalize_json(self._call(result))
            outcome |= {"finished_at": time.time(), "value": value}
            keep = self._seconds_kept(result.task)
            ending = Ending(claim, "done", claim.errors, json.dumps(outcome), keep=keep)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit() in a task must not end its worker
            return self._fail(claim, result, outcome, error)
        update(
            result,
            status=TaskResultStatus.SUCCESSFUL,
            finished_at=moment(outcome["finished_at"]),
            _return_value=value,
        )
        took = (outcome["finished_at"] - outcome["attempted_at"]) * 1000
        logger.debug("Task id=%s path=%s done in %.1f ms", claim.id, result.task.module_path, took)
        task_finished.send_robust(type(self.backend), task_result=result)
        return ending

    def _call(self, result: TaskResult[Any]) -> Any:
        context = [TaskContext(task_result=result)] if result.task.takes_context else []
        return result.task.call(*context, *result.args, **result.kwargs)

    def _seconds_kept(self, task: Task[..., Any]) -> int:
        own = getattr(task, "result_ttl", None)
        return self.backend.settings.RESULT_TTL if own is None else int(own.total_seconds())

    def _fail(
        self,
        claim: Claim,
        result: TaskResult[Any],
        outcome: dict[str, Any],
        error: BaseException,
    ) -> Ending:
        is_excused = _is_excused(error, result)
        if not is_excused:
            result.errors.append(_describe(error))
        errors, failures = encode_errors(result.errors), len(result.errors)
        most = getattr(result.task, "max_attempts", DEFAULT_MAX_ATTEMPTS)
        may_go_on = failures < most and not isinstance(error, WorkerLost)
        if is_excused or may_go_on:
            waits = min(result.attempts, LONGEST_EXCUSED_WAIT) if is_excused else failures
            delay = delay_before_retry(waits, getattr(result.task, "backoff", DEFAULT_BACKOFF))
            _log_attempt(result, error, delay)
            return Ending(claim, "again", errors, json.dumps(outcome), delay)
        outcome["finished_at"] = time.time()
        update(result, status=TaskResultStatus.FAILED, finished_at=moment(outcome["finished_at"]))
        # django_tasks' own receiver logs the traceback of the exception that is being handled.
        task_finished.send_robust(type(self.backend), task_result=result)
        return Ending(claim, "failed", errors, json.dumps(outcome))


def _is_excused(error: BaseException, result: TaskResult[Any]) -> bool:
    if isinstance(error, PutOff):
        return True
    return is_outage(error) and result.attempts < MOST_ATTEMPTS_IN_OUTAGES


def _log_attempt(result: TaskResult[Any], error: BaseException, delay: float) -> None:
    task = (result.id, result.task.module_path)
    if isinstance(error, PutOff):
        logger.debug("Task id=%s path=%s is put off for %.1f s: %s", *task, delay, error)
        return
    logger.warning(
        "Task id=%s path=%s failed (attempt %d), next try in %.1f s",
        *(*task, result.attempts, delay),
        exc_info=error,
    )


def _describe(error: BaseException) -> TaskError:
    kind, traceback = type(error), "".join(format_exception(error))
    return TaskError(
        exception_class_path=f"{kind.__module__}.{kind.__qualname__}",
        traceback=traceback[-LONGEST_TRACEBACK:],
    )


def delay_before_retry(failures: int, backoff: timedelta) -> float:
    """Seconds to wait: doubling with each failure, at most an hour.

    The second half is left to chance, so that tasks that failed together don't come back together.
    """
    doubled = backoff.total_seconds() * 2.0 ** min(failures - 1, 30)
    longest = min(doubled, LONGEST_DELAY.total_seconds())
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret

from datetime import timedelta

from django_tasks import TaskContext, task

from redistools.client import get_client
from taskqueue.periodic import periodic
from taskqueue.task import task as typed_task

NOTES = "notes"


@task
def add(a: int, b: int) -> int:
    return a + b


@task()
def note(value: str) -> None:
    get_client().rpush(NOTES, value)


@task()
async def add_async(a: int, b: int) -> int:
    return a + b


@task(takes_context=True)
def attempt_of(context: TaskContext, greeting: str) -> str:
    return f"{greeting} {context.attempt} {context.task_result.id}"


@typed_task(max_attempts=1)
def fail() -> None:
    raise ValueError("as asked for")


@task(queue_name="mail", priority=7)
def mail() -> str:
    return "sent"


@task(backend="on_commit")
def note_on_commit(value: str) -> None:
    get_client().rpush(NOTES, value)


@periodic(every=timedelta(hours=1))
@typed_task(queue_name="hourly")
def note_the_hour() -> None:
    get_client().rpush(NOTES, "the hour")

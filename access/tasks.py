"""What follows a change of an account. Ids in; running a task twice changes nothing."""

from taskqueue.task import task

from . import tokens


@task()
def end_access(user_id: int, reason: str) -> None:
    tokens.end_access(user_id=user_id, reason=reason)

from datetime import timedelta

from taskqueue.periodic import periodic
from taskqueue.task import task

from . import tokens


@task()
def end_access(user_id: int, reason: str) -> None:
    tokens.end_access(user_id=user_id, reason=reason)


@periodic(every=timedelta(hours=1))
@task()
def remove_expired_tokens() -> None:
    tokens.remove_expired()

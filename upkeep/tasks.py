"""What is left of deleted accounts. Ids in; running a task twice changes nothing."""

from taskqueue.task import task

from . import erasing


@task()
def erase(user_id: int, trace: erasing.Trace, ids: list[int]) -> None:
    erasing.erase(user_id, trace, ids)

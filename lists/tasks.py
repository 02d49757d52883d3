"""What follows the deletion of a list. Ids in; running a task twice changes nothing."""

from taskqueue.task import task

from . import store


@task()
def forget_list(owner_id: int, list_id: int, user_ids: list[int]) -> None:
    store.forget_list(owner_id=owner_id, list_id=list_id, user_ids=user_ids)

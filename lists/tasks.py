"""What follows the deletion of a list. Ids in; running a task twice changes nothing."""

from redistools import serving_copy
from taskqueue.task import task

from . import store
from .models import List
from .serving_copy import LISTS


@task()
def forget_list(owner_id: int, list_id: int, user_ids: list[int]) -> None:
    store.forget_list(owner_id=owner_id, list_id=list_id, user_ids=user_ids)
    serving_copy.forget(LISTS, [List(pk=list_id, owner_id=owner_id)])

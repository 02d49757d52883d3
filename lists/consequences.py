"""What a block does to lists."""

from relations.events import blocked
from taskqueue.outbox import run_on_commit

from .tasks import part


@blocked.then
def leave_lists(one_id: int, other_id: int) -> None:
    run_on_commit(part, one_id, other_id)

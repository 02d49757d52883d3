"""What a block does to lists."""

from relations.events import blocked
from taskqueue import start

from .tasks import part


@blocked.then
def leave_lists(one_id: int, other_id: int) -> None:
    start.run_on_commit(part, one_id, other_id)

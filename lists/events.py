"""What happens to lists, and who is told: see `taskqueue/consequences.py`."""

from taskqueue.consequences import Event

from .models import List


@Event
def member_changed(list_: List, user_id: int, *, is_member: bool) -> None:
    """Redis knows who is in the list. Before the request is answered."""

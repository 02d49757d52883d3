"""What happens to lists, and who is told: see `taskqueue/consequences.py`."""

from taskqueue.consequences import Event

from .models import List


@Event
def member_changed(list_: List, user_id: int, *, is_member: bool) -> None:
    """Runs before the request is answered, once Redis knows the new members."""

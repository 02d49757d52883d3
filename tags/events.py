"""What happens to tags, and who is told: see `taskqueue/consequences.py`."""

from redistools.scripts import Batch
from taskqueue.consequences import Event


@Event
def tag_follow_changed(batch: Batch, user_id: int, tag: str, *, follows: bool) -> None:
    """Redis knows whether the user follows the tag. Before the request is answered."""

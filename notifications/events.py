"""What people are notified of, and who is told: see `taskqueue/consequences.py`."""

from collections.abc import Sequence

from taskqueue.consequences import Event


@Event
def notified(recipient_id: int, news: Sequence[int]) -> None:
    """These notifications of theirs are new, or say more than before. Their pages show it."""

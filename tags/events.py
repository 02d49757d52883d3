"""What happens to tags, and who is told: see `taskqueue/consequences.py`."""

from redistools.scripts import Batch
from taskqueue.consequences import Event


@Event
def tag_follow_changed(batch: Batch, user_id: int, tag: str, *, follows: bool) -> None:
    """Runs before the request is answered, once Redis knows."""


@Event
def interests_changed(user_id: int, terms: list[int | str]) -> None:
    """Inside the transaction. `terms`: ids of tags that they put on their profile or took off it,
    and codes of languages.
    """

"""What becomes of statuses here, and who is told: see `taskqueue/consequences.py`."""

from collections.abc import Collection

from redistools.scripts import Batch
from taskqueue.consequences import Event


@Event
def delivered(status_id: int, members: int) -> None:
    """A part of a fan-out is done: it went to this many followers and lists."""


@Event
def tags_changed(batch: Batch, tag_ids: Collection[int]) -> None:
    """A public status came, went or was edited that has these tags, or had them. Goes along with
    the copies.
    """

"""What happens between people, and who is told: see `taskqueue/consequences.py`."""

from collections.abc import Collection
from dataclasses import dataclass

from redistools.scripts import Batch
from taskqueue.consequences import Event, SharedBatch


@dataclass(frozen=True)
class FollowChange:
    batch: SharedBatch
    follower_id: int
    followee_id: int
    follows: bool
    # The ids of the follow that is there, and of the one that no longer is.
    changed: Collection[int]
    # How many the followee had right before the change and after it.
    followers_before: int = 0
    followers: int = 0


@Event
def follow_changed(change: FollowChange) -> None:
    """Before the request is answered: one batch for all."""


@Event
def viewpoints_changed(batch: Batch, user_ids: Collection[int]) -> None:
    """These users want to see something less, or may not, or do again. In one batch."""


@Event
def blocked(one_id: int, other_id: int) -> None:
    """Runs inside the transaction."""


@Event
def requests_changed(followee_id: int, request_ids: Collection[int]) -> None:
    """Runs inside the transaction: these were made, granted or taken back."""

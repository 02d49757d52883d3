"""What happens to statuses, and who is told: see `taskqueue/consequences.py`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from redistools.scripts import Batch
from taskqueue.consequences import Event, SharedBatch
from users.models import User

from ..models import Status
from ..reactions.rows import Reaction
from ..stored import StoredStatus


@dataclass(frozen=True)
class Posting:
    """A status or boost whose copies are in the batch already."""

    batch: SharedBatch
    status: StoredStatus
    author: User
    reach: int  # whose streams it comes to (`users/audience.py`)
    boosted: Status | None  # what it boosts, with its author; None where that is gone


@dataclass(frozen=True)
class Edit:
    """A status whose text, warning or cover has changed."""

    batch: SharedBatch
    status: StoredStatus
    row: Status  # with its author


@dataclass(frozen=True)
class Removal:
    """Statuses of one author that are gone from SQL. Their copies go with the batch."""

    batch: SharedBatch
    author_id: int
    status_ids: Collection[int]
    known: Mapping[int, StoredStatus]  # those that Redis still had
    reach: int  # whose streams they came to (`users/audience.py`)
    counted_at: int | None  # the status that one of them answered or boosted


@Event
def posted(posting: Posting) -> None:
    """Runs before the request is answered: one batch for all."""


@Event
def changed(edit: Edit) -> None:
    """Runs before the request is answered: one batch for all."""


@Event
def removed(removal: Removal) -> None:
    """By its author, by a moderator, or with its account. Runs before the request is answered."""


@Event
def deleted_by_others(status: Status, by: User) -> None:
    """Inside the transaction: somebody else than its author deletes it. May raise Refusal."""


@Event
def noticed(batch: Batch, status: StoredStatus) -> None:
    """Runs in a worker, after a status was posted or changed: for what nobody waits for."""


@Event
def liked(user_id: int, status_id: int) -> None:
    """Somebody likes it who did not before. After the commit."""


@Event
def reaction_changed(batch: Batch, reaction: Reaction, user_id: int, status_id: int) -> None:
    """Goes along with the copies."""

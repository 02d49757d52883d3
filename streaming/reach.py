"""Which log and channel a status belongs to."""

from statuses.models import Status
from statuses.stored import StoredStatus
from users.audience import Reach, Visibility, reach_of
from users.models import User


def is_private(status: StoredStatus, author: User) -> bool:
    """Is it not for everybody, or not for the streams of everybody?"""
    return (
        reach_of(status.visibility, is_followers_only=author.is_followers_only) != Reach.EVERYBODY
    )


def is_narrow(boosted: Status) -> bool:
    """Everybody could see it when it was boosted; its author may be private or silenced by now."""
    return boosted.author.is_followers_only or boosted.visibility > Visibility.UNLISTED

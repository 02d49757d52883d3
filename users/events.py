"""What happens to accounts (`taskqueue/consequences.py`); all but `left` inside the transaction
that writes it.
"""

from taskqueue.consequences import Event

from .models import User


@Event
def password_changed(user_id: int) -> None:
    """What was opened with the old password ends."""


@Event
def renamed(user_id: int) -> None:
    """Another name or avatar, which statuses hold."""


@Event
def opened(user_id: int) -> None:
    """A private account is private no longer."""


@Event
def whose_counters_change(user: User) -> None:
    """When the account goes. Returns ids: these accounts are locked before anything is written."""


@Event
def before_leaving(user: User) -> None:
    """The account is about to be deleted. Afterwards SQL no longer knows whom it followed or what
    it said: now is the time to start the tasks that take it out of Redis.
    """


@Event
def left(user_id: int) -> None:
    """The account is gone. In a task, and in another an hour later."""

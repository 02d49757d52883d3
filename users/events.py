"""What happens to accounts (`taskqueue/consequences.py`), inside the transaction that writes it."""

from taskqueue.consequences import Event


@Event
def password_changed(user_id: int) -> None:
    """What was opened with the old password ends."""


@Event
def renamed(user_id: int) -> None:
    """Another name or avatar, which statuses hold."""


@Event
def opened(user_id: int) -> None:
    """A private account is private no longer."""

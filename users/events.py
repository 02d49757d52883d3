"""What happens to accounts, and who is told: see `taskqueue/consequences.py`. All of it inside the
transaction that writes it.
"""

from taskqueue.consequences import Event


@Event
def password_changed(user_id: int) -> None:
    """What was opened with the old one ends."""


@Event
def renamed(user_id: int) -> None:
    """Another name or avatar: statuses hold them."""


@Event
def opened(user_id: int) -> None:
    """A private account is private no longer."""

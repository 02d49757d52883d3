"""What follows when an account opens."""

from taskqueue import start
from users.events import opened

from .tasks import accept_requests


@opened.then
def accept_all(user_id: int) -> None:
    """Everybody who asked follows."""
    start.on_commit(accept_requests, user_id)

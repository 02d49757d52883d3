"""What ends with a password."""

from taskqueue.outbox import run_on_commit
from users.events import password_changed

from .tasks import end_access


@password_changed.then
def end_tokens(user_id: int) -> None:
    run_on_commit(end_access, user_id, "The password was changed.")

from taskqueue import start
from users.events import password_changed

from .tasks import end_access


@password_changed.then
def end_tokens(user_id: int) -> None:
    start.run_on_commit(end_access, user_id, "The password was changed.")

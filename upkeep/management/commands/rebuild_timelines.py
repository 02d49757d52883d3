from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from lists.serving_copy import LISTS
from processes import embedded_redis
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.lock import HeldLock, LockLost, LockNotAcquired, lock
from statuses.serving_copy import STATUSES
from taskqueue.management.helpful import HelpfulCommand
from users import selectors
from users.models import User
from users.serving_copy import USERS

from ...rebuilding import RebuildProgress, phases, rebuild_phase, rebuild_rows, remove_strays

# Longer than any step takes; each one starts it again.
LOCK_SECONDS = 120


class Command(HelpfulCommand):
    help = (
        "Write everything in Redis again from SQL, and remove what SQL does not know. Safe while "
        "the site runs; Ctrl-C stops it, and the next run continues from there. Only one runs at a "
        "time, over all hosts. Needed after a change of PARTITIONS; otherwise what Redis lost "
        "comes back by itself when it is read."
    )
    examples = (
        "manage.py rebuild_timelines                 everything",
        "manage.py rebuild_timelines --user alice    what belongs to alice",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="only what belongs to one user")
        parser.add_argument(
            "--all", action="store_true", help="build every home, even those that nobody reads"
        )

    def handle(self, *, user: str | None, all: bool, **options: Any) -> None:
        with embedded_redis.available():
            try:
                with lock(get_client(), "rebuild", timeout=LOCK_SECONDS, wait=0) as held:
                    self._rebuild(user, also_unread=all, held=held)
            except LockNotAcquired as error:
                raise CommandError(
                    "Another rebuild is running, perhaps on another host. Start this one when it "
                    f"is done; if it was killed, in {LOCK_SECONDS} seconds."
                ) from error
            except LockLost as error:
                raise CommandError(f"{error}. Run it again to continue from here.") from error
        self.stdout.write("Redis is rebuilt from SQL")

    def _rebuild(self, username: str | None, *, also_unread: bool, held: HeldLock) -> None:
        if username is not None:
            _rebuild_one(username, held)
        else:
            _rebuild_everything(also_unread=also_unread, held=held)


def _rebuild_one(username: str, held: HeldLock) -> None:
    try:
        user = selectors.by_username(username)
    except User.DoesNotExist as error:
        raise CommandError(f"There is no user {username!r}") from error
    statuses = user.statuses.values_list("pk", flat=True).order_by("pk")
    for some in chunks(statuses, STATUSES.at_once):
        rebuild_rows(STATUSES, STATUSES.find(some))
        held.extend()
    rebuild_rows(USERS, [user])
    rebuild_rows(LISTS, list(user.lists.all()))


def _rebuild_everything(*, also_unread: bool, held: HeldLock) -> None:
    """Phase by phase, each in the order of ids; the last one done is remembered."""
    progress = RebuildProgress()
    for phase in phases():
        steps = rebuild_phase(phase, progress, also_unread=also_unread)
        _show(phase.name, steps, held, total=phase.left(progress))
    _show("keys", remove_strays(), held, total=None)
    progress.forget()


def _show(phase: str, steps: Iterator[int], held: HeldLock, *, total: int | None) -> None:
    with tqdm(total=total, desc=phase, disable=None) as bar:
        for done in steps:
            held.extend()
            bar.update(done)

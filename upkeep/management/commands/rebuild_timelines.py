from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from socialsite import embedded_redis
from statuses.models import Status
from users import selectors, suspension
from users.models import User

from ...rebuilding import Progress, rebuild_statuses, rebuild_timelines_of, rebuild_user


class Command(BaseCommand):
    help = (
        "Write everything in Redis anew from SQL. Safe while the site runs; Ctrl-C stops it, and "
        "the next start goes on from there. Needed after a change of PARTITIONS; otherwise what "
        "Redis lost comes back by itself when it is read.\n\n"
        "Examples: `manage.py rebuild_timelines`, `manage.py rebuild_timelines --user alice`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="only what belongs to one user")
        parser.add_argument(
            "--all", action="store_true", help="build every home, also those that nobody reads"
        )

    def handle(self, *, user: str | None, all: bool, **options: Any) -> None:
        with embedded_redis.available():
            if user is not None:
                self._rebuild_one(user)
            else:
                self._rebuild_everything(with_homes=all)
        self.stdout.write("Redis is rebuilt from SQL")

    def _rebuild_one(self, username: str) -> None:
        try:
            user = selectors.by_username(username)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username!r}") from error
        for _ in rebuild_statuses(author=user):
            pass
        rebuild_user(user)
        rebuild_timelines_of(user, with_home=True)

    def _rebuild_everything(self, *, with_homes: bool) -> None:
        """Phase by phase, each in the order of ids; the last one done is remembered."""
        suspension.forget()
        progress = Progress()
        statuses = Status.objects.between(above=progress.last("statuses"))
        with tqdm(total=statuses.count(), desc="statuses", disable=None) as bar:
            for ids in rebuild_statuses(above=progress.last("statuses")):
                progress.save("statuses", ids[-1])
                bar.update(len(ids))
        _for_all_users("users", rebuild_user, progress)
        _for_all_users("homes", partial(rebuild_timelines_of, with_home=with_homes), progress)
        progress.forget()


def _for_all_users(phase: str, rebuild: Callable[[User], None], progress: Progress) -> None:
    users = User.objects.filter(pk__gt=progress.last(phase)).order_by("pk")
    for user in tqdm(users.iterator(), total=users.count(), desc=phase, disable=None):
        rebuild(user)
        progress.save(phase, user.pk)

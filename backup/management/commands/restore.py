from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from processes import embedded_redis, migrating
from processes.data_folder import DataFolderError, held_data_folder
from taskqueue.management.helpful import HelpfulCommand

from ...archive import BackupError
from ...loading import strange_tables
from ...restoring import has_another_key, restore
from .backup import summary

ANOTHER_KEY = (
    "SECRET_KEY is not that of the backup: everybody is logged out, and authenticator apps don't "
    "work until you set the old one"
)


class Command(HelpfulCommand):
    help = (
        "Load a backup into an empty site: an empty data folder, or a database without tables and "
        "a Redis without keys. Checks every byte of it first, and rebuilds Redis at the end. The "
        "database may be another kind than that of the backup."
    )
    examples = (
        "SOCIALSITE_DATA_DIR=/srv/social manage.py restore /backups/site.zip",
        "DATABASE_URL=postgres://… manage.py restore /backups/site.zip    into PostgreSQL",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` wrote")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            with stores_of_a_stopped_site():
                manifest = restore(file)
                self.stdout.write(f"restored {summary(manifest)}, as of {manifest.made_at}")
                if strange := strange_tables(manifest):
                    self.stderr.write(f"left out, since they are not the site's: {strange}")
                if has_another_key(manifest):
                    self.stderr.write(ANOTHER_KEY)
                if applied := migrating.migrate():
                    self.stdout.write(f"{applied} migrations applied")
                call_command("rebuild_timelines", stdout=self.stdout)
        except (BackupError, DataFolderError) as error:
            raise CommandError(str(error)) from error


@contextmanager
def stores_of_a_stopped_site() -> Iterator[None]:
    """Raises DataFolderError while a site runs in the data folder."""
    with (
        held_data_folder(settings.DATA_DIR),
        embedded_redis.running(settings.REDIS_SOCKET) if settings.EMBEDDED_REDIS else nullcontext(),
    ):
        yield

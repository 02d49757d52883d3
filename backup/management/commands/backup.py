from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from taskqueue.management.helpful import HelpfulCommand

from ...archive import SECRET_KEY, BackupError, Manifest
from ...making import back_up, path_for
from ...pictures import FOLDER


class Command(HelpfulCommand):
    help = (
        "Write a backup of the site, which may go on running, into one file: the database as it is "
        "now, people's pictures, and the secret key that the site made for itself. Keep it safe: "
        "with it, one can pass for anybody on the site. Not in it: Redis, which is rebuilt from "
        "the database; exports; settings."
    )
    examples = (
        "manage.py backup /backups            into a new file in this folder",
        "manage.py backup site.zip --force    instead of the file that is there",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="a file, or a folder for it")
        parser.add_argument("--force", action="store_true", help="replace the file if it exists")

    def handle(self, *, target: Path, force: bool, **options: Any) -> None:
        path = path_for(target)
        try:
            manifest = back_up(path, force=force)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {summary(manifest)}; {size:,.1f} MB")
        if SECRET_KEY not in manifest.files:
            self.stdout.write("SECRET_KEY is not in it, since it is set: keep it safe as well")


def summary(manifest: Manifest) -> str:
    rows, tables = sum(manifest.rows.values()), len(manifest.rows)
    pictures = sum(name.startswith(FOLDER) for name in manifest.files)
    key = ", the secret key" if SECRET_KEY in manifest.files else ""
    return f"{rows:,} rows of {tables} tables, {pictures:,} files of pictures{key}"

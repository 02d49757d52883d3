import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from processes import migrating
from processes.data_folder import DataFolderError
from redistools.client import Client
from socialsite import env
from taskqueue.management.helpful import HelpfulCommand

from ...archive import BackupError
from ...moving import check_target, move
from ...redis_keys import check_empty, client_of, copy_keys
from ...stores import vendor
from .restore import stores_of_a_stopped_site

TARGET = "target"


class Command(HelpfulCommand):
    help = (
        "Move a stopped site to other stores, which must be empty: its database from SQLite to "
        "PostgreSQL, compared row by row, and all that its Redis holds to another Redis. The old "
        "stores stay as they are."
    )
    examples = (
        "manage.py move_stores --database postgres://user:password@host/name",
        "manage.py move_stores --redis redis://host:6379/0",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--database", metavar="URL", help="as in DATABASE_URL")
        parser.add_argument("--redis", metavar="URL", help="as in REDIS_URL")

    def handle(self, *, database: str | None, redis: str | None, **options: Any) -> None:
        if not (database or redis):
            raise CommandError("Say where to: --database, --redis, or both")
        try:
            with stores_of_a_stopped_site():
                target = new_redis(redis) if redis else None
                if database:
                    self._move_database(database)
                if target:
                    self._move_redis(target)
        except (BackupError, DataFolderError, ImproperlyConfigured, ValueError) as error:
            raise CommandError(str(error)) from error
        names = ["DATABASE_URL"] * bool(database) + ["REDIS_URL"] * bool(redis)
        self.stdout.write(f"Now set {' and '.join(names)} to the same, and start the site")

    def _move_database(self, url: str) -> None:
        began = time.monotonic()
        check_source()
        with connected(url) as target:
            check_target(target)
            make_tables(url)
            moved = move(target)
        seconds = time.monotonic() - began
        self.stdout.write(f"{moved:,} rows moved to PostgreSQL and compared, in {seconds:.0f} s")

    def _move_redis(self, target: Client) -> None:
        copied = copy_keys(client_of(settings.REDIS_URL), target)
        self.stdout.write(f"{copied:,} keys moved to the other Redis")


def new_redis(url: str) -> Client:
    target = client_of(url)
    check_empty(target)
    return target


def check_source() -> None:
    if vendor() != "sqlite":
        raise CommandError("The site uses PostgreSQL already: DATABASE_URL is set")
    if migrating.unapplied():
        raise CommandError("The database is of an older version: run `manage.py migrate` first")


@contextmanager
def connected(url: str) -> Iterator[BaseDatabaseWrapper]:
    parsed = env.database("--database", url, sqlite=settings.SQLITE)
    if not parsed["ENGINE"].endswith("postgresql"):
        raise CommandError("--database must look like postgres://user:password@host:5432/name")
    whole = connections.configure_settings(
        {"default": settings.DATABASES["default"], TARGET: parsed}
    )
    connections.settings[TARGET] = whole[TARGET]
    try:
        connections[TARGET].ensure_connection()
        yield connections[TARGET]
    except OperationalError as error:
        raise CommandError(f"The target can't be used: {' '.join(str(error).split())}") from error
    except DatabaseError as error:
        raise CommandError(f"The target refuses, and is empty: {error}") from error
    finally:
        connections[TARGET].close()
        del connections[TARGET], connections.settings[TARGET]


def make_tables(url: str) -> None:
    """By a process that knows no other database, as if the site started there."""
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    environment = os.environ | {"DATABASE_URL": url}
    made = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    if made.returncode:
        last = made.stderr.strip().splitlines()[-1:]
        raise CommandError(f"The tables can't be made: {' '.join(last)}")

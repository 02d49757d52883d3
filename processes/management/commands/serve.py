import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from taskqueue.management.helpful import HelpfulCommand

from ...data_folder import DataFolderError
from ...embedded_redis import EmbeddedRedisError
from ...roles import ROLES, UnknownRole, parse_roles
from ...serve import ServeError, serve


class Command(HelpfulCommand):
    help = (
        "Serve the whole site: Redis (when REDIS_URL is not set), migrations, static files, "
        "pages on PORT, streams on STREAM_PORT and a worker. Ctrl-C stops all of them; on "
        "SIGUSR2 they load the code of now, without a failed request."
    )
    examples = (
        "manage.py serve                                   on ports 8000 and 8001",
        "PORT=9000 STREAM_PORT=9001 manage.py serve        on others",
        "manage.py serve --only web,worker                 the rest runs elsewhere",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--only",
            default=",".join(ROLES),
            metavar="ROLES",
            help=f"some of {','.join(ROLES)} (default: all); the other roles run elsewhere",
        )

    def handle(self, *args: Any, only: str, **options: Any) -> None:
        try:
            serve(parse_roles(only))
        except (UnknownRole, ServeError, DataFolderError, EmbeddedRedisError) as error:
            sys.exit(f"error: {error}")
        except OSError as error:
            where = f"the data folder {settings.DATA_DIR}"
            sys.exit(f"error: {where} can't be used ({error}): is its disk full?")

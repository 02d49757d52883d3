import sys
from typing import Any

from taskqueue.management.helpful import HelpfulCommand

from ...serve import ServeError, prepare


class Command(HelpfulCommand):
    help = (
        "What `serve` does before it starts processes: check Redis, migrate, check SECRET_KEY, "
        "set what roles may do, and collect static files. For new code that a running site is to "
        "reload."
    )
    examples = ("manage.py prepare && kill -USR2 …    with the id of `serve`: load new code",)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            prepare()
        except ServeError as error:
            sys.exit(f"error: {error}")

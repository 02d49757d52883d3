import sys
from typing import Any

from taskqueue.management.helpful import HelpfulCommand

from ...serve import ServeError, prepare


class Command(HelpfulCommand):
    help = (
        "What `serve` does before it starts processes: check Redis, migrate, check SECRET_KEY and "
        "collect static files. `serve` runs it by itself, also before it replaces its processes."
    )
    examples = ("manage.py prepare    to see whether a start would work",)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            prepare()
        except ServeError as error:
            sys.exit(f"error: {error}")

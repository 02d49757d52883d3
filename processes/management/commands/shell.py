from typing import Any

from django.core.management.commands import shell

from ... import embedded_redis


class Command(shell.Command):
    """Django's, with Redis even while the site is down."""

    def handle(self, **options: Any) -> None:
        with embedded_redis.available():
            super().handle(**options)

import json
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser
from redis.exceptions import RedisError

from ... import outbox
from ...backend import get_backend
from ...stats import QueueStats, queue_stats
from ..helpful import HelpfulCommand

COLUMNS = ("queue", "ready", "delayed", "running", "failed", "oldest", "per minute")


class Command(HelpfulCommand):
    help = "Show what the task queues hold and how fast they empty."
    examples = (
        "manage.py queue_stats            once, as a table",
        "manage.py queue_stats --watch    every second, until Ctrl-C",
        "manage.py queue_stats --json     for a monitor",
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="for machines")
        parser.add_argument("--watch", action="store_true", help="again every second")
        parser.add_argument("--backend", default="default", help="alias in TASKS")

    def handle(self, *, as_json: bool, watch: bool, backend: str, **options: Any) -> None:
        show = self.show_json if as_json else self.show_table
        redis_backend = get_backend(backend)
        try:
            show(redis_backend.all_shards())
            while watch:
                time.sleep(1)
                show(redis_backend.all_shards())
        except RedisError as error:
            raise CommandError(f"Redis does not answer ({error}): is the site running?") from error
        except KeyboardInterrupt:
            pass

    def show_json(self, names: list[str]) -> None:
        queues = [asdict(queue_stats(name)) for name in names]
        self.stdout.write(json.dumps({"queues": queues, "outbox": outbox.waiting()}))

    def show_table(self, names: list[str]) -> None:
        rows = [COLUMNS, *(cells(queue_stats(name)) for name in names)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for first, *others in rows:
            padded = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            self.stdout.write("  ".join([first.ljust(widths[0]), *padded]))
        if waiting := outbox.waiting():
            self.stdout.write(f"and {waiting} in the outbox")


def cells(stats: QueueStats) -> tuple[str, ...]:
    sizes = (stats.ready, stats.delayed, stats.running, stats.failed)
    oldest = "-" if stats.oldest_seconds is None else f"{stats.oldest_seconds:.1f} s"
    return stats.queue, *map(str, sizes), oldest, f"{stats.per_minute:g}"

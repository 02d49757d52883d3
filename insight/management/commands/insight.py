import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast, get_args

from django.core.management.base import CommandError, CommandParser
from redis.exceptions import RedisError

from taskqueue.management.helpful import HelpfulCommand

from ... import selectors
from ...figures import FIGURES, TimingKind
from ...log.message import SEVERITIES
from ...log.selectors import most_frequent
from ...precisions import HOUR, MINUTE

TIMINGS = ("what", "name", "times", "mean ms", "p50", "p95", "p99", "most")
LOGGED = ("severity", "times", "logger", "message", "last error")
MOST_ROWS = 8


class Command(HelpfulCommand):
    help = "Show what the site has done in the last hours, and how long it took."
    examples = (
        "manage.py insight                  the last hour, as a table",
        "manage.py insight --hours 24       the last day",
        "manage.py insight --only page,sql  how long these took, all of them",
        "manage.py insight --logs           what was logged, the most frequent messages first",
        "manage.py insight --json           for a monitor",
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--hours", type=int, default=1, help="1 to 48 (default: 1)")
        parser.add_argument("--only", default="", help=f"of {', '.join(get_args(TimingKind))}")
        parser.add_argument("--logs", action="store_true", help="what all processes have logged")
        parser.add_argument("--json", action="store_true", dest="as_json", help="for machines")

    def handle(self, *, hours: int, only: str, logs: bool, as_json: bool, **options: Any) -> None:
        if not 1 <= hours <= 48:
            raise CommandError(f"--hours must be from 1 to 48, got {hours}")
        kinds = checked_kinds(only)
        try:
            if logs:
                self._show_logs(logged(hours), hours=hours, as_json=as_json)
                return
            counted = {} if only else figures_of(hours)
            timed = {kind: selectors.timings(kind, hours=hours) for kind in kinds}
        except RedisError as error:
            raise CommandError(f"Redis does not answer ({error}): is the site running?") from error
        if as_json:
            by_kind = {kind: [asdict(it) for it in found] for kind, found in timed.items()}
            self.stdout.write(json.dumps({"hours": hours, "figures": counted, "timings": by_kind}))
            return
        self._show_figures(counted)
        self._show_timings(timed, most=None if only else MOST_ROWS)

    def _show_logs(self, rows: Sequence[tuple[str, ...]], *, hours: int, as_json: bool) -> None:
        if as_json:
            named = [dict(zip(LOGGED, row, strict=True)) for row in rows]
            self.stdout.write(json.dumps({"hours": hours, "logs": named}))
        elif rows:
            self._show_table([LOGGED, *rows], right={1})
        else:
            self.stdout.write("nothing was logged: is the site running, and INSIGHT not 0?")

    def _show_figures(self, counted: dict[str, int]) -> None:
        names = [name for name, value in counted.items() if value]
        rows = [(name, f"{counted[name]:,}", FIGURES[name.split()[0]].about) for name in names]
        self._show_table(rows, right={1})
        if counted and not names:
            self.stdout.write("nothing was counted: is the site running, and INSIGHT not 0?")

    def _show_timings(
        self, timed: dict[TimingKind, list[selectors.Timing]], *, most: int | None
    ) -> None:
        rows = [
            (kind, it.name, f"{it.count:,}", *(f"{ms:,.2f}" for ms in _milliseconds(it)))
            for kind, found in timed.items()
            for it in found[:most]
        ]
        if rows:
            self.stdout.write("")
            self._show_table([TIMINGS, *rows], right=set(range(2, len(TIMINGS))))

    def _show_table(self, rows: Sequence[tuple[str, ...]], *, right: set[int]) -> None:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            self.stdout.write("  ".join(_padded(row, widths, right)).rstrip())


def checked_kinds(only: str) -> list[TimingKind]:
    known = get_args(TimingKind)
    wanted = [it.strip() for it in only.split(",") if it.strip()] or list(known)
    if unknown := set(wanted) - set(known):
        raise CommandError(f"--only takes some of {', '.join(known)}, got {sorted(unknown)}")
    return [cast("TimingKind", it) for it in wanted]


def figures_of(hours: int) -> dict[str, int]:
    """By name, and label where there are few. Up to now, in minutes."""
    until = int(time.time()) + 1
    since = until - hours * HOUR
    wanted = [(name, label) for name, it in FIGURES.items() for label in it.labels or ("",)]
    wanted = [(name, label) for name, label in wanted if FIGURES[name].labels is not None]
    return {
        f"{name} {label}".strip(): selectors.total(
            name, "1 min", since - since % MINUTE, until, label=label
        )
        for name, label in wanted
    }


def logged(hours: int) -> list[tuple[str, ...]]:
    """The gravest first, and of each severity the most frequent."""
    return [
        (
            severity,
            f"{it.times:,}",
            it.message.logger,
            _in_a_line(it.message.template),
            _in_a_line(it.message.error),
        )
        for severity in SEVERITIES
        for it in most_frequent(severity, hours=hours)
    ]


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _padded(row: Iterable[str], widths: Sequence[int], right: set[int]) -> Iterable[str]:
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if place in right else cell.ljust(width)


def _milliseconds(it: selectors.Timing) -> tuple[float, ...]:
    return it.mean, it.p50, it.p95, it.p99, it.most

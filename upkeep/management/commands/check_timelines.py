import sys
from argparse import ArgumentTypeError
from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from processes import embedded_redis
from taskqueue.management.helpful import HelpfulCommand
from web.plain_text import printable

from ...checking import differences

REPORTED = ("users", "statuses", "lists")


class Command(HelpfulCommand):
    help = (
        "Compare everything that Redis serves with what SQL records, and look for what Redis still "
        "has and SQL does not. Prints each difference; exit code 1 if there is any."
    )
    examples = (
        "manage.py check_timelines                          compare everything",
        "manage.py check_timelines --sample 500 --repair    some of it, and repair that",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="repair the differences")
        parser.add_argument(
            "--sample",
            type=positive,
            metavar="N",
            help="look at N users, statuses and lists each, chosen at random, instead of all; keys "
            "that belong to nothing are not looked for",
        )

    def handle(self, *, repair: bool, sample: int | None, **options: Any) -> None:
        checked: Counter[str] = Counter()
        with embedded_redis.available():
            found = 0
            for difference in differences(sample, checked):
                found += 1
                self.stdout.write(printable(str(difference)))
                if repair:
                    difference.repair()
        looked_at = ", ".join(f"{checked[name]:,} {name}" for name in REPORTED)
        if found and not repair:
            self.stderr.write(f"{looked_at}: {found} differences; --repair corrects them")
            sys.exit(1)
        outcome = f"{found} differences repaired" if found else "Redis agrees with SQL"
        self.stdout.write(f"{looked_at}: {outcome}")


def positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise ArgumentTypeError(f"must be a number of at least 1, got {text!r}")
    return number

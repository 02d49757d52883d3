import sys
import time
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from socialsite import embedded_redis
from statuses.models import Status
from users.models import User
from web.plain_text import printable

from ...checking import Difference, check_statuses, check_suspended, check_user

STATUSES_AT_ONCE = 500
# A write that is just on its way from SQL to Redis is no difference.
PATIENCE_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Compare what Redis serves with what SQL records: homes, profiles, follower sets, lists, "
        "counters, hashes. Prints each difference; exit code 1 if there is any.\n\n"
        "Examples: `manage.py check_timelines`, `manage.py check_timelines --sample 500 --repair`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="put right what differs")
        parser.add_argument(
            "--sample",
            type=positive,
            metavar="N",
            help="look at N users and N statuses, chosen at random, instead of all",
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
        looked_at = f"{checked['users']:,} users, {checked['statuses']:,} statuses"
        if found and not repair:
            self.stderr.write(f"{looked_at}: {found} differences; --repair puts them right")
            sys.exit(1)
        outcome = f"{found} differences repaired" if found else "Redis agrees with SQL"
        self.stdout.write(f"{looked_at}: {outcome}")


def positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise ArgumentTypeError(f"must be a number from 1 on, got {text!r}")
    return number


def differences(sample: int | None, checked: Counter[str]) -> Iterator[Difference]:
    users = User.objects.order_by("?")[:sample] if sample else User.objects.order_by("pk")
    for user in tqdm(users.iterator(), total=users.count(), desc="users", disable=None):
        checked["users"] += 1
        if any(check_user(user)):
            time.sleep(PATIENCE_SECONDS)
            for again in User.objects.filter(pk=user.pk):
                yield from check_user(again)
    if any(check_suspended()):
        time.sleep(PATIENCE_SECONDS)
        yield from check_suspended()
    statuses = Status.objects.order_by("?")[:sample] if sample else Status.objects.order_by("pk")
    ids = statuses.values_list("pk", flat=True)
    for some in _some(tqdm(ids.iterator(), total=ids.count(), desc="statuses", disable=None)):
        checked["statuses"] += len(some)
        yield from check_statuses(some)


def _some(ids: Iterable[int]) -> Iterator[list[int]]:
    part: list[int] = []
    for status_id in ids:
        part.append(status_id)
        if len(part) == STATUSES_AT_ONCE:
            yield part
            part = []
    if part:
        yield part

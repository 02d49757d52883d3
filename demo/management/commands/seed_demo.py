from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from processes import embedded_redis
from processes.data_folder import DataFolderError
from processes.embedded_redis import EmbeddedRedisError
from processes.serve import ServeError, migrate
from taskqueue.management.helpful import HelpfulCommand

from ... import serving_copies, writing
from ...community import Sizes, imagine
from ...people import GUEST, PASSWORD

DEFAULTS = Sizes()
MAX_USERS, MAX_STATUSES, MAX_DAYS = 20_000, 1_000_000, 365

ALREADY_THERE = f"The community is there already: there is an account {GUEST}."


class Command(HelpfulCommand):
    help = (
        "Fill the site with a made-up community: people, who follows whom, what they said in "
        "recent weeks, and who answered, liked and boosted it. The same seed makes the same "
        "community. Works while the site runs and while it does not; a second run changes nothing."
    )
    examples = (
        "manage.py seed_demo                                   a community of 200 people",
        "manage.py seed_demo --users 2000 --statuses 100000    a town",
        "manage.py seed_demo --seed 7                          other people",
    )
    afterword = (
        "All accounts have the password that is printed at the end. Don't seed a site that others "
        "can reach."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        for option, default, meaning in (
            ("--users", DEFAULTS.users, "people"),
            ("--statuses", DEFAULTS.statuses, "statuses by all of them together, without boosts"),
            ("--days", DEFAULTS.days, "how many days back the statuses reach"),
            ("--seed", DEFAULTS.seed, "another number makes another community"),
        ):
            text = f"{meaning} (default: {default})"
            parser.add_argument(option, type=int, default=default, metavar="N", help=text)

    def handle(self, *, users: int, statuses: int, days: int, seed: int, **options: Any) -> None:
        check_range("--users", users, 2, MAX_USERS)
        check_range("--statuses", statuses, 0, MAX_STATUSES)
        check_range("--days", days, 1, MAX_DAYS)
        try:
            # Migrating needs it, too: a lock keeps other hosts from doing it at the same time.
            with embedded_redis.available():
                migrate()
                if writing.is_there():
                    self.stdout.write(ALREADY_THERE)
                else:
                    seed_community(Sizes(users, statuses, days, seed))
        except (ServeError, DataFolderError, EmbeddedRedisError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f'Log in as {GUEST}, with the password "{PASSWORD}".')


def check_range(option: str, value: int, lowest: int, highest: int) -> None:
    if not lowest <= value <= highest:
        raise CommandError(f"{option} must be from {lowest} to {highest}, got {value}")


def seed_community(sizes: Sizes) -> None:
    community = imagine(sizes)
    if taken := writing.taken_names(community):
        raise CommandError(
            f"Other accounts have the names {', '.join(taken[:5])}: choose another --seed, or "
            "seed a separate site, as `make demo` does"
        )
    now = timezone.now()
    show_progress("SQL", writing.Record(community, now=now))
    show_progress("Redis", serving_copies.ServingCopy(community, now=now))


def show_progress(where: str, work: writing.Record | serving_copies.ServingCopy) -> None:
    with tqdm(total=len(work), desc=f"{where:>9}", unit=" rows", disable=None) as bar:
        for done in work:
            bar.update(done)

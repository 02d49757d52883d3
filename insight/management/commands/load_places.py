from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from redis.exceptions import RedisError
from tqdm import tqdm

from processes import embedded_redis
from taskqueue.management.helpful import HelpfulCommand

from ...places.files import FileError
from ...places.loading import load_file
from ...places.members import are_noted


class Command(HelpfulCommand):
    help = (
        "Load the file that says in which country and city an address is: a database in MaxMind's "
        "format (.mmdb), or CSV with a range in each line: first and last address, code of the "
        "country, and, if you like, region and city. All of it is checked first: a file with a "
        "mistake changes nothing. Then it takes the place of the one before at once, also while "
        "the site runs; what was noted keeps its meaning. Stopped midway, run it again."
    )
    examples = (
        "manage.py load_places GeoLite2-City.mmdb",
        "manage.py load_places ranges.csv    192.0.2.0,192.0.2.255,DE,Berlin,Berlin",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file, unpacked")

    def handle(self, *, file: Path, **options: Any) -> None:
        watch = partial(tqdm, desc="ranges", unit=" ranges", unit_scale=True, disable=None)
        try:
            with embedded_redis.available():
                loaded = load_file(file, watch=watch)
                is_on = are_noted()
        except FileError as error:
            raise CommandError(f"{file}: {error}. Nothing was changed") from error
        except RedisError as error:
            raise CommandError(
                f"The file is in SQL, but Redis does not answer ({error}): workers load it there "
                "within a minute after it is back"
            ) from error
        self.stdout.write(f"{loaded.ranges:,} ranges of addresses are loaded")
        if not is_on:
            self.stdout.write("places are not noted yet: an administrator can switch them on")

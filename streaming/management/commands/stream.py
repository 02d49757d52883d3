import os
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from taskqueue.management.helpful import HelpfulCommand

from ...terminal import StreamError, messages, show

HOW_TO_GET_A_TOKEN = "Give --token or set STREAM_TOKEN: `manage.py access_token USERNAME` makes one"  # noqa: S105


class Command(HelpfulCommand):
    help = "Print a stream as it comes; without --track, --follow or --locations, a sample."
    examples = (
        "manage.py stream --track coffee,tea         posts with either word",
        "manage.py stream --follow alice --token …   what alice posts",
        "manage.py stream --percent 10               a tenth of all posts",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--track", default="", help="phrases: comma is or, space is and")
        parser.add_argument("--follow", default="", help="user names or ids, separated by commas")
        parser.add_argument("--locations", default="", help="sw_lon,sw_lat,ne_lon,ne_lat …")
        parser.add_argument("--percent", default="100", help="the size of a sample")
        token = os.environ.get("STREAM_TOKEN", "")
        parser.add_argument("--token", default=token, help="an access token, or STREAM_TOKEN")
        url = settings.STREAM_URL
        parser.add_argument("--url", default=url, help=f"where the streams are (default: {url})")

    def handle(self, *args: Any, token: str, url: str, percent: str, **options: Any) -> None:
        if not token:
            raise CommandError(HOW_TO_GET_A_TOKEN)
        asked = {name: options[name] for name in ("track", "follow", "locations")}
        name = "filter" if any(asked.values()) else "sample"
        parameters = asked if name == "filter" else {"percent": percent}
        try:
            for message in messages(url, f"/1.1/statuses/{name}.json", parameters, token):
                self.stdout.write(show(message, self.style))
                self.stdout.flush()
        except StreamError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stdout.write("")

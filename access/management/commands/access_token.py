from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from taskqueue.management.helpful import HelpfulCommand
from users.models import User
from users.selectors import by_username
from web.refusals import Refusal

from ...tokens import FIREHOSE, READ, create_token


class Command(HelpfulCommand):
    help = "Make an access token for a user and print it, once."
    examples = (
        "manage.py access_token alice                    to read as alice",
        "manage.py access_token alice --name 'my bot'    says what it is for",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="whom the token reads as")
        known = ",".join(settings.TOKEN_SCOPES)
        parser.add_argument("--scopes", default=READ, help=f"separated by commas: {known}")
        parser.add_argument("--name", default="command line", help="what the token is for")

    def handle(self, *args: Any, username: str, scopes: str, name: str, **options: Any) -> None:
        wanted = {scope.strip() for scope in scopes.split(",")}
        if unknown := wanted - settings.TOKEN_SCOPES.keys():
            raise CommandError(f"There is no scope {', '.join(sorted(unknown))}")
        try:
            user = by_username(username.removeprefix("@"))
            if FIREHOSE in wanted and not user.is_staff:
                raise CommandError(f"Only staff may have the firehose, and {user} is not")
            _, raw = create_token(user=user, name=name, scopes=wanted)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username}") from error
        except Refusal as error:
            raise CommandError(str(error)) from error
        self.stdout.write(raw)

from typing import Any

from django.core.management.base import CommandError, CommandParser

from taskqueue.management.helpful import HelpfulCommand
from users.models import User
from users.selectors import by_username

from ...moderators import make_moderator, remove_moderator


class Command(HelpfulCommand):
    help = "Make somebody a moderator, who closes reports in the admin and takes measures."
    examples = (
        "manage.py moderator alice             makes alice a moderator",
        "manage.py moderator alice --remove    undoes it",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="who")
        parser.add_argument("--remove", action="store_true", help="take the rights away again")

    def handle(self, *args: Any, username: str, remove: bool, **options: Any) -> None:
        try:
            user = by_username(username.removeprefix("@"))
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username}") from error
        changed = remove_moderator(user=user) if remove else make_moderator(user=user)
        state = "no longer a moderator" if remove else "a moderator"
        self.stdout.write(f"{user} is {state}{'' if changed else ', as before'}.")

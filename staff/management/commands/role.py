from typing import Any

from django.core.management.base import CommandError, CommandParser

from taskqueue.management.helpful import HelpfulCommand
from users.models import User
from users.selectors import by_username

from ...roles import Role
from ...services import give_role, take_role


class Command(HelpfulCommand):
    help = (
        "Give somebody a role, or take it away: administrators may do everything, moderators close "
        "reports and take measures, support only looks."
    )
    examples = (
        "manage.py role alice moderator             makes alice a moderator",
        "manage.py role alice moderator --remove    undoes it",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="who")
        parser.add_argument("role", choices=Role.values, help=", ".join(Role.values))
        parser.add_argument("--remove", action="store_true", help="take the role away again")

    def handle(self, *args: Any, username: str, role: str, remove: bool, **options: Any) -> None:
        try:
            user = by_username(username.removeprefix("@"))
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username}") from error
        changed = (take_role if remove else give_role)(user=user, role=Role(role))
        state = f"{'no longer ' if remove else ''}{Role(role).in_a_sentence}"
        self.stdout.write(f"{user} is {state}{'' if changed else ', as before'}.")

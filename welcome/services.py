"""What the first steps write."""

from collections.abc import Collection

from timelines.services import follow_tag
from users.models import User
from web.refusals import Refusal


def follow_tags(*, user: User, names: Collection[str]) -> int:
    """How many are new. Stops at the most that an account may follow. Raises AccountGone."""
    new = 0
    for name in names:
        try:
            new += follow_tag(user=user, name=name)
        except Refusal:
            break
    return new


def dismiss(*, user: User) -> None:
    """The home reminds them no more. Doing it twice changes nothing."""
    User.objects.filter(pk=user.pk).update(first_steps_dismissed=True)

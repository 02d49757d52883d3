"""What the first steps write."""

from collections.abc import Collection

from django.core.exceptions import ValidationError

from timelines.services import follow_tag
from users.models import User


def follow_tags(*, user: User, names: Collection[str]) -> int:
    """How many are new. Stops at the most that an account may follow. Raises AccountGone."""
    new = 0
    for name in names:
        try:
            new += follow_tag(user=user, name=name)
        except ValidationError:
            break
    return new


def dismiss(*, user: User) -> None:
    """The home reminds them no more. Doing it twice changes nothing."""
    User.objects.filter(pk=user.pk).update(first_steps_dismissed=True)

"""What the first steps write."""

from users.models import User


def dismiss(*, user: User) -> None:
    """The home reminds them no more. Doing it twice changes nothing."""
    User.objects.filter(pk=user.pk).update(first_steps_dismissed=True)

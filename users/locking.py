"""The row of an account as the lock for what belongs to it."""

from .models import AccountGone, User


def lock_account(user: User) -> None:
    """Inside a transaction: until it ends, nobody else changes or deletes what the account has, so
    a limit that is checked now still holds at the commit. Raises AccountGone.
    """
    if not User.objects.select_for_update(no_key=True).filter(pk=user.pk).first():
        raise AccountGone

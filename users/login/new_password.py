"""A new password ends everything that was opened with the old one."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction


class EndsAccess(AbstractBaseUser):
    """Here and not in a view: passwords are set by pages, the admin and commands.

    Sessions end anyway: Django ties them to the password.
    """

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        is_set = getattr(self, "_password", None) is not None  # Django's, until it is saved
        if not is_set or self._state.adding:
            super().save(*args, **kwargs)
            return
        # Imported late: these import the model that this is a base of.
        from access.tasks import end_access
        from taskqueue.outbox import run_on_commit

        with transaction.atomic():
            super().save(*args, **kwargs)
            run_on_commit(end_access, self.pk, "The password was changed.")

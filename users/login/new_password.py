"""A new password ends everything that was opened with the old one."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction


class EndsAccess(AbstractBaseUser):
    """On the model and not in a view: passwords are set by pages, the admin and commands.

    The session that sets it begins again with a new key: Django's `update_session_auth_hash`.
    """

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        is_set = getattr(self, "_password", None) is not None  # Django's, until it is saved
        if not is_set or self._state.adding:
            super().save(*args, **kwargs)
            return
        # Imported late: these import the model that this is a base of.
        from ..events import password_changed
        from ..models import EmailChange, Session
        from .session_rows import end

        with transaction.atomic():
            super().save(*args, **kwargs)
            end(Session.objects.filter(user=self.pk), reason="The password was changed.")
            # Somebody who knew the old one may have asked for it.
            EmailChange.objects.filter(user=self.pk).delete()
            password_changed(self.pk)

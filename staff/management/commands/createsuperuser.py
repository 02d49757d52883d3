from typing import Any

from django.conf import settings
from django.contrib.auth.management.commands import createsuperuser
from django.db.models import Max
from django.urls import reverse

from users.models import User

from ... import audit
from ...models import Action
from ...roles import Role
from ...services import close_first_link


class Command(createsuperuser.Command):
    """Django's, with an entry in the audit log, and a word on what comes next."""

    def handle(self, *args: Any, **options: Any) -> None:
        newest = User.objects.aggregate(it=Max("pk"))["it"] or 0
        super().handle(*args, **options)
        close_first_link()
        for user in User.objects.filter(pk__gt=newest, is_superuser=True):
            change = audit.change("role", "", Role.ADMINISTRATOR)
            audit.write(Action.ROLE, user, by=None, changes=[change])
        if options["verbosity"] >= 1:
            address = f"{settings.SITE_URL}{reverse('admin:index')}"
            self.stdout.write(f"Log in at {address} while the site runs (make run).")

from typing import Any

from django.conf import settings
from django.contrib.auth.management.commands import createsuperuser
from django.urls import reverse


class Command(createsuperuser.Command):
    """Django's, which does not say what comes next."""

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["verbosity"] >= 1:
            address = f"{settings.SITE_URL}{reverse('admin:index')}"
            self.stdout.write(f"Log in at {address} while the site runs (make run).")

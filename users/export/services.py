from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from taskqueue import start
from web.refusals import Refusal

from .. import tasks
from ..models import Export, User
from ..rows import lock_account
from ..throttling import throttled
from .making import remove_later

# One that has not moved for this long was given up.
GIVEN_UP_AFTER = timedelta(hours=1)


@throttled("export", by="user")
def ask_for_export(*, user: User) -> Export:
    """Replaces the last one. Raises Refusal while that is being made, and AccountGone."""
    with transaction.atomic():
        lock_account(user)
        last = export_of(user)
        if last is not None and is_under_way(last):
            raise Refusal(gettext("Your export is being made already."), code="busy", status=409)
        if last is not None:
            remove_later(last)
        export = Export.objects.create(user=user)
        start.on_commit(tasks.make_export, export.pk)
    return export


def export_of(user: User) -> Export | None:
    return Export.objects.filter(user=user).first()


def is_under_way(export: Export) -> bool:
    return not export.file and timezone.now() - export.moved_at < GIVEN_UP_AFTER


def is_ready(export: Export) -> bool:
    return export.expires_at is not None and export.expires_at > timezone.now()

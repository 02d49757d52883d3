"""Makes exports and removes them again. Only their owner gets a file, through `views.py`."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryFile

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.utils import timezone

from redistools.client import get_client
from redistools.lock import LockNotAcquired, lock
from taskqueue.at_most import at_most
from taskqueue.exceptions import PutOff

from ..models import Export
from . import archive

# Over all workers; fewer than a worker has lanes, so that urgent tasks never queue up behind them.
AT_ONCE = 2
# Longer than a few hundred rows take.
LEASE_SECONDS = 60.0
WAIT_SECONDS = 0.1
KEPT = timedelta(days=1)
# A file whose row is about to be written is not yet forsaken.
YOUNG = timedelta(hours=1)


def storage() -> Storage:
    return storages["exports"]


def make(export_id: int) -> int | None:
    """Returns whose it is, once it is ready; None if there is nothing to make. Raises PutOff."""
    export = Export.objects.select_related("user").filter(pk=export_id, file="").first()
    if export is None:
        return None
    name = f"export of {export.user_id}"
    try:
        with (
            at_most(AT_ONCE, "exports", lease=LEASE_SECONDS) as place,
            lock(get_client(), name, timeout=LEASE_SECONDS, wait=WAIT_SECONDS) as held,
        ):

            def alive() -> None:
                place.refresh()
                held.extend()

            return _make(export, alive)
    except LockNotAcquired as error:
        raise PutOff(str(error)) from error


def _make(export: Export, alive: Callable[[], None]) -> int | None:
    with TemporaryFile(dir=settings.DATA_DIR) as file:
        archive.write(file, export.user, part_done=partial(_note, export), alive=alive)
        size = file.tell()
        file.seek(0)
        name = storage().save(f"{export.user_id}-{secrets.token_hex(16)}.zip", File(file))
    ready = {"file": name, "size": size, "expires_at": timezone.now() + KEPT}
    if Export.objects.filter(pk=export.pk, file="").update(**ready):
        return export.user_id
    storage().delete(name)  # the account is gone, or the same task has run twice
    return None


def _note(export: Export, parts_done: int) -> None:
    row = Export.objects.filter(pk=export.pk, file="")
    row.update(parts_done=parts_done, moved_at=timezone.now())


def remove_later(export: Export) -> None:
    Export.objects.filter(pk=export.pk).delete()
    if export.file:
        transaction.on_commit(partial(storage().delete, export.file))


def remove_old(now: datetime) -> None:
    for export in Export.objects.filter(expires_at__lte=now):
        storage().delete(export.file)
        Export.objects.filter(pk=export.pk).delete()
    for name in _files():
        is_young = now - storage().get_modified_time(name) < YOUNG
        if not is_young and not Export.objects.filter(file=name).exists():
            storage().delete(name)


def _files() -> list[str]:
    try:
        return storage().listdir("")[1]
    except FileNotFoundError:  # nobody has exported anything yet
        return []

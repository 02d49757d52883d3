"""Writing statuses: SQL first; the serving copy and the fan-out follow after its commit."""

from math import isfinite

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction

from redistools.client import get_client
from taskqueue.outbox import run_on_commit
from timelines import tasks
from users.counting import change_counter
from users.models import AccountGone, User

from . import text as texts
from .models import Status, status_ids
from .rows import insert_status
from .selectors import ONLY_AUTHOR_OR_MODERATOR, may_delete


def post_status(
    *,
    author: User,
    text: str,
    language: str = "",
    latitude: float | None = None,
    longitude: float | None = None,
    idempotency_key: str | None = None,
) -> Status:
    """The same idempotency key gives the same status, posted once.

    Raises ValidationError and AccountGone.
    """
    status = Status(
        author=author,
        text=texts.clean(text),
        language=language,
        latitude=latitude,
        longitude=longitude,
        idempotency_key=idempotency_key or None,
    )
    _validate(status)
    try:
        return _save(status, status_ids.next(get_client()))
    except IntegrityError:
        # A double click was first, or Redis lost its memory and made the same id again.
        return _posted_before(status) or _save(status, status_ids.next(get_client(), ask_sql=True))


def delete_status(*, status: Status, by: User) -> bool:
    """True if this call deleted it. Raises PermissionDenied.

    Even without a row, Redis may still have the status, if it lost the first deletion: so it is
    retracted in any case.
    """
    if not may_delete(by, author_id=status.author_id):
        raise PermissionDenied(ONLY_AUTHOR_OR_MODERATOR)
    with transaction.atomic():
        deleted, _ = Status.objects.filter(pk=status.pk).delete()
        if deleted:
            change_counter(status.author_id, "statuses_count", -1)
        run_on_commit(tasks.retract, status.pk, status.author_id)
    return bool(deleted)


def retract_deleted(*, status_id: int, author_id: int) -> None:
    """Take a status without a row out of Redis; does nothing if there is a row."""
    with transaction.atomic():
        if not Status.objects.filter(pk=status_id).exists():
            run_on_commit(tasks.retract, status_id, author_id)


def _validate(status: Status) -> None:
    status.clean_fields(exclude={"id", "author", "created_at"})
    coordinates = [value for value in (status.latitude, status.longitude) if value is not None]
    # NaN is neither below nor above any bound, so the field's own validators let it pass.
    if len(coordinates) == 1 or not all(map(isfinite, coordinates)):
        raise ValidationError("Give both latitude (±90) and longitude (±180), or none.")


def _posted_before(status: Status) -> Status | None:
    """The status that an earlier click on the same form posted."""
    if status.idempotency_key is None:
        return None
    return Status.objects.filter(
        author_id=status.author_id, idempotency_key=status.idempotency_key
    ).first()


def _save(status: Status, status_id: int) -> Status:
    status.id = status_id
    with transaction.atomic():
        if not change_counter(status.author_id, "statuses_count", +1):
            raise AccountGone
        insert_status(status)
        run_on_commit(tasks.publish, status.pk, status.author_id)
    return status

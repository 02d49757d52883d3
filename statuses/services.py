"""Writing statuses: SQL first; the serving copy and the fan-out follow after its commit."""

from datetime import datetime, timedelta
from functools import partial
from math import isfinite

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from configuration.current import site
from redistools.client import get_client
from taskqueue import start
from users.audience import Reach
from users.events import about_to_publish
from users.models import AccountGone, User
from users.rows import change_counter
from users.selectors import refuse_unconfirmed
from users.services import remember_posting_language
from users.throttling import throttled
from web.refusals import Refusal

from . import tasks
from .models import Status, StatusVersion, status_ids
from .parts import read_parts
from .publication.events import deleted_by_others
from .publication.publish import publish
from .reading.history import MOST_VERSIONS, may_still_be_edited
from .removing.removal import remove_row
from .rows import StatusRow, change_count, insert_status
from .selectors import ONLY_AUTHOR_OR_MODERATOR, may_delete, status_to_answer
from .stored import StoredStatus
from .visibility.predicate import usual_visibility
from .words import text as texts


@throttled("post", by="author")
def post_status(
    *,
    author: User,
    text: str,
    warning: str = "",
    language: str = "",
    visibility: int | None = None,
    reply_to: int | None = None,
    guessed_language: str = "",
    latitude: float | None = None,
    longitude: float | None = None,
    idempotency_key: str | None = None,
) -> Status:
    """Posts once for an idempotency key. `reply_to` is the id of a status that the author may see.

    The `visibility` defaults to the author's usual one, but no wider than that of the status
    answered. A chosen `language` becomes the author's usual one, which is the default, or else the
    guessed one. Raises Refusal, ValidationError and AccountGone.
    """
    parent = status_to_answer(reply_to, by=author) if reply_to else None
    status = Status(
        author=author,
        text=texts.clean(text),
        warning=warning.strip(),
        language=language or author.posting_language or guessed_language,
        visibility=_chosen(visibility, author, parent),
        latitude=latitude,
        longitude=longitude,
        idempotency_key=idempotency_key or None,
    )
    if parent:
        _answer(status, parent)
    refuse_unconfirmed(author)
    _validate(status)
    about_to_publish(author, f"{status.warning} {status.text}")
    posted = _posted(status)
    if language:
        remember_posting_language(user=author, language=language)
    return posted


def _posted(status: Status) -> Status:
    try:
        return _save(status, status_ids.next(get_client()))
    except IntegrityError:
        # A double click was first, or Redis lost its memory and made the same id again.
        return _posted_before(status) or _save(status, status_ids.next(get_client(), ask_sql=True))


@throttled("edit", by="by")
def edit_status(*, status: Status, by: User, text: str, warning: str = "") -> bool:
    """Only its author may, and only for a while. Returns False if nothing changed. Raises Refusal
    and ValidationError.
    """
    text, warning = texts.clean(text), warning.strip()
    about_to_publish(by, f"{warning} {text}")
    with transaction.atomic():
        row = Status.objects.select_for_update(no_key=True).filter(pk=status.pk).first()
        if row is None:
            raise Refusal(gettext("This post has been deleted."), code="gone")
        refuse_edit(row, by=by)
        if (row.text, row.warning) == (text, warning):
            return False
        _keep_version(row)
        row.text, row.warning = text, warning
        row.edited_at = row.changed_at = _moment_after(row)
        edited = StatusVersion.EDITED
        row.clean_fields(exclude={it.name for it in row._meta.fields} - {*edited})
        row.save(update_fields=[*edited, "edited_at", "changed_at"])
        start.run_on_commit(tasks.publish_edit, row.pk, row.author_id)
    return True


def _keep_version(row: Status) -> None:
    if StatusVersion.objects.filter(status=row).count() >= MOST_VERSIONS:
        raise Refusal(
            gettext("A post can be edited %(most)s times.") % {"most": MOST_VERSIONS}, code="limit"
        )
    StatusVersion.objects.create(
        status=row,
        **{name: getattr(row, name) for name in StatusVersion.EDITED},
        parts=read_parts([row])[0],
        written_at=row.edited_at or row.created_at,
    )


def _moment_after(row: Status) -> datetime:
    """At least a millisecond after the last change, which tells the versions apart."""
    earliest = (row.changed_at or row.created_at) + timedelta(milliseconds=1)
    return max(timezone.now(), earliest)


def refuse_edit(status: Status, *, by: User) -> None:
    if status.author_id != by.pk or status.boost_of_id is not None:
        raise Refusal(gettext("Only its author can edit a post."), code="not_yours", status=403)
    if not may_still_be_edited(status.created_at, timezone.now()):
        raise Refusal(_edit_limit(), code="too_late", status=403)


def _edit_limit() -> str:
    minutes = site().edit_minutes
    if not minutes:
        return gettext("Posts can't be edited on this site.")
    return ngettext(
        "A post can be edited for %(count)s minute; this one is older.",
        "A post can be edited for %(count)s minutes; this one is older.",
        minutes,
    ) % {"count": minutes}


@throttled("deletion", by="by")
def delete_status(*, status: Status, by: User) -> bool:
    """Returns True if this call deleted it. Raises Refusal.

    Even without a row, Redis may still have the status, if it lost the first deletion: so it is
    retracted in any case. Likes and boosts of it go later, in a task.
    """
    if not may_delete(by, author_id=status.author_id):
        raise Refusal(ONLY_AUTHOR_OR_MODERATOR, code="not_yours", status=403)
    with transaction.atomic():
        row = take_down(status=status)
        if row is not None and row.author_id != by.pk:
            deleted_by_others(row, by)
    return row is not None


def take_down(*, status: Status) -> Status | None:
    """`delete_status` for callers who have asked who may, and note it themselves."""
    with transaction.atomic():
        row = remove_row(author_id=status.author_id, pk=status.pk)
        counted_at = row.counted_at if row else None
        reach = row.reach if row else Reach.NOBODY
        start.run_on_commit(tasks.retract, status.pk, status.author_id, counted_at, reach)
    return row


def mark_sensitive(*, status: Status, is_sensitive: bool = True) -> bool:
    """Covers the status until a reader wants to see it, or shows it again. Returns False if nothing
    changed.
    """
    with transaction.atomic():
        rows = Status.objects.select_for_update(no_key=True).filter(pk=status.pk)
        row = rows.without_boosts().filter(is_sensitive=not is_sensitive).first()
        if row is None:
            return False
        row.is_sensitive, row.changed_at = is_sensitive, _moment_after(row)
        row.save(update_fields=["is_sensitive", "changed_at"])
        start.run_on_commit(tasks.publish_edit, row.pk, row.author_id)
    return True


def retract_deleted(*, status_id: int, author_id: int) -> None:
    with transaction.atomic():
        if not Status.objects.filter(pk=status_id).exists():
            start.run_on_commit(tasks.retract, status_id, author_id, None, Reach.NOBODY)


def _chosen(visibility: int | None, author: User, parent: StoredStatus | None) -> int:
    if visibility is not None:
        return visibility
    return usual_visibility(author, parent.visibility) if parent else usual_visibility(author)


def _answer(status: Status, parent: StoredStatus) -> None:
    status.reply_to_id = parent.id
    status.reply_to_author_id = parent.author_id
    status.thread_id = parent.thread or parent.id


def _validate(status: Status) -> None:
    # Not what it refers to: the first status of a thread may be gone, and asking costs queries.
    references = {field.name for field in status._meta.fields if field.is_relation}
    status.clean_fields(exclude={"id", "created_at"} | references)
    coordinates = [value for value in (status.latitude, status.longitude) if value is not None]
    # NaN is neither below nor above any bound, so the field's own validators let it pass.
    if len(coordinates) == 1 or not all(map(isfinite, coordinates)):
        raise ValidationError(gettext("Give both latitude (±90) and longitude (±180), or none."))


def _posted_before(status: Status) -> Status | None:
    if status.idempotency_key is None:
        return None
    return Status.objects.filter(
        author_id=status.author_id, idempotency_key=status.idempotency_key
    ).first()


def _save(status: Status, status_id: int) -> Status:
    status.id = status_id
    ids = status_id, status.author_id
    with transaction.atomic():
        author = change_counter(status.author_id, "statuses_count", +1)
        if not author:
            raise AccountGone
        row = insert_status(status)
        if not status.reply_to_id:
            known = StatusRow((*row, *author, None))
            start.do_on_commit(partial(publish, *ids, known=known), tasks.publish, *ids)
        elif change_count(status.reply_to_id, "replies_count", +1):
            start.run_on_commit(tasks.publish, *ids)
        else:
            raise Refusal(gettext("The post you reply to has been deleted."), code="gone")
    return status

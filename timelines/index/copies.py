"""The tags in statuses and the people they name, in Redis: by tag and by person."""

from collections.abc import Collection, Mapping
from functools import partial

from django.db import transaction
from django.db.models import Model

from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from redistools.writing_until_stable import write_until_stable
from statuses.models import Mention, Tagging
from statuses.rows import NEVER_CHANGED, version_of
from statuses.store import refresh_statuses
from statuses.stored import StoredStatus
from tags.models import Tag

from ..events import tags_changed
from . import mentions, tagged
from .indexing import Indexed, Pair, References, grouped, references_of, write_rows


def index(status: StoredStatus, *, again: bool) -> None:
    """Makes SQL and Redis know the tags and people of a status, as its text has them now. `again`:
    there may be others to remove.

    Redis comes after the commit, so a concurrent load of one of the sets finds the rows. One round
    trip, unless the status changes meanwhile. A status that is gone is taken out.
    """
    fail_if_away()
    write = partial(_write, status, again=again)
    known = None if again else NEVER_CHANGED
    write_until_stable(partial(version_of, status.id), write, known=known)


def _write(status: StoredStatus, _version: object, *, again: bool) -> None:
    indexed = _write_rows(status, again=again)
    batch = Batch(get_client())
    for it in indexed:
        _add_copies(batch, it)
        tags_changed(batch, it.tags | it.lost_tags)
    if not indexed:
        add_removals(batch, status.author_id, [status.id], [status])
    batch.run()
    # Somebody it names may have left, or taken another name, before the rows could say so.
    if any(it.status != status for it in indexed):
        refresh_statuses([status.id])


def _write_rows(status: StoredStatus, *, again: bool) -> list[Indexed]:
    with transaction.atomic():
        return write_rows([status.id], again=again)


def _add_copies(batch: Batch, indexed: Indexed) -> None:
    status_id, author_id = indexed.status.id, indexed.status.author_id
    for tag_id in indexed.tags:
        tagged.put(batch, tag_id, status_id)
    for tag_id in indexed.lost_tags:
        tagged.drop(batch, tag_id, [status_id])
    for user_id in indexed.people:
        mentions.put(batch, user_id, status_id)
        mentions.put_addressee(batch, author_id, user_id, status_id)
    for user_id in indexed.lost_people:
        mentions.drop(batch, user_id, [status_id])
    if indexed.lost_people:
        mentions.forget_addressees(batch, author_id)


def add_removals(
    batch: Batch, author_id: int, status_ids: Collection[int], known: Collection[StoredStatus]
) -> None:
    """Takes deleted statuses of one author out of the copies. Two queries, three if they had tags.

    Their rows still say where they are; or, where Redis has lost a deletion long ago, its own
    copies (`known`) do.
    """
    said = {stored.id: references_of(stored) for stored in known}
    named = [(user_id, id_) for id_, it in said.items() for user_id in it.people]
    by_tag = grouped([*_pairs(Tagging, "tag_id", status_ids), *_pairs_by_name(said)])
    by_user = grouped([*_pairs(Mention, "user_id", status_ids), *named])
    for tag_id, ids in by_tag.items():
        tagged.drop(batch, tag_id, ids)
    tags_changed(batch, by_tag.keys())
    for user_id, ids in by_user.items():
        mentions.drop(batch, user_id, ids)
    if by_user:
        mentions.forget_addressees(batch, author_id)


def _pairs(table: type[Model], column: str, status_ids: Collection[int]) -> list[Pair]:
    rows = table._default_manager.filter(status_id__in=status_ids)
    return list(rows.values_list(column, "status_id"))


def _pairs_by_name(said: Mapping[int, References]) -> list[Pair]:
    names = grouped((name, status_id) for status_id, it in said.items() for name in it.tags)
    ids = Tag.objects.filter(name__in=names).values_list("name", "pk") if names else []
    return [(tag_id, status_id) for name, tag_id in ids for status_id in names[name]]

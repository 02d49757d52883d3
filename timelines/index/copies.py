"""The tags in statuses and the people they name, in Redis: by tag and by person."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import NamedTuple

from django.db.models import Model

from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from redistools.settling import settle
from statuses.models import Mention, Status, Tag, Tagging
from statuses.store import read_statuses, refresh_statuses, render
from statuses.stored import StoredStatus

from . import mentions, tagged
from .indexing import Change, Pair, Said, grouped, said_by


class _Rows(NamedTuple):
    """What SQL says of a change now."""

    tags: frozenset[int]
    people: frozenset[int]
    newest: Mapping[int, int]
    """By person, the author's newest status about them."""


def refresh(change: Change) -> None:
    """Make Redis say what the rows say now, of the tags and people that have changed.

    One round trip, unless the status changes again meanwhile. A status that is gone is taken out.
    """
    fail_if_away()
    settle(partial(_read_rows, change), partial(_write_copies, change))


def _read_rows(change: Change) -> _Rows:
    if not Status.objects.filter(pk=change.status_id).exists():
        return _Rows(frozenset(), frozenset(), {})
    tags = Tagging.objects.filter(status_id=change.status_id, tag_id__in=change.tag_ids)
    people = Mention.objects.filter(status_id=change.status_id, user_id__in=change.user_ids)
    newest = mentions.newest_by_addressee(change.author_id).filter(user_id__in=change.user_ids)
    return _Rows(
        frozenset(tags.values_list("tag_id", flat=True)),
        frozenset(people.values_list("user_id", flat=True)),
        dict(newest),
    )


def _write_copies(change: Change, rows: _Rows) -> None:
    batch, status_id = Batch(get_client()), change.status_id
    for tag_id in change.tag_ids:
        if tag_id in rows.tags:
            tagged.put(batch, tag_id, status_id)
        else:
            tagged.drop(batch, tag_id, [status_id])
    for user_id in change.user_ids:
        if user_id in rows.people:
            # Without any, the status was deleted just now: then we look again.
            newest = rows.newest.get(user_id, status_id)
            mentions.put(batch, user_id, status_id)
            mentions.put_addressee(batch, change.author_id, user_id, newest)
        else:
            mentions.drop(batch, user_id, [status_id])
    if not rows.people.issuperset(change.user_ids):
        mentions.forget_addressees(batch, change.author_id)
    batch.run()


def correct_hash(status_id: int) -> None:
    """Write a status again if what it says of others is no longer true.

    Somebody it names may have left, or taken another name, before the rows could say that it has to
    be written again. Two queries and one round trip.
    """
    known = list(read_statuses([status_id]).values())
    if known and known != render(Status.objects.filter(pk=status_id).with_names()):
        refresh_statuses([status_id])


def add_removals(
    batch: Batch, author_id: int, status_ids: Collection[int], known: Collection[StoredStatus]
) -> None:
    """Take deleted statuses of one author out of the copies. Two queries, three if they had tags.

    Their rows still say where they are; or, where Redis has lost a deletion long ago, its own
    copies (`known`) do.
    """
    said = {stored.id: said_by(stored) for stored in known}
    named = [(user_id, id_) for id_, it in said.items() for user_id in it.people]
    by_tag = grouped([*_pairs(Tagging, "tag_id", status_ids), *_pairs_by_name(said)])
    by_user = grouped([*_pairs(Mention, "user_id", status_ids), *named])
    for tag_id, ids in by_tag.items():
        tagged.drop(batch, tag_id, ids)
    for user_id, ids in by_user.items():
        mentions.drop(batch, user_id, ids)
    if by_user:
        mentions.forget_addressees(batch, author_id)


def _pairs(table: type[Model], column: str, status_ids: Collection[int]) -> list[Pair]:
    """A tag or a user, and a status."""
    rows = table._default_manager.filter(status_id__in=status_ids)
    return list(rows.values_list(column, "status_id"))


def _pairs_by_name(said: Mapping[int, Said]) -> list[Pair]:
    names = grouped((name, status_id) for status_id, it in said.items() for name in it.tags)
    ids = Tag.objects.filter(name__in=names).values_list("name", "pk") if names else []
    return [(tag_id, status_id) for name, tag_id in ids for status_id in names[name]]

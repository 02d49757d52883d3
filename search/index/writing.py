"""Makes the index say what SQL says."""

from collections.abc import Collection, Mapping, Sequence

from django.db import transaction

from redistools.chunks import chunks
from statuses import store
from statuses.models import Status, StatusQuerySet
from statuses.rows import read_rows
from statuses.words.terms import Place
from users.audience import Visibility

from ..models import Entry
from .documents import document, flat
from .engine import engine
from .window import feeding as window

# Posts in one transaction: meanwhile, SQLite lets nobody else write.
AT_ONCE = 50


def findable(rows: StatusQuerySet) -> StatusQuerySet:
    """Public posts of people who want to be found. What moderators hide stays in the index, and is
    hidden when it is read: it may come back.
    """
    return rows.without_boosts().filter(
        visibility=Visibility.PUBLIC, author__is_private=False, author__posts_are_searchable=True
    )


def is_findable(status: Status) -> bool:
    author = status.author
    is_public = status.visibility == Visibility.PUBLIC and status.boost_of_id is None
    return is_public and author.posts_are_searchable and not author.is_private


def write(status_ids: Collection[int]) -> None:
    """Adds, replaces and removes entries, some in each transaction. Running it twice changes
    nothing. The rows are locked: an edit comes before, or is written by a later call.
    """
    for some in chunks(sorted(status_ids), AT_ONCE):
        with transaction.atomic():
            write_some(some)


def write_some(status_ids: Collection[int]) -> None:
    """Inside a transaction. Three queries if all is right, five if not; two round trips. The window
    comes first: what SQL has, it had before.
    """
    documents = _documents([row.status for row in read_rows(status_ids, lock=True)])
    right, held = _written(documents), _held(status_ids)
    window.put(
        window.post(it, flat(document), may_differ=right[it] != held.get(it))
        for it, document in documents.items()
    )
    window.hide([it for it in status_ids if it not in right])
    wrong = [it for it in status_ids if right.get(it) != held.get(it)]
    Entry.objects.filter(pk__in=[it for it in wrong if it in held]).delete()
    new = [Entry(id=it, terms=right[it]) for it in wrong if it in right]
    Entry.objects.bulk_create(new)


def wrong_among(rows: Sequence[Status]) -> list[Status]:
    """Those whose entry is not what they say. Three queries."""
    right, held = _written(_documents(rows)), _held([row.pk for row in rows])
    return [row for row in rows if right.get(row.pk) != held.get(row.pk)]


def _documents(rows: Sequence[Status]) -> dict[int, list[Place]]:
    found = store.render([row for row in rows if is_findable(row)])
    return {status.id: document(status) for status in found}


def _written(documents: Mapping[int, Sequence[Place]]) -> dict[int, str]:
    return {status_id: engine().written(it) for status_id, it in documents.items()}


def _held(status_ids: Collection[int]) -> dict[int, str]:
    return dict(Entry.objects.filter(pk__in=status_ids).values_list("pk", "terms"))

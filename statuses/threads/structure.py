"""Which status answers which: ids and parents from SQL, each query a few index ranges.

A deleted status that others had answered left a gap, which holds their thread together.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.db.models import Exists, Manager, OuterRef, Q

from users.models import User
from web.ready_sql import select

from ..models import Gap, Status

STATUSES, GAPS = (f'"{table._meta.db_table}"' for table in (Status, Gap))

# Both sides of the join are looked up by their primary keys.
ANCESTORS = f"""
    WITH RECURSIVE up(id, height) AS (
        SELECT CAST(%s AS bigint), 1
        UNION ALL
        SELECT COALESCE(status.reply_to_id, gap.reply_to_id), up.height + 1
        FROM up
        LEFT JOIN {STATUSES} status ON status.id = up.id
        LEFT JOIN {GAPS} gap ON gap.id = up.id
        WHERE up.height < %s AND COALESCE(status.reply_to_id, gap.reply_to_id) IS NOT NULL
    )
    SELECT up.id, EXISTS (SELECT 1 FROM {STATUSES} status WHERE status.id = up.id)
    FROM up ORDER BY up.height DESC
"""  # noqa: S608 - no input


def _replies_in(table: str, *, is_gap: bool) -> str:
    """One range of an index; SQLite takes a LIMIT within a UNION only in a subquery."""
    return f"""
    SELECT * FROM (
        SELECT reply.id, reply.reply_to_id, {int(is_gap)} AS is_gap, (
            EXISTS (SELECT 1 FROM {STATUSES} child WHERE child.reply_to_id = reply.id)
            OR EXISTS (SELECT 1 FROM {GAPS} child WHERE child.reply_to_id = reply.id)
        ) AS has_replies
        FROM {table} reply WHERE reply.reply_to_id = %s ORDER BY reply.id LIMIT %s
    ) AS some
    """  # noqa: S608 - no input


REPLIES = f"{_replies_in(STATUSES, is_gap=False)} UNION ALL {_replies_in(GAPS, is_gap=True)}"


class Ancestor(NamedTuple):
    id: int
    is_gap: bool


class Reply(NamedTuple):
    id: int
    parent_id: int
    is_gap: bool
    has_replies: bool


def ancestors_from(status_id: int, *, limit: int) -> list[Ancestor]:
    """This status and those above it, the topmost first. One query of `limit` steps.

    One that left neither a row nor a gap counts as a gap; nothing above it can be known.
    """
    rows = select(ANCESTORS, [status_id, limit])
    return [Ancestor(id_, is_gap=not is_there) for id_, is_there in rows]


def direct_replies(status_id: int, *, after: int, limit: int, viewer: User | None) -> list[Reply]:
    """The oldest replies with higher ids than `after`. Two queries.

    Replies that the viewer may not see are skipped, unless they were answered: a page is full where
    there is more. Gaps without replies are skipped too.
    """
    visible = Exists(Status.objects.filter(pk=OuterRef("pk")).visible_to(viewer))
    statuses = _answering(Status.objects, status_id, after).filter(visible | Q(has_replies=True))
    gaps = _answering(Gap.objects, status_id, after).filter(has_replies=True)
    found = [
        Reply(id_, status_id, is_gap, has_replies)
        for rows, is_gap in ((statuses, False), (gaps, True))
        for id_, has_replies in rows.values_list("pk", "has_replies")[:limit]
    ]
    return sorted(found)[:limit]


def _answering(table: Manager[Any], status_id: int, after: int) -> Any:
    children = [Exists(child.objects.filter(reply_to_id=OuterRef("pk"))) for child in (Status, Gap)]
    rows = table.filter(reply_to_id=status_id, pk__gt=after).order_by("pk")
    return rows.annotate(has_replies=children[0] | children[1])


def replies_to(status_ids: Collection[int], *, limit: int) -> dict[int, list[Reply]]:
    """The oldest `limit` replies to each, seen by nobody in particular. One query."""
    if not status_ids:
        return {}
    query = " UNION ALL ".join([REPLIES] * len(status_ids))
    rows = select(query, [it for id_ in status_ids for it in (id_, limit, id_, limit)])
    return _by_parent([Reply(id_, up, bool(gap), bool(has)) for id_, up, gap, has in rows], limit)


def _by_parent(replies: Sequence[Reply], limit: int) -> dict[int, list[Reply]]:
    found: defaultdict[int, list[Reply]] = defaultdict(list)
    for reply in sorted(replies):
        found[reply.parent_id].append(reply)
    return {parent_id: some[:limit] for parent_id, some in found.items()}


def descendant(status_id: int, *, of: int, limit: int) -> Ancestor | None:
    """The status or gap, if it stands at most `limit` levels below the other. One query."""
    *above, found = ancestors_from(status_id, limit=limit + 1)
    return found if any(ancestor.id == of for ancestor in above) else None

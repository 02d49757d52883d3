"""Which status answers which: ids and parents from SQL, step by step along an index.

A deleted status that others had answered left a gap, which holds their thread together.

The subqueries give one value each. From an EXISTS, or a join, PostgreSQL might make a hash of the
whole table.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from web.sql.ready_sql import select_by

ANCESTORS = """
    WITH RECURSIVE up(id, height) AS (
        SELECT CAST(%s AS bigint), 1
        UNION ALL
        SELECT COALESCE(
            (SELECT status.reply_to_id FROM statuses_status status WHERE status.id = up.id),
            (SELECT gap.reply_to_id FROM statuses_gap gap WHERE gap.id = up.id)
        ), up.height + 1
        FROM up WHERE up.id IS NOT NULL AND up.height < %s
    )
    SELECT up.id, (SELECT status.id FROM statuses_status status WHERE status.id = up.id) IS NULL
    FROM up WHERE up.id IS NOT NULL ORDER BY up.height DESC
"""

# From each reply to the next one to the same status.
REPLIES = """
    WITH RECURSIVE answered(id) AS (VALUES {answered}),
    reply(parent_id, id, place) AS (
        SELECT answered.id, CAST(%s AS bigint), 0 FROM answered
        UNION ALL
        SELECT reply.parent_id, (
            SELECT MIN(next.id) FROM (
                SELECT MIN(status.id) AS id FROM statuses_status status
                WHERE status.reply_to_id = reply.parent_id AND status.id > reply.id
                UNION ALL
                SELECT MIN(gap.id) FROM statuses_gap gap
                WHERE gap.reply_to_id = reply.parent_id AND gap.id > reply.id
            ) AS next
        ), reply.place + 1
        FROM reply WHERE reply.id IS NOT NULL AND reply.place < %s
    )
    SELECT reply.id, reply.parent_id,
        (SELECT status.id FROM statuses_status status WHERE status.id = reply.id) IS NULL,
        COALESCE(
            (SELECT MIN(status.id) FROM statuses_status status WHERE status.reply_to_id = reply.id),
            (SELECT MIN(gap.id) FROM statuses_gap gap WHERE gap.reply_to_id = reply.id)
        ) IS NOT NULL
    FROM reply WHERE reply.place > 0 AND reply.id IS NOT NULL ORDER BY reply.id
"""


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
    rows = select_by(ANCESTORS, [status_id, limit])
    return [Ancestor(id_, is_gap=bool(is_gap)) for id_, is_gap in rows]


def descendant(status_id: int, *, of: int, limit: int) -> Ancestor | None:
    *above, found = ancestors_from(status_id, limit=limit + 1)
    return found if any(ancestor.id == of for ancestor in above) else None


def replies_to(
    status_ids: Collection[int], *, limit: int, after: int = 0
) -> dict[int, list[Reply]]:
    """The oldest replies to each after the id `after`, also those that a reader may not see. One
    query of `limit` steps for each.
    """
    if not status_ids:
        return {}
    query = REPLIES.format(answered=", ".join(["(CAST(%s AS bigint))"] * len(status_ids)))
    found: defaultdict[int, list[Reply]] = defaultdict(list)
    for id_, parent_id, is_gap, has_replies in select_by(query, [*status_ids, after, limit]):
        found[parent_id].append(Reply(id_, parent_id, bool(is_gap), bool(has_replies)))
    return found

"""Notifications of some kinds, by SQL that Django can't build (`web/sql/ready_sql.py`)."""

from collections.abc import Sequence

from web.sql.ready_sql import Columns, select_by

from .grouping.kinds import Kind
from .models import Notification

COLUMNS = Columns(Notification)
# One range of an index for each kind: all kinds at once would have to be sorted.
OF_ONE_KIND = """
    SELECT * FROM (
        SELECT id, recipient_id, kind, subject, position, count, actors, arrived, read_to
        FROM notifications_notification
        WHERE recipient_id = %s AND kind = %s AND position < %s ORDER BY position DESC LIMIT %s
    ) AS of_one_kind
"""


def of_kinds(user_id: int, kinds: Sequence[Kind], *, below: int, limit: int) -> list[Notification]:
    """The newest first. One query."""
    query = f"{' UNION ALL '.join([OF_ONE_KIND] * len(kinds))} ORDER BY position DESC LIMIT %s"
    values = [value for kind in kinds for value in (user_id, kind, below, limit)]
    return [COLUMNS.object_of(row) for row in select_by(query, [*values, limit])]

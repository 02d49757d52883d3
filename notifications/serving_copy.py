"""What Redis holds of notifications, and what their rows hold of likes, boosts and follows."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from django.db import transaction

from redistools import keys
from redistools.copies import Hashes, SetRow, register_sets
from redistools.serving_copy import Difference, Scope, Store, register
from users.serving_copy import USERS

from . import store
from .grouping import record
from .grouping.facts import Facts
from .grouping.hearing import recipients
from .grouping.record import fact_of
from .models import Notification
from .stored import StoredNotification, write_actors

NOTIFICATIONS = Scope(
    "notifications",
    lambda: Notification.objects.select_related("recipient"),
    title=lambda it: f"notification {it.pk}",
)


def _load_hashes(rows: Sequence[Notification]) -> None:
    by_recipient = sorted(rows, key=lambda row: row.recipient_id)
    for recipient_id, some in groupby(by_recipient, key=lambda row: row.recipient_id):
        store.refresh(recipient_id, [row.pk for row in some])


class Groups(Store):
    """Rows in SQL, but still copies, of what they count."""

    def differences(self, rows: Sequence[Notification]) -> Iterator[Difference]:
        facts = Facts([row.group for row in rows], lock=False)
        for row in rows:
            fact = fact_of(row.group, row, row.recipient, facts)
            says = (row.position, row.count, row.actors)
            if fact is None or says != (fact.position, fact.count, write_actors(fact.actors)):
                what = f"{self.title(row)} does not say what happened"
                yield Difference(what, partial(_reconcile, row))


def _reconcile(row: Notification) -> None:
    readers = recipients([row.recipient_id])
    with transaction.atomic():
        outcomes = record.reconcile([row.group], readers)
    for recipient_id, outcome in outcomes.items():
        store.refresh(recipient_id, outcome.changed)


register_sets(USERS, SetRow("notifications", keys.notifications, store.in_sql, store.SIZE))

register(
    Hashes(
        kind="notification",
        about=NOTIFICATIONS,
        names=lambda row: [keys.notification(row.pk)],
        load=_load_hashes,
        in_sql=lambda rows: [StoredNotification.of_row(row).fields() for row in rows],
    )
)

register(
    Groups(
        kind="groups",
        label="group",
        about=NOTIFICATIONS,
        names=lambda _row: [],
        load=lambda _rows: None,
    )
)

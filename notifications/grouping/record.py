"""The rows of notifications, kept equal to what they follow from (`facts.py`).

Everything happens under the lock of the recipient's account: rows, arrivals and the number of
unread ones change together, in one order.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from redistools.ids import first_id_at
from relations.blocks_and_mutes.viewpoint import this_moment
from statuses.models import Status
from statuses.visibility.predicate import VisibilityContext
from users.models import User
from users.rows import lock_accounts

from .. import rows
from ..models import Notification
from ..stored import read_actors, write_actors
from .facts import Fact, Facts
from .hearing import hears
from .kinds import OF_STATUSES, Group, Kind


class Outcome(NamedTuple):
    changed: list[int]  # written or removed
    news: list[int]  # those of them that have something new to say


def reconcile(
    groups: Collection[Group], recipients: Mapping[int, VisibilityContext]
) -> dict[int, Outcome]:
    """Inside a transaction: write, change or remove the rows of these groups. What changed, by
    recipient. What they don't want to hear of does not count as unread.
    """
    accounts = lock_accounts([group.recipient_id for group in groups])
    existing, facts = rows.of_groups(groups), Facts(groups)
    outcomes = {}
    for account in accounts.values():
        reconciliation = _Reconciliation(account, facts, recipients[account.pk])
        for group in groups:
            if group.recipient_id == account.pk:
                reconciliation.reconcile(group, existing.get(group))
        outcomes[account.pk] = reconciliation.finish()
    return {user_id: outcome for user_id, outcome in outcomes.items() if outcome.changed}


def fact_of(group: Group, row: Notification | None, account: User, facts: Facts) -> Fact | None:
    """A kind that the recipient has switched off makes nothing new; what is there may only
    shrink.
    """
    if group.kind not in account.notifications_off.split():
        return facts.of(group)
    return facts.of(group, up_to=row.position) if row else None


class _Reconciliation:
    def __init__(self, account: User, facts: Facts, reader: VisibilityContext) -> None:
        self._account, self._facts, self._reader = account, facts, reader
        self._outcome = Outcome([], [])

    def reconcile(self, group: Group, row: Notification | None) -> None:
        fact = fact_of(group, row, self._account, self._facts)
        if fact is None:
            if row is not None:
                self._outcome.changed.append(row.pk)
                row.delete()
        elif row is None:
            self._insert(group, fact)
        elif (row.position, row.count, row.actors) != _columns(fact):
            self._update(row, fact)

    def _insert(self, group: Group, fact: Fact) -> None:
        is_heard = self._hears(group, fact.actors)
        row = Notification(
            recipient=self._account,
            kind=group.kind,
            subject=group.subject,
            arrived=self._arrival if is_heard else 0,
        )
        self._write(row, fact)
        if is_heard:
            self._outcome.news.append(row.pk)

    def _update(self, row: Notification, fact: Fact) -> None:
        if fact.position > row.position:
            self._bring_news(row, fact)
        elif fact.position <= row.read_to:
            row.arrived = 0
        self._write(row, fact)

    def _bring_news(self, row: Notification, fact: Fact) -> None:
        before = read_actors(row.actors)
        newcomers = [it for it in fact.actors if it not in before]
        # Who did it again is no newcomer, but the newest.
        if not self._hears(row.group, newcomers or fact.actors[:1]):
            return
        if row.arrived <= self._account.notifications_seen:
            row.read_to = row.position
        row.arrived = self._arrival
        self._outcome.news.append(row.pk)

    def _hears(self, group: Group, actors: Collection[int]) -> bool:
        about = self._facts.about(group)
        return hears(about, actors, self._reader, this_moment()) and self._may_see(group)

    def _may_see(self, group: Group) -> bool:
        """Others than edits are told to who wrote the status, or is named in it. One query."""
        if group.kind != "edit":
            return True
        return Status.objects.filter(pk=group.subject).visible_to(self._account).exists()

    def _write(self, row: Notification, fact: Fact) -> None:
        row.position, row.count, row.actors = _columns(fact)
        rows.write(row)
        self._outcome.changed.append(row.pk)

    @cached_property
    def _arrival(self) -> int:
        """Higher than all before. Close to the clock, so that none comes twice."""
        return max(first_id_at(timezone.now()), rows.newest_arrival(self._account) + 1)

    def finish(self) -> Outcome:
        if self._outcome.changed:
            rows.write_unread(self._account)
        return self._outcome


def _columns(fact: Fact) -> tuple[int, int, str]:
    return fact.position, fact.count, write_actors(fact.actors)


def unread(account: User) -> QuerySet[Notification]:
    seen = account.notifications_seen
    return Notification.objects.filter(recipient=account, arrived__gt=seen)


def groups_about(
    status_id: int, *, kinds: Sequence[Kind] = OF_STATUSES, limit: int | None = None
) -> list[Group]:
    found = Notification.objects.filter(subject=status_id, kind__in=kinds).order_by("pk")
    return [row.group for row in found[:limit]]
